// SPDX-License-Identifier: Apache-2.0
/* The skin of smoke so dense that a voxel hides what is behind it, and the light in clear cells and in obstacles that
 * splines read with it; and what soot in flames takes of lamps' light. */
#include "image_tools.h"
#include "look.h"
#include <criterion/criterion.h>
#include <picture/volume/light/medium.h>
#include <picture/volume/render.h>
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/light/boundary.h>
#include <picture/volume/light/shadow_rays.h>

#include <math.h>
#include <stdlib.h>

#define RADIUS 0.35 ///< m, of a ball in the middle of a box of 1 m
#define RAMP 0.06   ///< m, from clear air to its density
#define FLAME 0.6f  ///< of a sheet of it

enum { WIDE = 24, TIMES = 3, SIDE = 96 }; ///< cells a side; as many fine ones in one; pixels a side
enum { WITHIN = 20, NEAR = 4 };           ///< pixels: of the middle; about as wide as a ring

/// Ball of smoke in n³ cells.
static struct bw_volume ball_make(int n)
{
    struct bw_volume v = {.box = {{n, n, n}, {-0.5, -0.5, 0}, 1.0 / n}};
    v.density = calloc((size_t)(n * n * n), sizeof *v.density);
    cr_assert_not_null(v.density);
    for (int i = 0; i < n * n * n; i++) {
        const double x = (i % n + 0.5) / n - 0.5, y = (i / n % n + 0.5) / n - 0.5, z = (i / n / n + 0.5) / n - 0.5;
        v.density[i] = (float)fmin(fmax((RADIUS - sqrt(x * x + y * y + z * z)) / RAMP + 0.5, 0), 1);
    }
    return v;
}

/// Lit by one lamp alone.
static struct bw_scene scene_make(const double to[3])
{
    struct bw_scene s = {.lo = {-0.5, -0.5, 0},
                         .hi = {0.5, 0.5, 1},
                         .extinction = 4 * WIDE, // four optical depths a wide cell
                         .ambient = 293,
                         .exposure = 1,
                         .look = look_usual()};
    s.look.environment = s.look.bloom = 0;
    s.look.has_background = 1;
    s.look.light[0] = (struct bw_light){{to[0], to[1], to[2]}, {1, 1, 1}, 0.01, 0, {0}};
    s.look.n_lights = 1;
    bw_camera_fit(&s.camera, NULL, s.lo, s.hi, 1);
    return s;
}

static struct bw_image ball_render(const struct bw_volume *v, const double to[3])
{
    const struct bw_scene s = scene_make(to);
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, SIDE, SIDE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, v, &s, &img, NULL), BW_OK);
    return img;
}

/// Red of a less that of b; 0 outside of the pictures.
static double off_at(const struct bw_image *a, const struct bw_image *b, int x, int y)
{
    const size_t at = 3 * ((size_t)y * SIDE + (size_t)x);
    return x < 0 || y < 0 || x >= SIDE || y >= SIDE ? 0 : (double)a->px[at] - (double)b->px[at];
}

/// Of the difference over the ball's middle: its mean, and of what is finer than some NEAR pixels the root of the mean
/// square.
static void compare(const struct bw_image *a, const struct bw_image *b, double *off, double *rings)
{
    double sum = 0, squares = 0;
    int n = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            if (hypot(x + 0.5 - SIDE / 2.0, y + 0.5 - SIDE / 2.0) > WITHIN) continue;
            double mean = 0;
            for (int j = -NEAR; j <= NEAR; j++)
                for (int i = -NEAR; i <= NEAR; i++) mean += off_at(a, b, x + i, y + j);
            const double here = off_at(a, b, x, y), fine = here - mean / ((2 * NEAR + 1) * (2 * NEAR + 1));
            sum += here, squares += fine * fine, n++;
        }
    *off = sum / n, *rings = sqrt(squares / n);
}

/* In cells three times as fine a voxel hides a third as much: steps of cells are hardly seen in those. With one value
 * of light a cell, read as a product with its extinction, it was 0.37 of the mean. */
