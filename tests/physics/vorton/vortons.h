// SPDX-License-Identifier: Apache-2.0
/* Shared by the tests of vortons: what particles hold after a run, a ring that wobbles. */
#ifndef TEST_VORTONS_H
#define TEST_VORTONS_H

#include "grid/grid.h"
#include "physics/physics.h"
#include <string.h>
#include <unistd.h>

#define HEAD "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 1}\n"

/// An attribute of particles after a run; valid until test_end.
static inline const double *attribute(const struct test_run *r, const char *particles, const char *name, int64_t *count)
{
    struct bw_particles *p = bw_chain_particles(r->chain, particles);
    cr_assert_not_null(p, "no particles \"%s\"", particles);
    *count = bw_particles_table.count(p);
    return bw_particles_table.attribute(p, name);
}

/* A wobbling ring, stretched and turned, a hundred steps. */
static inline struct test_run wobbling(const char *method, const char *rest, int frames, uint32_t threads)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(
        &o,
        HEAD "time: {fps: 96, frames: 1001-%d, substeps: 1, seed: 3}\nstages:\n"
             "  - vorton.emit: {wobble: 1 cm, source: {ring: {center: [0.1, 0, 0], axis: [1, 2, 3], radius: 50 cm, "
             "core: 12 cm, "
             "layers: 1}}}\n"
             "  - vorton.velocity: {method: %s}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n%s",
        1000 + frames, method, rest);
}

static inline void sums(const struct test_run *r, double total[3], double impulse[3], double *all)
{
    int64_t n;
    const double *x = attribute(r, "vortons", "pos", &n), *a = attribute(r, "vortons", "strength", &n);
    memset(total, 0, 24);
    memset(impulse, 0, 24);
    *all = 0;
    for (int64_t i = 0; i < n; i++, x += 3, a += 3) {
        *all += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            total[c] += a[c];
            impulse[c] += .5 * (x[d] * a[e] - x[e] * a[d]);
        }
    }
}

static inline uint64_t hash(const struct test_run *r, const char *particles, const char *name)
{
    int64_t n;
    const unsigned char *v = (const unsigned char *)attribute(r, particles, name, &n);
    uint64_t h = 1469598103934665603ull;
    for (int64_t i = 0; i < 24 * n; i++) h = (h ^ v[i]) * 1099511628211ull;
    return h;
}

static inline void refuse(const char *stages, const char *sentence)
{
    run_refused(sentence, HEAD "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n%s", stages);
}

#endif
