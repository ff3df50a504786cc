// SPDX-License-Identifier: Apache-2.0
/* What is seen inside flames: crisp ones have more contrast in their folds and none at a voxel's wavelength, sheets are
 * drawn thinner than cells hold them and leave what is even as it is, opaque ones hide what is behind them and glow as
 * they did where they are thin, those that hardly glow hide less than they did; tints are what channels are multiplied
 * by; roots are blue, clear, and nothing else; filaments move with the flow, leave the light as it was, and are the
 * same for all SIMD levels. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/detail/move.h>
#include <picture/volume/flames/crisp.h>
#include <picture/volume/rays/step/blocks.h>
#include <picture/volume/render.h>
#include <picture/volume/scene/flame.h>

#include <billow/host.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 40, CELLS = N * N * N, SIZE = 64 };
#define H (1.0 / N)

/// Half of the difference between the brightest and the faintest cell of waves along x, over their mean.
static double wave_after(double cells, float amount)
{
    struct bw_blackbody blackbody;
    float *fire = take(NULL, 2 * CELLS * sizeof(float)), lo = 1e30f, hi = 0;
    const struct bw_lit lit = {.box = {{N, N, N}, {0}, H}, .fire = fire, .blackbody = &blackbody};
    bw_blackbody_init(&blackbody, BW_CONTRAST, BW_BLACKBODY_WHITE);
    for (int i = 0; i < CELLS; i++) {
        const int dark = i / N % N < 4; // nothing burns there
        fire[2 * i] = dark ? 0 : (float)(0.5 + 0.1 * cos(2 * 3.14159265358979 * (i % N + 0.5) / cells));
        fire[2 * i + 1] = 1700;
    }
    cr_assert_eq(bw_flames_crisp(&tools, &lit, amount), BW_OK);
    for (int i = 0; i < CELLS; i++)
        if (i / N % N < 4) cr_assert_eq(fire[2 * i], 0);
    for (int x = 10; x < 30; x++) {
        const float f = fire[2 * ((20 * N + 20) * N + x)];
        lo = fminf(lo, f), hi = fmaxf(hi, f);
    }
    free(fire);
    return (double)((hi - lo) / (hi + lo));
}

Test(flames, crisp_ones_have_contrast_in_folds_and_none_in_voxels)
{
    const double fold = wave_after(10, 1), voxel = wave_after(2, 1);
    cr_log_info("of waves of 0.2: %.3f of 10 cells, %.3f of 2", fold, voxel);
    cr_assert_float_eq(wave_after(10, 0), 0.2 * cos(0.1 * 3.14159265358979), 0.002, "none asked for");
    cr_assert_gt(fold, 0.3, "%g", fold);
    cr_assert_lt(voxel, 0.21, "%g", voxel);
}

/// A slab of flame seen from the front, `flame` strong, in a flow along x with eddies.
static struct bw_volume slab_make(float flame, double eddy)
{
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, 0}, H}};
    float *memory = take(NULL, 5 * CELLS * sizeof(float));
    v.flame = memory, v.temperature = memory + CELLS;
    for (int a = 0; a < 3; a++) v.vel[a] = memory + (a + 2) * CELLS;
    for (int i = 0; i < CELLS; i++) {
        const double y = i / N % N, z = i / N / N, x = i % N, k = 6.283185307 / 5;
        memory[i] = y > 12 && y < 28 ? flame : 0;
        memory[CELLS + i] = 1500;
        v.vel[0][i] = (float)(24 * H * (1.7 + eddy * (sin(k * y) + cos(k * z))));
        v.vel[1][i] = (float)(24 * H * eddy * (sin(k * z) + cos(k * x)));
        v.vel[2][i] = (float)(24 * H * eddy * (sin(k * x) + cos(k * y)));
    }
    return v;
}

static struct bw_scene scene_make(void)
{
    struct bw_scene scene = {.lo = {-0.5, -0.5, 0},
                             .hi = {0.5, 0.5, 1},
                             .extinction = 20,
                             .exposure = 1,
                             .frame = 11,
                             .ambient = 293,
                             .tick = 1 / 24.0,
                             .look = look_usual()};
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    return scene;
}

/// Light and cover of the picture's middle.
static double middle_see(const struct bw_scene *scene, float flame, double *depth)
{
    static float alpha[SIZE * SIZE];
    struct bw_volume v = slab_make(flame, 0);
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, scene, &img, alpha), BW_OK);
    const double light = brightness(&img, SIZE / 2, SIZE / 2);
    *depth = -log(1 - (double)alpha[SIZE / 2 * SIZE + SIZE / 2]);
    bw_image_free(&img);
    free(v.flame);
    return light;
}

/// How wide a column of flame is seen, rms, in pixels, that is a Gaussian of so many cells; *even: the light of the
/// middle of a slab.
static double column_see(double sheets, double cells, int32_t quality, double *even)
{
    enum { AROUND = 12 };
    struct bw_volume v = slab_make(0.02f, 0);
    struct bw_scene scene = scene_make();
    struct bw_image img;
    double sum = 0, square = 0;
    scene.look.flames.sheets = sheets, scene.look.quality = quality;
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    *even = brightness(&img, SIZE / 2, SIZE / 2);
    for (int i = 0; i < CELLS; i++)
        v.flame[i] *= (float)exp(-0.5 * (pow(i % N - 19.5, 2) + pow(i / N % N - 19.5, 2)) / (cells * cells));
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    const double behind = brightness(&img, SIZE / 2 - AROUND, SIZE / 2);
    for (int x = SIZE / 2 - AROUND; x < SIZE / 2 + AROUND; x++) {
        const double light = brightness(&img, x, SIZE / 2) - behind;
        sum += light, square += light * pow(x + 0.5 - 0.5 * SIZE, 2);
    }
    bw_image_free(&img);
    free(v.flame);
    return sqrt(square / sum);
}

Test(flames, sheets_are_thinner_than_cells_hold_them)
{
    double even[2];
    const double plain = column_see(0, 1.5, BW_QUALITY_DEFAULT, &even[0]),
                 thin = column_see(2, 1.5, BW_QUALITY_DEFAULT, &even[1]);
    cr_log_info("%.2f pixels, %.2f as a sheet", plain, thin);
    cr_assert_lt(thin, 0.75 * plain, "%g of %g", thin, plain);
    cr_assert_float_eq(even[1], even[0], 0.3 * even[0], "of a slab, whose faces stand out: %g, %g", even[1], even[0]);
}

/* Its steps are too far apart for them: some rays would meet a sheet and some not, as black grains. */
Test(flames, a_draft_has_no_sheets)
{
    double even[2];
    const double plain = column_see(0, 1.5, BW_QUALITY_DRAFT, &even[0]),
                 sheets = column_see(2, 1.5, BW_QUALITY_DRAFT, &even[1]);
    cr_assert(sheets == plain && even[1] == even[0], "%g, %g", plain, sheets);
}

