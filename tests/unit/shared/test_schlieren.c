// SPDX-License-Identifier: Apache-2.0
/* Slices as schlieren: slopes of gas, what glows where it is thin, and what walls get of that light. */
#include "unit/render/image_tools.h"
#include <picture/picture.h>
#include <picture/slice/slice.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/// Colour of the middle of a ramp over n × n cells, none of which glows, that rises by `rise` from one side to
/// the other, towards (x, y).
static void ramp_seen(int n, double rise, double x, double y, float rgb[3])
{
    float value[64 * 64];
    struct bw_slice s = {.n = {n, n}, .h = 1. / n, .value = {value}, .field = "mass", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {0, 1}};
    struct bw_image img;
    for (int i = 0; i < n * n; i++)
        value[i] = (float)(100 + rise * (x * ((i % n + 0.5) / n - 0.5) + y * ((i / n + 0.5) / n - 0.5)));
    cr_assert_eq(bw_image_init(&img, &tools, 64, 64), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    memcpy(rgb, img.px + 3 * (32 * 64 + 32), 3 * sizeof *rgb);
    bw_image_free(&img);
}

/* Slopes are seen, the steeper the brighter, of a colour by the side that they face, alike in cells half as wide; faint
 * ones stay behind: a quarter of a slope has less than a fifth of its light. */
Test(schlieren, show_slopes)
{
    float flat[3], left[3], right[3], steep[3], fine[3], faint[3];
    ramp_seen(32, 0, 1, 0, flat);
    ramp_seen(32, 40, 1, 0, left); // up to the right: it faces left
    ramp_seen(32, 40, -1, 0, right);
    ramp_seen(32, 160, 1, 0, steep);
    ramp_seen(64, 40, 1, 0, fine);
    ramp_seen(32, 10, 1, 0, faint);
    cr_assert(flat[0] < 0.1f && flat[1] < 0.1f && flat[2] < 0.1f, "dark: %g", (double)flat[0]);
    cr_assert(left[0] > left[2] + 0.02f && right[2] > right[0] + 0.05f, "amber, blue: %g, %g", (double)left[0],
              (double)right[0]);
    cr_assert(steep[0] > left[0] + 0.1f && left[0] > flat[0] + 0.1f);
    cr_assert(faint[0] > flat[0] + 0.002f && faint[0] - flat[0] < 0.2f * (left[0] - flat[0]));
    for (int c = 0; c < 3; c++) cr_assert_float_eq(fine[c], left[c], 0.02, "%d: %g", c, (double)fine[c]);
}

/// Colour of the middle of an even layer of `mass`, in a range from `least` to 1.
static void even_seen(float mass, double least, float rgb[3])
{
    float value[16];
    struct bw_slice s = {.n = {4, 4}, .h = 0.25, .value = {value}, .field = "mass", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {least, 1}};
    struct bw_image img;
    for (int i = 0; i < 16; i++) value[i] = mass;
    cr_assert_eq(bw_image_init(&img, &tools, 16, 16), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    memcpy(rgb, img.px + 3 * (8 * 16 + 8), 3 * sizeof *rgb);
    bw_image_free(&img);
}

/* What is thin glows, by its ratio to the range's upper end, from red to pale yellow, and beyond its lower end goes on
 * to get whiter. */
Test(schlieren, glow_where_gas_is_thin)
{
    float cold[3], warm[3], hot[3], hottest[3];
    even_seen(1, 0.1, cold);
    even_seen(sqrtf(0.1f), 0.1, warm); // half of the way from 1 to 0.1
    even_seen(0.1f, 0.1, hot);
    even_seen(0.085f, 0.1, hottest);
    cr_assert(cold[0] < 0.1f && warm[0] > 0.3f && warm[0] < 0.85f && hot[0] > 0.9f, "%g, %g, %g", (double)cold[0],
              (double)warm[0], (double)hot[0]);
    cr_assert(warm[1] < 0.5f * warm[0] && hot[1] > 0.7f * hot[0] && hot[2] < 0.9f * hot[0]);
    cr_assert(hottest[2] > hot[2] + 0.05f && hottest[2] < 1, "%g, %g", (double)hot[2], (double)hottest[2]);
}

/// n² cells of gas, which is hot at 0.1 and cold at 1, in `size`² pixels; the caller frees.
static struct bw_image square_seen(const float *value, int n, int size)
{
    const struct bw_slice s = {.n = {n, n}, .h = 1. / n, .value = {value}, .field = "mass", .axis = 1};
    const struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {0.1, 1}};
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, size, size), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    return img;
}

