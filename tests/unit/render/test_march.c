// SPDX-License-Identifier: Apache-2.0
/* What a ray sees: light against the law of Beer and Lambert, a march against closed forms, black bodies against
 * tables, cells that do not show. */
#include "image_tools.h"
#include <picture/volume/sweep/light.h>
#include <picture/volume/rays/jitter.h>
#include <picture/volume/rays/march.h>
#include <picture/volume/render.h>
#include <picture/volume/scene/flame.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(march, light_follows_beer_and_lambert)
{
    enum { N = 32 };
    const struct bw_dense box = {{N, N, N}, {0}, 0.1};
    float *s = take(NULL, N * N * N * sizeof(float)), *t = take(NULL, N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++) s[i] = 0.7f;
    cr_assert_eq(bw_light_sweep(&tools, &box, s, &(struct bw_light_beam){{0, 0, 1}, 0, 1}, t), BW_OK);
    for (int k = 0; k < N; k++) { // straight down: half a cell into layer k from above
        double depth = 0.7 * 0.1 * (N - 1 - k + 0.5);
        cr_assert_float_eq(t[(k * N + N / 2) * N + N / 2], exp(-depth), 5e-4);
    }
    memset(t, 0, N * N * N * sizeof(float));
    cr_assert_eq(bw_light_sweep(&tools, &box, s, &(struct bw_light_beam){{0.6, 0, 0.8}, 0, 1}, t), BW_OK);
    double slant = 0.7 * 0.1 * 10.5 / 0.8; // 11th layer from the top, far from the lit side
    cr_assert_float_eq(t[((N - 11) * N + N / 2) * N + 4], exp(-slant), 1e-3);
    free(s);
    free(t);
}

Test(march, exponential_is_accurate)
{
    for (float x = 0; x < 20; x += 0.01f)
        cr_assert_float_eq(bw_exp_neg(x), exp(-(double)x), 2e-4 * exp(-(double)x) + 1e-4);
}

/* ---- cells do not show ---- */

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
    struct bw_look look = BW_LOOK_DEFAULT;
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
    struct bw_look look = BW_LOOK_DEFAULT;
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
Test(march, a_smooth_ball_shows_no_voxels)
{
    const double linear = ball_ripple(BW_QUALITY_DRAFT), usual = ball_ripple(BW_QUALITY_DEFAULT);
    cr_log_info("ripple at a voxel's wavelength: draft %.5f, default %.5f", linear, usual);
    cr_assert_gt(linear, 0.002, "%g", linear);
    cr_assert_lt(usual, 0.0005, "%g", usual);
}

/* Nor does fire that outshines the soot before it, however little of its light gets out. */
Test(march, fire_behind_soot_shows_no_voxels)
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
    struct bw_scene scene = {.exposure = 1, .look = BW_LOOK_DEFAULT};
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
Test(march, cells_are_as_sharp_as_they_are)
{
    for (int cells = 4; cells <= 8; cells += 4) {
        const double blurred = wave_height(cells, 0), sharp = wave_height(cells, 1);
        cr_log_info("waves of %d cells: %.3f by the spline alone, %.3f sharpened", cells, blurred, sharp);
        cr_assert_float_eq(blurred, cells == 4 ? 0.657 : 0.902, 0.01);
        cr_assert_float_eq(sharp, cells == 4 ? 0.876 : 0.990, 0.01);
    }
}

/* Beside an edge there is at most 6 % more light than there is, and none where there is none. */
Test(march, sharp_edges_have_no_rims)
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
Test(march, jitter_is_even_at_every_scale)
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

