// SPDX-License-Identifier: Apache-2.0
/* mac.advect has one answer: by vectors of any width, by the plain way in double precision, and wherever tiles end. */
#include "physics/physics.h"

/* A flow that Newton's method follows: along closed sides, and gentle, for what is set anew each step counts as its
 * acceleration. `gust` blows in a far corner, m/s: traces of more than 48 cells send what is near the plain way.
 * `beside`: a stage more. */
static struct test_run stirred_beside(uint32_t simd, double gust, const char *beside, const char *scheme)
{
    struct test_options o = {.threads = 2, .simd = simd};
    return run_with(
        &o,
        "billow: 1\n"
        "domain: {cells: [37, 33, 20], voxel: 1, origin: [0, 0, 0], sides: {x-: closed, x+: closed, rest: open}}\n"
        "time: {fps: 1, frames: 1-%d, dt: 1}\n"
        "fields: {dye: {kind: vector, advect: true}}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, when: always, keep: true, value: [\"2.7*sin(x*pi/37)*cos(y*0.07)\", "
        "\"2.1*sin(y*0.08-z*0.1)\", \"1.4*cos(x*0.07-z*0.12) + (x > 36 && y > 32 ? %g : 0)\"]}\n"
        "  - set: {id: dye, field: dye, value: [\"sin(x*0.9)*cos(y*0.7+z)\", \"x*0.1\", \"x > 18 ? 1 : 0\"]}\n"
        "%s"
        "  - mac.advect: {%s}\n",
        test_short() ? 2 : 4, gust, beside, scheme);
}

static struct test_run stirred(uint32_t simd, double gust, const char *scheme)
{
    return stirred_beside(simd, gust, "", scheme);
}

/* Largest difference of a component away from the gust. */
static double stirred_difference(const struct test_run *r, const struct test_run *s, const char *field, uint32_t c)
{
    struct grid p = grid_of(r, field, c), q = grid_of(s, field, c);
    double worst = 0;
    for (int k = 0; k < 20; k++)
        for (int j = 0; j < 22; j++)
            for (int i = 0; i < 24; i++) worst = fmax(worst, fabs(at(&p, i, j, k) - at(&q, i, j, k)));
    bw_free(p.v);
    bw_free(q.v);
    return worst;
}

Test(one_answer, vectors_and_the_plain_way_agree)
{
    static const char *const schemes[] = {"scheme: maccormack",
                                          "scheme: cubic, trace: rk3",
                                          "scheme: cubic, clamp: false, outside: clamp",
                                          "scheme: maccormack, trace: rk3, outside: keep, clamp: false",
                                          "scheme: maccormack, outside: clamp, clamp: false",
                                          "trace: euler, outside: clamp, scheme: semi-lagrangian",
                                          "velocity: quintic, scheme: cubic"};
    for (int i = 0; i < (test_short() ? 3 : 7); i++) {
        struct test_run r = stirred(0, 0, schemes[i]), far = stirred(0, 60, schemes[i]);
        cr_assert_gt(metric(&far, "mac.advect.long_traces"), 0);
        for (uint32_t simd = 1; simd <= bw_simd_best(); simd++) {
            struct test_run s = stirred(simd, 0, schemes[i]);
            cr_assert_eq(test_hash(&r, "dye"), test_hash(&s, "dye"), "%s: simd level %u differs", schemes[i], simd);
            cr_assert_eq(test_hash(&r, "vel"), test_hash(&s, "vel"), "%s: simd level %u differs", schemes[i], simd);
            test_end(&s);
        }
        for (uint32_t c = 0; c < 5; c++) {
            const char *field = c < 2 ? "dye" : "vel";
            double d = stirred_difference(&r, &far, field, c < 2 ? c : c - 2);
            cr_assert_leq(d, 1e-3, "%s: component %u of %s is off by %g", schemes[i], c < 2 ? c : c - 2, field, d);
        }
        test_end(&r);
        test_end(&far);
    }
}

