// SPDX-License-Identifier: Apache-2.0
/* Stones on the floor are the same from wherever a ray comes. */
#include "../render/image_tools.h"
#include <picture/volume/studio/stones.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { RAYS = 20000 };

/// A stage that no rocks lie round.
static const struct bw_stones_field none = {{0, 0}, HUGE_VAL};

static double draw(unsigned *seed) { return (double)rand_r(seed) / RAND_MAX; }

/// What is above (x, y): height in `p`, and 1 when it is a stone's.
static int look_down(const double middle[2], unsigned *seed, double p[3], struct bw_stone_hit *hit)
{
    const double from[3] = {middle[0] + 4 * draw(seed) - 2, middle[1] + 4 * draw(seed) - 2, 1}, down[3] = {0, 0, -1};
    *hit = (struct bw_stone_hit){.depth = 1};
    const int is_stone = bw_stones_hit(&none, from, down, 1e-4, hit);
    for (int a = 0; a < 3; a++) p[a] = from[a] + hit->depth * down[a];
    return is_stone;
}

static double way_to(const double eye[3], const double p[3], double dir[3])
{
    double far = 0;
    for (int a = 0; a < 3; a++) dir[a] = p[a] - eye[a], far += dir[a] * dir[a];
    far = sqrt(far);
    for (int a = 0; a < 3; a++) dir[a] /= far;
    return far;
}

/* A ray aimed at a stone's top meets that or something before it; one from there, away from the face, is not in it. */
Test(stones, are_met_from_all_sides)
{
    static const double middles[][2] = {{0, 0}, {-3.7, 12.4}, {2000, -900}};
    for (int m = 0; m < 3; m++) {
        unsigned seed = 7;
        int stones = 0, first = 0, away = 0;
        for (int i = 0; i < RAYS; i++) {
            const double eye[3] = {middles[m][0] + 3 * draw(&seed) - 4, middles[m][1] + 3 * draw(&seed) - 4,
                                   0.2 + draw(&seed)};
            struct bw_stone_hit top, hit = {.depth = HUGE_VAL};
            double p[3], dir[3], n = 0;
            if (!look_down(middles[m], &seed, p, &top)) continue;
            stones++;
            for (int a = 0; a < 3; a++) n += top.normal[a] * top.normal[a];
            cr_assert_float_eq(n, 1, 1e-9);
            cr_assert(p[2] > 0 && p[2] < 0.06, "%g m high", p[2]);
            const double far = way_to(eye, p, dir);
            cr_assert(bw_stones_hit(&none, eye, dir, 1e-4, &hit) && hit.depth < far + 1e-6, "%g of %g m", hit.depth,
                      far);
            first += fabs(hit.depth - far) < 1e-6;
            double up = 0;
            for (int a = 0; a < 3; a++) up -= dir[a] * hit.normal[a];
            away += up < 0;
        }
        cr_log_info("%d of %d rays down meet stones, %d of them are seen from aside", stones, RAYS, first);
        cr_assert_lt(20 * away, stones, "%d faces look away that are seen", away); // worn edges may
        cr_assert(stones > RAYS / 100 && stones < RAYS / 3 && first > stones / 2);
    }
}

/* What is farther than asked for is none; from afar there are none; nor is a stage far from the origin a fault. */
Test(stones, end_where_they_should)
{
    unsigned seed = 3;
    struct bw_stone_hit top;
    double p[3];
    while (!look_down((const double[2]){0, 0}, &seed, p, &top)) {
    }
    const double from[3] = {p[0], p[1], 1}, down[3] = {0, 0, -1};
    const double far[3] = {1e12, -3e11, 1}, farther[3] = {1e200, 0, 1};
    cr_assert_not(bw_stones_hit(&none, from, down, 1e-4, &(struct bw_stone_hit){.depth = top.depth - 1e-6}));
    cr_assert_not(bw_stones_hit(&none, from, down, 0.1, &(struct bw_stone_hit){.depth = 1}));
    cr_assert_float_eq(bw_stones_open(&none, from, 0.1), 1, 1e-9);
    for (int i = 0; i < 100; i++) {
        const double level[3] = {cos(i), sin(i), -1e-3};
        bw_stones_hit(&none, far, level, 1e-4, &(struct bw_stone_hit){.depth = HUGE_VAL});
        bw_stones_hit(&none, farther, level, 1e-4, &(struct bw_stone_hit){.depth = HUGE_VAL});
    }
}

/// The highest that stones of a field get, m, in a square of `wide` round its middle, but for one of `hole`.
static double highest(const struct bw_stones_field *f, double hole, double wide)
{
    unsigned seed = 5;
    double most = 0;
    for (int i = 0; i < RAYS; i++) {
        const double x = 2 * draw(&seed) - 1, y = 2 * draw(&seed) - 1, down[3] = {0, 0, -1};
        const double from[3] = {f->middle[0] + wide * x, f->middle[1] + wide * y, 2};
        struct bw_stone_hit hit = {.depth = 2};
        if (hypot(x, y) * wide > hole && bw_stones_hit(f, from, down, 1e-4, &hit)) most = fmax(most, 2 - hit.depth);
    }
    return most;
}

/* Rocks lie round the stage, not in it, and are lower beside a small one. */
Test(stones, rocks_lie_round_the_stage)
{
    const struct bw_stones_field large = {{3, -5}, 12}, small = {{3, -5}, 1.5};
    const double within = highest(&large, 0, 14), large_round = highest(&large, 30, 90),
                 small_round = highest(&small, 4, 12);
    cr_log_info("stones: %g m on a stage, %g m round it, %g m round a small one", within, large_round, small_round);
    cr_expect_lt(within, 0.06);
    cr_expect(large_round > 0.25 && large_round < 1.5, "%g", large_round);
    cr_expect(small_round > 0.06 && small_round < 0.6 * large_round, "%g", small_round);
}

/* What is kept of squares changes nothing; another stage gets its own, while the old one's are still held. */
Test(stones, are_the_same_when_kept)
{
    struct bw_stones_field kept = {{3, -5}, 12}, other = {{40, 7}, 5};
    const double plain[2] = {highest(&kept, 30, 90), highest(&other, 10, 40)};
    struct bw_stone_lots *lots = NULL;
    bw_stone_lots_keep(&tools, &kept, &lots);
    struct bw_stone_lots *first = kept.lots = bw_stone_lots_hold(lots);
    for (int round = 0; round < 2; round++) cr_expect_eq(highest(&kept, 30, 90), plain[0]);
    bw_stone_lots_keep(&tools, &kept, &lots);
    cr_expect_eq(lots, first, "they go on");
    bw_stone_lots_keep(&tools, &other, &lots);
    cr_expect(lots != first && bw_stone_lots_are(first, &kept) && !bw_stone_lots_are(lots, &kept));
    other.lots = lots;
    for (int round = 0; round < 2; round++) cr_expect_eq(highest(&other, 10, 40), plain[1]);
    cr_expect_eq(highest(&kept, 30, 90), plain[0]);
    bw_stone_lots_free(&tools, first);
    bw_stone_lots_free(&tools, lots);
}
