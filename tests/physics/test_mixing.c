// SPDX-License-Identifier: Apache-2.0
/* Subgrid mixing of mac.advect: old smoke thins out where the flow shears. */
#include "physics.h"

/* Smoke in a shear of 2 1/s along z, which the preset holds, for half a second. */
static struct test_run shear_run(double mixing, int steps, double start)
{
    return run("billow: 1\ncharacter: calm\nfields: {age: {}}\n"
               "domain: {cells: [48, 16, 48], voxel: 5 cm, center: [%.17g, 0], sides: {rest: open}}\n"
               "time: {fps: 24, frames: 1-13, substeps: %d}\n"
               "stages:\n"
               "  - set: {id: shear, field: vel, value: [\"2*(z - 1.2)\", 0, 0], keep: true}\n"
               "  - set: {id: smoke, field: density, value: \"exp(-((x - %.17g)^2 + (z - 1.2)^2)/0.04)\"}\n"
               "  - mac.advect: {only: [density], mixing: %.17g}\n",
               start, steps, start, mixing);
}

/* The variance of the smoke along z, m². */
static double height_variance(const struct test_run *r)
{
    struct grid q = grid_of(r, "density", 0);
    double sum[3] = {0};
    for (int k = 0; k < q.n[2]; k++)
        for (int j = 0; j < q.n[1]; j++)
            for (int i = 0; i < q.n[0]; i++)
                for (int m = 0; m < 3; m++) sum[m] += at(&q, i, j, k) * pow(.05 * k, m);
    bw_free(q.v);
    return sum[2] / sum[0] - pow(sum[1] / sum[0], 2);
}

/* d(variance)/dt = 2 K, K = .2 h |du|, du = 2 h 1/s. In the first step smoke is not old yet. Neither steps nor where
 * the domain begins count. */
Test(mixing, it_spreads_by_the_shear)
{
    struct test_run still = shear_run(0, 1, 0);
    const double before = height_variance(&still), k = .2 * .05 * (2 * .05);
    test_end(&still);
    for (int i = 0; i < 3; i++) {
        const int steps = i == 1 ? 4 : 1;
        struct test_run r = shear_run(1.5, steps, i == 2 ? .35 : 0);
        const double grown = height_variance(&r) - before, due = 2 * 1.5 * k * (.5 - 1. / 24 / steps);
        cr_assert_float_eq(grown, due, 1e-3 * due, "%d: %g, not %g", i, grown, due);
        test_end(&r);
    }
}

static struct test_run column_run(const char *character, double mixing, const char *more, const char *time)
{
    return run("billow: 1\ncharacter: %s\n"
               "domain: {cells: [32, 32, 40], voxel: 2.5 cm, sides: {rest: closed}}\n"
               "time: {fps: 24, %s, seed: 3}\n"
               "stages:\n"
               "%s"
               "  - mac.advect: {mixing: %.17g}\n"
               "  - emit: {density: 1, temperature: 60 K, frames: 1-6,\n"
               "           shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
               "  - mac.forces: {}\n"
               "  - mac.project: {}\n",
               character, time, more, mixing);
}

static double smoke_of(const struct test_run *r, double *most)
{
    struct grid q = grid_of(r, "density", 0);
    double least = 0;
    for (size_t i = 0; i < grid_count(&q); i++) least = fmin(least, q.v[i]);
    const double sum = grid_sum(&q);
    *most = grid_max(&q);
    bw_free(q.v);
    cr_assert_geq(least, 0);
    return sum;
}

/* However strong, beside obstacles, in long steps: the sum stays, and no cell leaves the range of those around it. */
Test(mixing, it_keeps_sums_and_bounds)
{
    static const char *const more[] = {"", "  - collide: {shape: {sphere: {center: [0.05, 0, 0.45], radius: 0.1}}}\n"};
    for (int i = 0; i < 4; i++) {
        const double mixing = i % 2 ? 100 : 1;
        struct test_run a = column_run("natural", mixing, more[i / 2], "frames: 1-7, substeps: 1");
        struct test_run b = column_run("natural", mixing, more[i / 2], "frames: 1-14, substeps: 1");
        double most[2];
        const double before = smoke_of(&a, &most[0]), after = smoke_of(&b, &most[1]);
        cr_assert_float_eq(after, before, (i < 2 ? 1e-5 : 1e-3) * before, "%d: %g, %g", i, before, after);
        cr_assert_leq(most[1], 1);
        test_end(&a);
        test_end(&b);
    }
}

/* What has just come out is whole, what is old is thin: the more of it, the less of it is dense. */
Test(mixing, old_smoke_is_thin)
{
    double most[2], young[2];
    for (int i = 0; i < 2; i++) {
        struct test_run a = column_run("natural", i ? 3 : 0, "", "frames: 1-5");
        struct test_run b = column_run("natural", i ? 3 : 0, "", "frames: 1-24");
        smoke_of(&a, &young[i]);
        smoke_of(&b, &most[i]);
        test_end(&a);
        test_end(&b);
    }
    cr_assert_gt(young[1], .95 * young[0], "%g, %g", young[1], young[0]);
    cr_assert_lt(most[1], .8 * most[0], "%g, %g", most[1], most[0]);
}

/* A dye stays the smoke's. */
Test(mixing, dyes_mix_with_their_smoke)
{
    struct test_run r = run("billow: 1\ncharacter: natural\nfields: {dye: {kind: vector, advect: true}}\n"
                            "domain: {cells: [32, 32, 32], voxel: 2.5 cm, sides: {rest: closed}}\n"
                            "time: {fps: 24, frames: 1-10}\n"
                            "stages:\n"
                            "  - mac.advect: {mixing: 4}\n"
                            "  - emit: {density: 1, dye: [0.5, 0.25, 1], temperature: 60 K,\n"
                            "           shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
                            "  - mac.forces: {}\n"
                            "  - mac.project: {}\n");
    struct grid q = grid_of(&r, "density", 0), dye = grid_of(&r, "dye", 1);
    double off = 0;
    for (size_t i = 0; i < grid_count(&q); i++) off = fmax(off, fabs(dye.v[i] - .25 * q.v[i]));
    cr_assert_lt(off, 1e-5, "%g", off);
    bw_free(q.v);
    bw_free(dye.v);
    test_end(&r);
}
