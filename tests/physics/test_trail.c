// SPDX-License-Identifier: Apache-2.0
/* emit in mode max, where gas goes several cells a step: it leaves the source as by many small steps. A wind that
 * never changes carries smoke out of a source that is thinner than a step is long. */
#include "physics.h"

#define EVEN "1"
#define SHEARED "0.2*(z-9)"

/* Wind of about `cells` cells a step out of a source, at 24 frames a second and 60 cells; `share` of it, an expression,
 * along x and y. The box lies `shift` cells further along each axis against the tiles. */
static struct grid smoke_left_in(const char *share, const char *source, int cells, int substeps, int shift,
                                 uint32_t threads, double *mass)
{
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    const double u = 24.0 * cells;
    struct test_run r = run_with(&o,
                                 "billow: 1\n"
                                 "domain: {cells: [60, 32, 32], voxel: 1, origin: [%d, %d, %d], sides: {rest: open}}\n"
                                 "time: {fps: 24, frames: 1-9, substeps: %d}\n"
                                 "stages:\n"
                                 "  - set: {id: wind, field: vel, keep: true, value: [\"%g*(%s)\", \"%g*(%s)\", %g]}\n"
                                 "  - mac.advect: {only: [density]}\n"
                                 "  - emit: {mode: max, %s}\n"
                                 "  - stats: {}\n",
                                 -shift, -shift, -shift, substeps, u, share, 0.3 * u, share, 0.1 * u, source);
    struct grid g = grid_of(&r, "density", 0);
    *mass = metric(&r, "stats.mass_density");
    test_end(&r);
    return g;
}

static struct grid smoke_left(const char *source, int cells, int substeps, int shift, uint32_t threads, double *mass)
{
    return smoke_left_in(EVEN, source, cells, substeps, shift, threads, mass);
}

/* Mean difference of what is not the same, as a share of what is there. */
static double smoke_differs(const struct grid *a, const struct grid *b)
{
    double differ = 0, sum = 0;
    for (size_t i = 0; i < grid_count(a); i++) {
        differ += fabs(a->v[i] - b->v[i]);
        sum += 0.5 * (a->v[i] + b->v[i]);
    }
    return differ / sum;
}

static void source_check_in(const char *share, const char *name, const char *source, double off, double differs)
{
    double few, many;
    struct grid a = smoke_left_in(share, source, 5, 1, 0, 1, &few),
                b = smoke_left_in(share, source, 5, 10, 0, 2, &many);
    const double differ = smoke_differs(&a, &b);
    fprintf(stderr, "%s: %.0f of smoke by steps of 5 cells, %.0f by steps of half a cell, %.3f differ\n", name, few,
            many, differ);
    cr_assert_float_eq(few / many, 1, off, "%s: %g of smoke, %g by small steps", name, few, many);
    cr_assert_lt(differ, differs, "%s: %g differ", name, differ);
    bw_free(a.v);
    bw_free(b.v);
}

static void source_check(const char *name, const char *source, double off, double differs)
{
    source_check_in(EVEN, name, source, off, differs);
}

#define BALL "shape: {sphere: {center: [8, 10, 12], radius: 2.5}}"

Test(trail, thin_source_leaves_no_beads) { source_check("ball", BALL ", density: 1", .02, .1); }
Test(trail, amount_changes_within_a_step)
{
    source_check("pulse", BALL ", density: \"=0.6+0.4*sin(2*pi*11*t)\"", .03, .15);
}
Test(trail, source_goes_against_the_wind)
{
    source_check("moving",
                 "shape: {sphere: {center: {keys: {1: [30, 10, 12], 9: [10, 16, 12]}}, radius: 2.5}}, density: 1", .03,
                 .15);
}
Test(trail, noise_changes_within_a_step)
{
    source_check("noise", BALL ", density: 1, noise: {amount: 1, size: 5, speed: 40}", .03, .2);
}

