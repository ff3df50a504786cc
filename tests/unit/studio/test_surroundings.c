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

/// Floors at places along a line, `step` apart, BW_NOISE_MANY of them.
static void line_look(enum bw_ground kind, const double at[2], const double step[2], double footprint,
                      struct bw_ground_spot *s)
{
    struct bw_noise_places places = {.n = BW_NOISE_MANY};
    struct bw_ground_share share[BW_NOISE_MANY];
    for (int i = 0; i < places.n; i++) places.x[i] = at[0] + i * step[0], places.y[i] = at[1] + i * step[1];
    bw_ground_at(bw_noise_sums_baseline, kind, &places, footprint, share);
    for (int i = 0; i < places.n; i++) bw_ground_look(kind, &share[i], &s[i]);
}

/// Mean and standard deviation of what a floor sends back of green light, over 2 m.
static void ground_facts(enum bw_ground kind, double footprint, double facts[2])
{
    enum { SPOTS = BW_NOISE_MANY, LINES = 16 };
    double sum = 0, square = 0;
    for (int j = 0; j < LINES; j++) {
        struct bw_ground_spot s[SPOTS];
        line_look(kind, (const double[2]){-1, -1 + 2.0 * j / LINES}, (const double[2]){2.0 / SPOTS, 0}, footprint, s);
        for (int i = 0; i < SPOTS; i++) {
            sum += (double)s[i].albedo[1] / (SPOTS * LINES);
            square += pow((double)s[i].albedo[1], 2) / (SPOTS * LINES);
            cr_assert(s[i].albedo[0] > 0.005f && s[i].albedo[0] < 0.6f && s[i].wet >= 0 && s[i].wet <= 1);
        }
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
    static const double step[2] = {1e-4, 0.9e-4};
    double most = 0;
    struct bw_ground_spot s[BW_NOISE_MANY];
    for (int l = 0; l < 240; l++) { // each begins with the last place of the one before
        const double from = l * (BW_NOISE_MANY - 1);
        line_look(BW_GROUND_EARTH, (const double[2]){-3 + from * step[0], -2.5 + from * step[1]}, step, 0.01, s);
        for (int i = 1; i < BW_NOISE_MANY; i++) most = fmax(most, fabs((double)(s[i].albedo[0] - s[i - 1].albedo[0])));
    }
    cr_assert_lt(most, 4e-3, "%g", most);
    // A stage far from the origin is no fault.
    line_look(BW_GROUND_EARTH, (const double[2]){1e12, -3e11}, step, 1e-3, s);
    cr_assert(s[0].albedo[0] > 0.01f && s[0].albedo[0] < 0.5f);
}

/* A texture shows what it is made of: where it changes slowly, to a thousandth. A thread's or a picture's turn changes
 * no bit, nor whether tiles are kept, nor on which side of a tile's edge a place is. */
Test(surroundings, textures_are_what_they_are_made_of)
{
    const struct bw_scorch scorch = {{0.3, -0.2, 0}, 0.8, {0}};
    struct bw_texture_plan plan, other;
    bw_ground_plan(BW_GROUND_EARTH, &scorch, BW_SIMD_BASELINE, &plan);
    bw_ground_plan(BW_GROUND_EARTH, &(struct bw_scorch){.radius = 0}, BW_SIMD_BASELINE, &other);
    struct bw_texture *kept = NULL;
    bw_texture_keep(&tools, &plan, &kept);
    for (int i = 0; i < 3000; i++) {
        const double at[2] = {-2 + 0.0137 * (i % 300), 40 * sin(i)}, wide = 1e-3 * pow(1.3, i % 23);
        float a[BW_TEXTURE_LANES], b[BW_TEXTURE_LANES], c[BW_TEXTURE_LANES];
        bw_texture_read(kept, &plan, at, wide, a);
        bw_texture_read(NULL, &plan, at, wide, b);
        bw_texture_read(kept, &plan, at, wide, c);
        cr_assert_arr_eq(a, b, (size_t)plan.lanes * sizeof *a, "kept or not: place %d", i);
        cr_assert_arr_eq(a, c, (size_t)plan.lanes * sizeof *a);
    }
    struct bw_texture *const first = bw_texture_hold(kept);
    bw_texture_keep(&tools, &plan, &kept);
    cr_assert_eq(kept, first, "it goes on");
    bw_texture_keep(&tools, &other, &kept);
    cr_assert(kept != first && bw_texture_serves(first, &plan) && !bw_texture_serves(first, &other));
    bw_texture_free(&tools, first), bw_texture_free(&tools, kept);
    // Puddles are metres wide: seen through centimetres.
    bw_ground_plan(BW_GROUND_STREET, &(struct bw_scorch){.radius = 0}, BW_SIMD_BASELINE, &plan);
    double off = 0, edge = 0;
    struct bw_ground_spot s[BW_NOISE_MANY];
    line_look(BW_GROUND_STREET, (const double[2]){-3, 1}, (const double[2]){0.02, 0.01}, 0.01, s);
    for (int i = 0; i < BW_NOISE_MANY; i++) {
        struct bw_ground_share share;
        bw_ground_mean(NULL, &plan, (const double[2]){-3 + 0.02 * i, 1 + 0.01 * i}, (const double[2]){0, 0}, 1, 0.015,
                       &share);
        off += fabs((double)(share.other - s[i].wet)) / BW_NOISE_MANY, edge = fmax(edge, (double)s[i].wet);
    }
    cr_log_info("puddles: wet by %g, %g apart in mean", edge, off);
    cr_assert(edge > 0.9 && off < 0.03, "%g %g", edge, off);
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
    struct bw_spots spots = {{NULL}, {NULL}, {NULL}};
    for (int g = BW_GROUND_EARTH; g <= BW_GROUND_STREET; g++)
        for (int i = 0; i < 4; i++) {
            struct bw_image kept = block_render_kept((enum bw_ground)g, high[i], &spots),
                            alone = block_render_kept((enum bw_ground)g, high[i], NULL);
            cr_assert_arr_eq(kept.px, alone.px, sizeof(float) * 3 * 96 * 96, "ground %d, picture %d", g, i);
            const struct bw_floor_spot *spot = bw_studio_spots_floor(spots.studio[0], 3, 90);
            cr_assert_eq(spot != NULL, i > 0 && g == BW_GROUND_EARTH, "kept from the second picture on");
            cr_assert(!spot || spot->found, "looked up");
            cr_assert(spots.around.ground && spots.around.hills, "so are textures");
            bw_image_free(&kept), bw_image_free(&alone);
        }
    bw_spots_free(&tools, &spots);
}

/* Waves at many places are those at one, by each SIMD level to the bit, with slopes. */
Test(surroundings, sums_of_waves)
{
    static const struct bw_noise_wave wave[] = {{0.35, 8, 0.9f}, {2.9, 3, 0.6f}, {19, 3, 0.55f}, {0.4, 9, 0.66f}};
    enum { SUMS = 4, MANY = BW_NOISE_MANY };
    const uint32_t best = __builtin_cpu_supports("avx512bw") ? BW_SIMD_AVX512
                          : __builtin_cpu_supports("avx2")   ? BW_SIMD_AVX2
                                                             : BW_SIMD_BASELINE;
    static const double e = 1e-5;
    struct bw_noise_places at = {.n = MANY}, beside[2] = {{.n = MANY}, {.n = MANY}};
    for (int i = 0; i < MANY; i++) {
        at.x[i] = beside[0].x[i] = beside[1].x[i] = -7 + 0.37 * i;
        at.y[i] = beside[0].y[i] = beside[1].y[i] = 900 - 3.1 * i;
        beside[0].x[i] += e, beside[1].y[i] += e;
    }
    for (int round = 0; round < 30 * SUMS; round++) {
        const struct bw_noise_wave *w = &wave[round % SUMS];
        const double footprint = 1e-3 * pow(1.17, round / SUMS);
        float base[MANY], value[MANY], next[2][MANY], slope[2][MANY], other[2][MANY];
        bw_noise_sums_baseline(w, &at, footprint, base, (float *[2]){slope[0], slope[1]});
        for (uint32_t l = BW_SIMD_BASELINE; l <= best; l++) {
            bw_noise_sums(l)(w, &at, footprint, value, (float *[2]){other[0], other[1]});
            cr_assert_arr_eq(value, base, sizeof base, "level %u", l);
            cr_assert_arr_eq(other, slope, sizeof slope, "level %u", l);
        }
        for (int a = 0; a < 2; a++) bw_noise_sums_baseline(w, &beside[a], footprint, next[a], NULL);
        for (int i = 0; i < MANY; i++) {
            const float one =
                bw_noise_waves((const double[2]){at.x[i], at.y[i]}, w->length, w->octaves, w->keep, footprint);
            cr_assert_float_eq(base[i], one, 1e-6, "%g, not %g", (double)base[i], (double)one);
            for (int a = 0; a < 2; a++)
                cr_assert_float_eq((double)slope[a][i], (double)(next[a][i] - base[i]) / e,
                                   0.2 + 0.05 * fabs((double)slope[a][i]), "slope %g", (double)slope[a][i]);
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
