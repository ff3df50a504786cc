// SPDX-License-Identifier: Apache-2.0
/* Advection of particles by low-storage Runge–Kutta (two registers). */
#ifndef VORTON_PARTICLE_ADVECTION_H
#define VORTON_PARTICLE_ADVECTION_H

#include "vorton.h"

enum advection_scheme { ADVECTION_EULER, ADVECTION_RK2, ADVECTION_RK3 };
enum advection_radii { ADVECTION_FIXED, ADVECTION_STRETCHED };
#define ADVECTION_SCHEMES "euler|rk2|rk3"

/// The particles to advect; NULL: none.
struct particle_advection {
    struct bw_particles *vortons, *tracers;
    struct flow flow;
    int32_t scheme, radii; ///< enum advection_scheme, enum advection_radii
    double given;          ///< out: about what was added to Σ|α| of free vortons by all but stretching
};

/// Velocity of the flow at the particles, m/s: for billow.motion/1.
enum bw_status particles_velocity(struct bw_stage *s, const struct flow *flow, struct bw_particles *p, float *velocity);
/// Advance positions, and the vortons' strength by every billow.strength_rate/1 of the chain, over s->dt; ages too.
enum bw_status particles_advect(struct bw_stage *s, struct particle_advection *c);

#endif
