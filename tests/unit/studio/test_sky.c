// SPDX-License-Identifier: Apache-2.0
/* Skies: no light is lost between a picture of the sphere and the lamps and sides that stand for it; files are read or
 * refused; days are as bright as days are. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/studio/studio.h>
#include <picture/volume/render.h>
#include <picture/volume/sky/daylight.h>
#include <picture/volume/sky/hdri.h>
#include <picture/volume/sky/sky.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PI 3.14159265358979323846
enum { W = 256, H = 128 };

/// A dim sky with a bright disc of `degrees` radius about (azimuth, elevation), radians, from +x anticlockwise.
static struct bw_sky *disc_make(double azimuth, double elevation, double degrees, float disc, float rest)
{
    struct bw_sky *s = take(NULL, sizeof *s + (size_t)3 * W * H * sizeof(float));
    const double at[3] = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)};
    *s = (struct bw_sky){.w = W, .h = H, .rgb = (float *)(s + 1)};
    for (int i = 0; i < W * H; i++) {
        double to[3];
        bw_sky_pixel(s, i % W, i / W, to);
        const int in = to[0] * at[0] + to[1] * at[1] + to[2] * at[2] > cos(degrees * PI / 180);
        for (int c = 0; c < 3; c++) s->rgb[3 * i + c] = (in ? disc : rest) * (float)(c + 1);
    }
    return s;
}

static double light_all(const struct bw_sky *s)
{
    double sum = 0, to[3];
    for (int i = 0; i < s->w * s->h; i++) sum += bw_sky_pixel(s, i % s->w, i / s->w, to) * (double)s->rgb[3 * i + 1];
    return sum;
}

Test(sky, an_even_one_is_even_all_round)
{
    struct bw_sky *s = disc_make(0, 0, 0, 0, 0.5f);
    bw_sky_survey(s);
    cr_assert_eq(s->n_lights, 0);
    for (int c = 0; c < 3; c++) {
        for (int q = 0; q < 6; q++) cr_assert_float_eq(s->side[q][c], 0.5 * (c + 1) / 6, 1e-4);
        cr_assert_float_eq(s->above[c], 0.5 * (c + 1), 1e-3);
        cr_assert_float_eq(s->below[c], 0.5 * (c + 1), 1e-3);
    }
    free(s);
}

Test(sky, what_is_small_and_bright_is_a_lamp)
{
    const double azimuth = 2, elevation = 0.7, to[3] = {cos(0.7) * cos(2.0), cos(0.7) * sin(2.0), sin(0.7)};
    struct bw_sky *s = disc_make(azimuth, elevation, 4, 300, 0.2f);
    bw_sky_survey(s);
    cr_assert_eq(s->n_lights, 1);
    double cosine = 0, side = 0;
    for (int a = 0; a < 3; a++) cosine += to[a] * s->light[0].to[a];
    cr_assert_gt(cosine, cos(0.5 * PI / 180), "%g degrees off", acos(cosine) * 180 / PI);
    for (int q = 0; q < 6; q++) side += (double)s->side[q][1];
    const double all = light_all(s), disc = all - 4 * PI * 2 * 0.2;
    cr_assert_float_eq(BW_SUN * (double)s->light[0].rgb[1], disc, 0.03 * disc);
    cr_assert_float_eq(4 * PI * side + BW_SUN * (double)s->light[0].rgb[1], all, 1e-3 * all, "light is lost or made");
    free(s);
}

/* An empty stage in an even sky: the sky as it is, and a floor that sends its share of it back. */
Test(sky, it_is_seen_and_lights_the_floor)
{
    struct bw_sky *s = disc_make(0, 0, 0, 0, 0.5f);
    bw_sky_survey(s);
    const struct bw_volume none = {.box = {.h = 1}};
    struct bw_scene scene = {.lo = {-1, -1, 0}, .hi = {1, 1, 2}, .exposure = 1, .floor = 1, .look = look_usual()};
    struct bw_image img;
    scene.look.sky = s, scene.look.environment = 1;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, 64, 64), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &none, &scene, &img, NULL), BW_OK);
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(img.px[3 * (4 * 64 + 32) + c], 0.5 * (c + 1), 1e-3);
        cr_assert_float_eq(img.px[3 * (62 * 64 + 32) + c], (double)BW_FLOOR * 0.5 * (c + 1), 2e-3 * (c + 1));
    }
    bw_image_free(&img);
    free(s);
}

