// SPDX-License-Identifier: Apache-2.0
/* flux, mass_flow: its article's arithmetic by hand, what is kept, its laws to the digit, its limits, how round a blast
 * is. */
#include "physics/physics.h"
#include <string.h>

/* One unit step a frame on cells of 1 m, whose constants are all off; `more` of the stage's parameters. */
static struct test_run mass_flow_run(const char *cells, const char *sides, const char *mass, const char *momentum,
                                     int frames, const char *constants, const char *more)
{
    return run("billow: 1\n"
               "domain: {cells: %s, voxel: 1, origin: [0, 0, 0], sides: {%s}}\n"
               "time: {fps: 1, frames: 1-%d, substeps: 1}\n"
               "stages:\n"
               "  - set: {id: mass, field: mass, value: \"%s\", keep: true}\n"
               "  - set: {id: momentum, field: momentum, value: [%s]}\n"
               "  - flux: {mode: mass_flow, ambient_density: 1, mass_flow: {rate: 1, %s}%s}\n",
               cells, sides, frames + 1, mass, momentum, constants, more);
}

#define STILL "diffusion: 0, friction: 0, damping: 1, drain: 1, bounce: 0"

/* ---- the article's example ---- */

/* rho = 1, m = (.2, .1): mass flow .2, momentum flow .04 along and .02 across, out of one cell and into the other. */
Test(mass_flow, one_face_by_hand)
{
    struct test_run r = mass_flow_run("[2, 1, 1]", "rest: closed", "1", "0.2, 0.1, 0", 1, STILL ", neighbours: 4", "");
    struct grid rho = grid_of(&r, "mass", 0), x = grid_of(&r, "momentum", 0), y = grid_of(&r, "momentum", 1);
    cr_assert_float_eq(at(&rho, 0, 0, 0), 0.8, 1e-16);
    cr_assert_float_eq(at(&rho, 1, 0, 0), 1.2, 3e-16);
    cr_assert_float_eq(at(&x, 0, 0, 0), 0.16, 1e-16);
    cr_assert_float_eq(at(&x, 1, 0, 0), 0.24, 1e-16);
    cr_assert_float_eq(at(&y, 0, 0, 0), 0.08, 1e-16);
    cr_assert_float_eq(at(&y, 1, 0, 0), 0.12, 1e-16);
    bw_free(rho.v), bw_free(x.v), bw_free(y.v);
    test_end(&r);
}

/* The same in other units: cells of 2 cm, 48 steps a second, two a frame from frame 1001 on, along z of a plane of y.
 */
Test(mass_flow, units)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [1, 1, 2], voxel: 2 cm, origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: 48, frames: 1001-1002, substeps: 1}\n"
            "stages:\n"
            "  - set: {id: mass, field: mass, value: 1, keep: true}\n"
            "  - set: {id: momentum, field: momentum, value: [0, 0, \"0.2*0.02*48\"]}\n"
            "  - flux: {mode: mass_flow, ambient_density: 1, mass_flow: {rate: 48 1/s, neighbours: 4, " STILL "}}\n");
    struct grid rho = grid_of(&r, "mass", 0), z = grid_of(&r, "momentum", 2);
    cr_assert_float_eq(at(&rho, 0, 0, 0), 0.8, 1e-15);
    cr_assert_float_eq(at(&z, 0, 0, 1) / (0.02 * 48), 0.24, 1e-15);
    bw_free(rho.v), bw_free(z.v);
    test_end(&r);
}

/* ---- what is kept ---- */

#define RANDOM_MASS "1.5 + noise(x*0.37, y*0.41, z*0.3)"
#define RANDOM_MOMENTUM "\"0.2*noise(x*0.5, y*0.3, 7+z)\", \"0.2*noise(x*0.4, y*0.7, 9+z)\", "

/* Sums of mass and momentum before and after 60 steps, from values in double. */
static void kept(const char *cells, const char *z, const char *neighbours, int periodic)
{
    char momentum[256], constants[128];
    snprintf(momentum, sizeof momentum, RANDOM_MOMENTUM "%s", z);
    snprintf(constants, sizeof constants,
             "diffusion: 0.05, friction: 0.02, damping: 1, drain: 1, bounce: 1, neighbours: %s", neighbours);
    const char *sides =
        periodic ? "x-: periodic, x+: periodic, y-: periodic, y+: periodic, rest: closed" : "rest: closed";
    double sum[2][3];
    for (int after = 0; after < 2; after++) {
        struct test_run r = mass_flow_run(cells, sides, RANDOM_MASS, momentum, after ? 60 : 0, constants, "");
        struct grid g[3] = {grid_of(&r, "mass", 0), grid_of(&r, "momentum", 0), grid_of(&r, "momentum", 1)};
        for (int c = 0; c < 3; c++) sum[after][c] = grid_sum(&g[c]);
        double n = (double)grid_count(&g[0]);
        if (after) {
            cr_assert_float_eq(sum[1][0], sum[0][0], 1e-14 * n, "mass: %g of %g", sum[1][0] - sum[0][0], 1e-14 * n);
            for (int c = 1; c < 3 && periodic; c++)
                cr_assert_float_eq(sum[1][c], sum[0][c], 1e-14 * n, "momentum: %g of %g", sum[1][c] - sum[0][c],
                                   1e-14 * n);
            cr_assert_gt(fabs(at(&g[0], 3, 4, 0) - 1.5), 1e-3, "nothing happened");
        }
        for (int c = 0; c < 3; c++) bw_free(g[c].v);
        test_end(&r);
    }
}

