// SPDX-License-Identifier: Apache-2.0
/* What a stage makes of what a preset does not say: `character`, by the source's size and the flow's speed. */
#include "physics.h"

/// A column of `scale` times 20 cm across, lit for so many steps of constant Froude number.
struct column {
    const char *character, *emit, *forces; ///< "natural"; keys of their own
    double scale;
    int cells, steps;   ///< across; steps a frame
    const char *advect; ///< NULL: ""
};

static struct test_run column_run(const struct column *c)
{
    const double size = 0.8 * c->scale;
    return run("billow: 1\ncharacter: %s\n"
               "domain: {size: [%.17g, %.17g, %.17g], voxel: %.17g, sides: {bottom: closed}}\n"
               "time: {fps: %.17g, frames: 1-%d, substeps: %d, seed: 3}\n"
               "stages:\n"
               "  - mac.advect: {%s}\n"
               "  - emit: {density: 1, temperature: 60 K, %s\n"
               "           shape: {sphere: {center: [0, 0, %.17g], radius: %.17g}}}\n"
               "  - mac.forces: {%s}\n"
               "  - mac.project: {tolerance: 1e-5}\n",
               c->character, size, size, 1.5 * size, size / c->cells, 24 / sqrt(c->scale), test_short() ? 4 : 12,
               c->steps, c->advect ? c->advect : "", c->emit, 0.15 * c->scale, 0.1 * c->scale, c->forces);
}

/* Root mean square difference of the mirrored field, as a share of its own. */
static double asymmetry(const struct test_run *r)
{
    struct grid g = grid_of(r, "density", 0);
    double square = 0, all = 0;
    for (int k = 0; k < g.n[2]; k++)
        for (int j = 0; j < g.n[1]; j++)
            for (int i = 0; i < g.n[0]; i++) {
                const double *row = g.v + (size_t)g.n[0] * ((size_t)j + (size_t)g.n[1] * (size_t)k);
                square += pow(row[i] - row[g.n[0] - 1 - i], 2);
                all += row[i] * row[i];
            }
    bw_free(g.v);
    return sqrt(square / all);
}

static double difference(const struct test_run *a, const struct test_run *b)
{
    struct grid p = grid_of(a, "density", 0), q = grid_of(b, "density", 0);
    double square = 0, all = 0;
    for (size_t i = 0; i < grid_count(&p); i++) {
        square += pow(p.v[i] - q.v[i], 2);
        all += p.v[i] * p.v[i];
    }
    bw_free(p.v);
    bw_free(q.v);
    return sqrt(square / all);
}

Test(character, natural_is_uneven_and_calm_is_not)
{
    static const char *const names[] = {"calm", "natural", "wild"};
    double uneven[3];
    for (int i = 0; i < 3; i++) {
        struct test_run r = column_run(&(struct column){names[i], "", "", 1, 32, 1});
        uneven[i] = asymmetry(&r);
        fprintf(stderr, "%s: mirrored density differs by %.3f of itself\n", names[i], uneven[i]);
        test_end(&r);
    }
    cr_assert_lt(uneven[0], 1e-3);
    cr_assert_gt(uneven[1], .1);
    cr_assert_gt(uneven[2], uneven[1]);
}

/* By Froude's law a candle's smoke and a house's are alike, each in its own time; so are the patterns, whose lattices
 * are as large as the source. */
Test(character, lengths_and_speeds_follow_the_source)
{
    double u[3], uneven[3];
    const double scale[] = {.1, 1, 100};
    for (int i = 0; i < 3; i++) {
        struct test_run r = column_run(&(struct column){"natural", "", "", scale[i], 32, 1});
        struct grid w = grid_of(&r, "vel", 2);
        u[i] = grid_max(&w) / sqrt(9.81 * .1 * scale[i]);
        uneven[i] = asymmetry(&r);
        fprintf(stderr, "radius %g m: %.3f sqrt(g R), mirrored density differs by %.3f\n", .1 * scale[i], u[i],
                uneven[i]);
        bw_free(w.v);
        test_end(&r);
    }
    for (int i = 0; i < 3; i += 2) {
        cr_assert_float_eq(u[i], u[1], .01 * u[1]);
        cr_assert_float_eq(uneven[i], uneven[1], .01 * uneven[1]);
    }
}

/* What is found is what could have been written. */
Test(character, the_same_as_said)
{
    struct test_run a = column_run(&(struct column){"natural", "", "turbulence: 0", 1, 32, 1, "mixing: 0"});
    struct test_run b = column_run(&(struct column){
        "calm", "falloff: 0.03, noise: {amount: 0.8, size: 0.06, speed: 0.30688108446110558},", "", 1, 32, 1});
    cr_assert_lt(difference(&a, &b), 1e-5, "%g", difference(&a, &b));
    test_end(&a);
    a = column_run(&(struct column){"natural", "noise: {amount: 0},", "", 1, 32, 1});
    test_end(&b);
    b = column_run(
        &(struct column){"natural", "noise: {amount: 0}, falloff: 0.03,", "turbulence: 0.9", 1, 32, 1, "mixing: 1"});
    cr_assert_lt(difference(&a, &b), 1e-5, "%g", difference(&a, &b));
    test_end(&a);
    test_end(&b);
}

