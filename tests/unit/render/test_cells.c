// SPDX-License-Identifier: Apache-2.0
/* Cells do not show in pictures of what they hold: no voxels, no steps, no speckles, and as sharp as they are. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/rays/jitter.h>
#include <picture/volume/rays/march.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>

enum { WIDE = 384 };

/// Ripple of a column of the picture at one voxel's wavelength, of its mean: the root of the power of waves within a
/// sixth of it, under a window that fades to both ends.
static double voxel_ripple(const struct bw_image *img, int x, int from, int to, double wavelength)
{
    const double pi = 3.14159265358979;
    double mean = 0, power = 0, weight = 0;
    for (int y = from; y < to; y++) {
        const double w = 0.5 - 0.5 * cos(2 * pi * (y - from + 0.5) / (to - from));
        mean += w * brightness(img, x, y), weight += w;
    }
    mean /= weight;
    for (int q = -6; q <= 6; q++) {
        double re = 0, im = 0;
        for (int y = from; y < to; y++) {
            const double w = 0.5 - 0.5 * cos(2 * pi * (y - from + 0.5) / (to - from));
            const double turn = 2 * pi * y / wavelength * (1 + q / 36.0), value = brightness(img, x, y) / mean - 1;
            re += w * value * cos(turn) / weight, im += w * value * sin(turn) / weight;
        }
        power += 2 * (re * re + im * im) / 13;
    }
    return sqrt(power);
}

enum { ACROSS = 32 };
static const struct bw_dense cube = {{ACROSS, ACROSS, ACROSS}, {-0.5, -0.5, 0}, 1.0 / ACROSS};

/// Mean ripple of columns in the middle of what is in `cube`, its cells 10 pixels wide.
static double cells_ripple(const struct bw_volume *v, double extinction, const struct bw_look *look)
{
    struct bw_scene scene = {.lo = {-0.5, -0.5, 0},
                             .hi = {0.5, 0.5, 1},
                             .extinction = extinction,
                             .ambient = 293,
                             .exposure = 1,
                             .look = *look};
    const struct bw_aim aim = {.tan_long = 0.05, .has_target = 1, .target = {0, 0, 0.5}, .distance = 12};
    struct bw_image img;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, WIDE, WIDE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, v, &scene, &img, NULL), BW_OK);
    double sum = 0;
    for (int x = 160; x < 224; x++) sum += voxel_ripple(&img, x, 110, 274, WIDE / 1.2 / ACROSS) / 64;
    bw_image_free(&img);
    return sum;
}

/// Of the face of a smooth ball of smoke.
static double ball_ripple(int32_t quality)
{
    struct bw_volume v = {.box = cube, .density = take(NULL, bw_dense_cells(&cube) * sizeof(float))};
    struct bw_look look = look_usual();
    look.quality = quality;
    for (int i = 0; i < ACROSS * ACROSS * ACROSS; i++) {
        const double x = (i % ACROSS + 0.5) / ACROSS - 0.5, y = (i / ACROSS % ACROSS + 0.5) / ACROSS - 0.5;
        const double z = (i / ACROSS / ACROSS + 0.5) / ACROSS - 0.5, out = hypot(hypot(x, y), z) - 0.3;
        v.density[i] = (float)(0.5 - 0.5 * tanh(1.2 * out * ACROSS));
    }
    const double ripple = cells_ripple(&v, 60, &look);
    free(v.density);
    return ripple;
}

/// Of a fire behind four cells of soot, which lean back by 45 degrees and let a thirtieth of its light out.
static double front_ripple(void)
{
    const size_t cells = bw_dense_cells(&cube);
    float *memory = take(NULL, 3 * cells * sizeof(float));
    const struct bw_volume v = {
        .box = cube, .density = memory, .flame = memory + cells, .temperature = memory + 2 * cells};
    struct bw_look look = look_usual();
    look.key = look.environment = 0;
    look.fire = 20;
    for (int i = 0; i < ACROSS * ACROSS * ACROSS; i++) {
        const double in = (i / ACROSS % ACROSS - i / ACROSS / ACROSS) * sqrt(0.5), hot = 0.5 + 0.5 * tanh(2 * (in - 3));
        v.density[i] = (float)(0.5 + 0.5 * tanh(2 * in));
        v.flame[i] = (float)hot, v.temperature[i] = 1500 * (float)hot;
    }
    const double ripple = cells_ripple(&v, 0.8 * ACROSS, &look);
    free(memory);
    return ripple;
}

/* Read linearly a ball of smoke has a step a voxel; by the spline none that an eye would find. */
Test(cells, a_smooth_ball_shows_no_voxels)
{
    const double linear = ball_ripple(BW_QUALITY_DRAFT), usual = ball_ripple(BW_QUALITY_DEFAULT);
    cr_log_info("ripple at a voxel's wavelength: draft %.5f, default %.5f", linear, usual);
    cr_assert_gt(linear, 0.002, "%g", linear);
    cr_assert_lt(usual, 0.001, "%g", usual);
}