Test(mass_flow, mass_and_momentum_are_kept)
{
    if (!test_short()) {
        kept("[80, 70, 1]", "0", "4", 1);
        kept("[80, 70, 1]", "0", "8", 1);
        kept("[20, 18, 20]", "0", "6", 0);
    }
    kept("[80, 70, 1]", "0", "8", 0);
    kept("[20, 18, 20]", "\"0.1*noise(x, y, z)\"", "18", 1);
    kept("[20, 18, 20]", "0", "26", 0);
}

/* ---- laws ---- */

Test(mass_flow, drain_and_damping)
{
    struct test_run r = mass_flow_run("[8, 8, 8]", "rest: periodic", "3", "0.5, -0.25, 0.125", 40,
                                      "diffusion: 0, friction: 0, damping: 0.97, drain: 0.9, neighbours: 6", "");
    struct grid rho = grid_of(&r, "mass", 0), m = grid_of(&r, "momentum", 1);
    double mass = 3, momentum = -.25;
    for (int i = 0; i < 40; i++) {
        mass = mass * .9 + (1 - .9);
        momentum *= .97;
    }
    cr_assert_float_eq(at(&rho, 4, 4, 4), mass, 1e-14);
    cr_assert_float_eq(at(&m, 4, 4, 4), momentum, 1e-15);
    bw_free(rho.v), bw_free(m.v);
    test_end(&r);
}

/* A small wave has no sound here: it only fades, by 1 - 2D(1 - cos k) a step. */
Test(mass_flow, small_waves_diffuse)
{
    struct test_run r =
        mass_flow_run("[32, 4, 1]", "x-: periodic, x+: periodic, rest: closed", "1 + 1e-6*cos(2*pi*(x-0.5)/32)",
                      "0, 0, 0", 200, "diffusion: 0.2, friction: 0, damping: 1, drain: 1, neighbours: 4", "");
    struct grid rho = grid_of(&r, "mass", 0);
    double want = pow(1 - .4 * (1 - cos(2 * PI / 32)), 200), left = (at(&rho, 0, 1, 0) - 1) / 1e-6;
    cr_assert_float_eq(left / want, 1, 1e-4, "%g, not %g", left, want);
    bw_free(rho.v);
    test_end(&r);
}

/* ---- explosions ---- */

static double grid_min(const struct grid *g)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < grid_count(g); i++) least = fmin(least, g->v[i]);
    return least;
}

/* 500 times the ambient mass beside walls and a block: no cell ever holds less than nothing, no mass is lost, and none
 * runs away: what leaves an emptied cell takes no more momentum along than it held. */
Test(mass_flow, no_cell_goes_negative)
{
    const char *const cells[] = {"[48, 48, 1]", "[24, 24, 24]"}, *const neighbours[] = {"4", "8", "6", "18", "26"};
    for (int q = 0; q < 5; q++) {
        double before = 0;
        for (int frames = 0; frames <= (test_short() ? 15 : 45); frames += 15) {
            struct test_run r =
                run("billow: 1\n"
                    "domain: {cells: %s, voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                    "time: {fps: 1, frames: 1-%d, substeps: 1}\n"
                    "stages:\n"
                    "  - collide: {shape: {box: {center: [9, 6, 0.5], size: [4, 6, 50]}}, wake: always}\n"
                    "  - set: {field: mass, value: \"hypot(x-4, y-4) < 3 ? 500 : 1\", keep: true}\n"
                    "  - flux: {mode: mass_flow, ambient_density: 1, mass_flow: {rate: 1, "
                    "neighbours: %s, diffusion: 0.05, friction: 0, "
                    "damping: 1, drain: 1}}\n",
                    cells[q > 1], frames + 1, neighbours[q]);
            struct grid rho = grid_of(&r, "mass", 0), u = grid_of(&r, "vel", 0);
            if (!frames) before = grid_sum(&rho);
            cr_assert_geq(grid_min(&rho), 0, "%s neighbours: %g", neighbours[q], grid_min(&rho));
            cr_assert_float_eq(grid_sum(&rho) / before, 1, 1e-12);
            cr_assert_leq(grid_max(&u), 2, "%s neighbours: %g cells a step", neighbours[q], grid_max(&u));
            if (frames) cr_assert_lt(at(&rho, 4, 4, 0), 499);
            bw_free(rho.v), bw_free(u.v);
            test_end(&r);
        }
    }
}