/* Soot in front of what is white hot, so thick that a step holds all that is seen: it is as even as the cells are. */
Test(march, fire_behind_thick_soot_does_not_speckle)
{
    struct bw_volume v = {.box = cube};
    const size_t cells = ACROSS * ACROSS * ACROSS;
    float *memory = take(NULL, 3 * cells * sizeof(float));
    v.density = memory, v.flame = memory + cells, v.temperature = memory + 2 * cells;
    for (size_t i = 0; i < cells; i++) {
        const double y = (double)(i / ACROSS % ACROSS);
        v.density[i] = y > 9 && y < 12 ? 0.04f : 0;
        v.flame[i] = y > 10 && y < 20;
        v.temperature[i] = (float)fmin(fmax(500 * (y - 9), 0), 2000);
    }
    struct bw_scene scene = {.lo = {-0.5, -0.5, 0},
                             .hi = {0.5, 0.5, 1},
                             .extinction = 1200,
                             .ambient = 293,
                             .exposure = 1,
                             .look = BW_LOOK_FIRE};
    const struct bw_aim aim = {.tan_long = 0.05, .has_target = 1, .target = {0, 0, 0.5}, .distance = 12};
    struct bw_image img;
    double mean = 0, square = 0;
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
    cr_assert_lt(sqrt(square), 0.01 * mean);
    bw_image_free(&img);
    free(memory);
}

/* ---- closed forms ---- */

/* Chromaticities of black bodies, from Wyszecki and Stiles' table and the CIE's own for 2856 K (illuminant A). */
Test(march, black_bodies_have_their_colour)
{
    static const double want[][3] = {{1000, .6528, .3444}, {1500, .5857, .3931}, {2000, .5267, .4133},
                                     {2500, .4770, .4137}, {2856, .4476, .4074}, {3000, .4369, .4041},
                                     {4000, .3805, .3768}, {5000, .3451, .3516}, {6500, .3135, .3237},
                                     {8000, .2952, .3048}, {10000, .2807, .2884}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double xyz[3];
        bw_planck_xyz(want[i][0], xyz);
        double sum = xyz[0] + xyz[1] + xyz[2], dx = xyz[0] / sum - want[i][1], dy = xyz[1] / sum - want[i][2];
        cr_assert_lt(hypot(dx, dy), 0.002, "%g K: (%.4f, %.4f)", want[i][0], xyz[0] / sum, xyz[1] / sum);
    }
}

/* The table that renders use: luminance as told, redder when colder, nothing negative. */
Test(march, glow_follows_temperature)
{
    struct bw_planck p;
    double before[2] = {0, 0}, exact[3], unit[3];
    bw_planck_init(&p, 1);
    bw_planck_xyz(1900, unit);
    for (float kelvin = 905; kelvin < 3900; kelvin += 130) {
        float rgb[3];
        bw_planck_read(&p, kelvin, rgb);
        bw_planck_xyz((double)kelvin, exact);
        double y = 0.2126 * (double)rgb[0] + 0.7152 * (double)rgb[1] + 0.0722 * (double)rgb[2],
               ratio = (double)(rgb[1] / rgb[0]);
        cr_assert(rgb[0] > 0 && rgb[1] >= 0 && rgb[2] >= 0);
        cr_assert_float_eq(y, exact[1] / unit[1], 0.02 * y, "%g K: luminance %g, not %g", (double)kelvin, y,
                           exact[1] / unit[1]);
        cr_assert(y > before[0] && ratio > before[1] - 1e-6, "%g K", (double)kelvin);
        before[0] = y, before[1] = ratio;
    }
}

/* What a camera 10 m away sees of a lit medium that fills [-1, 1]³, over a background of 1. */
static struct bw_image lit_render(const struct bw_lit *lit)
{
    struct bw_scene scene = {.exposure = 1,
                             .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.12, 0.12, 0, 0},
                             .look = BW_LOOK_DEFAULT};
    const struct bw_volume v = {.box = lit->box};
    const struct bw_ambient none = {.coarse = {.box = lit->box}};
    struct bw_image img;
    scene.look.has_background = 1;
    for (int c = 0; c < 3; c++) scene.look.background[c] = 1;
    cr_assert_eq(bw_image_init(&img, &tools, 65, 65), BW_OK);
    cr_assert_eq(bw_march(&tools, &(struct bw_shot){lit, &none, &v, &scene}, &img, NULL), BW_OK);
    return img;
}

/* The same of n³ cells that are lit already. */
static struct bw_image medium_render(int n, float *rgbs)
{
    const struct bw_lit lit = {.box = {{n, n, n}, {-1, -1, -1}, 2. / n}, .rgbs = rgbs};
    return lit_render(&lit);
}

