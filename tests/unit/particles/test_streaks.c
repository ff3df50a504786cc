// SPDX-License-Identifier: Apache-2.0
/* Streaks of embers: three quarters of their light in their first half, narrower and darker to their tails, as curved
 * as their acceleration says, and hidden where, and only where, smoke or an obstacle is before them. What is out of
 * focus is as wide as the lens makes it, of the same light; what shines fades as the look asks. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/motion/sparks.h>

#include <criterion/criterion.h>
#include <math.h>

enum { W = 100, N = 16 };

/// From 10 m, a pixel 2 cm wide, the shutter open for 20 ms; `smoke` [1/m] and `solid` [m], or NULL, fill a box of a
/// metre 4 m before the spark.
static struct bw_scene usual(void)
{
    return (struct bw_scene){.exposure = 1,
                             .streak = 0.02,
                             .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.1, 0.1, 0, 10},
                             .look = look_usual()};
}
static struct bw_image look_by(const struct bw_scene *scene, struct bw_spark *spark, float *smoke, float *solid)
{
    const struct bw_lit lit = {.box = {{N, N, N}, {-0.5, -4.5, -0.5}, 1. / N}, .rgbs = smoke};
    const struct bw_volume v = {.box = lit.box, .spark = spark, .n_sparks = 1, .solid_box = lit.box, .solid = solid};
    const struct bw_ambient none = {.coarse = {.box = lit.box}};
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, W, W), BW_OK);
    cr_assert_eq(bw_sparks_draw(&tools, &(struct bw_shot){&lit, &none, &v, scene}, &img, NULL), BW_OK);
    return img;
}
static struct bw_image look(struct bw_spark *spark, float *smoke, float *solid)
{
    const struct bw_scene scene = usual();
    return look_by(&scene, spark, smoke, solid);
}

/// To the right, 40 pixels.
static const struct bw_spark ember = {.kelvin = 1500, .size = 0.1f, .vel = {40, 0, 0}};

/// A column's light, its mean height in pixels above the middle, and its standard deviation.
static void column(const struct bw_image *img, int x, double out[3])
{
    double sum = 1e-30, first = 0, second = 0;
    for (int y = 0; y < W; y++) {
        const double w = (double)img->px[3 * (y * W + x)], up = 0.5 * W - y - 0.5;
        sum += w, first += w * up, second += w * up * up;
    }
    out[0] = sum, out[1] = first / sum, out[2] = sqrt(fmax(second / sum - pow(first / sum, 2), 0));
}

Test(streaks, are_brightest_and_widest_at_their_heads)
{
    struct bw_spark s = ember;
    struct bw_image img = look(&s, NULL, NULL);
    double all = 0, head = 0, at[3], before = 0, thin = 0;
    for (int x = 0; x < W; x++) {
        column(&img, x, at);
        all += at[0], head += x >= W / 2 ? at[0] : 0;
        if (x < 35 || x > 65) continue;
        cr_assert(at[0] > before && at[2] > thin, "column %d: light %g, width %g", x, at[0], at[2]);
        before = at[0], thin = at[2];
    }
    cr_assert_float_eq(head, 0.75 * all, 0.01 * all, "%g of %g", head, all);
    bw_image_free(&img);
}

/* At both ends, half of the shutter's time from its middle, it is ½ a (T/2)² off its straight way. */
Test(streaks, are_as_curved_as_their_way)
{
    struct bw_spark s = ember;
    s.turn[2] = 4000; // ten pixels
    struct bw_image img = look(&s, NULL, NULL);
    double at[3];
    for (int x = 33; x < 68; x++) {
        const double time = (x + 0.5 - 0.5 * W) / 40 * 0.02, want = 0.5 * 4000 * time * time / 0.02;
        column(&img, x, at);
        cr_assert_float_eq(at[1], want, 0.5, "column %d: %g, not %g", x, at[1], want);
    }
    bw_image_free(&img);
}