Test(flames, opaque_ones_hide_more_and_thin_ones_glow_as_they_did)
{
    struct bw_scene scene = scene_make(), opaque = scene;
    double depth[4], light[4];
    scene.look.flames.contrast = opaque.look.flames.contrast = 0.5;
    opaque.look.flames.opacity = 3;
    light[0] = middle_see(&scene, 0.01f, &depth[0]), light[1] = middle_see(&opaque, 0.01f, &depth[1]);
    light[2] = middle_see(&scene, 1, &depth[2]), light[3] = middle_see(&opaque, 1, &depth[3]);
    cr_assert_float_eq(depth[3], 3 * depth[2], 0.08 * depth[3], "%g, %g, at not quite white heat", depth[2], depth[3]);
    cr_assert_float_eq(light[1], light[0], 0.02 * light[0], "%g, %g", light[0], light[1]);
    cr_assert_lt(light[3], 0.7 * light[2], "what lies deep is hidden");
}

/// Light and cover of the picture's middle, before a hot slab that is 16 cells deep and glows or does not, and behind
/// four cells that hardly glow.
static double rim_see(double opacity, double soot, int core, double *depth)
{
    static float alpha[SIZE * SIZE];
    struct bw_scene scene = scene_make();
    struct bw_volume v = slab_make(1, 0);
    struct bw_image img;
    scene.extinction *= 0.16 / (double)BW_SOOT; // deep
    scene.look.flames.opacity = opacity, scene.look.flames.soot = soot, scene.look.flames.contrast = 1;
    for (int i = 0; i < CELLS; i++) {
        const int y = i / N % N, rim = y > 8 && y <= 12;
        v.flame[i] = rim || (core && y > 12 && y < 28) ? 1 : 0;
        v.temperature[i] = rim || !core ? 800 : 1607; // 1093 K and 1900 K
    }
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, alpha), BW_OK);
    const double light = brightness(&img, SIZE / 2, SIZE / 2);
    *depth = -log(1 - (double)alpha[SIZE / 2 * SIZE + SIZE / 2]);
    bw_image_free(&img);
    free(v.flame);
    return light;
}