static double ray_slope(int pixel) { return 0.12 * (2 * (pixel + .5) / 65 - 1); }

/* A slab half a metre thick of 3 per metre lets exp(-1.5/cos) of the background through. */
Test(march, slab_follows_beer_and_lambert)
{
    enum { N = 64 };
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
    for (int i = 0; i < N * N * N; i++)
        if (i / N % N >= N / 4 && i / N % N < N / 2) rgbs[4 * i + 3] = 3;
    struct bw_image img = medium_render(N, rgbs);
    for (int y = 8; y < 57; y++)
        for (int x = 8; x < 57; x++) {
            double want = exp(-1.5 * sqrt(1 + pow(ray_slope(x), 2) + pow(ray_slope(y), 2)));
            cr_assert_float_eq(img.px[3 * (y * 65 + x)], want, 0.01 * want, "%d, %d: %g, not %g", x, y,
                               (double)img.px[3 * (y * 65 + x)], want);
        }
    bw_image_free(&img);
    free(rgbs);
}

/* A ball of radius 0.6 m that emits j and absorbs s: (j/s)(1 - exp(-s·chord)) + exp(-s·chord). */
Test(march, ball_emits_and_absorbs)
{
    enum { N = 96, SUB = 4 };
    const double s = 2, j[3] = {3, 1, 0.25};
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
    for (int i = 0; i < N * N * N; i++) {
        double inside = 0; /* share of the cell in the ball */
        for (int q = 0; q < SUB * SUB * SUB; q++) {
            double x = (i % N + (q % SUB + .5) / SUB) * 2 / N - 1,
                   y = (i / N % N + (q / SUB % SUB + .5) / SUB) * 2 / N - 1;
            double z = (i / N / N + (q / SUB / SUB + .5) / SUB) * 2 / N - 1;
            inside += x * x + y * y + z * z < 0.36 ? 1. / (SUB * SUB * SUB) : 0;
        }
        for (int c = 0; c < 3; c++) rgbs[4 * i + c] = (float)(inside * j[c]);
        rgbs[4 * i + 3] = (float)(inside * s);
    }
    struct bw_image img = medium_render(N, rgbs);
    for (int y = 0; y < 65; y++)
        for (int x = 0; x < 65; x++) {
            double t2 = pow(ray_slope(x), 2) + pow(ray_slope(y), 2),
                   near2 = 100 * t2 / (1 + t2);        /* distance from the centre */
            if (near2 > 0.25 && near2 < 0.5) continue; /* the edge is a cell wide */
            double chord = near2 < 0.36 ? 2 * sqrt(0.36 - near2) : 0, keep = exp(-s * chord);
            for (int c = 0; c < 3; c++) {
                double want = j[c] / s * (1 - keep) + keep, got = (double)img.px[3 * (y * 65 + x) + c];
                cr_assert_float_eq(got, want, 0.01 * want, "%d, %d: %g, not %g", x, y, got, want);
            }
        }
    bw_image_free(&img);
    free(rgbs);
}

/* Far from a small fire its light falls as J/(4π r²), on surfaces times `firelight`; of smoke between counts two
 * fifths: the rest scatters forward. */