/* Nor does fire that outshines the soot before it, however little of its light gets out. */
Test(cells, fire_behind_soot_shows_no_voxels)
{
    const double ripple = front_ripple();
    cr_log_info("ripple of fire behind soot: %.5f", ripple);
    cr_assert_lt(ripple, 0.001, "%g", ripple);
}

/// Light of a slab four cells thick, 10 pixels a cell, whose cells along x glow as told, sharpened or not.
static struct bw_image slab_light(const float *glow, int sharpen)
{
    enum { CELLS = 32, DEEP = 4 };
    struct bw_medium m = {.lit = {.box = {{CELLS, DEEP, CELLS}, {-0.5, -0.0625, 0}, 1.0 / CELLS}}};
    struct bw_scene scene = {.exposure = 1, .look = look_usual()};
    const struct bw_aim aim = {.tan_long = 0.05, .has_target = 1, .target = {0, 0, 0.5}, .distance = 12};
    const struct bw_volume v = {.box = m.lit.box};
    const struct bw_ambient none = {.coarse = {.box = m.lit.box}};
    struct bw_image img;
    scene.look.has_background = 1; // black
    m.lit.rgbs = take(NULL, 4 * bw_dense_cells(&m.lit.box) * sizeof(float));
    for (size_t i = 0; i < bw_dense_cells(&m.lit.box); i++)
        for (int c = 0; c < 4; c++) m.lit.rgbs[4 * i + (size_t)c] = (c == 3 ? 1e-3f : 1) * glow[i % CELLS];
    bw_camera_fit(&scene.camera, &aim, (double[3]){-0.5, -0.5, 0}, (double[3]){0.5, 0.5, 1}, 1);
    if (sharpen) bw_medium_sharpen(&tools, &scene.look, &m);
    cr_assert_eq(bw_image_init(&img, &tools, WIDE, WIDE), BW_OK);
    cr_assert_eq(bw_march(&tools, &(struct bw_shot){&m.lit, &none, &v, &scene}, &img, NULL), BW_OK);
    free(m.lit.rgbs);
    return img;
}

/// What is left of a wave's height over the middle 16 cells.
static double wave_height(int cells, int sharpen)
{
    const double turn = 2 * 3.14159265358979 / cells, pixels = WIDE / 1.2 / 32;
    float glow[32];
    double re = 0, im = 0, mean = 0;
    for (int i = 0; i < 32; i++) glow[i] = (float)(1 + 0.5 * cos(turn * i));
    struct bw_image img = slab_light(glow, sharpen);
    for (int x = WIDE / 2 - 80; x < WIDE / 2 + 80; x++) {
        const double light = brightness(&img, x, WIDE / 2), at = turn * (x + 0.5 - WIDE / 2) / pixels;
        mean += light / 160, re += light * cos(at) / 80, im += light * sin(at) / 80;
    }
    bw_image_free(&img);
    return hypot(re, im) / mean / 0.5;
}

