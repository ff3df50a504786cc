// SPDX-License-Identifier: Apache-2.0
/* Particles that shine as one cloud: spread over the gaps between them along the sheet in which they lie, and not
 * across it, each by its own kind, of the same light; what is near hides what is far, whatever their order; and they
 * throw shadows onto each other. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/motion/sparks.h>

#include <criterion/criterion.h>
#include <math.h>

enum { W = 100, SIDE = 24, N = SIDE * SIDE };

/// From 10 m, a pixel 2 cm wide.
static struct bw_scene scene_of(int smooth, double veil)
{
    struct bw_scene s = {
        .exposure = 1, .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.1, 0.1, 0, 10}, .look = look_usual()};
    s.look.particles.show = BW_SHOW_LIGHT, s.look.particles.smooth = smooth, s.look.particles.veil = veil;
    return s;
}

static struct bw_image look_at(const struct bw_scene *scene, struct bw_spark *spark, int n)
{
    const struct bw_lit lit = {.box = {{1, 1, 1}, {0, 0, 0}, 1}};
    const struct bw_volume v = {.box = lit.box, .spark = spark, .n_sparks = n, .solid_box = lit.box};
    const struct bw_ambient none = {.coarse = {.box = lit.box}};
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, W, W), BW_OK);
    cr_assert_eq(bw_sparks_draw(&tools, &(struct bw_shot){&lit, &none, &v, scene}, &img, NULL), BW_OK);
    return img;
}

/// A sheet of N, four pixels from one to the next, at the depth y, upright or (`level`) seen from its edge.
static void sheet(struct bw_spark *s, double y, int level, float size, uint32_t kind)
{
    for (int i = 0; i < N; i++) {
        const double a = 0.08 * (i % SIDE - 0.5 * (SIDE - 1)), b = 0.08 * (i / SIDE - 0.5 * (SIDE - 1));
        s[i] = (struct bw_spark){.at = {a, level ? y + b : y, level ? 0 : b}, .size = size, .rgb = {1, 1, 1}};
        s[i].kind = kind;
    }
}

/// Light of all pixels, and of those in the middle the deviation over the mean.
static void evenness(const struct bw_image *img, double out[2])
{
    double sum = 0, square = 0, n = 0;
    out[0] = 0;
    for (int i = 0; i < W * W; i++) {
        const double w = (double)img->px[3 * i];
        out[0] += w;
        if (abs(i % W - W / 2) > 20 || abs(i / W - W / 2) > 20) continue;
        sum += w, square += w * w, n++;
    }
    out[1] = sqrt(fmax(square / n - sum * sum / (n * n), 0)) * n / sum;
}

/// The same of a sheet, seen so.
static void seen(const struct bw_scene *scene, struct bw_spark s[N], double out[2])
{
    struct bw_image img = look_at(scene, s, N);
    evenness(&img, out);
    bw_image_free(&img);
}

Test(cloud, fills_the_gaps_of_a_sheet_with_the_same_light)
{
    struct bw_spark s[N];
    double points[2], smooth[2];
    sheet(s, 0, 0, 0, 0);
    struct bw_scene scene = scene_of(0, 0);
    seen(&scene, s, points);
    scene.look.particles.smooth = 16;
    seen(&scene, s, smooth);
    cr_assert_gt(points[1], 1, "points: %g", points[1]);
    cr_assert_lt(smooth[1], 0.05, "spread: %g", smooth[1]);
    cr_assert_float_eq(smooth[0], points[0], 0.02 * points[0], "%g of %g", smooth[0], points[0]);
}

/* What is torn to single particles goes out, a thread of as many stays. */
Test(cloud, strays_go_out_and_lines_stay)
{
    struct bw_spark s[N];
    struct bw_scene scene = scene_of(16, 0);
    double all[2], left[2];
    for (int line = 0; line < 2; line++) {
        sheet(s, 0, 0, 0, 0);
        for (int i = 0; i < N && line; i++) s[i].at[0] = 0.08 / SIDE * (i - 0.5 * (N - 1)), s[i].at[2] = 0;
        scene.look.particles.stray = 0;
        seen(&scene, s, all);
        scene.look.particles.stray = 0.02;
        seen(&scene, s, left);
        if (line) cr_assert_float_eq(left[0], all[0], 1e-3 * all[0], "a line: %g of %g", left[0], all[0]);
        else cr_assert_lt(left[0], 1e-3 * all[0], "a sheet of gaps four times as wide: %g of %g", left[0], all[0]);
    }
}

/* From its edge: no higher than a pixel's own blur. */
Test(cloud, is_as_thin_as_its_sheet)
{
    struct bw_spark s[N];
    const struct bw_scene scene = scene_of(16, 0);
    double sum = 0, second = 0;
    sheet(s, 0, 1, 0, 0);
    struct bw_image img = look_at(&scene, s, N);
    for (int i = 0; i < W * W; i++) {
        const double up = 0.5 * W - i / W - 0.5;
        sum += (double)img.px[3 * i], second += (double)img.px[3 * i] * up * up;
    }
    bw_image_free(&img);
    cr_assert_lt(sqrt(second / sum), 0.6, "%g pixels high", sqrt(second / sum));
}

