// SPDX-License-Identifier: Apache-2.0
/* Obstacles where there is no gas: what stands in no active tile changes no bit of the flow, and what comes and goes
 * leaves none of itself behind. A puff of radius 3 rises from the bottom of a tower five tiles high, of which it wakes
 * the lowest ones; balls hang at its top. */
#include "physics/physics.h"

#define TOWER                                                                                                          \
    "billow: 1\n"                                                                                                      \
    "domain: {cells: [16, 16, 80], voxel: 1, floor: 0, sides: {bottom: closed, rest: %s}}\n"                           \
    "time: {fps: 10, frames: 1-%d, substeps: 2}\n"                                                                     \
    "stages:\n"                                                                                                        \
    "  - emit: {mode: max, density: 1, temperature: 50, shape: {sphere: {center: [0, 0, 6], radius: 3}}}\n"
#define BALL_AT(z) "  - collide: {shape: {sphere: {center: [0, 0, " z "], radius: 3}}}\n"
#define FAR BALL_AT("70")
#define RISE "  - mac.advect: {}\n  - mac.forces: {buoyancy: 1}\n  - mac.project: {tolerance: 1e-4}\n  - stats: {}\n"

/// `stages` with and without `ball` give the same flow and smoke, bit by bit.
static void no_trace(const char *what, const char *sides, const char *ball, const char *stages)
{
    struct test_run with = run(TOWER "%s%s", sides, 6, ball, stages), without = run(TOWER "%s", sides, 6, stages);
    cr_assert_gt(bw_chain_tiles(with.chain), 0);
    cr_assert_lt(bw_chain_tiles(with.chain), 5, "%s: the whole tower is awake, nothing is far", what);
    cr_assert_gt(metric(&with, "stats.max_speed_vel"), 0.1, "%s: nothing moves", what);
    cr_assert_eq(test_hash(&with, "vel"), test_hash(&without, "vel"), "%s: vel differs", what);
    cr_assert_eq(test_hash(&with, "density"), test_hash(&without, "density"), "%s: density differs", what);
    test_end(&with);
    test_end(&without);
}

Test(far_obstacles, leave_no_trace)
{
    no_trace("in a tile that sleeps", "open", FAR, RISE);
    no_trace("above the box", "open", BALL_AT("200"), RISE);
    no_trace("in a closed room", "closed", FAR, RISE);
    no_trace(
        "one that moves", "open",
        "  - collide: {wake: never, shape: {sphere: {center: {keys: {1: [0, 0, 70], 9: [0, 0, 66]}}, radius: 3}}}\n",
        RISE);
}

Test(far_obstacles, leave_no_trace_in_other_stages)
{
    no_trace("two projections a step", "open", FAR,
             "  - mac.advect: {scheme: maccormack, reflection: true}\n  - mac.forces: {buoyancy: 1}\n"
             "  - mac.project: {tolerance: 1e-4}\n  - stats: {}\n");
    no_trace("viscosity", "open", FAR, "  - mac.diffuse: {viscosity: 0.1, density: 0.1}\n" RISE);
}

/* Down into the puff's tiles and up again, waking tiles on its way or not: none of it is left in the projection, whose
 * cells are all of them free of divergence at the end. */
static void visit(const char *wake)
{
    struct test_run r =
        run(TOWER "  - collide: {wake: %s, shape: {sphere: {center: {keys: {1: [0, 0, 56], 11: [0, 0, 26], "
                  "21: [0, 0, 56]}, ease: linear}, radius: 3}}}\n" RISE,
            "open", 26, wake);
    struct grid solid = grid_of(&r, "solid", 0);
    cr_assert_gt(at(&solid, 8, 8, 26), 5, "%s: the ball is still there", wake);
    cr_assert_gt(metric(&r, "stats.max_speed_vel"), 0.1);
    cr_assert_lt(metric(&r, "stats.max_div_vel"), 2e-3, "%s: divergence %g", wake, metric(&r, "stats.max_div_vel"));
    bw_free(solid.v);
    test_end(&r);
}

