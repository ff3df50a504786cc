// SPDX-License-Identifier: Apache-2.0
/* The skin of smoke so dense that a voxel hides what is behind it. */
#include "image_tools.h"
#include <criterion/criterion.h>
#include <picture/volume/render.h>

#include <math.h>
#include <stdlib.h>

#define RADIUS 0.35 ///< m, of a ball in the middle of a box of 1 m
#define RAMP 0.06   ///< m, from clear air to its density

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

static struct bw_image ball_render(const struct bw_volume *v, const double to[3])
{
    struct bw_scene s = {.lo = {-0.5, -0.5, 0},
                         .hi = {0.5, 0.5, 1},
                         .extinction = 4 * WIDE, // four optical depths a wide cell
                         .ambient = 293,
                         .exposure = 1,
                         .look = BW_LOOK_DEFAULT};
    struct bw_image img;
    s.look.environment = s.look.bloom = 0;
    s.look.has_background = 1;
    s.look.light[0] = (struct bw_light){{to[0], to[1], to[2]}, {1, 1, 1}, 0.01, 0, {0}};
    s.look.n_lights = 1;
    bw_camera_fit(&s.camera, NULL, s.lo, s.hi, 1);
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

/// Of the difference what is finer than some NEAR pixels, root of the mean square over the ball's middle.
static double rings(const struct bw_image *a, const struct bw_image *b)
{
    double sum = 0;
    int n = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            if (hypot(x + 0.5 - SIDE / 2.0, y + 0.5 - SIDE / 2.0) > WITHIN) continue;
            double mean = 0;
            for (int j = -NEAR; j <= NEAR; j++)
                for (int i = -NEAR; i <= NEAR; i++) mean += off_at(a, b, x + i, y + j);
            const double off = off_at(a, b, x, y) - mean / ((2 * NEAR + 1) * (2 * NEAR + 1));
            sum += off * off, n++;
        }
    return sqrt(sum / n);
}

/* In cells three times as fine a voxel hides a third as much: steps of cells are hardly seen in those. With one value
 * of light a cell, read as a product with its extinction, it was 0.37 of the mean. */
Test(skin, dense_ball_shows_no_rings)
{
    const double to[2][3] = {{0.8, 0, 0.6}, {0.48, -0.6, 0.64}};
    struct bw_volume wide = ball_make(WIDE), fine = ball_make(TIMES * WIDE);
    for (int q = 0; q < 2; q++) {
        struct bw_image a = ball_render(&wide, to[q]), b = ball_render(&fine, to[q]);
        double mean = 0;
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) mean += (double)b.px[3 * i] / (SIDE * SIDE);
        const double share = rings(&a, &b) / mean;
        cr_log_info("lamp %d: %.3f of the mean", q, share);
        cr_assert_lt(share, 0.28, "lamp %d: %.3f", q, share);
        bw_image_free(&a);
        bw_image_free(&b);
    }
    free(wide.density);
    free(fine.density);
}
