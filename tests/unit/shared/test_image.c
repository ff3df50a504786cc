// SPDX-License-Identifier: Apache-2.0
/* Pictures: film, an exporter's parameters, PNG read back by libpng, slices' ranges and orientation, colour maps,
 * contact sheets. */
#include "unit/render/image_tools.h"
#include <picture/picture.h>
#include <picture/slice/distances.h>
#include <picture/slice/slice.h>
#include <picture/volume/tone_map.h>

#include <criterion/criterion.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Test(image, film_is_monotone_and_never_flat)
{
    float before = -1;
    for (float x = 1e-4f; x < 60; x *= 1.1f) {
        float rgb[3];
        bw_tone_map_colour((float[3]){x, 0.5f * x, 0.02f * x}, 1, rgb);
        cr_assert(rgb[0] > before, "at %g", (double)x);
        cr_assert(rgb[0] >= rgb[1] && rgb[1] >= rgb[2] && rgb[2] > 0);
        before = rgb[0];
    }
}

/* In the middles of cells it is what they hold; between them no more and no less; an edge's middle third is steeper
 * than a straight line is. */
Test(image, slices_are_read_sharply)
{
    float data[12 * 5];
    for (int i = 0; i < 12 * 5; i++) data[i] = i % 12 == 3 ? 1 : i % 12 > 7 ? 0.8f : 0.2f;
    const struct bw_slice s = {.n = {12, 5}};
    for (int i = 0; i < 12; i++) cr_assert_float_eq(bw_slice_read_sharp(&s, data, i + 0.5, 2.5), data[24 + i], 1e-6f);
    for (int i = 0; i < 1000; i++) {
        const float x = bw_slice_read_sharp(&s, data, 0.0137 * i - 0.8, 0.0061 * i - 0.4);
        cr_assert(x >= 0.2f && x <= 1, "%g", (double)x);
    }
    const float step = bw_slice_read_sharp(&s, data, 8 + 1 / 6.0, 2) - bw_slice_read_sharp(&s, data, 8 - 1 / 6.0, 2);
    const float even = bw_slice_read(&s, data, 8 + 1 / 6.0, 2) - bw_slice_read(&s, data, 8 - 1 / 6.0, 2);
    cr_assert_gt(step, 1.1f * even, "%g, a line %g", (double)step, (double)even);
}

/* Greys of Blender 3.4's Filmic, medium high contrast, and a dim flame: ours are within 1 and 4 of 255. */
Test(image, film_is_filmic)
{
    static const struct {
        float light[3], shown[3];
    } known[] = {{{0.0258f, 0.0258f, 0.0258f}, {39, 39, 39}},    {{0.1364f, 0.1364f, 0.1364f}, {112, 112, 112}},
                 {{0.4135f, 0.4135f, 0.4135f}, {174, 174, 174}}, {{1.2536f, 1.2536f, 1.2536f}, {221, 221, 221}},
                 {{3.8f, 3.8f, 3.8f}, {245, 245, 245}},          {{0.95f, 0.19f, 0.00475f}, {211, 131, 9}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        float rgb[3];
        bw_tone_map_colour(known[i].light, 1, rgb);
        for (int c = 0; c < 3; c++)
            cr_assert_float_eq(255 * rgb[c], known[i].shown[c], i < 5 ? 1.01 : 4, "%zu %d: %g", i, c,
                               255 * (double)rgb[c]);
    }
}

/* Fire that is ever brighter goes from red through orange and yellow to white. */
Test(image, bright_flames_clip_to_white)
{
    float before[3] = {0, 0, 0}, rgb[3];
    for (float x = 0.1f; x < 500; x *= 2) {
        bw_tone_map_colour((float[3]){2.5f * x, 0.65f * x, -0.01f * x}, 1, rgb);
        for (int c = 0; c < 3; c++) cr_assert(rgb[c] >= before[c], "%g: channel %d falls", (double)x, c);
        if (x < 0.5f) cr_assert(rgb[2] < 0.12f && rgb[1] < 0.8f * rgb[0], "%g: %g %g", (double)x, rgb[1], rgb[2]);
        memcpy(before, rgb, sizeof rgb);
    }
    cr_assert_gt(255 * rgb[2], 200, "blue is %g at the end", 255 * (double)rgb[2]);
}

/* What is darker than white keeps its contrast to the bit; what is brighter loses light to all around it, and none in
 * all. */
Test(image, bloom_lays_no_veil)
{
    enum { W = 64 };
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, W, W), BW_OK);
    for (int i = 0; i < 3 * W * W; i++) img.px[i] = (i / 3 % 8) * 0.1f;
    cr_assert_eq(bw_bloom(&img, 0.5, 1), BW_OK);
    for (int i = 0; i < 3 * W * W; i++) cr_assert_eq(img.px[i], (i / 3 % 8) * 0.1f);
    for (int i = 0; i < 3 * W * W; i++) img.px[i] = 0;
    for (int y = 28; y < 36; y++)
        for (int x = 28; x < 36; x++) img.px[3 * (y * W + x)] = 10;
    cr_assert_eq(bw_bloom(&img, 0.5, 1), BW_OK);
    double sum = 0;
    for (int i = 0; i < 3 * W * W; i++) sum += (double)img.px[i];
    cr_assert_float_eq(sum, 640, 25, "%g", sum);
    cr_assert_lt(img.px[3 * (32 * W + 32)], 9);
    cr_assert_gt(img.px[3 * (32 * W + 24)], 0.02f);
    bw_image_free(&img);
}