Test(skin, dense_ball_shows_no_rings)
{
    const double to[2][3] = {{0.8, 0, 0.6}, {0.48, -0.6, 0.64}};
    struct bw_volume wide = ball_make(WIDE), fine = ball_make(TIMES * WIDE);
    for (int q = 0; q < 2; q++) {
        struct bw_image a = ball_render(&wide, to[q]), b = ball_render(&fine, to[q]);
        double mean = 0, off, rings;
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) mean += (double)b.px[3 * i] / (SIDE * SIDE);
        compare(&a, &b, &off, &rings);
        cr_log_info("lamp %d: %.3f off, %.3f of the mean in rings", q, off / mean, rings / mean);
        cr_assert_lt(rings, 0.28 * mean, "lamp %d: rings of %.3f", q, rings / mean);
        cr_assert_lt(off, 0.2 * mean, "lamp %d: %.3f too bright", q, off / mean); // by sweeps alone 0.27
        bw_image_free(&a);
        bw_image_free(&b);
    }
    free(wide.density);
    free(fine.density);
}

/// What lies between a lamp and the cells of a ball that sweeps say have half its light; the caller frees.
static float *depths_make(const struct bw_volume *v, const struct bw_light *lamp)
{
    enum { CELLS = WIDE * WIDE * WIDE };
    float *all = calloc(7 * CELLS, sizeof *all), *share = all + 5 * CELLS, *out = all + 6 * CELLS;
    uint8_t *marks = calloc(2, CELLS);
    struct bw_lit lit = {.box = v->box, .rgbs = all};
    for (int i = 0; i < CELLS; i++) {
        all[4 * i + 3] = all[4 * CELLS + i] = 4 * WIDE * v->density[i];
        share[i] = 0.5f;
    }
    const struct bw_shadow_rays s = {&lit,  NULL, all + 4 * CELLS, lamp, bw_boundary_mark(&tools, &lit, marks),
                                     share, 0};
    bw_shadow_ray_depths(&tools, &s, out);
    memcpy(all, out, CELLS * sizeof *all);
    free(marks);
    return all;
}

/* To a lamp far off ways of many cells are read at once, to one with a place each by itself: from a place a thousand
 * metres away the same comes. */
Test(skin, ways_at_once_are_ways_one_by_one)
{
    struct bw_volume v = ball_make(WIDE);
    const struct bw_light far = {{0.48, -0.6, 0.64}, {1, 1, 1}, 0, 0, {0}},
                          near = {{0}, {1, 1, 1}, 0, 1, {480, -600, 640.5}};
    float *a = depths_make(&v, &far), *b = depths_make(&v, &near);
    int seen = 0;
    for (int i = 0; i < WIDE * WIDE * WIDE; i++) {
        cr_assert_float_eq(a[i], b[i], 0.01f + 0.002f * b[i], "cell %d: %g, not %g", i, (double)a[i], (double)b[i]);
        seen += b[i] > 0.8f && b[i] < 8;
    }
    cr_log_info("%d cells", seen);
    cr_assert_gt(seen, 500);
    free(a);
    free(b);
    free(v.density);
}

Test(skin, logarithm_of_polynomials)
{
    for (float x = 1e-30f; x < 1e30f; x *= 1.0137f)
        cr_assert_float_eq((double)bw_log(x), log((double)x), 3e-7 * (1 + fabs(log((double)x))), "%g", (double)x);
}

/* A ball of red dye has a red edge: clear cells beside it have its colour, not that of smoke without dye, 0.72 of its
 * red at the outline. */
Test(skin, dye_colours_its_outline)
{
    struct bw_volume v = ball_make(WIDE);
    float *none = calloc(WIDE * WIDE * WIDE, sizeof *none);
    v.dye[0] = v.density, v.dye[1] = v.dye[2] = none;
    struct bw_image img = ball_render(&v, (const double[3]){0.48, -0.6, 0.64});
    int seen = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const float *rgb = img.px + 3 * i;
        if (rgb[0] < 1e-3f) continue;
        cr_assert_lt(rgb[1], 0.2f * rgb[0], "pixel %zu: %g of %g", i, (double)rgb[1], (double)rgb[0]);
        seen++;
    }
    cr_assert_gt(seen, 500);
    bw_image_free(&img);
    free(none);
    free(v.density);
}

