// SPDX-License-Identifier: Apache-2.0
/* What mac.advect spares itself, and comes out all the same. */
#include "physics/physics.h"

/* ---- what holds nothing but background: a puff in a swirl of many tiles, by steps of up to ten cells, is the same, to
 * far below rounding, as where a trace of smoke everywhere lets nothing rest ---- */

#define TRACE 1e-36

static struct test_run swirled(const char *scheme, double trace)
{
    const struct test_options o = {.threads = 2, .simd = UINT32_MAX};
    return run_with(
        &o,
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

Test(shortcuts, maccormack) { idle_check("maccormack"); }
Test(shortcuts, cubic) { idle_check("cubic"); }
Test(shortcuts, cubic_without_clamp) { idle_check("cubic, clamp: false"); }
Test(shortcuts, semi_lagrangian_by_rk3) { idle_check("semi-lagrangian, trace: rk3"); }

/* ---- ways of many cells ---- */

/* Ways of up to 30 cells lie within the halos: rows of floats bring what the plain way in doubles does, but for where
 * exactly a trace leaves the gas. */
Test(shortcuts, long_ways_agree_with_the_plain_way)
{
    static const char *const schemes[] = {"maccormack", "cubic, trace: rk3", "semi-lagrangian, outside: clamp"};
    for (int i = 0; i < (test_short() ? 1 : 3); i++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [70, 50, 60], voxel: 1, origin: [0, 0, 0], sides: {x-: closed, rest: open}}\n"
                "time: {fps: 1, frames: 1-3, dt: 1}\n"
                "fields: {dye: {kind: scalar, advect: true}, twin: {kind: scalar, advect: true, precision: f64}}\n"
                "stages:\n"
                "  - set: {id: flow, field: vel, when: always, keep: true, value: [\"16*sin(y*0.1)\", "
                "\"20*cos(x*0.08)\", \"28*sin(x*0.05+y*0.04)\"]}\n"
                "  - set: {id: dye, field: dye, value: \"sin(x*0.3)*cos(y*0.2+z*0.25)\"}\n"
                "  - set: {id: twin, field: twin, value: \"sin(x*0.3)*cos(y*0.2+z*0.25)\"}\n"
                "  - mac.advect: {scheme: %s}\n",
                schemes[i]);
        struct grid p = grid_of(&r, "dye", 0), q = grid_of(&r, "twin", 0);
        double worst = 0;
        for (size_t k = 0; k < grid_count(&p); k++) worst = fmax(worst, fabs(p.v[k] - q.v[k]));
        cr_assert_gt(grid_max(&q), .5);
        cr_assert_leq(worst, 4e-3, "%s: off by %g", schemes[i], worst);
        cr_assert_gt(metric(&r, "mac.advect.cells"), 25);
        bw_free(p.v);
        bw_free(q.v);
        test_end(&r);
    }
}