Test(far_obstacles, come_and_go)
{
    visit("auto");
    if (!test_short()) visit("never"), visit("always");
}

/* Tiles that stay as they are, all awake: a ball that goes at once leaves cells that are gas like the others. */
Test(far_obstacles, are_taken_away)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [32, 16, 32], voxel: 1, floor: 0}\n"
                            "time: {fps: 10, frames: 1-12, substeps: 1}\n"
                            "stages:\n" KEEP_VEL
                            "  - emit: {mode: max, density: 1, temperature: 50, shape: {sphere: {center: [0, 0, 6], "
                            "radius: 3}}}\n"
                            "  - collide: {frames: 1-8, shape: {sphere: {center: [0, 0, 14], radius: 4}}}\n" RISE);
    cr_assert_gt(metric(&r, "stats.max_speed_vel"), 0.1);
    cr_assert_lt(metric(&r, "stats.max_div_vel"), 2e-3, "divergence %g", metric(&r, "stats.max_div_vel"));
    test_end(&r);
}

/* Before the source opens there is no tile at all. */
Test(far_obstacles, in_an_empty_box)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [16, 16, 80], voxel: 1, floor: 0}\n"
            "time: {fps: 10, frames: 1-4}\n"
            "stages:\n"
            "  - emit: {frames: 9-12, density: 1, shape: {sphere: {center: [0, 0, 6], radius: 3}}}\n" FAR RISE);
    cr_assert_eq(bw_chain_tiles(r.chain), 0);
    test_end(&r);
}

/* Nothing but obstacle wherever there are tiles: nothing moves, step after step. */
Test(far_obstacles, that_fill_every_tile)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [16, 16, 80], voxel: 1, floor: 0}\n"
            "time: {fps: 10, frames: 1-4}\n"
            "stages:\n" KEEP_VEL "  - collide: {shape: {box: {center: [0, 0, 40], size: [40, 40, 100]}}}\n" RISE);
    cr_assert_gt(bw_chain_tiles(r.chain), 0);
    cr_assert_eq(metric(&r, "stats.max_speed_vel"), 0);
    test_end(&r);
}

/* Two domains with a puff each: the ball in the second one, asleep there, is nothing to the first. */
Test(far_obstacles, in_one_of_two_domains)
{
#define TWO                                                                                                            \
    "billow: 1\n"                                                                                                      \
    "domains:\n  left: {cells: [16, 16, 80], voxel: 1, floor: 0}\n"                                                    \
    "  right: {cells: [16, 16, 80], voxel: 1, floor: 0, center: [40, 0]}\n"                                            \
    "time: {fps: 10, frames: 1-4}\n"                                                                                   \
    "stages:\n"                                                                                                        \
    "  - emit: {density: 1, temperature: 50, shape: {sphere: {center: [0, 0, 6], radius: 3}}}\n"                       \
    "  - emit: {domain: right, density: 1, temperature: 50, shape: {sphere: {center: [40, 0, 6], radius: 3}}}\n"       \
    "%s"                                                                                                               \
    "  - mac.advect: {}\n  - mac.advect: {domain: right}\n"                                                            \
    "  - mac.forces: {buoyancy: 1}\n  - mac.forces: {domain: right, buoyancy: 1}\n"                                    \
    "  - mac.project: {}\n  - mac.project: {domain: right}\n"
    static const char *const fields[] = {"left.vel", "left.density", "right.vel", "right.density"};
    struct test_run with =
        run(TWO, "  - collide: {domain: right, shape: {sphere: {center: [40, 0, 70], radius: 3}}}\n");
    struct test_run without = run(TWO, "");
    for (uint32_t i = 0; i < BW_COUNT(fields); i++)
        cr_assert_eq(test_hash(&with, fields[i]), test_hash(&without, fields[i]), "%s differs", fields[i]);
    test_end(&with);
    test_end(&without);
}