/* ---- files ---- */

/// 16 × 8 pixels, packed or not, of which one is bright.
static size_t file_make(const char *path, int packed, size_t most)
{
    char bytes[2048];
    size_t n = (size_t)sprintf(bytes, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 8 +X 16\n");
    for (int y = 0; y < 8; y++) {
        char line[16][4];
        for (int x = 0; x < 16; x++) memcpy(line[x], x == 4 && y == 2 ? "\x80\x40\x20\x89" : "\x40\x40\x40\x80", 4);
        if (!packed) memcpy(bytes + n, line, sizeof line), n += sizeof line;
        if (packed) memcpy(bytes + n, "\2\2\0\x10", 4), n += 4;
        for (int c = 0; packed && c < 4; c++) { // three values as they are, two runs
            bytes[n++] = 3;
            for (int x = 0; x < 3; x++) bytes[n++] = line[x][c];
            bytes[n++] = (char)(128 + 1), bytes[n++] = line[3][c];
            bytes[n++] = 1, bytes[n++] = line[4][c];
            bytes[n++] = (char)(128 + 11), bytes[n++] = line[5][c];
        }
    }
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(bytes, 1, n < most ? n : most, f) == (n < most ? n : most));
    fclose(f);
    return n;
}

Test(sky, files_are_read_or_refused)
{
    char path[64], why[256];
    snprintf(path, sizeof path, "/tmp/billow_sky_%d.hdr", (int)getpid());
    for (int packed = 0; packed < 2; packed++) {
        struct bw_hdri file;
        const size_t n = file_make(path, packed, SIZE_MAX);
        cr_assert(bw_hdri_read(path, &file, why, sizeof why), "%s", why);
        cr_assert(file.w == 16 && file.h == 8);
        const float *p = file.rgb + 3 * (2 * 16 + 4);
        cr_assert_float_eq(p[0], 257, 1e-3, "%g", (double)p[0]);
        cr_assert_float_eq(p[1], 129, 1e-3);
        cr_assert_float_eq(file.rgb[0], 64.5 / 256, 1e-6);
        cr_assert_float_eq(file.rgb[3 * (7 * 16 + 15) + 2], 64.5 / 256, 1e-6);
        bw_hdri_free(&file);
        for (size_t cut = 0; cut < n; cut += cut < 60 ? 1 : 11) {
            file_make(path, packed, cut);
            cr_assert(!bw_hdri_read(path, &file, why, sizeof why) && !file.rgb, "cut at %zu", cut);
        }
    }
    FILE *f = fopen(path, "wb"); // a run longer than its line
    cr_assert(f && fwrite("#?RADIANCE\n\n-Y 1 +X 16\n\2\2\0\x10\xff\1\xff\1\xff\1\xff\1", 1, 35, f) == 35);
    fclose(f);
    cr_assert(!bw_hdri_read(path, &(struct bw_hdri){0}, why, sizeof why), "it runs over its line");
    struct bw_sky_wish wish = {.kind = BW_SKY_HDRI, .strength = 2};
    struct bw_sky *s = NULL;
    file_make(path, 1, SIZE_MAX);
    strcpy(wish.file, path);
    cr_assert_eq(bw_sky_follow(&tools, &wish, &s, why, sizeof why), BW_OK);
    const struct bw_sky *first = s;
    cr_assert_eq(bw_sky_follow(&tools, &wish, &s, why, sizeof why), BW_OK);
    cr_assert(s == first, "the same wish, the same sky");
    cr_assert_eq(s->n_lights, 1);
    const double before = atan2(s->light[0].to[1], s->light[0].to[0]), strong = (double)s->light[0].rgb[0];
    wish.turn = 0.5 * PI, wish.strength = 4; // whole pixels of 16
    cr_assert_eq(bw_sky_follow(&tools, &wish, &s, why, sizeof why), BW_OK);
    const double turned = atan2(s->light[0].to[1], s->light[0].to[0]) - before;
    cr_assert_float_eq(turned - 2 * PI * floor(turned / (2 * PI)), 0.5 * PI, 1e-6, "anticlockwise: %g", turned);
    cr_assert_float_eq((double)s->light[0].rgb[0], 2 * strong, 1e-3 * strong);
    unlink(path);
    cr_assert(!mkfifo(path, 0600) && !bw_hdri_read(path, &(struct bw_hdri){0}, why, sizeof why), "a pipe");
    unlink(path);
    wish.turn = 1;
    cr_assert_eq(bw_sky_follow(&tools, &wish, &s, why, sizeof why), BW_ERR_IO);
    cr_assert(!s && strstr(why, path), "%s", why);
}

