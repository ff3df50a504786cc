// SPDX-License-Identifier: Apache-2.0
/* What is round the stage: floors that are even seen from afar and have no seams, puddles that mirror. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/studio/studio.h>
#include <picture/volume/render.h>
#include <picture/volume/spots.h>

#include <billow/host.h>
#include <picture/volume/studio/noise.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/// Mean and standard deviation of what a floor sends back of green light, over 2 m.
static void ground_facts(enum bw_ground kind, double footprint, double facts[2])
{
    enum { SPOTS = 400 };
    double sum = 0, square = 0;
    for (int i = 0; i < SPOTS * 10; i++) {
        const double at[2] = {-1 + 2.0 * (i % SPOTS) / SPOTS, -1 + 0.2 * (i / SPOTS)};
        struct bw_ground_spot s;
        bw_ground_at(bw_noise_sums_baseline, kind, at, footprint, &s);
        sum += (double)s.albedo[1] / (SPOTS * 10);
        square += pow((double)s.albedo[1], 2) / (SPOTS * 10);
        cr_assert(s.albedo[0] > 0.005f && s.albedo[0] < 0.6f && s.wet >= 0 && s.wet <= 1);
    }
    facts[0] = sum, facts[1] = sqrt(fmax(square - sum * sum, 0));
}

Test(surroundings, floors_have_grain_near_and_none_from_afar)
{
    static const double mean[][2] = {[BW_GROUND_STUDIO] = {0.04, 0.04},
                                     [BW_GROUND_EARTH] = {0.07, 0.2},
                                     [BW_GROUND_STREET] = {0.03, 0.08},
                                     [BW_GROUND_CYCLORAMA] = {0.5, 0.5}};
    for (int kind = 0; kind < (int)(sizeof mean / sizeof *mean); kind++) {
        double near[2], far[2];
        ground_facts((enum bw_ground)kind, 1e-4, near);
        ground_facts((enum bw_ground)kind, 3, far);
        cr_log_info("floor %d: %.3f ± %.3f, from afar %.3f ± %.3f", kind, near[0], near[1], far[0], far[1]);
        cr_assert(near[0] >= mean[kind][0] - 1e-6 && near[0] <= mean[kind][1] + 1e-6, "%d: %g", kind, near[0]);
        cr_assert_float_eq(far[0], near[0], 0.35 * near[0] + 1e-9, "%d: %g, %g", kind, far[0], near[0]);
        if (mean[kind][0] < mean[kind][1]) cr_assert_gt(near[1], 0.1 * near[0]);
        cr_assert_lt(far[1], 0.02 * near[0] + 1e-9, "%d flickers", kind);
    }
}

/* Across the places where waves begin anew. */
Test(surroundings, floors_have_no_seams)
{
    double most = 0;
    struct bw_ground_spot last, s;
    for (int i = 0; i < 60000; i++, last = s) {
        const double along = i / 60000.0, at[2] = {-3 + 6 * along, -2.5 + 5.3 * along};
        bw_ground_at(bw_noise_sums_baseline, BW_GROUND_EARTH, at, 0.01, &s);
        if (i) most = fmax(most, fabs((double)(s.albedo[0] - last.albedo[0])));
    }
    cr_assert_lt(most, 4e-3, "%g", most);
    struct bw_ground_spot far; // a stage far from the origin is no fault
    bw_ground_at(bw_noise_sums_baseline, BW_GROUND_EARTH, (const double[2]){1e12, -3e11}, 1e-3, &far);
    cr_assert(far.albedo[0] > 0.01f && far.albedo[0] < 0.5f);
}

/// The picture of a glowing block, so high over a floor, seen level from the front, dark but for it.
static struct bw_image block_render_kept(enum bw_ground ground, double high, struct bw_spots *spots)
{
    enum { N = 24 };
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, high}, 1.0 / N}};
    struct bw_scene scene = {
        .lo = {-5, -5, 0}, .hi = {5, 5, 1.4}, .extinction = 30, .ambient = 293, .exposure = 1, .floor = 1};
    struct bw_aim aim = {.tan_long = 0.3, .elevation = 0.12, .has_target = 1, .target = {0, 0, 0.2}, .distance = 5};
    struct bw_image img;
    v.flame = take(NULL, (size_t)N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++) v.flame[i] = i % N > 6 && i % N < 17 && i / N / N > 2 && i / N / N < 20 ? 1 : 0;
    scene.look = look_usual();
    scene.look.key = scene.look.environment = 0;
    scene.look.ground = ground, scene.look.backdrop = BW_BACKDROP_FOREST, scene.spots = spots;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, 96, 96), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    free(v.flame);
    return img;
}

static struct bw_image block_render(enum bw_ground ground) { return block_render_kept(ground, 0.4, NULL); }