/* Fire dims the studio by itself, but not for a preset that has its own idea. */
/* Light beyond all measure is white, and so is what glows of it. */
Test(image, film_of_any_brightness_is_a_number)
{
    float before = 0, rgb[3];
    for (float x = 1e-30f; x < 3e38f; x *= 7) {
        bw_tone_map_colour((float[3]){x, x, x}, 1, rgb);
        cr_assert(rgb[0] >= before - 1e-6f && rgb[0] <= 1, "%g becomes %g, before %g", (double)x, (double)rgb[0],
                  (double)before);
        before = rgb[0];
    }
    cr_assert_float_eq(before, 1, 1e-3);
    bw_tone_map_colour((float[3]){3e38f, INFINITY, 0}, 1e9f, rgb);
    for (int c = 0; c < 3; c++) cr_assert(rgb[c] > 0.99f && rgb[c] <= 1, "%d: %g", c, (double)rgb[c]);
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, 64, 48), BW_OK);
    for (int i = 0; i < 3 * 64 * 48; i++) img.px[i] = i % 7 ? 0.1f : i % 5 ? 3e38f : INFINITY;
    cr_assert_eq(bw_bloom(&img, 0.5, 1), BW_OK);
    bw_tone_map(&img, 1);
    for (int i = 0; i < 3 * 64 * 48; i++) cr_assert(img.px[i] >= 0 && img.px[i] <= 1, "%d: %g", i, (double)img.px[i]);
    bw_image_free(&img);
}

Test(image, flames_dim_the_studio)
{
    struct bw_picture_params p = {.key = 1, .environment = 0.4, .fire = 3, .smoke = {0.6, 0.6, 0.6}};
    struct bw_look look;
    char why[200];
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_OK);
    cr_assert(look.key == 1 && look.environment == 0.4 && look.fire == 3 && fabsf(look.albedo[0] - 0.6f) < 1e-6f);
    cr_assert_eq(bw_picture_look(&p, 1, &look, why, sizeof why), BW_OK);
    cr_assert(look.key < 0.3 && look.environment < 0.2 && look.fire == 3 && look.albedo[0] < 0.4f);
    p.smoke[0] = 0.7;
    cr_assert_eq(bw_picture_look(&p, 1, &look, why, sizeof why), BW_OK);
    cr_assert(look.key < 0.3 && look.albedo[0] == 0.7f && look.albedo[1] == 0.6f, "smoke that was given");
    p.above = p.below = (struct bw_list){(double[]){1, 1, 1}, 3};
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_OK);
    cr_assert(look.environment == 1, "a sky of one's own, %g", look.environment);
    p.above.count = p.below.count = 0;
    p.key = 0.7;
    cr_assert_eq(bw_picture_look(&p, 1, &look, why, sizeof why), BW_OK);
    cr_assert(look.key == 0.7 && look.fire == 3);
    p.mood = BW_MOOD_FIRE;
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_OK);
    cr_assert(look.key > 0 && look.key < 0.2 && look.fire == 3);
}

/* A lamp has a direction and an angle, or a place and a size; what is neither is refused by its number. */
Test(image, lamps_are_far_off_or_near_by)
{
    const double place[3] = {1, 2, 3};
    struct bw_picture_light own[2] = {{.to = {0, 0, 2}, .colour = {1, 2, 3}, .angle = 0.2},
                                      {.colour = {4, 5, 6}, .size = 0.5, .position = {place, 3}}};
    struct bw_picture_params p = {.lights = {own, 2}, .smoke = {0.92, 0.92, 0.92}};
    struct bw_look look;
    char why[200];
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_OK);
    const struct bw_light *far = &look.light[0], *near = &look.light[1];
    cr_assert(!far->near && far->to[2] == 1 && far->rgb[1] == 2 && fabs(far->half - tan(0.1)) < 1e-12);
    cr_assert(near->near && near->at[1] == 2 && near->rgb[2] == 6 && near->half == 0.25);
    own[1].position.count = 2;
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_ERR_PRESET);
    cr_assert_str_eq(why, "lamp 2 wants three numbers as its position, [x, y, z]");
    own[0].to[2] = 0;
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_ERR_PRESET);
    cr_assert_str_eq(why, "lamp 1 has no direction: `to` is zero");
}

