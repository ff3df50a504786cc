// SPDX-License-Identifier: Apache-2.0
/* The same vorticity on a grid: du/dt = q g, whose curl is ∇q × g. */
#ifndef BAROCLINIC_FORCE_H
#define BAROCLINIC_FORCE_H

#include "lattice.h"

struct grid_force {
    struct bw_field *force, *temperature, *smoke; ///< m/s², to add to; the latter two may be NULL
    const struct weight *weight;
    double smoke_density; ///< kg/m³ of smoke of density 1
};

/// Add to `force`; outside of a step only look. *most: largest |ρ'|/ρ₀.
enum bw_status grid_push(struct bw_stage *s, const struct grid_force *f, double *most);

#endif
