// SPDX-License-Identifier: Apache-2.0
/* What moves while the shutter is open: the medium is as long as its way, as much as it was, and as hot; velocities of
 * a frame lie in the cells' middles; without any nothing changes. */
#include "image_tools.h"
#include <picture/gather/volume.h>
#include <picture/volume/motion/shutter.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 48, CELLS = N * N * N };

/// Sum, mean place and variance along an axis of lane `lane` of `lanes` values a cell.
static void moments(const float *f, int lanes, int lane, int axis, double out[3])
{
    double sum = 0, first = 0, second = 0;
    for (int i = 0; i < CELLS; i++) {
        const double w = (double)f[lanes * i + lane], x = axis == 0 ? i % N : axis == 1 ? i / N % N : i / N / N;
        sum += w, first += w * x, second += w * x * x;
    }
    out[0] = sum, out[1] = first / sum, out[2] = second / sum - pow(first / sum, 2);
}

/* A ball of smoke and fire flies ten cells in x: its variance there grows by that of a line of ten cells. */
Test(motion, a_ball_is_drawn_out_along_its_way)
{
    float *memory = take(NULL, 9 * CELLS * sizeof(float)), *rgbs = memory, *fire = memory + 4 * CELLS;
    struct bw_volume v = {.box = {{N, N, N}, {0}, 0.5}};
    struct bw_medium m = {.lit = {.box = v.box, .rgbs = rgbs, .fire = fire}};
    double before[3], after[3], hottest = 0;
    for (int a = 0; a < 3; a++) v.vel[a] = memory + (6 + a) * CELLS;
    for (int i = 0; i < CELLS; i++) {
        const double r = hypot(hypot(i % N - 23.5, i / N % N - 23.5), i / N / N - 23.5);
        rgbs[4 * i + 3] = fire[2 * i] = r < 6 ? 1 : 0;
        fire[2 * i + 1] = r < 6 ? 1500 : 293;
        v.vel[0][i] = 50;
    }
    moments(rgbs, 4, 3, 0, before);
    cr_assert_eq(bw_shutter_open(&tools, &v, 0.1, &m), BW_OK);
    cr_assert(m.lit.rgbs != rgbs && m.lit.fire != fire);
    for (int lanes = 4; lanes >= 2; lanes -= 2) {
        moments(lanes == 4 ? m.lit.rgbs : m.lit.fire, lanes, lanes == 4 ? 3 : 0, 0, after);
        cr_assert_float_eq(after[0], before[0], 1e-3 * before[0], "as much as before: %g, %g", before[0], after[0]);
        cr_assert_float_eq(after[1], before[1], 1e-3, "about the frame's time");
        cr_assert_float_eq(after[2] - before[2], 100 / 12.0, 0.4, "%g", after[2] - before[2]);
    }
    moments(m.lit.rgbs, 4, 3, 2, after);
    cr_assert_float_eq(after[2], before[2], 1e-2, "not across it");
    for (int i = 0; i < CELLS; i++)
        if (m.lit.fire[2 * i] > 0.05f) hottest = fmax(hottest, fabs((double)m.lit.fire[2 * i + 1] - 1500));
    cr_assert_lt(hottest, 0.5, "cold air cools no flame: %g", hottest);
    bw_medium_free(&tools, &m);
    free(memory);
}

Test(motion, what_stands_still_stays_as_it_is)
{
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, 0}, 1.0 / N}};
    struct bw_scene scene = {
        .lo = {-0.5, -0.5, 0}, .hi = {0.5, 0.5, 1}, .extinction = 30, .exposure = 1, .look = BW_LOOK_DEFAULT};
    struct bw_image img[2];
    v.density = take(NULL, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) v.density[i] = i / N / N < N / 2 ? 1 : 0;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    for (int q = 0; q < 2; q++) {
        for (int a = 0; q && a < 3; a++) v.vel[a] = take(NULL, CELLS * sizeof(float));
        scene.shutter = q;
        cr_assert_eq(bw_image_init(&img[q], &tools, 48, 48), BW_OK);
        cr_assert_eq(bw_render(&tools, &v, &scene, &img[q]), BW_OK);
    }
    cr_assert_arr_eq(img[0].px, img[1].px, 3 * 48 * 48 * sizeof(float));
    for (int q = 0; q < 2; q++) bw_image_free(&img[q]);
    for (int a = 0; a < 3; a++) free(v.vel[a]);
    free(v.density);
}

/* Two tiles of a flow that is 3x in x and 1 + z in z on their low faces. */
Test(motion, velocities_lie_in_the_middle_of_cells)
{
    enum { TILES = 2, TILE = 4096 };
    const double h = 0.25;
    struct bw_domain_info domain = {.n = {32, 16, 16}, .tile = {16, 16, 16}, .thin = -1, .h = h};
    struct bw_field_info info[2] = {
        {.name = "density", .kind = BW_SCALAR, .precision = BW_F32, .comps = 1, .domain = &domain},
        {.name = "vel", .kind = BW_MAC, .precision = BW_F32, .comps = 3, .domain = &domain}};
    float *data = take(NULL, (size_t)4 * TILES * TILE * sizeof(float)), *memory = NULL;
    const int32_t coord[TILES][3] = {{0, 0, 0}, {1, 0, 0}};
    const void *tile[4][TILES];
    for (int t = 0; t < TILES; t++)
        for (int i = 0; i < TILE; i++) {
            data[t * TILE + i] = 1;
            data[(TILES + t) * TILE + i] = (float)(3 * h * (16 * t + i % 16));
            data[(3 * TILES + t) * TILE + i] = (float)(1 + h * (i / 256));
        }
    for (int f = 0; f < 4; f++)
        for (int t = 0; t < TILES; t++) tile[f][t] = data + (f * TILES + t) * TILE;
    const struct bw_snapshot_field fields[2] = {
        {.info = info, .n_tiles = TILES, .coord = coord, .tile = {tile[0]}},
        {.info = info + 1, .n_tiles = TILES, .coord = coord, .tile = {tile[1], tile[2], tile[3]}}};
    const struct bw_frame frame = {.n_fields = 2, .fields = fields};
    struct bw_volume v = {.moves = 1}, still = {0};
    cr_assert_eq(bw_gather_volume(&tools, &frame, &still, &memory), BW_OK);
    cr_assert_null(still.vel[0], "nobody asked");
    give(NULL, memory);
    cr_assert_eq(bw_gather_volume(&tools, &frame, &v, &memory), BW_OK);
    for (int a = 0; a < 3; a++) cr_assert_not_null(v.vel[a]);
    for (int i = 0; i < 31; i++) { // the last face is none of the frame's
        const int off = (int)lround((0.5 * h - v.box.origin[0]) / h - 0.5), at = i + off;
        const size_t cell = (size_t)((4 + off) * v.box.n[1] + 4 + off) * (size_t)v.box.n[0] + (size_t)at;
        cr_assert_float_eq(v.vel[0][cell], 3 * h * (i + 0.5), 1e-5, "%d: %g", i, (double)v.vel[0][cell]);
        cr_assert_float_eq(v.vel[2][cell], 1 + h * 4.5, 1e-5);
        cr_assert_eq(v.vel[1][cell], 0);
    }
    give(NULL, memory);
    free(data);
}
