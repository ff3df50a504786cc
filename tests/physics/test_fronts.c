// SPDX-License-Identifier: Apache-2.0
/* Turbulence tied to the fronts of a field: a hot ball of radius 60 cm, whose surface is stirred for a tenth of a
 * second. No divergence, nothing away from the front, the same on finer grids and in shorter steps. */
#include "physics/pushed.h"

#define BALL                                                                                                           \
    "billow: 1\n"                                                                                                      \
    "domain: {size: [2 m, 2 m, 2 m], voxel: %g, floor: -1}\n"                                                          \
    "time: {fps: 10, frames: 1-2, substeps: %d}\n"                                                                     \
    "stages:\n" KEEP_VEL "  - set: {field: temperature, value: \"%s\"}\n"                                              \
    "  - force: {front: temperature, front_change: 150, front_width: 40 cm, kind: {turbulence: {strength: 1, size: "   \
    "40 cm, octaves: 1, speed: %g}}}\n" PUSHED "  - stats: {}\n"
#define SHARP "200*(x*x + y*y + z*z < 0.36)"
#define SOFT "100 - 100*tanh((sqrt(x*x + y*y + z*z) - 0.6)/0.05)"

static struct test_run ball(double voxel, int substeps, const char *heat, double speed, uint32_t threads)
{
    return run_with(&(struct test_options){.threads = threads, .module = &pushed_module}, BALL, voxel, substeps, heat,
                    speed);
}

static double rms(const struct grid *g)
{
    double sum = 0;
    size_t n = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    for (size_t i = 0; i < n; i++) sum += g->v[i] * g->v[i];
    return sqrt(sum / (double)n);
}

Test(fronts, make_no_divergence)
{
    struct test_run r = ball(0.04, 1, SHARP, 0.3, 2);
    struct grid u = grid_of(&r, "vel", 0);
    double all = rms(&u);
    cr_assert_gt(all, 0.01, "nothing is stirred: %g m/s", all);
    cr_assert_lt(metric(&r, "stats.max_div_vel"), 2e-5 * all / 0.04, "divergence %g 1/s at %g m/s",
                 metric(&r, "stats.max_div_vel"), all);
    bw_free(u.v);
    test_end(&r);
}

Test(fronts, stir_nothing_else)
{
    struct test_run r = ball(0.04, 1, SHARP, 0.3, 2);
    struct grid u = grid_of(&r, "vel", 1);
    double near = 0, far = 0;
    for (int k = 0; k < u.n[2]; k++)
        for (int j = 0; j < u.n[1]; j++)
            for (int i = 0; i < u.n[0]; i++) {
                const double x = -1 + 0.04 * (i + 0.5), y = -1 + 0.04 * j, z = -1 + 0.04 * (k + 0.5);
                const double off = fabs(sqrt(x * x + y * y + z * z) - 0.6), v = fabs(at(&u, i, j, k));
                if (off < 0.05) near = fmax(near, v);
                if (off > 0.4) far = fmax(far, v);
            }
    cr_assert_gt(near, 0.1, "%g m/s at the front", near);
    cr_assert_eq(far, 0, "%g m/s beyond its width", far);
    bw_free(u.v);
    test_end(&r);
}

/// Share of the flow that differs on cells half as wide: each coarse face is four fine ones.
static double finer(const char *heat, double voxel)
{
    struct test_run a = ball(voxel, 1, heat, 0.3, 2), b = ball(voxel / 2, 1, heat, 0.3, 2);
    struct grid u = grid_of(&a, "vel", 0), v = grid_of(&b, "vel", 0);
    double sum = 0, all = 0;
    for (int k = 0; k < u.n[2]; k++)
        for (int j = 0; j < u.n[1]; j++)
            for (int i = 0; i < u.n[0]; i++) {
                double mean = 0, coarse = at(&u, i, j, k);
                for (int e = 0; e < 4; e++) mean += 0.25 * at(&v, 2 * i, 2 * j + e % 2, 2 * k + e / 2);
                sum += (coarse - mean) * (coarse - mean);
                all += mean * mean;
            }
    bw_free(u.v);
    bw_free(v.v);
    test_end(&a);
    test_end(&b);
    return sqrt(sum / all);
}

