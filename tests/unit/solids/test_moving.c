// SPDX-License-Identifier: Apache-2.0
/* Obstacles that move while the shutter is open: seen all along their way, each place as long as they are there. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/render.h>
#include <picture/volume/shape/shapes.h>

#include <criterion/criterion.h>
#include <math.h>

enum { SIZE = 96 };
#define PIXEL (2 * 10 * 0.12 / SIZE) // m, 10 m away

/// Of what is covered: how much, m²; along x and z the mean place and the variance, m².
struct cover {
    double all, mean[2], square[2];
};

/// Of a flat box 10 m away that moves and turns, with the shutter open for `seconds`.
static struct cover box_seen(const double half[3], const double vel[3], double spin, double seconds)
{
    struct bw_shape box = {.kind = BW_SHAPE_BOX,
                           .scale = {half[0], half[1], half[2]},
                           .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                           .vel = {vel[0], vel[1], vel[2]},
                           .spin = {0, spin, 0}};
    const struct bw_shape *list[] = {&box};
    struct bw_shapes *shapes = NULL;
    struct bw_scene scene = {
        .lo = {-1, -1, -1}, .hi = {1, 1, 1}, .exposure = 1, .shutter = seconds, .look = look_usual()};
    struct bw_aim aim = {.tan_long = 0.12, .has_target = 1, .distance = 10};
    struct bw_volume v = {0};
    struct bw_image img;
    struct cover c = {0};
    float *alpha = take(NULL, SIZE * SIZE * sizeof *alpha);
    cr_assert_eq(bw_shapes_follow(&tools, list, NULL, 1, &shapes), BW_OK);
    cr_assert_eq(bw_shapes_shutter(&tools, seconds, shapes), BW_OK);
    v.shapes = shapes;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, alpha), BW_OK);
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double at[2] = {PIXEL * (i % SIZE + 0.5 - SIZE / 2), PIXEL * (SIZE / 2 - i / SIZE - 0.5)};
        c.all += (double)alpha[i];
        for (int a = 0; a < 2; a++)
            c.mean[a] += (double)alpha[i] * at[a], c.square[a] += (double)alpha[i] * at[a] * at[a];
    }
    for (int a = 0; a < 2; a++) c.mean[a] /= c.all, c.square[a] = c.square[a] / c.all - c.mean[a] * c.mean[a];
    c.all *= PIXEL * PIXEL;
    bw_shapes_free(&tools, shapes);
    bw_image_free(&img);
    free(alpha);
    return c;
}

/* A box w wide that goes a way s covers as much as one that stands, with a variance of (w² + s²)/12 along its way. */
Test(moving, what_passes_is_drawn_out)
{
    const double half[3] = {0.2, 0.01, 0.15}, vel[3] = {12, 0, -6}, still[3] = {0};
    const struct cover stands = box_seen(half, still, 0, 0.05), sharp = box_seen(half, vel, 0, 0),
                       goes = box_seen(half, vel, 0, 0.05);
    cr_expect_float_eq(stands.all, 0.12, 0.003, "%g", stands.all);
    cr_expect_float_eq(sharp.square[0], 0.16 / 12, 0.001, "%g", sharp.square[0]);
    cr_expect_float_eq(goes.all, stands.all, 0.02 * stands.all, "%g, not %g", goes.all, stands.all);
    cr_expect_float_eq(goes.square[0], (0.16 + 0.36) / 12, 0.0015, "%g along its way", goes.square[0]);
    cr_expect_float_eq(goes.square[1], (0.09 + 0.09) / 12, 0.0005, "%g across", goes.square[1]);
    for (int a = 0; a < 2; a++)
        cr_expect_lt(fabs(goes.mean[a]), 0.01, "it is seen about where it is: %g", goes.mean[a]);
}

/* One that turns by two radians: cos² of its angle has the mean ½ + sin(2)/4 then. */
Test(moving, what_turns_is_fanned_out)
{
    const double half[3] = {0.5, 0.01, 0.05}, still[3] = {0};
    const struct cover turns = box_seen(half, still, 40, 0.05);
    const double share = 0.5 + sin(2) / 4, x = (share + (1 - share) * 0.01) / 12, z = (1 - share + share * 0.01) / 12;
    cr_expect_float_eq(turns.all, 0.1, 0.004, "%g", turns.all);
    cr_expect_float_eq(turns.square[0], x, 0.03 * x, "%g, not %g", turns.square[0], x);
    cr_expect_float_eq(turns.square[1], z, 0.03 * z, "%g, not %g", turns.square[1], z);
}

/// A box that stands to the right of one that goes up, or stands too; `out` gets the picture.
static void pair_render(double speed, struct bw_image *out)
{
    struct bw_shape box[2];
    const struct bw_shape *list[] = {&box[0], &box[1]};
    struct bw_shapes *shapes = NULL;
    struct bw_scene scene = {.lo = {-1, -1, -1}, .hi = {1, 1, 1}, .exposure = 1, .shutter = 0.05, .look = look_usual()};
    struct bw_aim aim = {.tan_long = 0.12, .has_target = 1, .distance = 10};
    struct bw_volume v = {0};
    for (int i = 0; i < 2; i++)
        box[i] = (struct bw_shape){.kind = BW_SHAPE_BOX,
                                   .center = {i ? 0.6 : -0.6, 0, 0},
                                   .scale = {0.2, 0.01, 0.2},
                                   .axis = {{0.8, 0, 0.6}, {0, 1, 0}, {-0.6, 0, 0.8}},
                                   .vel = {0, 0, i ? 0 : speed}};
    cr_assert_eq(bw_shapes_follow(&tools, list, NULL, 2, &shapes), BW_OK);
    cr_assert_eq(bw_shapes_shutter(&tools, scene.shutter, shapes), BW_OK);
    v.shapes = shapes;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(out, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, out, NULL), BW_OK);
    bw_shapes_free(&tools, shapes);
}

/* Many rays are for what passes alone: past its way a picture is the same to the last bit, and takes no longer. */
Test(moving, what_stands_is_drawn_as_if_nothing_moved)
{
    struct bw_image still, moving;
    int differ[2] = {0};
    pair_render(0, &still);
    pair_render(12, &moving);
    for (int i = 0; i < 3 * SIZE * SIZE; i++) differ[i / 3 % SIZE >= SIZE / 2] += still.px[i] != moving.px[i];
    cr_expect_gt(differ[0], 500, "it moves");
    cr_expect_eq(differ[1], 0, "%d values differ", differ[1]);
    bw_image_free(&still);
    bw_image_free(&moving);
}