/* Gas that goes slower than other gas has fewer samples on its way, and changes as often. */
Test(trail, slow_gas_beside_fast)
{
    source_check_in(SHEARED, "sheared ball", BALL ", density: 1", .02, .1);
    source_check_in(SHEARED, "sheared noise", BALL ", density: 1, noise: {amount: 1, size: 5, speed: 40}", .03, .2);
    source_check_in(SHEARED, "sheared pulse", BALL ", density: \"=0.6+0.4*sin(2*pi*11*t)\"", .03, .15);
}

/* A soft edge and broad noise are met in fewer places, too. */
Test(trail, soft_source)
{
    static const char soft[] = "shape: {sphere: {center: [10, 10, 12], radius: 5}}, falloff: 6, density: 1";
    char noisy[200];
    snprintf(noisy, sizeof noisy, "%s, noise: {amount: 1, size: 12, speed: 40, octaves: 2}", soft);
    source_check("soft", soft, .02, .1);
    source_check("soft noise", noisy, .03, .15);
}

/* It is where it was when the step ends, and elsewhere in between. */
Test(trail, source_that_comes_back)
{
    source_check("circling", "shape: {sphere: {center: [12, \"=16+10*cos(2*pi*24*t)\", 12], radius: 3}}, density: 1",
                 .2, .35);
}

/* Nor do threads, or where tiles end. */
Test(trail, tiles_do_not_matter)
{
    static const char noisy[] = BALL ", density: 1, noise: {amount: 1, size: 5, speed: 40}";
    enum { SHIFT = 7 };
    double mass;
    struct grid a = smoke_left(noisy, 5, 1, 0, 1, &mass), b = smoke_left(noisy, 5, 1, 0, 2, &mass),
                c = smoke_left(noisy, 5, 1, SHIFT, 2, &mass);
    cr_assert_eq(memcmp(a.v, b.v, grid_count(&a) * sizeof *a.v), 0, "threads matter");
    for (int k = 0; k + SHIFT < a.n[2]; k++)
        for (int j = 0; j + SHIFT < a.n[1]; j++)
            for (int i = 0; i + SHIFT < a.n[0]; i++)
                cr_assert_float_eq(at(&a, i, j, k), at(&c, i + SHIFT, j + SHIFT, k + SHIFT), 1e-4, "(%d,%d,%d): %g, %g",
                                   i, j, k, at(&a, i, j, k), at(&c, i + SHIFT, j + SHIFT, k + SHIFT));
    bw_free(a.v);
    bw_free(b.v);
    bw_free(c.v);
}

/* ---- a source that gives nothing says so ---- */

struct heard {
    int inside, nowhere, outside, small, placed, above;
};

static void source_hear(int level, const char *who, const char *text, void *heard)
{
    struct heard *h = heard;
    (void)level;
    if (strcmp(who, "source")) return;
    h->placed += strstr(text, ".yaml:6:5: the s") != NULL;
    h->inside += strstr(text, "wholly inside an obstacle") != NULL;
    h->nowhere += strstr(text, "never covered the middle of a cell") != NULL;
    h->outside += strstr(text, "lies wholly outside of main, and does nothing") != NULL;
    h->small += strstr(text, "is smaller than a cell") != NULL;
    h->above += strstr(text, ".yaml:6:5: stands above mac.advect, which advects part of it away") != NULL;
}

/* What a source says of itself; the chain has `first` before it and `then` behind it. */
static struct heard chain_hear(const char *first, const char *source, const char *then)
{
    struct heard h = {0};
    struct test_options o = {.simd = UINT32_MAX, .on_log = source_hear, .user = &h};
    struct test_run r = run_with(&o,
                                 "billow: 1\n"
                                 "domain: {cells: [24, 24, 24], voxel: 0.05, origin: [-0.6, -0.6, 0]}\n"
                                 "time: {fps: 24, frames: 1-6}\n"
                                 "stages:\n"
                                 "  - %s\n"
                                 "  - emit: {id: source, %s}\n"
                                 "%s"
                                 "  - mac.project: {}\n",
                                 first, source, then);
    test_end(&r);
    return h;
}