Test(fronts, know_no_voxel)
{
    const double sharp = finer(SHARP, 0.04), soft = finer(SOFT, 0.04);
    cr_assert_lt(soft, 0.04, "a soft front: %g", soft);
    cr_assert_lt(sharp, 0.08, "one sharper than any cell: %g", sharp);
    if (test_short()) return;
    const double coarse = finer(SOFT, 0.08);
    cr_assert_lt(soft, 0.4 * coarse, "second order: %g at 8 cm, %g at 4 cm", coarse, soft);
}

Test(fronts, know_no_step)
{
    const double speed[2] = {0, 0.3}, most[2] = {1e-5, 0.02};
    for (int s = 0; s < 2; s++) {
        struct test_run a = ball(0.08, 1, SOFT, speed[s], 2), b = ball(0.08, 4, SOFT, speed[s], 2);
        struct grid u = grid_of(&a, "vel", 0), v = grid_of(&b, "vel", 0);
        const double all = rms(&u);
        for (size_t i = 0; i < (size_t)u.n[0] * (size_t)u.n[1] * (size_t)u.n[2]; i++) u.v[i] -= v.v[i];
        cr_assert_lt(rms(&u), most[s] * all, "speed %g: %g of %g", speed[s], rms(&u), all);
        bw_free(u.v);
        bw_free(v.v);
        test_end(&a);
        test_end(&b);
    }
}

/* ---- a gas that carries momentum ---- */

/* Of 2 kg/m3, that goes along x with 0.4 m/s. */
#define GAS                                                                                                            \
    "billow: 1\n"                                                                                                      \
    "domain: {size: [2 m, 2 m, 2 m], voxel: 0.08, floor: -1, sides: {rest: periodic}}\n"                               \
    "time: {fps: %g, frames: 1-2, substeps: %d}\n"                                                                     \
    "stages:\n  - set: {field: mass, value: 2}\n"                                                                      \
    "  - set: {id: moving, field: momentum, value: [0.8, 0, 0]}\n"                                                     \
    "  - set: {id: warm, field: energy, value: 5.16}\n"                                                                \
    "  - set: {id: hot, field: temperature, value: \"" SOFT "\"}\n"                                                    \
    "  - force: {%s}\n"                                                                                                \
    "  - flux: {ambient_density: 2, sound_speed: 1, quiet: 0}\n"
#define STIR                                                                                                           \
    "front: temperature, front_change: 150, front_width: 40 cm, "                                                      \
    "kind: {turbulence: {strength: 1, size: 40 cm, octaves: 1, speed: 0}}"

Test(gas, takes_on_a_wind)
{
    for (int substeps = 1; substeps <= 3; substeps += 2) {
        struct test_run r = run(GAS, 10., substeps, "kind: {wind: {velocity: [2, 0, -1], rate: 7}}");
        struct grid m = grid_of(&r, "momentum", 0), e = grid_of(&r, "energy", 0), w = grid_of(&r, "momentum", 2);
        const double left = exp(-0.7), u = 2 + (0.4 - 2) * left, down = left - 1, all = 5 + u * u + down * down;
        for (size_t i = 0; i < grid_count(&m); i++) {
            cr_assert_float_eq(m.v[i], 2 * u, 4e-6, "%g, not %g", m.v[i], 2 * u);
            cr_assert_float_eq(w.v[i], 2 * down, 4e-6);
            cr_assert_float_eq(e.v[i], all, 1e-5, "energy %g, not %g", e.v[i], all);
        }
        bw_free(m.v);
        bw_free(w.v);
        bw_free(e.v);
        test_end(&r);
    }
}

/* Each cell gets the mean of what its faces would get on a grid of velocities, times its mass: in a step so short that
 * its own waves have done nothing yet. */