/* ---- days ---- */

/// Thousand lux on level ground, of the sky and of the sun.
static void day_lux(double elevation, double turbidity, double lux[2], double redness[2])
{
    const struct bw_sky_wish wish = {
        .kind = BW_SKY_SUN, .strength = 1, .elevation = elevation * PI / 180, .turbidity = turbidity};
    struct bw_sky *s = NULL;
    char why[200];
    double to[3], sky[3] = {0};
    cr_assert_eq(bw_sky_follow(&tools, &wish, &s, why, sizeof why), BW_OK);
    for (int i = 0; i < s->w * s->h / 2; i++) {
        const double part = bw_sky_pixel(s, i % s->w, i / s->w, to) * to[2] * 50 / BW_SUN;
        for (int c = 0; c < 3; c++) sky[c] += part * (double)s->rgb[3 * i + c];
    }
    const float *sun = s->light[0].rgb;
    lux[0] = 0.2126 * sky[0] + 0.7152 * sky[1] + 0.0722 * sky[2];
    lux[1] = 50 * s->light[0].to[2] * (0.2126 * (double)sun[0] + 0.7152 * (double)sun[1] + 0.0722 * (double)sun[2]);
    redness[0] = sky[0] / sky[2], redness[1] = (double)(sun[0] / sun[2]);
    cr_assert_lt(s->light[0].to[1], -0.05, "in front");
    free(s);
}

/* Clear skies give 7 to 20 thousand lux, the sun at 60 degrees 70 to 110; low, it is red and weak. */
Test(sky, days_are_as_bright_as_days_are)
{
    double noon[2], evening[2], hazy[2], red[2], low[2], dull[2];
    day_lux(60, 2.5, noon, red);
    day_lux(6, 2.5, evening, low);
    day_lux(60, 6, hazy, dull);
    cr_log_info("noon %.1f + %.1f, evening %.1f + %.1f, haze %.1f + %.1f klux", noon[0], noon[1], evening[0],
                evening[1], hazy[0], hazy[1]);
    cr_assert(noon[0] > 7 && noon[0] < 20 && noon[1] > 70 && noon[1] < 110, "%g, %g", noon[0], noon[1]);
    cr_assert(evening[0] < 0.5 * noon[0] && evening[1] < 0.08 * noon[1]);
    cr_assert(hazy[1] < 0.85 * noon[1] && hazy[0] > noon[0]);
    cr_assert(red[0] < 0.7 && red[1] > 1 && low[1] > 1.8 * red[1], "%g %g %g", red[0], red[1], low[1]);
    cr_assert_gt(dull[0], red[0], "haze is white");
}