/* Hot gas, which is thin, so that its slopes are small, shows them: what faces the lamp is brighter. */
Test(schlieren, glow_in_relief)
{
    enum { N = 32 };
    float value[N * N], green[2];
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N * N; i++) value[i] = 0.12f * expf((turn ? -8.f : 8.f) * ((i % N + 0.5f) / N - 0.5f));
        struct bw_image img = square_seen(value, N, 64);
        green[turn] = 0.5f * (img.px[3 * (32 * 64 + 31) + 1] + img.px[3 * (32 * 64 + 32) + 1]); // as thin, either way
        bw_image_free(&img);
    }
    cr_assert(fabsf(green[0] - green[1]) > 0.03f, "%g and %g", (double)green[0], (double)green[1]);
}

/* Beside what glows both sides of a line are warm, and faint ones do not stay behind as in the cold. */
Test(schlieren, lines_beside_glow_are_warm)
{
    enum { N = 500 };
    static float value[N * N];
    float light[2][3] = {0};
    for (int hot = 0; hot < 2; hot++) { // a wave that faces the blue side, before hot gas or without
        for (int i = 0; i < N * N; i++) {
            const int x = i % N;
            value[i] = x == 250 ? 1.5f : x > 250 ? 1 : x > 247 || !hot ? 2 : 0.3f;
        }
        struct bw_image img = square_seen(value, N, 400);
        for (int c = 0; c < 3; c++) light[hot][c] = img.px[3 * (200 * 400 + 200) + c];
        bw_image_free(&img);
    }
    cr_assert(light[0][2] > light[0][0] + 0.02f, "blue in the cold: %g, %g", (double)light[0][0], (double)light[0][2]);
    cr_assert(light[1][0] > light[1][2] + 0.1f, "warm: %g, %g", (double)light[1][0], (double)light[1][2]);
}

/* Gas a little hotter than what is around it shows brighter than where all is as hot. */
Test(schlieren, folds_of_what_glows_stand_out)
{
    enum { N = 100 };
    float value[N * N], green[2];
    for (int fold = 0; fold < 2; fold++) {
        for (int i = 0; i < N * N; i++) value[i] = fold && abs(i % N - 50) > 1 ? 0.34f : 0.28f;
        struct bw_image img = square_seen(value, N, 400);
        green[fold] = img.px[3 * (200 * 400 + 202) + 1];
        bw_image_free(&img);
    }
    cr_assert(green[1] > green[0] + 0.02f, "%g in a fold, %g", (double)green[1], (double)green[0]);
}

/* Air without smoke is thinner than smoke, and no hotter. */
Test(schlieren, of_smoke_do_not_glow)
{
    float air[3], wisp[3], smoke[3];
    even_seen(0, 0, air);
    even_seen(0.5f, 0, wisp);
    even_seen(1, 0, smoke);
    for (int c = 0; c < 3; c++)
        cr_assert(air[c] < 0.1f && air[c] == smoke[c] && wisp[c] == smoke[c], "%g, %g, %g", (double)air[c],
                  (double)wisp[c], (double)smoke[c]);
}

