// SPDX-License-Identifier: Apache-2.0
/* mac.advect leaves alone what holds nothing but background. A puff in a swirl of many tiles, steps of up to ten cells:
 * what comes out is the same, to far below rounding, as where a trace of smoke everywhere lets nothing rest. */
#include "physics/physics.h"

#define TRACE 1e-36

static struct test_run swirled(const char *scheme, double trace)
{
    const struct test_options o = {.threads = 2, .simd = UINT32_MAX};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [80, 96, 72], voxel: 1, origin: [0, 0, 0], sides: {x-: closed, rest: open}}\n"
                    "time: {fps: 1, frames: 1-%d, dt: 1}\n"
                    "stages:\n"
                    "  - set: {id: flow, field: vel, when: always, keep: true, value: [\"9*sin(y*0.05)+3\", "
                    "\"6*cos(x*0.07)\", \"5*sin(x*0.05+y*0.04)\"]}\n"
                    "  - set: {id: puff, field: density, value: \"%g + ((x-18)^2+(y-20)^2+(z-30)^2 < 25 ? 1 : 0)\"}\n"
                    "  - set: {id: warmth, field: temperature, value: \"%g + ((x-50)^2+(y-70)^2+(z-20)^2 < 81 ? 80 : 0)\"}\n"
                    "  - mac.advect: {scheme: %s}\n",
                    test_short() ? 3 : 6, trace, 100 * trace, scheme);
}

static void idle_check(const char *scheme)
{
    struct test_run idle = swirled(scheme, 0), busy = swirled(scheme, TRACE);
    for (int f = 0; f < 2; f++) {
        const char *field = f ? "temperature" : "density";
        struct grid p = grid_of(&idle, field, 0), q = grid_of(&busy, field, 0);
        size_t zeros = 0;
        cr_assert_gt(grid_max(&p), .05, "no %s is left", field);
        for (size_t i = 0; i < grid_count(&p); i++) {
            zeros += p.v[i] == 0;
            cr_assert_leq(fabs(p.v[i] - q.v[i]), 1e4 * TRACE, "%s: %s %g where it should be %g", scheme, field, p.v[i],
                          q.v[i]);
        }
        cr_assert_gt(zeros, grid_count(&p) / 2, "%s: all is awake", scheme);
        bw_free(p.v);
        bw_free(q.v);
    }
    cr_assert_eq(test_hash(&idle, "vel"), test_hash(&busy, "vel"));
    test_end(&idle);
    test_end(&busy);
}

Test(idle, maccormack) { idle_check("maccormack"); }
Test(idle, cubic) { idle_check("cubic"); }
Test(idle, cubic_without_clamp) { idle_check("cubic, clamp: false"); }
Test(idle, semi_lagrangian_by_rk3) { idle_check("semi-lagrangian, trace: rk3"); }