/// Light where the picture's middle is, 9 pixels.
static double middle(const struct bw_image *img)
{
    double sum = 0;
    for (int y = W / 2 - 1; y <= W / 2 + 1; y++)
        for (int x = W / 2 - 1; x <= W / 2 + 1; x++) sum += (double)img->px[3 * (y * W + x)] / 9;
    return sum;
}

Test(cloud, of_another_kind_does_not_count)
{
    struct bw_spark s[2 * N];
    const struct bw_scene scene = scene_of(16, 0);
    double light[2];
    sheet(s, 0, 0, 0, 1);
    sheet(s + N, 0, 0, 0, 2);
    for (int i = N; i < 2 * N; i++) // dark, and dense along the middle of the other's gaps
        for (int c = 0; c < 3; c++) s[i].at[c] *= 0.05, s[i].rgb[c] = 0;
    for (int q = 0; q < 2; q++) {
        struct bw_image img = look_at(&scene, s, q ? 2 * N : N);
        light[q] = middle(&img);
        bw_image_free(&img);
    }
    cr_assert_float_eq(light[1], light[0], 1e-3 * light[0], "%g beside others, %g alone", light[1], light[0]);
}

/* Discs that would fill their sheet 3 times over: the near one, first or last in the array, leaves exp(-veil w). */
Test(cloud, hides_what_is_behind_it)
{
    struct bw_spark s[2 * N];
    const double size = 0.08 * sqrt(3 / 0.785398), veil = 0.5;
    const struct bw_scene scene = scene_of(16, veil);
    for (int q = 0; q < 2; q++) {
        sheet(s, q ? -1 : 1, 0, (float)size, 1);
        sheet(s + N, q ? 1 : -1, 0, (float)size, 2);
        for (int i = 0; i < N; i++) // the far one is red, the near one green
            s[i].rgb[q ? 0 : 1] = 0, s[N + i].rgb[q ? 1 : 0] = 0, s[i].rgb[2] = s[N + i].rgb[2] = 0;
        struct bw_image img = look_at(&scene, s, 2 * N);
        const float *px = img.px + 3 * (W / 2 * W + W / 2);
        const double left = exp(-3 * veil), near = (1 - left) / veil, far = near * left;
        cr_assert_float_eq((double)px[1], near, 0.05 * near, "%d: near %g, not %g", q, (double)px[1], near);
        cr_assert_float_eq((double)px[0], far, 0.1 * far, "%d: far %g, not %g", q, (double)px[0], far);
        bw_image_free(&img);
    }
}

/* A lamp behind the camera lights the first of two sheets; what it leaves lights the second, beside it in the picture
 * and behind it for the lamp. */
Test(cloud, throws_shadows_in_itself)
{
    struct bw_spark s[2 * N];
    struct bw_scene scene = scene_of(16, 0.5);
    double light[2];
    const double size = 0.08 * sqrt(3 / 0.785398);
    scene.look.particles.glow = 0, scene.look.particles.lit = 1, scene.look.has_sky = 1, scene.look.environment = 0;
    scene.look.n_lights = 1, scene.look.light[0] = (struct bw_light){.to = {0, 0, 1}, .rgb = {1, 1, 1}};
    for (int q = 0; q < 2; q++) {
        sheet(s, 0, 1, (float)size, 1);
        for (int i = 0; i < N; i++) s[i].at[1] *= 0.5, s[i].at[2] -= 0.3; // what is looked at, well under it
        sheet(s + N, 0, 1, (float)size, 2);
        for (int i = N; i < 2 * N; i++) s[i].at[2] += q ? 0.6 : -0.9; // over it, or under it
        struct bw_image img = look_at(&scene, s, 2 * N);
        light[q] = 0;
        for (int y = W / 2 + 10; y < W / 2 + 21; y++) light[q] += (double)img.px[3 * (y * W + W / 2)];
        bw_image_free(&img);
    }
    cr_assert_float_eq(light[1] / light[0], exp(-1.5), 0.03, "in shadow %g, free %g", light[1], light[0]);
}

/* Of a veil that hides next to nothing as of none: each Gaussian has all of its light, to its tails. */
Test(cloud, a_thin_veil_takes_no_light)
{
    struct bw_spark s[N];
    double bare[2], thin[2];
    sheet(s, 0, 0, 0.02f, 0);
    struct bw_scene scene = scene_of(16, 0);
    seen(&scene, s, bare);
    scene.look.particles.veil = 1e-6;
    seen(&scene, s, thin);
    cr_assert_float_eq(thin[0], bare[0], 1e-3 * bare[0], "%g of %g", thin[0], bare[0]);
}

/* What is spread is seen where its middle is not: no dark rim, nothing that pops up as the camera turns. */
Test(cloud, reaches_into_the_picture_from_outside)
{
    struct bw_spark s[N];
    double bare[2];
    sheet(s, 0, 0, 0, 0);
    for (int i = 0; i < N; i++) s[i].at[0] += 1.0 + 0.08 * 0.5 * SIDE; // the picture ends at 1
    const struct bw_scene scene = scene_of(16, 0);
    seen(&scene, s, bare);
    cr_assert_gt(bare[0], 0, "nothing comes over the edge");
}