/// How many of 2000 places of a sky, up to 60 degrees high, are brighter than they are without clouds.
static int clouded(double clouds)
{
    struct bw_sky_wish wish = {.kind = BW_SKY_SUN, .strength = 1, .elevation = 0.5, .turbidity = 3};
    struct bw_sky *clear = NULL, *sky = NULL;
    char why[200];
    int count = 0;
    cr_assert_eq(bw_sky_follow(&tools, &wish, &clear, why, sizeof why), BW_OK);
    wish.clouds = clouds;
    cr_assert_eq(bw_sky_follow(&tools, &wish, &sky, why, sizeof why), BW_OK);
    cr_assert_arr_eq(sky->side, clear->side, sizeof sky->side, "clouds light something");
    for (int i = 0; i < 2000; i++) {
        const double up = PI / 3 * (i / 50) / 40, round = 2 * PI * (i % 50) / 50;
        float a[3], b[3];
        bw_sky_read(clear, NULL, (const double[3]){cos(up) * cos(round), cos(up) * sin(round), sin(up)}, a);
        bw_sky_read(sky, NULL, (const double[3]){cos(up) * cos(round), cos(up) * sin(round), sin(up)}, b);
        count += fabsf(b[0] - a[0]) > 0.02f * a[0];
        cr_assert(b[0] >= 0 && b[0] < 20 && b[2] >= 0);
    }
    free(clear), free(sky);
    return count;
}

Test(sky, clouds_cover_as_much_as_is_asked)
{
    const int none = clouded(0), few = clouded(0.3), most = clouded(1);
    cr_log_info("clouds: %d, %d, %d of 2000", none, few, most);
    cr_expect_eq(none, 0);
    cr_expect(few > 40 && few < 1100, "%d", few);
    cr_expect(most > few + 300, "%d after %d", most, few);
}

/* ---- .exr ---- */

static void attribute_put(FILE *f, const char *name, const char *type, const void *value, int32_t size)
{
    fwrite(name, 1, strlen(name) + 1, f);
    fwrite(type, 1, strlen(type) + 1, f);
    fwrite(&size, 4, 1, f);
    fwrite(value, 1, (size_t)size, f);
}

/// One line of two pixels without compression, channels of floats by their names' order: the n-th holds 1/(n + 1).
static void exr_put(const char *path, const char *names)
{
    const int32_t head[2] = {20000630, 2}, window[4] = {0, 0, 1, 0}, n = (int32_t)strlen(names);
    char list[256] = "", none = 0;
    int32_t used = 0, line[2] = {0, 8 * n};
    for (int32_t c = 0; c < n; c++, used += 18) {
        const int32_t what[4] = {2, 0, 1, 1}; // floats, each pixel
        list[used] = names[c];
        memcpy(list + used + 2, what, 16);
    }
    FILE *f = fopen(path, "wb");
    fwrite(head, 4, 2, f);
    attribute_put(f, "channels", "chlist", list, used + 1);
    attribute_put(f, "compression", "compression", &none, 1);
    attribute_put(f, "dataWindow", "box2i", window, 16);
    attribute_put(f, "displayWindow", "box2i", window, 16);
    attribute_put(f, "lineOrder", "lineOrder", &none, 1);
    attribute_put(f, "pixelAspectRatio", "float", &(float){1}, 4);
    attribute_put(f, "screenWindowCenter", "v2f", (float[2]){0}, 8);
    attribute_put(f, "screenWindowWidth", "float", &(float){1}, 4);
    fwrite(&none, 1, 1, f);
    const uint64_t at = (uint64_t)ftell(f) + 8;
    fwrite(&at, 8, 1, f);
    fwrite(line, 4, 2, f);
    for (int32_t c = 0; c < n; c++)
        for (int x = 0; x < 2; x++) fwrite(&(float){1.0f / (float)(c + 1)}, 4, 1, f);
    fclose(f);
}