/* By as much as they shine they hide what is behind them; with soot by a third of what they did, as said. */
Test(flames, opaque_ones_have_no_dark_outlines)
{
    double plain, clear, black, half, all, light[3];
    rim_see(1, 0, 0, &plain), rim_see(3, 0, 0, &clear), rim_see(3, 1, 0, &black), rim_see(3, 0.5, 0, &half);
    for (int q = 0; q < 3; q++) light[q] = rim_see(3, 0.5 * q, 1, &all);
    cr_log_info("depth %.4f, of opaque ones %.4f, with soot %.4f; before a core %g, %g, %g", plain, clear, black,
                light[0], light[1], light[2]);
    cr_assert_float_eq(black, plain / 3, 0.02 * plain, "%g, %g", plain, black);
    cr_assert_lt(clear, 0.15 * plain, "%g of %g", clear, plain);
    cr_assert_float_eq(half, 0.5 * (clear + black), 0.02 * half, "%g, %g, %g", clear, half, black);
    cr_assert(light[0] > 1.05 * light[1] && light[1] > 1.05 * light[2], "%g %g %g", light[0], light[1], light[2]);
}

/* Nothing that they do to what is behind them depends on soot where it is not opaque. */
Test(flames, soot_is_for_opaque_ones)
{
    double clear, black;
    const double light = rim_see(1, 0, 1, &clear), sooty = rim_see(1, 1, 1, &black);
    cr_assert_float_eq(light, sooty, 1e-6 * light, "%g, %g", light, sooty);
    cr_assert_float_eq(clear, black, 1e-6 * clear, "%g, %g", clear, black);
}

/// Linear colour of the picture's middle, and how deep it is, of a slab that has so much fuel left, and smoke in it.
static double root_see(double root, float fuel, float smoke, float rgb[3])
{
    static float alpha[SIZE * SIZE];
    struct bw_volume v = slab_make(0.2f, 0);
    struct bw_scene scene = scene_make();
    struct bw_image img;
    scene.look.flames.root = root, scene.look.flames.root_fuel = 0.5;
    for (int c = 0; c < 3; c++) scene.look.flames.root_colour[c] = c == 2 ? 1 : 0;
    v.fuel = take(NULL, CELLS * sizeof(float));
    v.density = take(NULL, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) v.fuel[i] = v.flame[i] > 0 ? fuel : 0, v.density[i] = v.flame[i] > 0 ? smoke : 0;
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, alpha), BW_OK);
    memcpy(rgb, img.px + 3 * (SIZE / 2 * SIZE + SIZE / 2), 3 * sizeof *rgb);
    bw_image_free(&img);
    free(v.fuel), free(v.flame), free(v.density);
    return -log(1 - (double)alpha[SIZE / 2 * SIZE + SIZE / 2]);
}