/* Whatever was drawn before, a picture is the one that it would be alone: the fire is another one each time. */
Test(surroundings, floors_that_are_kept_are_the_same_floors)
{
    static const double high[] = {0.4, 0.9, 0.2, 0.4};
    struct bw_spots spots = {{NULL}};
    for (int g = BW_GROUND_EARTH; g <= BW_GROUND_STREET; g++)
        for (int i = 0; i < 4; i++) {
            struct bw_image kept = block_render_kept((enum bw_ground)g, high[i], &spots),
                            alone = block_render_kept((enum bw_ground)g, high[i], NULL);
            cr_assert_arr_eq(kept.px, alone.px, sizeof(float) * 3 * 96 * 96, "ground %d, picture %d", g, i);
            cr_assert_eq(bw_studio_spots_floor(spots.studio[0], 3, 90) != NULL, i > 0,
                         "kept from the second picture on");
            cr_assert(!i || bw_studio_spots_floor(spots.studio[0], 3, 90)->found, "looked up");
            int seen = 0;
            for (int x = 0; x < 96 && i; x++)
                for (int y = 0; y < 96; y++) seen |= bw_studio_spots_backdrop(spots.studio[0], x, y)->found;
            cr_assert(!i || seen, "the backdrop likewise");
            bw_image_free(&kept), bw_image_free(&alone);
        }
    bw_spots_free(&tools, &spots);
}

/* Sums of all octaves at once are the sums of one after the other, by each SIMD level to the bit, with slopes. */
Test(surroundings, sums_of_waves)
{
    static const struct bw_noise_wave wave[] = {{0.35, 8, 0.9f}, {2.9, 3, 0.6f}, {19, 3, 0.55f}, {0.4, 9, 0.66f}};
    enum { SUMS = 4 };
    const uint32_t best = __builtin_cpu_supports("avx512bw") ? BW_SIMD_AVX512
                          : __builtin_cpu_supports("avx2")   ? BW_SIMD_AVX2
                                                             : BW_SIMD_BASELINE;
    for (int i = 0; i < 200; i++) {
        const double at[2] = {-7 + 0.37 * i, 900 - 3.1 * i}, e = 1e-5, footprint = 1e-3 * pow(1.05, i % 90);
        struct bw_noise_sum base[SUMS], level[SUMS], next[2][SUMS];
        bw_noise_sums_baseline(wave, SUMS, at, footprint, base);
        for (uint32_t l = BW_SIMD_BASELINE; l <= best; l++) {
            bw_noise_sums(l)(wave, SUMS, at, footprint, level);
            cr_assert_arr_eq(level, base, sizeof base, "level %u", l);
        }
        for (int a = 0; a < 2; a++) {
            const double beside[2] = {at[0] + (a == 0 ? e : 0), at[1] + (a == 1 ? e : 0)};
            bw_noise_sums_baseline(wave, SUMS, beside, footprint, next[a]);
        }
        for (int s = 0; s < SUMS; s++) {
            const struct bw_noise_wave *w = &wave[s];
            const float one = bw_noise_waves(at, w->length, w->octaves, w->keep, footprint);
            cr_assert_float_eq(base[s].value, one, 1e-6, "%g, not %g", (double)base[s].value, (double)one);
            for (int a = 0; a < 2; a++)
                cr_assert_float_eq((double)base[s].slope[a], (double)(next[a][s].value - base[s].value) / e,
                                   0.2 + 0.05 * fabs((double)base[s].slope[a]), "slope %g", (double)base[s].slope[a]);
        }
    }
}

/* Fire lights the floor as much as the floor is bright; in a puddle it is seen upside down. */
Test(surroundings, fire_is_seen_on_the_floor)
{
    struct bw_image img[4];
    double glow[4] = {0}, spot = 0;
    for (int g = 0; g < 4; g++) {
        img[g] = block_render((enum bw_ground)g);
        for (int y = 76; y < 96; y++)
            for (int x = 0; x < 96; x++) glow[g] += (double)img[g].px[3 * (y * 96 + x)] / (20 * 96);
    }
    cr_log_info("floor under a fire: %g %g %g %g", glow[0], glow[1], glow[2], glow[3]);
    for (int g = 0; g < 2; g++) { // by what they send back of red light
        const double want = g ? 0.5 / 0.128 : 0.128 / 0.04, got = glow[g ? 3 : 1] / glow[g ? 1 : 0];
        cr_assert_float_eq(got, want, 0.3 * want, "%g, not %g", got, want);
    }
    for (int i = 0; i < 96 * 20; i++) // a puddle on asphalt that sends little back
        spot = fmax(spot, (double)img[BW_GROUND_STREET].px[3 * (76 * 96 + i)]);
    cr_assert_gt(spot, 4 * glow[BW_GROUND_STREET], "%g: nothing is mirrored", spot);
    for (int g = 0; g < 4; g++) bw_image_free(&img[g]);
}