Test(sky, channels_of_an_exr_go_by_their_names)
{
    static const struct {
        const char *names;
        float rgb[3];
    } files[] = {{"BGR", {1 / 3.f, 1 / 2.f, 1}},
                 {"ABGR", {1 / 4.f, 1 / 3.f, 1 / 2.f}},
                 {"BGRZ", {1 / 3.f, 1 / 2.f, 1}},
                 {"BGZ", {0}}};
    char path[] = "/tmp/billow-sky-XXXXXX.exr", why[1200];
    const int fd = mkstemps(path, 4);
    cr_assert(fd >= 0 && !close(fd));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct bw_hdri file;
        exr_put(path, files[i].names);
        const int good = bw_hdri_read(path, &file, why, sizeof why);
        cr_assert_eq(good, files[i].rgb[0] > 0, "%s: %s", files[i].names, why);
        for (int c = 0; good && c < 3; c++)
            cr_assert_float_eq(file.rgb[3 + c], files[i].rgb[c], 1e-6, "%s", files[i].names);
        bw_hdri_free(&file);
    }
    unlink(path);
}

/// A Radiance file of w x h pixels of four bytes each.
static void hdr_write(const char *path, int w, int h, const uint8_t *rgbe)
{
    FILE *f = fopen(path, "wb");
    fprintf(f, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n", h, w);
    for (int i = 0; i < w * h; i++) fwrite(rgbe + 4 * (i % 8), 1, 4, f);
    fclose(f);
}

/* One pixel wide or high, of colours that are as large as the format has them: light everywhere is a number. */
Test(sky, of_any_size_and_brightness_is_finite)
{
    static const uint8_t bytes[8][4] = {{128, 120, 100, 129}, {2, 2, 0, 16},      {136, 10, 8, 90},
                                        {255, 255, 255, 255}, {90, 90, 144, 100}, {144, 101, 144, 102},
                                        {255, 1, 0, 254},     {1, 1, 1, 1}};
    static const int size[][2] = {{1, 1}, {1, 8}, {8, 1}, {1, 4000}, {4000, 1}, {2, 2}, {3, 5}, {4097, 3}};
    const char *path = "/tmp/billow-sky.hdr";
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        hdr_write(path, size[k][0], size[k][1], bytes[0]);
        for (double turn = -7; turn < 7; turn += 0.37) {
            struct bw_sky_wish wish = {.kind = BW_SKY_HDRI, .strength = turn > 0 ? 1e9 : 1, .turn = turn};
            struct bw_sky *s = NULL;
            char why[512] = "";
            snprintf(wish.file, sizeof wish.file, "%s", path);
            cr_assert_eq(bw_sky_follow(&tools, &wish, &s, why, sizeof why), BW_OK, "%s", why);
            for (int i = 0; i < 500; i++) {
                const double up = asin(1 - i / 249.5), round = 0.3 * i;
                const double to[3] = {cos(up) * cos(round), cos(up) * sin(round), sin(up)};
                float rgb[3] = {NAN, NAN, NAN};
                bw_sky_read(s, NULL, to, rgb);
                for (int c = 0; c < 3; c++)
                    cr_assert(isfinite(rgb[c]) && rgb[c] >= 0, "%d x %d, %g: %g", size[k][0], size[k][1], turn,
                              (double)rgb[c]);
            }
            for (int i = 0; i < s->n_lights; i++)
                for (int c = 0; c < 3; c++)
                    cr_assert(isfinite(s->light[i].rgb[c]) && isfinite(s->light[i].to[c]), "%d x %d: lamp %g",
                              size[k][0], size[k][1], (double)s->light[i].rgb[c]);
            for (int q = 0; q < 6; q++)
                for (int c = 0; c < 3; c++)
                    cr_assert(isfinite(s->side[q][c]), "%d x %d: side %g", size[k][0], size[k][1],
                              (double)s->side[q][c]);
            for (int c = 0; c < 3; c++) cr_assert(isfinite(s->above[c]) && isfinite(s->below[c]));
            tools.release(tools.ctx, s);
        }
    }
    unlink(path);
}
