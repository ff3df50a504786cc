// SPDX-License-Identifier: Apache-2.0
/* A wide lens: what is in focus stays sharp, what is not is blurred by as much as geometry says, floor and obstacles
 * too, and no light is lost. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/rays/draft.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>

enum { SIZE = 96, N = 16 };

/// How wide a picture's light is, the root of its second moment along x, m at a distance of 10 m; and how much it is.
struct spot {
    double width, light;
};

typedef enum bw_status march_fn(const struct bw_tools *, const struct bw_shot *, struct bw_image *, float *);

/// A column of light 10 m from a camera whose lens has that radius and is sharp at `focus`.
static struct bw_image column_marched(march_fn *march, const struct bw_tools *with, double aperture, double focus)
{
    const double h = 0.1;
    struct bw_lit lit = {.box = {{N, N, N}, {-0.5 * N * h, -0.5 * N * h, -0.5 * N * h}, h}};
    struct bw_scene scene = {.exposure = 1, .look = look_usual()};
    const struct bw_volume v = {.box = lit.box};
    const struct bw_ambient none = {.coarse = {.box = lit.box}};
    struct bw_aim aim = {.tan_long = 0.12, .has_target = 1, .distance = 10, .aperture = aperture, .focus = focus};
    struct bw_image img;
    scene.look.has_background = 1; // black
    lit.rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
    for (int k = 4; k < 12; k++) lit.rgbs[4 * ((k * N + N / 2) * N + N / 2)] = 1;
    bw_camera_fit(&scene.camera, &aim, (double[3]){-1, -1, -1}, (double[3]){1, 1, 1}, 1);
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(march(with, &(struct bw_shot){&lit, &none, &v, &scene}, &img, NULL), BW_OK);
    free(lit.rgbs);
    return img;
}

static struct bw_image column_picture(const struct bw_tools *with, double aperture, double focus)
{
    return column_marched(bw_march, with, aperture, focus);
}

static struct spot column_seen(double aperture, double focus)
{
    const double pixel = 2 * 10 * 0.12 / SIZE;
    struct bw_image img = column_picture(&tools, aperture, focus);
    struct spot s = {0};
    double first = 0, second = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double x = pixel * (i % SIZE), light = (double)img.px[3 * i];
        s.light += light, first += x * light, second += x * x * light;
    }
    s.width = sqrt(second / s.light - pow(first / s.light, 2));
    bw_image_free(&img);
    return s;
}

/* Rays from a lens of radius A that meet at a distance f are A |d - f| / f apart from their middle at d: as an even
 * disc, whose second moment is a quarter of its radius squared. */
Test(lens, blur_is_as_wide_as_geometry_says)
{
    const struct spot sharp = column_seen(0, 0), focused = column_seen(0.15, 0);
    cr_assert_float_eq(focused.width, sharp.width, 0.02 * sharp.width, "%g, %g", focused.width, sharp.width);
    for (double focus = 5; focus < 30; focus *= 2) {
        const struct spot seen = column_seen(0.15, focus);
        const double disc = 0.15 * fabs(10 - focus) / focus, want = sqrt(pow(sharp.width, 2) + disc * disc / 4);
        cr_log_info("sharp at %g m: %.4f, by geometry %.4f", focus, seen.width, want);
        cr_assert_float_eq(seen.width, want, 0.04 * want, "sharp at %g m: %g, not %g", focus, seen.width, want);
        cr_assert_float_eq(seen.light, sharp.light, 0.02 * sharp.light);
    }
}

/// A ball of radius 0.5 8 m from a camera whose lens has that radius and is sharp at `focus`.
static struct bw_image ball_picture(int32_t quality, double aperture, double focus)
{
    enum { B = 40 };
    struct bw_volume v = {.solid_box = {{B, B, B}, {-1, -1, -1}, 2. / B}};
    struct bw_scene scene = {.lo = {-1, -1, -1}, .hi = {1, 1, 1}, .exposure = 1, .look = look_usual()};
    struct bw_aim aim = {.tan_long = 0.12, .has_target = 1, .distance = 8, .aperture = aperture, .focus = focus};
    struct bw_image img;
    scene.look.quality = quality;
    v.solid = take(NULL, B * B * B * sizeof(float));
    for (int i = 0; i < B * B * B; i++) {
        const double x = (i % B + 0.5) * 2 / B - 1, y = (i / B % B + 0.5) * 2 / B - 1,
                     z = (i / B / B + 0.5) * 2 / B - 1;
        v.solid[i] = (float)(sqrt(x * x + y * y + z * z) - 0.5);
    }
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    free(v.solid);
    return img;
}