/* As much light as is asked for, of that colour alone, and no soot; what has burnt down is as it was. */
Test(flames, roots_are_blue_and_clear)
{
    float plain[3], burnt[3], one[3], two[3];
    const double soot = root_see(0, 0.5f, 0, plain), clear = root_see(1, 0.5f, 0, one);
    root_see(2, 0.5f, 0, two);
    cr_assert_float_eq(root_see(1, 0.02f, 0, burnt), soot, 1e-6);
    cr_assert_arr_eq(burnt, plain, sizeof plain, "little fuel is left");
    cr_assert_gt(plain[0], 10 * plain[2], "soot is red");
    cr_assert(one[0] < 1e-3f * plain[0] && one[2] > 0.02f * plain[0], "%g %g %g", one[0], one[1], one[2]);
    cr_assert_lt(clear, 0.01 * soot, "%g of %g hides", clear, soot);
    cr_assert_float_eq(two[2], 2 * one[2], 1e-3f * two[2], "%g, %g", one[2], two[2]);
}

/* In smoke that hides half of them they shine on, and its own light is what it is without them. */
Test(flames, roots_shine_in_smoke)
{
    float clear[3], one[3], two[3];
    root_see(1, 0.5f, 0, clear), root_see(2, 0.5f, 0.1f, two);
    const double depth = root_see(1, 0.5f, 0.1f, one), dim = (1 - exp(-depth)) / depth;
    cr_log_info("%g deep: %g, %g, of %g in clear air", depth, (double)one[2], (double)two[2], (double)clear[2]);
    cr_assert(dim > 0.3 && dim < 0.95, "%g", dim);
    cr_assert_float_eq(two[2] - one[2], dim * (double)clear[2], 0.05 * (double)clear[2]);
    cr_assert_float_eq(two[0], one[0], 0.01f * one[0], "%g, %g", (double)two[0], (double)one[0]);
}

/* The colour of what is seen, channel by channel. */
Test(flames, are_tinted)
{
    struct bw_scene scene = scene_make();
    struct bw_image img[2];
    struct bw_volume v = slab_make(1, 0);
    const float *rgb[2];
    scene.look.flames.opacity = 1, scene.floor = 0;
    for (int q = 0; q < 2; q++) {
        if (q) scene.look.flames.tint[1] = 0.5f, scene.look.flames.tint[2] = 3;
        cr_assert_eq(bw_image_init(&img[q], &tools, SIZE, SIZE), BW_OK);
        cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img[q], NULL), BW_OK);
        rgb[q] = img[q].px + 3 * (SIZE / 2 * SIZE + SIZE / 2);
    }
    cr_assert_float_eq(rgb[1][0], rgb[0][0], 0.01f * rgb[0][0], "%g, %g", rgb[1][0], rgb[0][0]);
    cr_assert_float_eq(rgb[1][1], 0.5f * rgb[0][1], 0.02f * rgb[0][1], "%g of %g", rgb[1][1], rgb[0][1]);
    cr_assert_gt(fabsf(rgb[1][2]), 1.5f * fabsf(rgb[0][2]), "%g of %g, before a wall", rgb[1][2], rgb[0][2]);
    for (int q = 0; q < 2; q++) bw_image_free(&img[q]);
    free(v.flame);
}

