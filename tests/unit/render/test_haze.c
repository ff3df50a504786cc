// SPDX-License-Identifier: Apache-2.0
/* Hot gas bends what is seen behind it, by as much as its gradient says, and nothing else. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/rays/haze.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 32, SIZE = 96 };
#define AMBIENT 293.0
#define COLD 500.0 ///< K in the middle
#define RISE 3e-4  ///< of 1/T, 1/(K m)
#define AIR 0.0798 ///< K, (n - 1) T

/// Gas 1.6 m wide, 2 to 3.6 m before the eye, whose refractive index rises evenly with x.
static struct bw_volume wedge_make(void)
{
    struct bw_volume v = {.box = {{N, N, N}, {-0.8, 2, -0.8}, 0.05}};
    v.temperature = take(NULL, (size_t)N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++)
        v.temperature[i] = (float)(1 / (1 / COLD + RISE * (-0.8 + (i % N + 0.5) * 0.05)) - AMBIENT);
    return v;
}

/// ∫ (1 - s/depth) ds between two distances.
static double lever(double from, double to, double depth) { return to - from - 0.5 * (to * to - from * from) / depth; }

Test(haze, bends_as_the_gradient_says)
{
    const double eye[3] = {0}, dir[3] = {0, 1, 0}, depths[] = {HUGE_VAL, 40, 4, 3}, far = 3.6 - 0.025, near = 2.025;
    struct bw_scene scene = {.ambient = AMBIENT, .look = {.haze = 20}};
    struct bw_volume v = wedge_make();
    struct bw_haze haze;
    double seen[3];
    cr_assert_eq(bw_haze_make(&tools, &v, &scene, &haze), BW_OK);
    for (int q = 0; q < 4; q++) {
        const double depth = depths[q], want = 20 * AIR * RISE * lever(near, fmin(far, depth), depth);
        bw_haze_turn(&haze, eye, dir, depth, seen);
        cr_assert_float_eq(seen[0] / seen[1], want, 0.01 * want, "%g m: %g, not %g", depth, seen[0] / seen[1], want);
        cr_assert_float_eq(seen[2], 0, 1e-6);
    }
    bw_haze_turn(&haze, eye, dir, 1.9, seen);
    cr_assert(!memcmp(seen, dir, sizeof seen), "what stands before the gas is bent");
    bw_haze_turn(&haze, eye, (const double[3]){0.8, 0.6, 0}, HUGE_VAL, seen);
    cr_assert_eq(seen[0], 0.8, "what is seen beside the gas is bent");
    bw_haze_free(&tools, &haze);
    scene.look.haze = 0;
    cr_assert_eq(bw_haze_make(&tools, &v, &scene, &haze), BW_OK);
    cr_assert_null(haze.bend);
    free(v.temperature);
}

/// A street behind a column of hot air that does not glow, with so much haze; NULL temperature: none.
static void street_see(const struct bw_volume *v, double much, struct bw_image *img)
{
    struct bw_scene scene = {.lo = {-1, -1, 0},
                             .hi = {1, 1, 2},
                             .extinction = 30,
                             .ambient = AMBIENT,
                             .exposure = 1,
                             .floor = 1,
                             .look = look_usual()};
    struct bw_aim aim = {.elevation = 0.5, .tan_long = 0.25, .has_target = 1, .target = {0, 0, 0.3}, .distance = 5};
    scene.look.ground = 2; // a street
    scene.look.haze = much;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, v, &scene, img, NULL), BW_OK);
}

Test(haze, only_what_is_behind_hot_gas_moves)
{
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, 0}, 1. / N}};
    struct bw_image clear, none, some;
    v.density = take(NULL, (size_t)N * N * N * sizeof(float));
    v.temperature = take(NULL, (size_t)N * N * N * sizeof(float));
    street_see(&v, 300, &clear);
    for (int i = 0; i < N * N * N; i++) {
        const double x = (i % N + 0.5) / N - 0.5, y = (i / N % N + 0.5) / N - 0.5;
        v.temperature[i] = (float)(400 * exp(-40 * (x * x + y * y)));
    }
    street_see(&v, 0, &none);
    street_see(&v, 300, &some);
    int moved = 0, far = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        cr_assert_eq(none.px[3 * i], clear.px[3 * i]);
        const int off = fabsf(some.px[3 * i] - none.px[3 * i]) > 0.01f * none.px[3 * i];
        const int beside = i % SIZE < SIZE / 6 || i % SIZE > SIZE * 5 / 6;
        moved += off && !beside, far += beside && some.px[3 * i] != none.px[3 * i];
    }
    cr_log_info("%d pixels of %d are other ones", moved, SIZE * SIZE);
    cr_assert_gt(moved, 100, "%d pixels", moved);
    cr_assert_eq(far, 0, "%d pixels beside the gas", far);
    bw_image_free(&clear), bw_image_free(&none), bw_image_free(&some);
    free(v.density);
    free(v.temperature);
}
