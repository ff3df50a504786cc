// SPDX-License-Identifier: Apache-2.0
/* Expressions know the same constants and functions in every stage and parameter; what has no value is said. */
#include "physics.h"

#define HEAD                                                                                                           \
    "billow: 1\ndomain: {cells: [20, 8, 8], voxel: 1 cm, origin: [0, 0, 0]}\n"                                         \
    "time: {fps: 25, frames: 11-13, dt: 0.04, seed: 7}\nstages:\n"

/* The same text as a value of `set`, in places, and as a parameter, in time. */
Test(set, same_as_in_parameters)
{
#define TEXT "seed + fps/100 + hypot(3, 4) + noise(0.3, t, 0.1) + smoothstep(0, 1, 0.25) + mod(-1, 3) + frame/1024"
    struct test_run r = run(HEAD "  - set: {id: a, field: density, value: \"" TEXT "\", when: always, keep: true}\n"
                                 "  - set: {id: b, field: temperature, value: 0, keep: true}\n"
                                 "  - emit: {shape: {box: {center: [0, 0, 0], size: [9, 9, 9]}}, noise: {amount: 0},\n"
                                 "           mode: set, temperature: \"=" TEXT "\"}\n");
    struct grid a = grid_of(&r, "density", 0), b = grid_of(&r, "temperature", 0);
    double plain = 7 + .25 + 5 + .25 * .25 * 2.5 + 2 + 13 / 1024.;
    cr_assert(fabs(at(&a, 3, 3, 3) - plain) < 1 && at(&a, 3, 3, 3) != (double)(float)plain, "%g", at(&a, 3, 3, 3));
    for (size_t i = 0; i < grid_count(&a); i++) cr_assert_eq(a.v[i], b.v[i], "%zu: %g, %g", i, a.v[i], b.v[i]);
    bw_free(a.v);
    bw_free(b.v);
    test_end(&r);
}

/* x, y, z and other fields, as they were before; only inside of the box. */
Test(set, places_and_fields)
{
    struct test_run r = run(HEAD "  - set: {id: a, field: density, value: x + 10*y + 100*z, keep: true}\n"
                                 "  - set: {id: v, field: vel, value: [1, 2*y, 3], keep: true}\n"
                                 "  - set: {id: b, field: density, value: density + 1000*vel.y, mode: set,\n"
                                 "          box: {lo: [0.03, 0, 0], hi: [0.17, 1, 1]}}\n");
    struct grid d = grid_of(&r, "density", 0);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 20; i++) {
            double x = (i + .5) / 100, y = (j + .5) / 100, in = x >= .03 && x <= .17;
            cr_assert_float_eq(at(&d, i, j, 2), x + 10 * y + 2.5 + in * 2000 * y, 1e-4, "%d %d: %g", i, j,
                               at(&d, i, j, 2));
        }
    bw_free(d.v);
    test_end(&r);
}

/* A velocity of t carries from a step's begin to its end: t²/2 by any number of steps; so does what is added. A value
 * that is set is the one of the step's end. */
Test(set, always_at_the_right_time)
{
    for (int substeps = 1; substeps <= 4; substeps *= 2) {
        struct test_run r = run("billow: 1\ndomain: {cells: [64, 1, 8], voxel: 1 m, sides: {left: periodic, right: "
                                "periodic, rest: closed}}\n"
                                "time: {fps: 1, frames: 1-5, substeps: %d}\nstages:\n"
                                "  - set: {field: vel, value: [\"t\", 0, 0], when: always, keep: true}\n"
                                "  - set: {id: d, field: density, value: \"exp(-x*x/18)\", keep: true}\n"
                                "  - set: {id: now, field: temperature, value: t, when: always}\n"
                                "  - set: {id: more, field: flame, value: \"2*t\", when: always, mode: add}\n"
                                "  - set: {id: frame, field: fuel, value: frame, when: always}\n"
                                "  - mac.advect: {only: [density]}\n",
                                substeps);
        struct grid d = grid_of(&r, "density", 0), now = grid_of(&r, "temperature", 0), more = grid_of(&r, "flame", 0),
                    frame = grid_of(&r, "fuel", 0);
        double sum = 0, first = 0;
        for (int i = 0; i < 64; i++) sum += at(&d, i, 0, 4), first += at(&d, i, 0, 4) * (i - 31.5);
        cr_assert_float_eq(first / sum, 8, 1e-3, "%d steps: %g m", substeps, first / sum);
        cr_assert_float_eq(at(&now, 30, 0, 4), 4, 1e-6);
        cr_assert_float_eq(at(&more, 30, 0, 4), 16, 1e-5);
        cr_assert_float_eq(at(&frame, 30, 0, 4), 5, 1e-6);
        bw_free(d.v), bw_free(now.v), bw_free(more.v), bw_free(frame.v);
        test_end(&r);
    }
}

Test(set, refusals)
{
    static const char *const cases[][2] = {
        {"1/(x - x)",
         "set: value \"1/(x - x)\" has no finite value for \"density\" at (0.005, 0.005, 0.005) m, t = 0 s"},
        {"sqrt(-1 - x)", "has no finite value"},
        {"densty", "no stage makes a field \"densty\""},
        {"vel", "\"vel\" has three components: add .x, .y or .z"},
        {"density.x", "no components"},
        {"\"1, 2\"", "expression \"1, 2\": it has several values"},
        {"2*(x", "expression \"2*(x\": "},
        {"nan", "no stage makes a field \"nan\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_refused(cases[i][1],
                    HEAD "  - set: {id: v, field: vel, value: [0, 0, 0], keep: true}\n"
                         "  - set: {field: density, value: %s, keep: true}\n",
                    cases[i][0]);
    run_refused("emit: temperature at frame 12: it has no finite value",
                HEAD "  - emit: {shape: {sphere: {}}, temperature: \"=1/(frame - 12)\"}\n");
    run_refused(
        "expression \"2*fsp\": there is no \"fsp\"; t, frame, seed, fps, ambient, pi and e are; did you mean \"fps\"?",
        HEAD "  - emit: {shape: {sphere: {}}, temperature: \"=2*fsp\"}\n");
}