/* So do they beside obstacles: one across the borders of four tiles, and one that moves. */
Test(one_answer, vectors_and_the_plain_way_agree_beside_obstacles)
{
    static const char *const obstacles[] = {
        "  - collide: {shape: {box: {center: [14, 15, 10], size: [7, 6, 9], rotate: [0, 0, 0.4]}}}\n",
        "  - collide: {shape: {sphere: {center: [\"=10+2*t\", 12, 9], radius: 4.3}}}\n"};
    static const char *const schemes[] = {"scheme: maccormack", "scheme: cubic, trace: rk3"};
    for (int i = 0; i < 2; i++) {
        const char *beside = obstacles[i], *scheme = schemes[i];
        struct test_run r = stirred_beside(0, 0, beside, scheme), far = stirred_beside(0, 60, beside, scheme);
        cr_assert_eq(metric(&r, "mac.advect.long_traces"), 0);
        cr_assert_gt(metric(&far, "mac.advect.long_traces"), 0);
        for (uint32_t simd = 1; simd <= bw_simd_best(); simd++) {
            struct test_run s = stirred_beside(simd, 60, beside, scheme);
            cr_assert_eq(test_hash(&far, "dye"), test_hash(&s, "dye"), "%s: simd level %u differs", scheme, simd);
            cr_assert_eq(test_hash(&far, "vel"), test_hash(&s, "vel"), "%s: simd level %u differs", scheme, simd);
            test_end(&s);
        }
        for (uint32_t c = 0; c < 5; c++) {
            const char *field = c < 2 ? "dye" : "vel";
            double d = stirred_difference(&r, &far, field, c < 2 ? c : c - 2);
            cr_log_info("obstacle %d, %s: component %u of %s differs by %g", i, scheme, c < 2 ? c : c - 2, field, d);
            cr_assert_leq(d, 1e-3, "%s: component %u of %s is off by %g", scheme, c < 2 ? c : c - 2, field, d);
        }
        test_end(&r);
        test_end(&far);
    }
}

/* Blocks that no long trace comes near go the fast way all the same: to the bit. */
static struct test_run gusty(double gust)
{
    return run(
        "billow: 1\n"
        "domain: {cells: [128, 16, 16], voxel: 1, origin: [0, 0, 0], sides: {rest: open}}\n"
        "time: {fps: 1, frames: 1-2, dt: 1}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, keep: true, value: [\"2.7*sin(x*0.3+y*0.2)\", \"2.1*sin(y*0.25-z*0.3)\", "
        "\"1.4*cos(x*0.2-z*0.4) + (x > 112 ? %g : 0)\"]}\n"
        "  - set: {id: dye, field: density, value: \"2 + sin(x*0.9)*cos(y*0.7+z)\"}\n"
        "  - mac.advect: {scheme: maccormack}\n",
        gust);
}

Test(one_answer, a_gust_sends_its_neighbours_alone_the_plain_way)
{
    struct test_run calm = gusty(0), far = gusty(60);
    cr_assert_gt(metric(&far, "mac.advect.long_traces"), 0);
    cr_assert_eq(metric(&calm, "mac.advect.long_traces"), 0);
    for (uint32_t c = 0; c < 4; c++) {
        const char *field = c < 3 ? "vel" : "density";
        struct grid p = grid_of(&calm, field, c % 3), q = grid_of(&far, field, c % 3);
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 16; j++)
                for (int i = 0; i < 88; i++)
                    cr_assert_eq(at(&p, i, j, k), at(&q, i, j, k), "%s %u at (%d,%d,%d) went another way", field, c % 3,
                                 i, j, k);
        bw_free(p.v);
        bw_free(q.v);
    }
    test_end(&calm);
    test_end(&far);
}

/* Gas that is fast 3 to 8 cells before a periodic side, beyond which there is one cell more in a tile of its own, and
 * slower elsewhere, moved along by `by` cells. */
static struct test_run round_the_seam(int by, const char *scheme)
{
    return run(
        "billow: 1\n"
        "domain: {cells: [65, 16, 16], voxel: 1, origin: [0, 0, 0],\n"
        "         sides: {rest: closed, x-: periodic, x+: periodic}}\n"
        "time: {fps: 1, frames: 1-2, dt: 1}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, keep: true, value: [\"9 + 6*exp(-((mod(x+195-%d,65)-60)/2)^2)\", 0, 0]}\n"
        "  - set: {id: dye, field: density, value: \"2 + sin(2*pi*(x-%d)/65) + 0.3*cos(10*pi*(x-%d)/65)\"}\n"
        "  - mac.advect: {only: [density], %s}\n",
        by, by, by, scheme);
}

/* A way from the first tile goes through the last one, of one cell, into the tile before that, and is as long as the
 * gas there is fast. */
Test(one_answer, ways_round_a_side_that_cuts_its_tiles)
{
    static const char *const schemes[] = {"scheme: maccormack", "scheme: cubic", "scheme: semi-lagrangian, trace: rk3"};
    for (int i = 0; i < 3; i++) {
        struct test_run r = round_the_seam(0, schemes[i]);
        struct grid p = grid_of(&r, "density", 0);
        cr_assert_eq(metric(&r, "mac.advect.long_traces"), 0);
        for (int by = 12; by < 65; by += 12) {
            struct test_run s = round_the_seam(by, schemes[i]);
            struct grid q = grid_of(&s, "density", 0);
            for (int x = 0; x < 65; x++)
                cr_assert_float_eq(at(&p, x, 7, 7), at(&q, (x + by) % 65, 7, 7), 1e-5,
                                   "%s: %g at %d, and %g where all is moved by %d", schemes[i], at(&p, x, 7, 7), x,
                                   at(&q, (x + by) % 65, 7, 7), by);
            bw_free(q.v);
            test_end(&s);
        }
        bw_free(p.v);
        test_end(&r);
    }
}
