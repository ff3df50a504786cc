// SPDX-License-Identifier: Apache-2.0
/* Bodies of a finished run, and what they have together. */
#ifndef TEST_BODIES_OF_H
#define TEST_BODIES_OF_H

#include "grid/grid.h"
#include "physics/physics.h"
#include <common/bodies.h>

static inline const void *bodies_extension(const char *id)
{
    return strcmp(id, BW_PARTICLES_API) ? NULL : &bw_particles_table;
}

/// Valid until test_end.
static inline struct body_arrays bodies_of(const struct test_run *r)
{
    static const struct bw_host host = {.extension = bodies_extension};
    struct bw_particles *p = bw_chain_particles(r->chain, "bodies");
    cr_assert_not_null(p, "no bodies");
    return body_arrays(&(struct bw_stage){.host = &host}, p);
}

/// Momentum, and angular momentum about the origin.
static inline void bodies_momentum(const struct body_arrays *b, double p[3], double l[3])
{
    memset(p, 0, 24);
    memset(l, 0, 24);
    for (int64_t i = 0; i < b->count; i++) {
        double own[3], spin[3], orbit[3];
        for (int a = 0; a < 3; a++) p[a] += own[a] = b->mass[i] * b->velocity[i][a];
        body_inertia(b, i, b->spin[i], 0, spin);
        vec3_cross(b->pos[i], own, orbit);
        for (int a = 0; a < 3; a++) l[a] += spin[a] + orbit[a];
    }
}

#endif