/* One of that shape; the obstacle is a stage before it. */
static struct heard shape_hear(const char *shape, const char *obstacle)
{
    char source[300];
    snprintf(source, sizeof source, "density: 1, shape: {%s}", shape);
    return chain_hear(obstacle, source, "  - mac.advect: {}\n");
}

/* A ball of gas at height z and of that radius; a ball of obstacle stands at 0.6. */
static struct heard source_at(const char *z, double radius, const char *obstacle)
{
    char shape[200];
    snprintf(shape, sizeof shape, "sphere: {center: [0, 0, %s], radius: %g}", z, radius);
    return shape_hear(shape, obstacle);
}

Test(trail, a_source_that_gives_nothing_says_so)
{
    static const char ball[] = "collide: {shape: {sphere: {center: [0, 0, 0.6], radius: 0.3}}}";
    static const char shell[] = "set: {field: solid, when: always, value: \"hypot(x, hypot(y, z-0.6)) - 0.3\"}";
    for (int i = 0; i < 2; i++) {
        const char *obstacle = i ? shell : ball;
        const struct heard deep = source_at("0.6", .1, obstacle), beside = source_at("0.28", .1, obstacle),
                           leaves = source_at("\"=0.6-9*t\"", .1, obstacle);
        cr_assert(deep.inside == 1 && deep.placed == 1 && !deep.nowhere, "told %d times", deep.inside);
        cr_assert(leaves.inside == 1 && !leaves.nowhere, "told %d times", leaves.inside);
        cr_assert(!beside.inside && !beside.nowhere && !beside.placed);
    }
    const struct heard comes =
        source_at("\"=2-10*t\"", .1, "collide: {shape: {sphere: {center: [0, 0, 5], radius: 0.3}}}");
    cr_assert(!comes.nowhere && !comes.outside, "it comes in");
}

/* What is seen before the run is told there, and only there. A ball beside a corner of the domain reaches it as a box
 * does, and no cell: that is told after the run. */
Test(trail, a_source_that_is_nowhere_says_so_once)
{
    static const char ball[] = "collide: {shape: {sphere: {center: [0, 0, 0.6], radius: 0.3}}}";
    const struct heard away = source_at("9", .1, ball), tiny = source_at("0.1", 0, ball),
                       corner = shape_hear("sphere: {center: [-0.7, -0.7, -0.1], radius: 0.12}", ball);
    cr_expect(away.outside == 1 && away.placed == 1 && !away.small && !away.nowhere && !away.inside);
    cr_expect(tiny.small == 1 && tiny.placed == 1 && !tiny.outside && !tiny.nowhere && !tiny.inside);
    cr_expect(corner.nowhere == 1 && corner.placed == 1 && !corner.small && !corner.outside && !corner.inside);
}

/* Above the stage that carries it off it is legal, and told with its line; a rate, and velocity alone, are fed so. */
Test(trail, a_source_above_the_flow_is_told)
{
#define SMALL "shape: {sphere: {center: [0, 0, 0.6], radius: 0.2}}"
    static const char flow[] = "mac.advect: {}", forces[] = "mac.forces: {}", after[] = "  - mac.advect: {}\n";
    const struct heard above = chain_hear(forces, "density: 1, " SMALL, after),
                       below = chain_hear(flow, "density: 1, " SMALL, "  - mac.forces: {}\n"),
                       rate = chain_hear(forces, "mode: add, density: 1, " SMALL, after),
                       wind = chain_hear(forces, "velocity: [1, 0, 0], " SMALL, after);
    cr_expect_eq(above.above, 1);
    cr_expect(!below.above && !rate.above && !wind.above);
}
