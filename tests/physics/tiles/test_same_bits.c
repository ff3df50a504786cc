// SPDX-License-Identifier: Apache-2.0
/* The same comes out on any number of threads, bit by bit, at each level of vectors but for rounding, and of a source
 * in any number of substeps. */
#include "physics/physics.h"

static struct test_run busy(uint32_t threads, uint32_t simd, const char *advect)
{
    struct test_options o = {.threads = threads, .simd = simd};
    return run_with(&o,
                    "billow: 1\ncharacter: wild\n"
                    "domain: {cells: [40, 36, 52], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}\n"
                    "time: {fps: 25, frames: 1001-%d, cfl: 2, seed: 5}\n"
                    "stages:\n"
                    "  - emit: {shape: {cylinder: {center: [0, 0, 0.2], radius: 0.16, height: 0.15}}, density: 1, "
                    "temperature: 120,\n"
                    "           noise: {amount: 0.8, size: 0.1}}\n"
                    "  - emit: {id: puff, mode: add, shape: {torus: {center: [0.1, 0, 0.3]}}, density: 2 1/s}\n"
                    "  - collide: {id: ball, shape: {sphere: {center: {keys: {1001: [-0.2, 0.05, 0.6], 1008: [0.2, "
                    "0, 0.5]}}, radius: 0.12}}}\n"
                    "  - collide: {id: shelf, shape: {box: {center: [0.3, 0, 0.5], size: [0.2, 0.3, 0.05]}}}\n"
                    "  - mac.advect: {%s}\n"
                    "  - force: {id: stir, kind: {turbulence: {strength: 3}}}\n"
                    "  - mac.forces: {confinement: 0.4}\n"
                    "  - mac.project: {}\n"
                    "  - stats: {}\n",
                    test_short() ? 1003 : 1008, advect);
}

static void threads_check(const char *advect)
{
    static const char *const fields[] = {"density", "temperature", "vel", "pressure", "solid"};
    uint64_t hash[5];
    double mass = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct test_run r = busy(threads, UINT32_MAX, advect);
        for (int f = 0; f < 5; f++) {
            uint64_t h = test_hash(&r, fields[f]);
            if (threads > 1) cr_assert_eq(h, hash[f], "%s differs on %u threads", fields[f], threads);
            hash[f] = h;
        }
        double m = metric(&r, "stats.mass_density");
        if (threads > 1) cr_assert_eq(m, mass, "the sum differs on %u threads", threads);
        cr_assert_gt(m, .001);
        mass = m;
        test_end(&r);
    }
}

Test(same_bits, any_number_of_threads) { threads_check(""); }
Test(same_bits, any_number_of_threads_by_the_quintic) { threads_check("velocity: quintic"); }

/* Largest difference of a component, as a share of the largest value. */
static double difference(const struct test_run *a, const struct test_run *b, const char *field, uint32_t c)
{
    struct grid p = grid_of(a, field, c), q = grid_of(b, field, c);
    double worst = 0, most = 0;
    for (size_t i = 0; i < grid_count(&p); i++) {
        worst = fmax(worst, fabs(p.v[i] - q.v[i]));
        most = fmax(most, fabs(p.v[i]));
    }
    bw_free(p.v);
    bw_free(q.v);
    cr_assert_gt(most, 0, "%s is empty", field);
    return worst / most;
}

Test(same_bits, simd_levels_agree_within_rounding)
{
    struct test_run r = busy(2, 0, "");
    for (uint32_t simd = 1; simd <= bw_simd_best(); simd++) {
        struct test_run s = busy(2, simd, "");
        double d = difference(&r, &s, "density", 0), u = difference(&r, &s, "vel", 2);
        cr_assert_leq(d, 1e-4, "simd level %u: density differs by %g", simd, d);
        cr_assert_leq(u, 1e-4, "simd level %u: velocity differs by %g", simd, u);
        test_end(&s);
    }
    test_end(&r);
}

/* A rate is a rate: one step or four, one frame or another rate of frames. */
Test(same_amounts, any_number_of_substeps)
{
    double first = 0;
    static const struct {
        int fps, frames, substeps;
    } t[] = {{24, 13, 1}, {24, 13, 4}, {10, 6, 3}, {50, 26, 1}};
    for (int i = 0; i < 4; i++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [32, 32, 32], voxel: 5 cm}\n"
                "time: {fps: %d, frames: 1-%d, substeps: %d}\n"
                "stages:\n"
                "  - emit: {mode: add, shape: {box: {center: [0, 0, 0.8], size: [0.5, 0.4, 0.3]}}, density: 0.8 1/s}\n"
                "  - stats: {}\n",
                t[i].fps, t[i].frames, t[i].substeps);
        double m = metric(&r, "stats.mass_density"), want = .5 * .8 * .5 * .4 * .3;
        if (!i) first = m;
        cr_assert_float_eq(m, want, .02 * want, "mass %g, %g were asked for", m, want);
        cr_assert_float_eq(m, first, 1e-6 * first, "mass %.9g with %d frames/s × %d, %.9g with 24 × 1", m, t[i].fps,
                           t[i].substeps, first);
        test_end(&r);
    }
}
