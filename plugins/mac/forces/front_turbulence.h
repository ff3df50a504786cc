// SPDX-License-Identifier: Apache-2.0
/* Turbulence that breaks up the fronts of smoke and heat where nobody lists a `force` for it. */
#ifndef FRONT_TURBULENCE_H
#define FRONT_TURBULENCE_H

#include <billow/plugin.h>

struct front_turbulence {
    double share;                 ///< of the flow's own acceleration
    struct bw_field *force, *vel; ///< to which it is added; the flow
    struct bw_field *front;       ///< whose fronts break up
    double largest;               ///< greatest value of that
    struct bw_field *age;         ///< of the smoke in driver[1]; NULL: nobody knows
    struct bw_field *driver[2];   ///< what drives the flow, or NULL …
    double per[2];                ///< … by how many m/s² per unit
};

/// Add the share of u²/R + |drive|, R the radius of the domain's largest source, in eddies of that size down to a
/// quarter. Nothing where there is no source. Errors: the host's, BW_ERR_MEMORY.
enum bw_status front_turbulence_add(struct bw_stage *s, const struct front_turbulence *f);

#endif
