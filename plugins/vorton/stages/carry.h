// SPDX-License-Identifier: Apache-2.0
/* Particles along the flow, by Runge–Kutta in two registers. */
#ifndef VORTON_CARRY_H
#define VORTON_CARRY_H

#include "vorton.h"

enum carry_scheme { CARRY_EULER, CARRY_RK2, CARRY_RK3 };
enum carry_radii { CARRY_FIXED, CARRY_STRETCHED };
#define CARRY_SCHEMES "euler|rk2|rk3"

/// What is carried; NULL: none.
struct carry {
    struct bw_particles *vortons, *tracers;
    struct flow flow;
    int32_t scheme, radii; ///< enum carry_scheme, enum carry_radii
    double given;          ///< out: about what was added to Σ|α| of free vortons by all but stretching
};

/// What the flow is where particles are, m/s: of carriers' billow.motion/1.
enum bw_status carry_velocity(struct bw_stage *s, const struct flow *flow, struct bw_particles *p, float *velocity);
/// Advance positions, and the vortons' strength by every billow.strength_rate/1 of the chain, over s->dt; ages too.
enum bw_status carry_step(struct bw_stage *s, struct carry *c);

#endif