Test(march, fire_lights_its_surroundings)
{
    enum { N = 40 };
    const struct bw_dense box = {{N, N, N}, {-1, -1, -1}, 2. / N};
    struct bw_scene scene = {.look = BW_LOOK_DEFAULT};
    float *extinction = take(NULL, N * N * N * sizeof(float)), *emission = take(NULL, 4 * N * N * N * sizeof(float));
    scene.look.environment = 0, scene.look.firelight[0] = 3;
    for (int i = 0; i < N * N * N; i++) {
        int x = i % N, y = i / N % N, z = i / N / N;
        if (abs(2 * x - N + 1) < 4 && abs(2 * y - N + 1) < 4 && abs(2 * z - N + 1) < 4) emission[4 * i] = 5;
        extinction[i] = 0.4f;
    }
    struct bw_ambient a;
    cr_assert_eq(bw_ambient_make(&tools, &box, extinction, emission, &scene, &a), BW_OK);
    double total = 0;
    for (int i = 0; i < N * N * N; i++) total += (double)emission[4 * i] * pow(2. / N, 3);
    for (double r = 0.5; r <= 0.9; r += 0.2) {
        const struct bw_facing faces = {.normal = {-0.48, 0.6, -0.64}, .face = {-0.48, 0.6, -0.64}};
        const struct bw_facing behind = {.normal = {-0.48, 0.6, -0.64}, .face = {0.48, -0.6, 0.64}};
        float rgb[3] = {0}, lit[3] = {0}, relief[3] = {0};
        double want = total / (4 * 3.14159265358979 * r * r) * exp(-0.4 * 0.4 * r);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * r, -0.6 * r, 0.64 * r}, NULL, rgb);
        cr_assert_float_eq(rgb[0], want, 0.08 * want, "at %g m: %g, not %g", r, (double)rgb[0], want);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * r, -0.6 * r, 0.64 * r}, &faces, lit);
        cr_assert_float_eq(lit[0], 3 * want, 0.24 * want, "a surface at %g m: %g", r, (double)lit[0]);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * r, -0.6 * r, 0.64 * r}, &behind, relief);
        cr_assert(relief[0] == 0, "relief on a face that is turned away, at %g m: %g", r, (double)relief[0]);
        cr_assert(rgb[1] == 0 && rgb[2] == 0);
    }
    bw_ambient_free(&tools, &a);
    free(extinction);
    free(emission);
}

/* Of a deep ball of flame the surface is seen: what its soot keeps lights nothing. Of J/(4π r²) gets out what gets out
 * along its chords, (j/s)(1 - exp(-s chord)). */
Test(march, deep_flames_light_by_their_surface)
{
    enum { N = 40 };
    const struct bw_dense box = {{N, N, N}, {-1, -1, -1}, 2. / N};
    const double radius = 0.4, glow = 5, pi = 3.14159265358979;
    for (double soot = 1.5; soot < 10; soot *= 2) {
        struct bw_scene scene = {.look = BW_LOOK_DEFAULT};
        float *clear = take(NULL, N * N * N * sizeof(float)), *emission = take(NULL, 4 * N * N * N * sizeof(float));
        scene.look.environment = 0;
        for (int i = 0; i < N * N * N; i++) {
            const double x = (i % N + 0.5) * box.h - 1, y = (i / N % N + 0.5) * box.h - 1;
            const double z = (i / N / N + 0.5) * box.h - 1;
            if (x * x + y * y + z * z > radius * radius) continue;
            emission[4 * i] = (float)glow, emission[4 * i + 3] = (float)soot;
        }
        struct bw_ambient a;
        cr_assert_eq(bw_ambient_make(&tools, &box, clear, emission, &scene, &a), BW_OK);
        float rgb[3] = {0};
        double out = 0;
        for (double b = 5e-4; b < radius; b += 1e-3)
            out += glow / soot * (1 - exp(-2 * soot * sqrt(radius * radius - b * b))) * 2 * pi * b * 1e-3;
        const double want = out / (4 * pi * 0.95 * 0.95);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * 0.95, -0.6 * 0.95, 0.64 * 0.95}, NULL, rgb);
        cr_log_info("soot %g: %.4f, exact %.4f", soot, (double)rgb[0], want);
        cr_assert_float_eq(rgb[0], want, 0.1 * want, "soot %g: %g, not %g", soot, (double)rgb[0], want);
        bw_ambient_free(&tools, &a);
        free(clear);
        free(emission);
    }
}