/// Read a PNG with libpng's simplified reader: not the code that wrote it.
static void png_read_back(const char *path, int w, int h, uint8_t *rgb)
{
    png_image p = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(&p, path), "%s", p.message);
    cr_assert_eq((int)p.width, w);
    cr_assert_eq((int)p.height, h);
    p.format = PNG_FORMAT_RGB;
    cr_assert(png_image_finish_read(&p, NULL, rgb, 0, NULL), "%s", p.message);
}

/* `auto` is what the exporter says, but a field that is named is sliced. */
Test(image, parameters_say_render_or_slice)
{
    const struct bw_picture_params plain = {0}, field = {.field = "vel"}, render = {.view = BW_VIEW_RENDER},
                                   slice = {.view = BW_VIEW_SLICE};
    cr_assert(bw_picture_params_render(&plain, 0) && !bw_picture_params_render(&plain, 1));
    cr_assert(!bw_picture_params_render(&field, 0) && !bw_picture_params_render(&field, 1));
    cr_assert(bw_picture_params_render(&render, 0) && bw_picture_params_render(&render, 1));
    cr_assert(!bw_picture_params_render(&slice, 0) && !bw_picture_params_render(&slice, 1));
}

Test(image, png_is_read_back)
{
    char path[] = "/tmp/billow_image_XXXXXX", why[256];
    int fd = mkstemp(path);
    struct bw_image img;
    uint8_t rgb[3 * 8 * 4];
    cr_assert_geq(fd, 0);
    close(fd);
    cr_assert_eq(bw_image_init(&img, &tools, 8, 4), BW_OK);
    for (int i = 0; i < 3 * 8 * 4; i++) img.px[i] = (float)i / 95;
    for (int depth = 8; depth <= 16; depth += 8) {
        cr_assert_eq(bw_image_write_png(&img, path, depth, why, sizeof why), BW_OK, "%s", why);
        png_read_back(path, 8, 4, rgb);
        for (int i = 0; i < 3 * 8 * 4; i++) cr_assert_leq(abs(rgb[i] - (int)lround(255.0 * i / 95)), 1);
    }
    remove(path);
    cr_assert_eq(bw_image_write_png(&img, "/nowhere/at/all.png", 8, why, sizeof why), BW_ERR_IO);
    cr_assert(strstr(why, "/nowhere/at/all.png") != NULL);
    bw_image_free(&img);
}