/* The hottest flames of a shot are as bright, whichever temperature that is; cooler ones are darker by Planck's law. */
Test(flames, are_exposed_for_the_hottest)
{
    struct bw_scene scene = scene_make();
    struct bw_volume v = slab_make(1, 0);
    double light[3];
    scene.look.flames.contrast = 1, scene.floor = 0, scene.look.key = 0, scene.look.environment = 0;
    scene.extinction *= 1000;
    for (int q = 0; q < 3; q++) {
        static const float kelvin[3] = {2400, 1700, 1700}, hottest[3] = {2400, 1700, 2400};
        struct bw_image img;
        scene.flame_kelvin = (double)hottest[q];
        for (int i = 0; i < CELLS; i++) v.temperature[i] = kelvin[q] - (float)scene.ambient;
        cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
        cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
        const float *p = img.px + 3 * (SIZE / 2 * SIZE + SIZE / 2);
        light[q] = 0.2126 * (double)p[0] + 0.7152 * (double)p[1] + 0.0722 * (double)p[2];
        bw_image_free(&img);
    }
    double hot[3], cool[3];
    bw_blackbody_xyz(2400, hot), bw_blackbody_xyz(1700, cool);
    cr_assert_float_eq(light[0], light[1], 0.02 * light[0], "%g, %g", light[0], light[1]);
    cr_assert_float_eq(light[2] / light[0], cool[1] / hot[1], 0.03 * cool[1] / hot[1], "%g of %g", light[2], light[0]);
    free(v.flame);
}

/* Where flames and black smoke begin within one step, pixels are alike though each one's steps begin elsewhere. */
Test(flames, do_not_speckle_in_soot)
{
    enum { AROUND = 8, PIXELS = 4 * AROUND * AROUND };
    struct bw_volume v = slab_make(1, 0);
    struct bw_scene scene = scene_make();
    struct bw_image img;
    double sum = 0, square = 0;
    scene.floor = 0, scene.look.key = 0, scene.look.environment = 0, scene.flame_kelvin = 1500;
    v.density = take(NULL, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) v.density[i] = v.flame[i] > 0 ? 6 : 0;
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    for (int y = SIZE / 2 - AROUND; y < SIZE / 2 + AROUND; y++)
        for (int x = SIZE / 2 - AROUND; x < SIZE / 2 + AROUND; x++) {
            const double light = brightness(&img, x, y);
            sum += light / PIXELS, square += light * light / PIXELS;
        }
    const double speckle = sqrt(fmax(square / (sum * sum) - 1, 0));
    bw_image_free(&img);
    free(v.flame), free(v.density);
    cr_log_info("pixels differ by %.4f", speckle);
    cr_assert(sum > 1 && speckle < 0.003, "%g, %g", sum, speckle);
}

/// The share of light at which rays end, of cells that burn so brightly.
static double seen_at(float flame, float kelvin)
{
    struct bw_blackbody blackbody;
    const struct bw_scene scene = scene_make();
    float *fire = take(NULL, 2 * CELLS * sizeof(float)), *rgbs = take(NULL, 4 * CELLS * sizeof(float));
    const struct bw_lit lit = {.box = {{N, N, N}, {-0.5, -0.5, 0}, H},
                               .rgbs = rgbs,
                               .fire = fire,
                               .blackbody = &blackbody,
                               .gain = (float)bw_flame_gain(&scene),
                               .soot = 1};
    struct bw_blocks b = {.moved = 0};
    bw_blackbody_init(&blackbody, 1, 1500);
    for (int i = 0; i < CELLS; i++) fire[2 * i] = flame, fire[2 * i + 1] = kelvin, rgbs[4 * i + 3] = 1;
    cr_assert_eq(bw_blocks_make(&tools, &lit, &scene.camera, (int32_t[2]){SIZE, SIZE}, &b), BW_OK);
    const double seen = (double)b.seen;
    bw_blocks_free(&tools, &b);
    free(fire), free(rgbs);
    return seen;
}

/* Behind soot white-hot flames are seen where smoke is not; where nothing glows rays end as in smoke. */
Test(flames, rays_end_where_the_brightest_are_not_seen)
{
    const double hot = seen_at(1, 1500), cold = seen_at(1, 700), dim = seen_at(0.01f, 1250);
    cr_assert(hot <= 1e-4 && cold > 1e-3 && dim > hot && dim < cold, "%g, %g, %g", hot, dim, cold);
}