/* So is what `force` finds for its eddies. */
Test(character, eddies_of_a_force_as_said)
{
#define LOBES "turbulence: 0}\n  - force: {front: temperature, front_change: 10, kind: {turbulence: {strength: 8"
    struct test_run a = column_run(&(struct column){"natural", "", LOBES "}}", 1, 32, 1});
    struct test_run b = column_run(
        &(struct column){"natural", "", LOBES ", size: 0.12, speed: 0.43399539168066}}, front_width: 0.03", 1, 32, 1});
    struct test_run none = column_run(&(struct column){"natural", "", "turbulence: 0", 1, 32, 1});
    cr_assert_lt(difference(&a, &b), 1e-5, "%g", difference(&a, &b));
    cr_assert_gt(difference(&a, &none), .1, "%g", difference(&a, &none));
    test_end(&a);
    test_end(&b);
    test_end(&none);
}

/* The eddies push as much in one step as in four. */
Test(character, substeps_do_not_count)
{
    struct test_run a = column_run(&(struct column){"natural", "", "", 1, 32, 1});
    struct test_run b = column_run(&(struct column){"natural", "", "", 1, 32, 4});
    const double p = asymmetry(&a), q = asymmetry(&b);
    fprintf(stderr, "mirrored density differs by %.3f in 1 step a frame, %.3f in 4\n", p, q);
    cr_assert_float_eq(p, q, .25 * p);
    test_end(&a);
    test_end(&b);
}

/* Steps in which gas goes farther than its source is large: eddies that push by u² do not run away. */
Test(character, long_steps_are_bounded)
{
    struct test_run r = run("billow: 1\ncharacter: wild\n"
                            "domain: {cells: [32, 32, 48], voxel: 2.5 cm}\n"
                            "time: {fps: 24, frames: 1-8, substeps: 1}\n"
                            "stages:\n"
                            "  - mac.advect: {}\n"
                            "  - emit: {density: 1, velocity: [0, 0, 60], shape: {sphere: {center: [0, 0, 0.2]}}}\n"
                            "  - mac.forces: {}\n"
                            "  - mac.project: {}\n");
    struct grid w = grid_of(&r, "vel", 2);
    cr_assert_lt(grid_max(&w), 120, "%g m/s", grid_max(&w));
    bw_free(w.v);
    test_end(&r);
}

/* A source that is nowhere, one as large as the box, one of a cell, one in a plane: a flow, and no fault. */
Test(character, sources_of_any_size)
{
    static const char *const shapes[] = {
        "sphere: {center: [0, 0, 0.4], radius: 0}", "box: {center: [0, 0, 0.5], size: [9, 9, 9]}",
        "sphere: {center: [0, 0, 0.4], radius: 0.02}", "sphere: {center: [30, 0, 0.4], radius: 0.1}",
        "box: {center: [0, 0, 0.3], size: [0.6, 0.6, 0.01]}"};
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        struct test_run r = run("billow: 1\ncharacter: wild\n"
                                "domain: {cells: [24, %d, 36], voxel: 2.5 cm}\n"
                                "time: {fps: 24, frames: 1-4}\n"
                                "stages:\n"
                                "  - mac.advect: {}\n"
                                "  - emit: {density: 1, temperature: 300 K, shape: {%s}}\n"
                                "  - mac.forces: {}\n"
                                "  - mac.project: {}\n",
                                i % 2 ? 24 : 1, shapes[i / 2]);
        struct grid w = grid_of(&r, "vel", 2);
        cr_assert_lt(grid_max(&w), 20, "%s: %g m/s", shapes[i / 2], grid_max(&w));
        bw_free(w.v);
        test_end(&r);
    }
}

/* The fastest of a plume of 60 K, from a ball of 15 cm, after a second, m/s. */
static double fastest(const char *character, int steps)
{
    struct test_run r = run("billow: 1\ncharacter: %s\n"
                            "domain: {cells: [40, 40, 40], size: [1 m, 1 m, 1 m], sides: {rest: open}}\n"
                            "time: {fps: 24, frames: 1-24, substeps: %d}\n"
                            "stages:\n"
                            "  - mac.advect: {}\n"
                            "  - emit: {mode: max, density: 1, temperature: 60 K,\n"
                            "           shape: {sphere: {center: [0, 0, 0.2], radius: 0.15}}}\n"
                            "  - mac.forces: {}\n"
                            "  - mac.project: {tolerance: 1e-4}\n",
                            character, steps);
    double most = 0;
    for (uint32_t c = 0; c < 3; c++) {
        struct grid g = grid_of(&r, "vel", c);
        for (size_t i = 0; i < grid_count(&g); i++) most = fmax(most, fabs(g.v[i]));
        bw_free(g.v);
    }
    test_end(&r);
    return most;
}

/* Eddies push by the square of the speed, their own too: without a bound the fastest gas went 2.1 times as fast as
 * calm gas. */
Test(character, turbulence_does_not_feed_on_itself)
{
    for (int steps = 1; steps <= 3; steps += 2) {
        const double calm = fastest("calm", steps), natural = fastest("natural", steps);
        fprintf(stderr, "%d steps a frame: %.2f m/s, calm %.2f m/s\n", steps, natural, calm);
        cr_expect_lt(natural, 1.8 * calm);
    }
}