Test(image, slice_range_and_orientation)
{
    float value[6] = {0, 0, 0, 0, 0, 4}; // 3 × 2, the high value at the upper right
    struct bw_slice s = {.n = {3, 2}, .h = 1, .value = {value}, .field = "density", .unit = "1", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_GREY};
    struct bw_image img;
    double range[2];
    int32_t size[2];
    bw_slice_range(&s, range);
    cr_assert(range[0] == 0 && range[1] == 4);
    bw_slice_size(s.n, 64, size);
    cr_assert(size[0] == 96 && size[1] == 64);
    cr_assert_eq(bw_image_init(&img, &tools, size[0], size[1]), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    cr_assert_float_eq(brightness(&img, 95, 0), 1, 1e-3);
    cr_assert_float_eq(brightness(&img, 0, 63), 0, 1e-3);
    cr_assert_float_eq(brightness(&img, 95, 63), 0, 1e-3);
    bw_image_free(&img);
}

/// Brightness of 96 × 96 pixels of paper with a disc of ink in their middle at column x, row y.
static double disc_seen(double relief, int x, int y)
{
    enum { N = 48 };
    float value[N * N];
    struct bw_slice s = {.n = {N, N}, .h = 1. / N, .value = {value}, .field = "ink", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_INK, .range = {0, 2}, .relief = relief};
    struct bw_image img;
    for (int i = 0; i < N * N; i++) value[i] = hypot(i % N + 0.5 - N / 2, i / N + 0.5 - N / 2) < N / 4 ? 1 : 0;
    cr_assert_eq(bw_image_init(&img, &tools, 2 * N, 2 * N), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    const double seen = brightness(&img, x, y);
    bw_image_free(&img);
    return seen;
}

/* What lies thick is lit on its upper left, dark on its lower right, and throws a shadow there; paper far from it stays
 * as it was. */
Test(image, slices_have_relief)
{
    cr_assert_float_eq(disc_seen(0, 32, 32), disc_seen(0, 63, 63), 1e-3);
    cr_assert_gt(disc_seen(1, 32, 32), disc_seen(0, 32, 32) + 0.04);
    cr_assert_lt(disc_seen(1, 63, 63), disc_seen(0, 63, 63) - 0.03);
    cr_assert_lt(disc_seen(1, 66, 66), disc_seen(0, 66, 66) - 0.02);
    cr_assert_float_eq(disc_seen(1, 5, 5), disc_seen(0, 5, 5), 1e-3);
    cr_assert_gt(disc_seen(2, 32, 32), disc_seen(1, 32, 32) + 0.02, "twice as high");
}

/* Sum of a labelled slice at `time`, with `fps` frames a second. */
static double labelled(double time, double fps)
{
    float value[6] = {0, 0, 0, 0, 0, 4};
    struct bw_slice s = {.n = {3, 2}, .h = 1, .value = {value}, .field = "density", .time = time, .fps = fps};
    struct bw_slice_style style = {.map = BW_MAP_GREY, .labels = 1};
    struct bw_image img;
    double sum = 0;
    cr_assert_eq(bw_image_init(&img, &tools, 960, 640), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    for (int j = 0; j < 30; j++)
        for (int i = 0; i < 960; i++) sum += (i + 1) * (j + 2.5) * brightness(&img, i, j);
    bw_image_free(&img);
    return sum;
}

Test(image, labels_tell_frames_apart)
{
    cr_assert_neq(labelled(0, 20000), labelled(5e-5, 20000), "0.00 s in every frame");
    cr_assert_neq(labelled(0, 2e6), labelled(5e-7, 2e6));
    cr_assert_neq(labelled(1, 24), labelled(1 + 1.0 / 24, 24));
    cr_assert_eq(labelled(1, 24), labelled(1.001, 24), "more than anyone reads");
    cr_assert_eq(labelled(0, 24), labelled(-1e-9, 24), "-0.00");
}

Test(image, maps_are_monotone_and_flag_nan)
{
    float rgb[3];
    for (int map = BW_MAP_SMOKE; map <= BW_MAP_GREY; map++) {
        double before = -1;
        for (int i = 0; i <= 100 && map != BW_MAP_DIVERGING; i++) {
            bw_map_colour((enum bw_map)map, (float)i / 100, rgb);
            double luma = 0.2126 * (double)rgb[0] + 0.7152 * (double)rgb[1] + 0.0722 * (double)rgb[2];
            cr_assert_geq(luma, before);
            before = luma;
        }
    }
    bw_map_colour(BW_MAP_FIRE, NAN, rgb);
    cr_assert(rgb[0] == 1 && rgb[1] == 0 && rgb[2] == 1);
}

/* A level set in a file knows three cells about a ring; a slice of it wants as much as the bake's own. */
Test(image, distances_go_on_beyond_the_band_of_a_file)
{
    enum { N = 48, M = 40 };
    const int32_t n[2] = {N, M};
    const double h = .05, band = 3 * h;
    static float d[N * M];
    double exact[N * M];
    for (int at = 0; at < N * M; at++) {
        const double x = at % N - 20.3, y = (int)(at / N) - 17.8;
        exact[at] = h * (fabs(hypot(x, y) - 10.4) - 5); // 5 cells thick either way, and 5 of air within
        d[at] = (float)fmax(-band, fmin(exact[at], band));
    }
    cr_assert_eq(bw_slice_distances(&tools, n, h, band, d), BW_OK);
    double inside = 0, outside = 0;
    for (int at = 0; at < N * M; at++) {
        const double off = fabs((double)d[at] - exact[at]);
        if (fabs(exact[at]) < .99 * band) cr_assert_eq(d[at], (float)exact[at]);
        else if (exact[at] < 0) inside = fmax(inside, off);
        else outside = fmax(outside, off);
    }
    cr_assert(inside < .2 * h && outside < .2 * h, "off by %g and %g cells", inside / h, outside / h);
    float none[4] = {1, 1, 1, 1};
    cr_assert_eq(bw_slice_distances(&tools, (const int32_t[2]){2, 2}, h, band, none), BW_OK);
    cr_assert_eq(none[3], 1, "where there is no obstacle nothing is known");
}