/// In even smoke of x > 0, less than 0.5 m high, an obstacle fills the rest of the box: light in the obstacle's
/// outermost cell by that in the smoke's, as factors of e.
Test(skin, obstacles_do_not_darken_smoke_before_them)
{
    enum { CELLS = WIDE * WIDE * WIDE, MID = WIDE / 2 };
    struct bw_volume v = {.box = {{WIDE, WIDE, WIDE}, {-0.5, -0.5, 0}, 1.0 / WIDE}};
    const struct bw_scene scene = scene_make((const double[3]){0.8, 0, 0.6});
    struct bw_medium m;
    v.solid_box = v.box;
    v.density = calloc(CELLS, sizeof *v.density), v.solid = calloc(CELLS, sizeof *v.solid);
    for (int i = 0; i < CELLS; i++) {
        const int x = i % WIDE;
        v.density[i] = x >= MID && x < MID + 3 ? 0.2f : 0;
        v.solid[i] = (float)((x + 0.5 - MID) / WIDE);
    }
    cr_assert_eq(bw_medium_light(&tools, &v, &scene, &m), BW_OK);
    cr_assert_eq(m.lit.logs, 1);
    const float *row = m.lit.rgbs + 4 * (size_t)((MID * WIDE + MID) * WIDE);
    const float wall = row[4 * (MID - 1)], smoke = row[4 * MID];
    cr_log_info("%g, %g", (double)wall, (double)smoke);
    cr_assert_float_eq(wall, smoke, 0.1f, "%g, not %g", (double)wall, (double)smoke);
    bw_medium_free(&tools, &m);
    free(v.density);
    free(v.solid);
}

/* Below a layer of flames that do not glow a lamp straight above has exp(-τ) of its light on the ground; in smoke some
 * more, for of what smoke above scatters forwards light counts as not scattered, and soot is not told from it there. */
Test(skin, soot_of_flames_holds_back_lamps)
{
    enum { CELLS = WIDE * WIDE * WIDE, MID = WIDE / 2, DEEP = 4 };
    double light[2], through[2], soot = 0;
    for (int burns = 0; burns < 2; burns++) {
        struct bw_volume v = {.box = {{WIDE, WIDE, WIDE}, {-0.5, -0.5, 0}, 1.0 / WIDE}};
        struct bw_scene scene = scene_make((const double[3]){0, 0, 1});
        struct bw_medium m;
        scene.look.fire = 0;
        v.density = calloc(CELLS, sizeof *v.density), v.flame = calloc(CELLS, sizeof *v.flame);
        for (int i = 0; i < CELLS; i++) {
            const int z = i / WIDE / WIDE;
            v.density[i] = z == DEEP ? 1e-4f : 0;
            v.flame[i] = burns && z >= MID && z < MID + 4 ? FLAME : 0;
        }
        cr_assert_eq(bw_medium_light(&tools, &v, &scene, &m), BW_OK);
        light[burns] = -(double)m.lit.rgbs[4 * (size_t)((DEEP * WIDE + MID) * WIDE + MID)];
        const struct bw_light_seen up = {{0, 0, 1}, HUGE_VAL, 0, 1};
        through[burns] = log((double)bw_ambient_transmittance(&m.ambient, (const double[3]){0, 0, 0.02}, &up));
        soot = (double)(m.lit.soot * FLAME * 4) / WIDE;
        bw_medium_free(&tools, &m);
        free(v.density);
        free(v.flame);
    }
    cr_log_info("%g, %g, not %g", light[0] - light[1], through[0] - through[1], soot);
    cr_assert_gt(soot, 0.5);
    cr_assert(light[0] - light[1] > 0.7 * soot && light[0] - light[1] < 1.05 * soot);
    cr_assert_float_eq(through[0] - through[1], soot, 0.05 * soot);
}