/// The steepest change of brightness along the middle rows, of their mean.
static double edge_steepness(double aperture, double focus)
{
    enum { ROWS = 2 };
    struct bw_image img = ball_picture(BW_QUALITY_DEFAULT, aperture, focus);
    double most = 0, mean = 0;
    for (int x = 1; x < SIZE; x++) {
        double now = 0, step = 0;
        for (int y = SIZE / 2 - ROWS; y <= SIZE / 2 + ROWS; y++) {
            now += brightness(&img, x, y) / (2 * ROWS + 1);
            step += (brightness(&img, x, y) - brightness(&img, x - 1, y)) / (2 * ROWS + 1);
        }
        most = fmax(most, fabs(step)), mean += now / SIZE;
    }
    bw_image_free(&img);
    return most / mean;
}

Test(lens, obstacles_blur_too)
{
    const double sharp = edge_steepness(0, 0), focused = edge_steepness(0.1, 8), blurred = edge_steepness(0.1, 3);
    cr_log_info("steepest edge: %.3f, in focus %.3f, out of it %.3f", sharp, focused, blurred);
    cr_assert_gt(focused, 0.6 * sharp);
    cr_assert_lt(blurred, 0.4 * focused);
}

/* A ray a pixel, spread, shows what many rays show, with the ball in focus, before it, and far out of it. */
Test(lens, spread_pixels_are_like_many_rays)
{
    for (double focus = 4; focus < 30; focus *= 2) {
        struct bw_image one = ball_picture(BW_QUALITY_DEFAULT, 0.1, focus),
                        many = ball_picture(BW_QUALITY_FINAL, 0.1, focus);
        double off = 0, light = 0;
        for (int i = 0; i < 3 * SIZE * SIZE; i++)
            off += fabs((double)(one.px[i] - many.px[i])), light += (double)many.px[i];
        cr_log_info("sharp at %g m: off by %.4f of the light", focus, off / light);
        cr_expect_lt(off, 0.03 * light, "sharp at %g m: off by %g of the light", focus, off / light);
        bw_image_free(&one), bw_image_free(&many);
    }
}

/* A draft, of which one pixel in four is marched, has the same light, softer. */
Test(lens, drafts_show_the_same)
{
    struct bw_image draft = column_marched(bw_draft_march, &tools, 0, 0), whole = column_picture(&tools, 0, 0);
    double off = 0, light = 0, more = 0;
    for (int i = 0; i < 3 * SIZE * SIZE; i++) {
        const double d = (double)(draft.px[i] - whole.px[i]);
        off += fabs(d), more += d, light += (double)whole.px[i];
    }
    cr_log_info("off by %.4f of the light, brighter by %.4f", off / light, more / light);
    cr_assert_lt(off, 0.2 * light, "%g", off / light);
    cr_assert_lt(fabs(more), 0.02 * light, "%g", more / light);
    bw_image_free(&draft), bw_image_free(&whole);
}

/* Amid a blurred column of even light all rows are alike but for grain: sixteen rays in each pixel leave .042
 * of the light. */
Test(lens, blur_is_even)
{
    enum { LEFT = SIZE / 2 - 4, WIDE = 12, TOP = SIZE / 2 - 6, ROWS = 10 };
    struct bw_image img = column_picture(&tools, 0.15, 5);
    double spread = 0, light = 0;
    for (int x = LEFT; x < LEFT + WIDE; x++) {
        double sum = 0, square = 0;
        for (int y = TOP; y < TOP + ROWS; y++)
            sum += brightness(&img, x, y) / ROWS, square += pow(brightness(&img, x, y), 2) / ROWS;
        spread += square - sum * sum, light += sum;
    }
    const double grain = sqrt(spread / WIDE) / (light / WIDE);
    cr_log_info("grain: %.3f of the light", grain);
    cr_expect_lt(grain, 0.02, "%g of the light", grain);
    bw_image_free(&img);
}

static void backwards(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    for (int64_t i = n - 1; i >= 0; i--) fn(i, user);
}

/* Which rays a pixel is given does not depend on what was drawn before it. */
Test(lens, order_does_not_matter)
{
    struct bw_tools other = tools;
    other.parallel = backwards;
    struct bw_image one = column_picture(&tools, 0.15, 5), two = column_picture(&other, 0.15, 5);
    cr_assert_arr_eq(one.px, two.px, 3 * SIZE * SIZE * sizeof *one.px);
    bw_image_free(&one);
    bw_image_free(&two);
}