Test(march, flame_glows_and_hot_gas_too)
{
    struct bw_volume v = {.box = {{16, 16, 16}, {-0.5, -0.5, 0}, 1.0 / 16}};
    struct bw_planck planck;
    float rgb[3], cold[3], fire[2], hot[16 * 16 * 16];
    bw_planck_init(&planck, 0.5);
    v.flame = take(NULL, sizeof hot);
    v.flame[(8 * 16 + 8) * 16 + 8] = 1;
    bw_fire_at(&v, (8 * 16 + 8) * 16 + 8, 293, fire);
    bw_emission(&planck, fire, rgb);
    cr_assert(rgb[0] > rgb[1] && rgb[1] > rgb[2] && rgb[2] >= 0);
    free(v.flame);
    v.flame = NULL;
    for (int i = 0; i < 16 * 16 * 16; i++) hot[i] = i ? 1200 : 300;
    v.temperature = hot;
    bw_fire_at(&v, 1, 293, fire);
    bw_emission(&planck, fire, rgb);
    bw_fire_at(&v, 0, 293, fire);
    bw_emission(&planck, fire, cold);
    cr_assert(rgb[0] > 0.05f && cold[0] == 0);
}

/* Flames of 0.7 at 1650 K in a slab half a metre thick: (j/s)(1 - exp(-s d)) + exp(-s d), with j and s of what
 * flames are. */
Test(march, slab_of_flames_glows_as_a_black_body)
{
    enum { N = 64 };
    const double d = 0.5, glow = 0.7, gain = 4, soot = 1.5;
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float)),
          *fire = take(NULL, (size_t)N * N * N * 2 * sizeof(float));
    for (int i = 0; i < N * N * N; i++) {
        fire[2 * i] = i / N % N >= N / 4 && i / N % N < N / 2 ? (float)glow : 0;
        fire[2 * i + 1] = 1650;
    }
    struct bw_planck planck;
    float rgb[3];
    bw_planck_init(&planck, 0.5);
    bw_planck_read(&planck, 1650, rgb);
    struct bw_lit lit = {{{N, N, N}, {-1, -1, -1}, 2. / N}, rgbs, fire, &planck, (float)gain, (float)soot};
    struct bw_image img = lit_render(&lit);
    for (int c = 0; c < 3; c++) {
        double keep = exp(-soot * glow * d), want = gain * (double)rgb[c] / soot * (1 - keep) + keep;
        cr_assert_float_eq(img.px[3 * (32 * 65 + 32) + c], want, 0.01 * want, "%d: %g, not %g", c,
                           (double)img.px[3 * (32 * 65 + 32) + c], want);
    }
    bw_image_free(&img);
    free(rgbs);
    free(fire);
}

/* One lit cell: all that its spline spreads is gathered, from any side of it: ∫ j dV over the picture. */
Test(march, nothing_of_a_cell_is_skipped)
{
    enum { N = 12 };
    const double h = 2. / N, pixel = (10 + 0.5 * h) * 0.24 / 65, want = 5 * h * h * h;
    for (int kind = 0; kind < 2; kind++) { // smoke, flame
        float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
        float *fire = take(NULL, (size_t)N * N * N * 2 * sizeof(float));
        const int cell = (6 * N + 6) * N + 6;
        struct bw_planck planck;
        float rgb[3];
        bw_planck_init(&planck, 0.5);
        bw_planck_read(&planck, 1600, rgb);
        for (int i = 0; i < N * N * N; i++) fire[2 * i + 1] = 1600;
        if (kind) fire[2 * cell] = 1;
        else rgbs[4 * cell] = 5;
        const struct bw_lit lit = {.box = {{N, N, N}, {-1, -1, -1}, h},
                                   .rgbs = rgbs,
                                   .fire = kind ? fire : NULL,
                                   .planck = &planck,
                                   .gain = 5 / rgb[0]};
        struct bw_image img = lit_render(&lit);
        double sum = 0, low = 0, left = 0;
        for (int i = 0; i < 65 * 65; i++) {
            const double light = ((double)img.px[3 * i] - 1) * pixel * pixel;
            sum += light, low += light * (i / 65), left += light * (i % 65);
        }
        const double at = 32 + 0.5 * h / pixel; // half a cell to the right of the middle, and above it
        cr_assert_float_eq(sum, want, 0.012 * want, "%d: %g, not %g", kind, sum, want);
        cr_assert_float_eq(left / sum, at, 0.1, "%d: %g, not %g", kind, left / sum, at);
        cr_assert_float_eq(64 - low / sum, at, 0.1, "%d: %g, not %g", kind, 64 - low / sum, at);
        bw_image_free(&img);
        free(rgbs);
        free(fire);
    }
}