/* Radius of half the largest excess along the axis and along the diagonal: 1 is a circle. */
static double roundness(const char *neighbours)
{
    char constants[128];
    snprintf(constants, sizeof constants, "diffusion: 0.1, friction: 0.02, damping: 1, drain: 1, neighbours: %s",
             neighbours);
    struct test_run r = mass_flow_run("[129, 129, 1]", "rest: closed", "hypot(x-64.5, y-64.5) < 4 ? 30 : 1", "0, 0, 0",
                                      30, constants, "");
    struct grid rho = grid_of(&r, "mass", 0);
    double axis = 0, diagonal = 0;
    for (int i = 0; i < 60; i++) {
        if (at(&rho, 64 + i, 64, 0) > 1.05) axis = i;
        if (at(&rho, 64 + i, 64 + i, 0) > 1.05) diagonal = i * sqrt(2);
    }
    bw_free(rho.v);
    test_end(&r);
    return diagonal / axis;
}

/* Eight-way flow looks better, says the article: its front is nearer to a circle. */
Test(mass_flow, eight_ways_are_rounder)
{
    double four = roundness("4"), eight = roundness("8");
    fprintf(stderr, "radius of a blast, diagonal over axis: 4-way %.3f, 8-way %.3f\n", four, eight);
    cr_assert_lt(fabs(eight - 1), fabs(four - 1));
    cr_assert_float_eq(eight, 1, 0.15);
}

/* Momentum that points into a wall turns round, or not. */
Test(mass_flow, bounce)
{
    for (int bounce = 0; bounce < 2; bounce++) {
        char constants[128];
        snprintf(constants, sizeof constants,
                 "diffusion: 0, friction: 0, damping: 1, drain: 1, neighbours: 4, bounce: %d", bounce);
        struct test_run r = mass_flow_run("[2, 1, 1]", "rest: closed", "1", "0.2, 0, 0", 1, constants, "");
        struct grid m = grid_of(&r, "momentum", 0);
        cr_assert_float_eq(at(&m, 0, 0, 0), 0.16, 1e-16);
        cr_assert_float_eq(at(&m, 1, 0, 0), bounce ? -0.24 : 0.24, 1e-16);
        bw_free(m.v);
        test_end(&r);
    }
}

/* ---- what is shown ---- */

/* Corners: exact for a linear field. */
Test(mass_flow, corners)
{
    struct test_run r = mass_flow_run("[70, 12, 1]", "rest: periodic", "2 + 0.01*x + 0.02*y", "0, 0, 0", 0, STILL,
                                      ", display: corners");
    struct grid d = grid_of(&r, "density", 0);
    for (int i = 1; i < 70; i++) cr_assert_float_eq(at(&d, i, 5, 0), 1 + .01 * i + .02 * 5, 1e-6);
    bw_free(d.v);
    test_end(&r);
}

Test(mass_flow, density_is_excess)
{
    struct test_run r = mass_flow_run("[8, 8, 1]", "rest: periodic", "x < 4 ? 0.5 : 2.5", "0, 0, 0", 0, STILL, "");
    struct grid d = grid_of(&r, "density", 0);
    cr_assert_eq(at(&d, 1, 1, 0), 0);
    cr_assert_eq(at(&d, 6, 1, 0), 1.5);
    bw_free(d.v);
    test_end(&r);
}

/* ---- sameness ---- */

static uint64_t blast_hash(uint32_t threads, const char *substeps, uint32_t simd)
{
    struct test_options o = {.threads = threads, .simd = simd};
    struct test_run r = run_with(
        &o,
        "billow: 1\n"
        "domain: {cells: [200, 1, 150], voxel: 3 cm, sides: {rest: closed}}\n"
        "time: {fps: 24, frames: 1001-1013, substeps: %s}\n"
        "stages:\n"
        "  - emit: {mass: 40, mode: max, frames: 1001-1001, shape: {sphere: {center: [0.4, 0, 2], radius: 0.4}}}\n"
        "  - collide: {shape: {sphere: {center: [-0.5, 0, 2], radius: 0.3}}}\n"
        "  - flux: {mode: mass_flow, ambient_density: 1}\n",
        substeps);
    uint64_t h = test_hash(&r, "mass") ^ test_hash(&r, "momentum");
    cr_assert_neq(test_hash(&r, "mass"), 0);
    test_end(&r);
    return h;
}

