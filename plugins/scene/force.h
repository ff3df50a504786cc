// SPDX-License-Identifier: Apache-2.0
/* What a force adds to the accelerations of a block of faces: force_laws.c. */
#ifndef FORCE_H
#define FORCE_H

#include <common/shape/shape.h>
#include <common/turbulence/turbulence.h>

enum force_kind { FORCE_WIND, FORCE_VORTEX, FORCE_TURBULENCE, FORCE_ATTRACTOR };

struct wind {
    bw_vec3 velocity;
    double rate;
};
struct vortex {
    bw_vec3 center, axis;
    double radius, strength;
};
struct turbulence {
    double strength, size, speed;
    int64_t octaves, seed;
};
struct attractor {
    bw_vec3 center;
    double radius, strength;
};
struct force_kinds {
    int32_t kind; ///< enum force_kind
    struct wind wind;
    struct vortex vortex;
    struct turbulence turbulence;
    struct attractor attractor;
};

/// Views of the sweep; the velocity is a wind's alone.
enum { VIEW_FORCE, VIEW_VEL };

/// A step's force.
struct force_plan {
    const struct force_kinds *kind;
    struct pose region;
    struct box3 bounds;
    double width;
    double span;    ///< s, of the step: bw_stage.span
    double keep;    ///< wind: share of the difference left after that
    double axis[3]; ///< vortex, unit length
    struct turbulence_plan turbulence;
};

/// Is the block near the shape? For a sweep's `reach`; `user`: the plan.
int force_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);
/// A sweep's body; sum 0 counts blocks that memory ran out for.
void force_add(const struct bw_block *b, void *user);

#endif