Test(gas, is_stirred_as_a_flow_is)
{
    struct test_run r = run(GAS, 1e5, 1, STIR), flow = ball(0.08, 1, SOFT, 0, 2);
    struct grid m = grid_of(&r, "momentum", 1), v = grid_of(&flow, "vel", 1);
    double most = 0, off = 0;
    for (int k = 0; k < m.n[2]; k++)
        for (int j = 0; j + 1 < m.n[1]; j++)
            for (int i = 0; i < m.n[0]; i++) {
                const double u = 1e-4 * 0.5 * (at(&v, i, j, k) + at(&v, i, j + 1, k)); // in a tenth of a second there
                off = fmax(off, fabs(at(&m, i, j, k) - 2 * u));
                most = fmax(most, fabs(2 * u));
            }
    cr_assert_gt(most, 1e-5, "nothing is stirred: %g kg/(m2 s)", most);
    cr_assert_lt(off, 1e-3 * most, "off by %g of %g", off, most);
    bw_free(m.v);
    bw_free(v.v);
    test_end(&r);
    test_end(&flow);
}

Test(gas, has_the_same_bits_on_any_threads)
{
    struct test_run a = run_with(&(struct test_options){.threads = 1}, GAS, 10., 1, STIR),
                    b = run_with(&(struct test_options){.threads = 2}, GAS, 10., 1, STIR);
    cr_assert_eq(test_hash(&a, "momentum"), test_hash(&b, "momentum"));
    cr_assert_eq(test_hash(&a, "energy"), test_hash(&b, "energy"));
    test_end(&a);
    test_end(&b);
}

Test(fronts, have_the_same_bits_on_any_threads)
{
    struct test_run a = ball(0.04, 1, SHARP, 0.3, 1), b = ball(0.04, 1, SHARP, 0.3, 2);
    cr_assert_eq(test_hash(&a, "vel"), test_hash(&b, "vel"));
    test_end(&a);
    test_end(&b);
}

Test(fronts, are_for_turbulence)
{
    run_refused("front is for turbulence",
                "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 1}\ntime: {fps: 10, frames: 1-2}\n"
                "stages:\n" KEEP_VEL "  - emit: {density: 1, shape: {sphere: {radius: 2}}}\n"
                "  - force: {front: density, kind: {wind: {velocity: [1, 0, 0]}}}\n");
}

/* How fast the force of mac.forces changes from cell to cell, of itself, on a front of smoke of an age; R is 30 cm. */
static double roughness(double age)
{
    struct test_run r = run("billow: 1\ncharacter: natural\n"
                            "domain: {cells: [64, 64, 24], voxel: 2.5 cm}\n"
                            "time: {fps: 24, frames: 1-2, seed: 3}\n"
                            "fields: {vel: {kind: mac}, force: {kind: mac}}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, value: [1, 0, 0], keep: true}\n"
                            "  - set: {id: smoke, field: density, value: \"z < 0.3\", keep: true}\n"
                            "  - set: {id: age, field: age, value: %.17g, keep: true}\n"
                            "  - emit: {temperature: 1e-3, shape: {sphere: {radius: 30 cm}}}\n"
                            "  - mac.forces: {buoyancy: 0}\n",
                            age);
    struct grid f = grid_of(&r, "force", 2);
    double change = 0, all = 0;
    for (int k = 0; k < f.n[2]; k++)
        for (int j = 0; j < f.n[1]; j++)
            for (int i = 0; i + 1 < f.n[0]; i++) {
                change += pow(at(&f, i + 1, j, k) - at(&f, i, j, k), 2);
                all += pow(at(&f, i, j, k), 2);
            }
    bw_free(f.v);
    test_end(&r);
    cr_assert_gt(all, 0);
    return sqrt(change / all);
}

/* Eddies grow with the age of the smoke, and no more when they are as large as its source. */
Test(fronts, eddies_grow_with_the_age_of_smoke)
{
    const double young = roughness(0), older = roughness(.2), old = roughness(2), oldest = roughness(20);
    fprintf(stderr, "force changes by %.3f, %.3f, %.3f, %.3f of itself in a cell\n", young, older, old, oldest);
    cr_assert_gt(young, 1.02 * older);
    cr_assert_gt(older, 1.05 * old);
    cr_assert_float_eq(oldest, old, 1e-6);
}