/* What is as large as a few cells is drawn as it is: a spline alone leaves 0.66 and 0.90 of waves of 4 and 8 cells. */
Test(cells, cells_are_as_sharp_as_they_are)
{
    for (int cells = 4; cells <= 8; cells += 4) {
        const double blurred = wave_height(cells, 0), sharp = wave_height(cells, 1);
        cr_log_info("waves of %d cells: %.3f by the spline alone, %.3f sharpened", cells, blurred, sharp);
        cr_assert_float_eq(blurred, cells == 4 ? 0.657 : 0.902, 0.01);
        cr_assert_float_eq(sharp, cells == 4 ? 0.876 : 0.990, 0.01);
    }
}

/* Beside an edge there is at most 6 % more light than there is, and none where there is none. */
Test(cells, sharp_edges_have_no_rims)
{
    float glow[32];
    for (int i = 0; i < 32; i++) glow[i] = i < 16;
    struct bw_image img = slab_light(glow, 1);
    const double within = brightness(&img, WIDE / 2 - 80, WIDE / 2);
    cr_assert_gt(within, 0);
    for (int x = WIDE / 2 - 80; x < WIDE / 2 + 80; x++) {
        const double light = brightness(&img, x, WIDE / 2) / within;
        cr_assert(light > -1e-6 && light < 1.06, "%d: %g", x, light);
    }
    bw_image_free(&img);
}

/* 8×8 pixels have nearly the same mean wherever one looks, much nearer than the 1/√12/8 of chance; for each ray. */
Test(cells, jitter_is_even_at_every_scale)
{
    for (int ray = 0; ray < 4; ray++) {
        double square = 0;
        for (int at = 0; at < 32 * 32; at++) {
            double sum = 0;
            for (int q = 0; q < 64; q++) sum += (double)bw_jitter(at % 32 + q % 8, at / 32 + q / 8, ray) / 64;
            square += pow(sum - 0.5, 2) / (32 * 32);
        }
        cr_log_info("ray %d: %g", ray, sqrt(square));
        cr_assert_lt(sqrt(square), 0.5 / sqrt(12) / 8);
    }
}

/// How much neighbouring pixels differ, of their mean, where soot of that albedo is in front of what is white hot, so
/// thick that a step holds all that is seen.
static double soot_speckles(float albedo)
{
    struct bw_volume v = {.box = cube};
    const size_t cells = ACROSS * ACROSS * ACROSS;
    float *memory = take(NULL, 3 * cells * sizeof(float));
    v.density = memory, v.flame = memory + cells, v.temperature = memory + 2 * cells;
    for (size_t i = 0; i < cells; i++) {
        const int y = (int)(i / ACROSS % ACROSS);
        v.density[i] = y > 9 && y < 12 ? 0.04f : 0;
        v.flame[i] = y > 10 && y < 20;
        v.temperature[i] = (float)fmin(fmax(500 * (y - 9), 0), 2000);
    }
    struct bw_scene scene = {.lo = {-0.5, -0.5, 0},
                             .hi = {0.5, 0.5, 1},
                             .extinction = 1200,
                             .ambient = 293,
                             .exposure = 1,
                             .look = look_fire()};
    const struct bw_aim aim = {.tan_long = 0.05, .has_target = 1, .target = {0, 0, 0.5}, .distance = 12};
    struct bw_image img;
    double mean = 0, square = 0;
    for (int c = 0; c < 3; c++) scene.look.albedo[c] = albedo;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, 96, 96), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    for (int at = 0; at < 32 * 32; at++) {
        const int x = 32 + at % 32, y = 32 + at / 32;
        mean += brightness(&img, x, y) / (32 * 32);
        square += pow(brightness(&img, x + 1, y) - brightness(&img, x, y), 2) / (32 * 32);
    }
    cr_log_info("neighbours differ by %g of %g", sqrt(square), mean);
    cr_assert_gt(mean, 0.01);
    bw_image_free(&img);
    free(memory);
    return sqrt(square) / mean;
}

/* It is as even as the cells are; where soot is black, the little light of the fire that gets through is all that is
 * seen. */
Test(cells, fire_behind_thick_soot_does_not_speckle)
{
    cr_assert_lt(soot_speckles(0.5f), 0.01);
    cr_assert_lt(soot_speckles(0.02f), 0.03);
}
