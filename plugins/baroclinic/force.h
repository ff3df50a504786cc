// SPDX-License-Identifier: Apache-2.0
/* Buoyancy on a grid: du/dt = q g, whose curl is the baroclinic generation ∇q × g. */
#ifndef BAROCLINIC_FORCE_H
#define BAROCLINIC_FORCE_H

#include "lattice.h"

struct grid_force {
    struct bw_field *force, *temperature, *smoke; ///< m/s², to add to; the latter two may be NULL
    const struct density_law *weight;
    double smoke_density; ///< kg/m³ of smoke of density 1
};

/// Adds buoyancy to `force`; outside of a step (dt 0) it only measures. *most: largest |ρ'|/ρ₀. Errors: the host's.
enum bw_status force_add(struct bw_stage *s, const struct grid_force *f, double *most);

#endif