/// By what flames are multiplied at places that move along with the mean flow, `frame` frames on.
static double filaments_see(double frame, float *out, int places)
{
    struct bw_volume v = slab_make(1, 0.03);
    struct bw_scene scene = scene_make();
    struct bw_detail d;
    double mean = 0;
    scene.look.flames.filaments = 1, scene.frame = frame;
    cr_assert_eq(bw_detail_make(&tools, &v, &scene, &d), BW_OK);
    for (int i = 0; i < places; i++) {
        const float p[3] = {(float)(4 + 1.3 * (i % 10) + 1.7 * frame), 13 + 1.1f * (float)(i / 10 % 10),
                            6 + 2.3f * (float)(i / 100)};
        out[i] = filaments_at(&d, p, flow_at(&d, p));
        mean += (double)out[i] / places;
    }
    bw_detail_free(&tools, &d);
    free(v.flame);
    return mean;
}

/// Mean square of how much two of them differ, in parts of how much all do.
static double apart(const float *a, const float *b, int places)
{
    double change = 0, spread = 0;
    for (int i = 0; i < places; i++) {
        const double x = log((double)a[i]), y = log((double)b[i]);
        change += (x - y) * (x - y), spread += x * x + y * y;
    }
    return change / spread;
}

Test(flames, filaments_move_with_the_flow_and_leave_the_light)
{
    enum { PLACES = 1000 };
    static float first[PLACES], now[PLACES], before[PLACES];
    double least = 1e30, most = 0, mean = 0, jump = 0;
    for (int q = 0; q <= 24; q++) {
        mean += filaments_see(0.25 * q, now, PLACES) / 25;
        for (int i = 0; i < PLACES; i++) least = fmin(least, (double)now[i]), most = fmax(most, (double)now[i]);
        if (q) jump = fmax(jump, apart(now, before, PLACES));
        if (!q) memcpy(first, now, sizeof now);
        memcpy(before, now, sizeof now);
    }
    cr_log_info("mean %.3f, %.3f ... %.3f, in a quarter of a frame %.3f, after six %.3f", mean, least, most, jump,
                apart(first, now, PLACES));
    cr_assert_float_eq(mean, 1, 0.08, "%g", mean);
    cr_assert(least < 0.4 && most > 2, "%g %g", least, most);
    cr_assert_lt(jump, 0.1, "within a quarter of a frame: %g", jump);
    cr_assert_gt(apart(first, now, PLACES), 0.7, "and they are renewed");
}

static void backwards(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    while (n-- > 0) fn(n, user);
}

static struct bw_image burning_see(const struct bw_tools *t, double amount)
{
    struct bw_volume v = slab_make(0.3f, 0.3);
    struct bw_scene scene = scene_make();
    struct bw_image img;
    scene.look.flames.filaments = scene.look.flames.crisp = scene.look.flames.sheets = amount,
    scene.look.flames.opacity = 1 + amount;
    cr_assert_eq(bw_image_init(&img, t, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(t, &v, &scene, &img, NULL), BW_OK);
    free(v.flame);
    return img;
}

Test(flames, are_the_same_by_all_levels_and_in_any_order)
{
    struct bw_image first = burning_see(&tools, 1), plain = burning_see(&tools, 0);
    cr_assert_neq(memcmp(first.px, plain.px, 3 * SIZE * SIZE * sizeof(float)), 0);
    for (uint32_t level = BW_SIMD_BASELINE; level <= BW_SIMD_AVX512; level++) {
        struct bw_tools other = {take, give, backwards, NULL, level};
        if ((level == BW_SIMD_AVX2 && !__builtin_cpu_supports("avx2")) ||
            (level == BW_SIMD_AVX512 && !__builtin_cpu_supports("avx512f")))
            continue;
        struct bw_image img = burning_see(&other, 1);
        cr_assert_arr_eq(img.px, first.px, 3 * SIZE * SIZE * sizeof(float), "level %u", level);
        bw_image_free(&img);
    }
    bw_image_free(&first), bw_image_free(&plain);
}