/* What is before its left half hides that: the box is seen from x = 0 on. */
Test(streaks, are_hidden_where_something_is_before_them)
{
    float *smoke = take(NULL, (size_t)N * N * N * 4 * sizeof(float)), *solid = take(NULL, N * N * N * sizeof(float));
    struct bw_spark s = ember;
    struct bw_image clear = look(&s, NULL, NULL);
    for (int i = 0; i < N * N * N; i++) {
        smoke[4 * i + 3] = i % N < N / 2 ? 1.5f : 0;
        solid[i] = (float)((i % N + 0.5 - N / 2) / N);
    }
    for (int q = 0; q < 2; q++) {
        struct bw_image img = look(&s, q ? NULL : smoke, q ? solid : NULL);
        double at[3], free_at[3];
        for (int x = 33; x < 68; x++) {
            if (abs(2 * x - W + 1) < 26) continue; // dims from one place that is looked for to the next
            column(&clear, x, free_at);
            column(&img, x, at);
            const double want = x > W / 2 ? 1 : q ? 0 : exp(-1.5);
            cr_assert_float_eq(at[0] / free_at[0], want, 0.03, "%d, column %d: %g of %g", q, x, at[0], free_at[0]);
        }
        bw_image_free(&img);
    }
    bw_image_free(&clear);
    free(smoke);
    free(solid);
}

/// All light of a picture, and the standard deviation of where it falls, pixels.
static void spot(const struct bw_image *img, double out[2])
{
    double second = 0;
    out[0] = 1e-30;
    for (int i = 0; i < W * W; i++) {
        const double w = (double)img->px[3 * i], x = i % W + 0.5 - 0.5 * W;
        out[0] += w, second += w * x * x;
    }
    out[1] = sqrt(second / out[0]);
}

/* A lens 20 cm wide that is sharp at 5 m blurs what is at 10 m over a disc of 20 cm there, ten pixels. */
Test(streaks, are_blurred_out_of_focus)
{
    struct bw_scene scene = usual();
    struct bw_spark s = {.rgb = {1, 1, 1}, .size = 0.06f};
    scene.look.particles.show = BW_SHOW_LIGHT;
    double sharp[2], wide[2];
    struct bw_image img = look_by(&scene, &s, NULL, NULL);
    spot(&img, sharp);
    bw_image_free(&img);
    scene.camera.aperture = 0.1, scene.camera.focus = 5;
    img = look_by(&scene, &s, NULL, NULL);
    spot(&img, wide);
    bw_image_free(&img);
    cr_assert_float_eq(wide[0], sharp[0], 0.02 * sharp[0], "light: %g, %g", wide[0], sharp[0]);
    cr_assert_float_eq(wide[1], hypot(0.35 * 3, 0.5 * 5), 0.1, "%g pixels; sharp %g", wide[1], sharp[1]);
}

/* Half as bright a way of `fade` behind what is sharp, at most four times as bright before it, 1/e at `reach`. */
Test(streaks, fade_behind_and_around)
{
    const struct {
        double at[3], fade, reach, want;
    } c[] = {{{0, 0, 0}, 2, 0, 1},          {{0, 2, 0}, 2, 0, 0.5}, {{0, -2, 0}, 2, 0, 2},
             {{0, -8, 0}, 2, 0, 4},         {{0, 0, 0}, 0, 0.5, 1}, {{0, 0, 0.5}, 0, 0.5, exp(-1)},
             {{0, 0.5, 0}, 0, 0.5, exp(-1)}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct bw_scene scene = usual();
        struct bw_spark s = {.rgb = {1, 1, 1}, .at = {c[i].at[0], c[i].at[1], c[i].at[2]}};
        double plain[2], faded[2];
        scene.look.particles.show = BW_SHOW_LIGHT;
        struct bw_image img = look_by(&scene, &s, NULL, NULL);
        spot(&img, plain);
        bw_image_free(&img);
        scene.look.particles.fade = c[i].fade, scene.look.particles.reach = c[i].reach;
        img = look_by(&scene, &s, NULL, NULL);
        spot(&img, faded);
        bw_image_free(&img);
        cr_assert_float_eq(faded[0] / plain[0], c[i].want, 1e-3, "%zu: %g, not %g", i, faded[0] / plain[0], c[i].want);
    }
}