Test(mass_flow, same_bits)
{
    uint64_t one = blast_hash(1, "1", UINT32_MAX);
    cr_assert_eq(one, blast_hash(2, "1", UINT32_MAX), "threads");
    cr_assert_eq(one, blast_hash(2, "3", UINT32_MAX), "substeps");
    cr_assert_eq(one, blast_hash(2, "1", BW_SIMD_BASELINE), "SIMD level");
}

/* Tiles at rest are given back, and what is left out is nothing. */
Test(mass_flow, sparse)
{
    double sum[2] = {0, 0};
    for (int full = 0; full < (test_short() ? 1 : 2); full++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [1024, 1024, 1], voxel: 1, sides: {rest: closed}}\n"
                "time: {fps: 1, frames: 1-31, substeps: 1}\n"
                "stages:\n"
                "%s"
                "  - emit: {mass: 40, mode: max, frames: 1-1, shape: {sphere: {center: [0, 0, 0.5], radius: 6}}}\n"
                "  - flux: {mode: mass_flow, ambient_density: 1, mass_flow: {rate: 1, drain: 1}}\n",
                full ? "  - set: {field: momentum, value: [0, 0, 0], keep: true}\n" : "");
        struct grid rho = grid_of(&r, "mass", 0);
        sum[full] = grid_sum(&rho) - 1024. * 1024;
        if (!full) cr_assert_lt(bw_chain_tiles(r.chain), 40, "%lld tiles", (long long)bw_chain_tiles(r.chain));
        bw_free(rho.v);
        test_end(&r);
    }
    if (!test_short()) cr_assert_float_eq(sum[0] / sum[1], 1, 1e-9, "%g and %g", sum[0], sum[1]);
}

/* ---- words ---- */

static void refuse(const char *cells, const char *extra, const char *stage, const char *sentence)
{
    run_refused(sentence,
                "billow: 1\ndomain: {cells: %s, voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\ntime: {fps: 1, "
                "frames: 1-3}\nstages:\n"
                "  - set: {field: mass, keep: true, value: \"1%s\"}\n  - flux: {%s}\n",
                cells, extra, stage);
}

#define BURIED                                                                                                         \
    "billow: 1\ndomain: {cells: [12, 12, 12], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\ntime: {fps: 1, "    \
    "frames: 1-3}\nstages:\n  - emit: {mass: 5, mode: max, shape: {sphere: {center: [4, 4, 4], radius: 2}}}\n"         \
    "  - collide: {wake: always, clear: false, shape: {box: {center: [4, 4, 4], size: [6, 6, 6]}}}\n  - flux: {"

Test(words, refusals)
{
    refuse("[8, 8, 1]", "", "mode: mass_flow, mass_flow: {neighbours: 4, diffusion: 0.251}", "limit is 1/4");
    refuse("[8, 8, 1]", "", "mode: mass_flow, mass_flow: {neighbours: 8, diffusion: 0.167}", "limit is 1/6");
    refuse("[8, 8, 8]", "", "mode: mass_flow, mass_flow: {neighbours: 6, diffusion: 0.167}", "limit is 1/6");
    refuse("[8, 8, 8]", "", "mode: mass_flow, mass_flow: {neighbours: 18, diffusion: 0.084}", "limit is 1/12");
    refuse("[8, 8, 8]", "", "mode: mass_flow, mass_flow: {neighbours: 26, diffusion: 0.056}", "limit is 1/18");
    refuse("[8, 8, 8]", "", "mode: mass_flow, mass_flow: {friction: 0.9}", "mass_flow.friction 0.9 is unstable");
    refuse("[8, 8, 1]", "", "mode: mass_flow, mass_flow: {neighbours: 6}", "4 or 8 in 2D");
    refuse("[8, 8, 8]", "", "mode: mass_flow, mass_flow: {damping: 1.1}", "damping");
    refuse("[8, 8, 8]", " - (x > 5)", "mode: mass_flow, ambient_density: 1",
           "the mass at (5.5, 0.5, 0.5) m is 0 kg/m3");
    refuse("[8, 8, 8]", " - 2*(x > 5)", "ambient_density: 1", "the mass at (5.5, 0.5, 0.5) m is -1 kg/m3");
    refuse("[8, 8, 8]", "", "ambient_density: 1, dt: 0.01 s", "no longer step is stable");
    refuse("[8, 8, 8]", "", "ambient_density: 1, max_substeps: 3", "more than max_substeps");
    refuse("[8, 8, 8]", "", "ambient_density: 1, friction: 1e5", "is unstable");
    for (int flows = 0; flows < 2; flows++) {
        struct test_run r =
            test_start(flows ? BURIED "mode: mass_flow, ambient_density: 1}\n" : BURIED "ambient_density: 1}\n", NULL);
        cr_assert(r.status != BW_OK && strstr(r.diag.text, "the gas given at (3.5, 2.5, 2.5) m lies inside a wall"),
                  "%s", r.diag.text);
        test_end(&r);
    }
}
