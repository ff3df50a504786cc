// SPDX-License-Identifier: Apache-2.0
/* Particles that shine light obstacles by the law of the inverse square, and are seen in a mirror where they are, as
 * bright as they are; what does not shine, and what shines where there is no obstacle, costs nothing. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/motion/shine.h>

#include <criterion/criterion.h>
#include <math.h>

enum { N = 1000 };
#define SIZE 0.01 ///< m
#define SIDE 0.2  ///< m, of the cube that they fill

/// N of radiance 1, 2, 3, in a cube about (0, 0, 1), and an obstacle, far off.
static struct bw_shine shine_make(int32_t shine, int solid)
{
    static struct bw_spark spark[N];
    static float one = 1;
    struct bw_scene scene = {.look = look_usual()};
    struct bw_volume v = {.spark = spark, .n_sparks = N, .solid_box = {{1, 1, 1}, {50, 50, 50}, 1}};
    struct bw_shine s;
    scene.look.particles.show = shine ? BW_SHOW_LIGHT : BW_SHOW_HOT;
    if (solid) v.solid = &one;
    for (int i = 0; i < N; i++) {
        const int at[3] = {i % 10, i / 10 % 10, i / 100};
        spark[i] = (struct bw_spark){.rgb = {1, 2, 3}, .size = (float)SIZE};
        for (int a = 0; a < 3; a++) spark[i].at[a] = SIDE * ((at[a] + 0.5) / 10 - 0.5) + (a == 2);
    }
    cr_assert_eq(bw_shine_make(&tools, &v, &scene, 1e-3, &s), BW_OK);
    return s;
}

static const double each = 0.25 * 3.14159265358979 * SIZE * SIZE; ///< intensity of one

Test(shine, is_made_where_it_is_seen)
{
    struct bw_shine dark = shine_make(0, 1), alone = shine_make(1, 0);
    cr_assert_null(dark.rgb);
    cr_assert_null(alone.rgb);
}

Test(shine, falls_with_the_square)
{
    struct bw_shine s = shine_make(1, 1);
    for (double far = 0.8; far < 4; far += 0.7) {
        float rgb[3] = {0};
        const double want = N * each / (3.14159265358979 * far * far);
        bw_shine_light(&s, (double[3]){0, 0, 1 - far}, (double[3]){0, 0, 1}, rgb);
        for (int c = 0; c < 3; c++)
            cr_assert_float_eq((double)rgb[c], (c + 1) * want, 0.06 * (c + 1) * want, "%g m: %g", far, (double)rgb[c]);
    }
    float away[3] = {0};
    bw_shine_light(&s, (double[3]){0, 0, 0}, (double[3]){0, 0, -1}, away);
    cr_assert_float_eq((double)away[0], 0, 1e-9);
    bw_shine_free(&tools, &s);
}

/* All of them, over the cube's face, by rays a cell apart, which share out each one's light. Beside it is nothing. */
Test(shine, is_mirrored_where_it_is)
{
    static const struct bw_volume none = {.box = {.h = 1}};
    struct bw_shine s = shine_make(1, 1);
    const double h = s.box.h, dir[3] = {0, 0, 1}, rim = 0.5 * SIDE + 3 * h;
    double sum = 0;
    for (double y = -rim; y < rim; y += h)
        for (double x = -rim; x < rim; x += h) {
            float rgb[3] = {0};
            bw_shine_along(&s, &none, (double[3]){x, y, 0}, dir, 0, 0.5f, rgb);
            sum += (double)rgb[0] * h * h;
        }
    cr_assert_float_eq(sum, N * each, 0.02 * N * each, "%g of %g", sum, N * each);
    for (double x = rim; x < 1; x += 0.1) {
        float rgb[3] = {0};
        bw_shine_along(&s, &none, (double[3]){x, 0, 0}, dir, 0, 0.5f, rgb);
        cr_assert_float_eq((double)rgb[0], 0, 1e-9, "%g: %g", x, (double)rgb[0]);
    }
    bw_shine_free(&tools, &s);
}