/// Colour of cold gas of `own` a tenth of the picture's height beside gas of `mass`.
static void beside_seen(float mass, float own, float rgb[3])
{
    enum { N = 40 };
    float value[N * N];
    struct bw_slice s = {.n = {N, N}, .h = 1. / N, .value = {value}, .field = "mass", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {0.1, 1}};
    struct bw_image img;
    for (int i = 0; i < N * N; i++) value[i] = i % N < N / 2 ? mass : own;
    cr_assert_eq(bw_image_init(&img, &tools, 400, 400), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    memcpy(rgb, img.px + 3 * (200 * 400 + 240), 3 * sizeof *rgb);
    bw_image_free(&img);
}

/* What glows lights what is cold beside it, warmly. */
Test(schlieren, glow_spreads)
{
    float dark[3], lit[3], shock[2][3];
    beside_seen(1, 1, dark);
    beside_seen(0.1f, 1, lit);
    beside_seen(1, 8, shock[0]);
    beside_seen(8, 1, shock[1]);
    for (int side = 0; side < 2; side++) // amber or blue, a line is no light
        for (int c = 0; c < 3; c++)
            cr_assert_float_eq(shock[side][c], dark[c], 0.004f, "%d: %g", side, (double)dark[c]);
    cr_assert(lit[0] > dark[0] + 0.03f && lit[0] - dark[0] > 2 * (lit[2] - dark[2]), "%g, %g", (double)dark[0],
              (double)lit[0]);
}

Test(schlieren, glow_spreads_from_where_it_is)
{
    enum { N = 40 };
    float value[N * N];
    struct bw_slice s = {.n = {N, N}, .h = 1. / N, .value = {value}, .field = "mass", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {0.1, 1}};
    struct bw_image img;
    for (int i = 0; i < N * N; i++) value[i] = i % N < N / 2 && i / N < N / 4 ? 0.1f : 1; // at the lower left
    cr_assert_eq(bw_image_init(&img, &tools, 400, 400), BW_OK);
    cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
    const float below = img.px[3 * (350 * 400 + 240)], above = img.px[3 * (50 * 400 + 240)];
    bw_image_free(&img);
    cr_assert_gt(below, above + 0.02f, "%g at its height, %g above", (double)below, (double)above);
}

/* A wall between hot gas and cold is lit from the hot side. */
Test(schlieren, light_walls)
{
    enum { N = 40 };
    float value[N * N], solid[N * N];
    struct bw_slice s = {.n = {N, N}, .h = 1. / N, .value = {value}, .solid = solid, .field = "mass", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {0.1, 1}};
    struct bw_image img;
    float side[2] = {0}, middle = 0;
    for (int hot = 0; hot < 2; hot++) { // the lamp is on the left: the same wall, hot on its left, then on its right
        for (int i = 0; i < N * N; i++) {
            const double x = (i % N + 0.5) / N;
            value[i] = (x < 0.5) == !hot ? 0.1f : 1;
            solid[i] = (float)(fabs(x - 0.5) - 0.1);
        }
        cr_assert_eq(bw_image_init(&img, &tools, 400, 400), BW_OK);
        cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
        side[hot] = img.px[3 * (200 * 400 + 163)]; // just inside its left side
        if (!hot) middle = img.px[3 * (200 * 400 + 190)];
        bw_image_free(&img);
    }
    cr_assert(side[0] > side[1] + 0.2f, "%g by the hot gas, %g without", (double)side[0], (double)side[1]);
    cr_assert(side[0] > middle + 0.2f, "%g at its edge, %g farther in", (double)side[0], (double)middle);
}

/* Where nothing glows, lines beside a wall do not light it: they would be streaks all over its face. */
Test(schlieren, of_smoke_light_no_walls)
{
    enum { N = 40 };
    float value[N * N], solid[N * N], face[2];
    struct bw_slice s = {.n = {N, N}, .h = 1. / N, .value = {value}, .solid = solid, .field = "mass", .axis = 1};
    struct bw_slice_style style = {.map = BW_MAP_SCHLIEREN, .range = {0, 1}};
    struct bw_image img;
    for (int shocks = 0; shocks < 2; shocks++) {
        for (int i = 0; i < N * N; i++) {
            const double x = (i % N + 0.5) / N;
            value[i] = shocks && x > 0.7 && i % N % 4 < 2 ? 3 : 1;
            solid[i] = (float)(fabs(x - 0.5) - 0.2);
        }
        cr_assert_eq(bw_image_init(&img, &tools, 400, 400), BW_OK);
        cr_assert_eq(bw_slice_draw(&tools, &s, &style, &img), BW_OK);
        face[shocks] = img.px[3 * (200 * 400 + 260)]; // well inside, nearer to the right side
        bw_image_free(&img);
    }
    cr_assert_float_eq(face[0], face[1], 1e-6f, "%g beside calm gas, %g beside shocks", (double)face[0],
                       (double)face[1]);
}
