// SPDX-License-Identifier: Apache-2.0
/* Whole pictures: the camera's fit, obstacles seen whole, equal bytes whatever the order of tasks, memory that can't be
 * had. */
#include "image_tools.h"
#include "look.h"
#include <picture/gather/volume.h>
#include <picture/params.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void backwards(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    for (int64_t i = n - 1; i >= 0; i--) fn(i, user);
}

static const struct bw_tools reversed = {take, give, backwards, NULL};

Test(render, camera_keeps_the_stage_in_frame)
{
    static const double stages[][3] = {{1, 1, 1}, {1, 1, 2}, {4, 1, 1}, {0.01, 0.02, 0.03}, {3, 3, 0.5}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const double lo[3] = {5, -2, 1}, *size = stages[i], hi[3] = {lo[0] + size[0], lo[1] + size[1], lo[2] + size[2]};
        struct bw_camera c;
        bw_camera_fit(&c, NULL, lo, hi, bw_camera_aspect(lo, hi));
        for (int k = 0; k < 2; k++) {
            double p[3] = {0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), k ? hi[2] : lo[2]}, x = 0, y = 0, z = 0;
            for (int a = 0; a < 3; a++) {
                x += (p[a] - c.eye[a]) * c.right[a];
                y += (p[a] - c.eye[a]) * c.up[a];
                z += (p[a] - c.eye[a]) * c.forward[a];
            }
            cr_assert_gt(z, 0);
            cr_assert_lt(fabs(x / z), c.tan_x);
            cr_assert_lt(fabs(y / z), c.tan_y);
        }
    }
}

/* Where a place is seen: right and up of the picture's middle, 1 its edge, and how far away. */
static void seen_at(const struct bw_camera *c, const double p[3], double seen[3])
{
    double d[3], x = 0, y = 0, z = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = p[a] - c->eye[a];
        x += d[a] * c->right[a], y += d[a] * c->up[a], z += d[a] * c->forward[a];
    }
    seen[0] = x / z / c->tan_x, seen[1] = y / z / c->tan_y, seen[2] = z;
}

Test(render, camera_looks_from_where_it_is_told)
{
    const double lo[3] = {-1, -1, 0}, hi[3] = {1, 1, 3}, right[3] = {1, 0, 1.5}, top[3] = {0, 0, 3};
    struct bw_aim aim = {.tan_long = 0.5, .distance = 10, .has_target = 1, .target = {0.3, -0.2, 2}};
    struct bw_camera c;
    double seen[3];
    bw_camera_fit(&c, &aim, lo, hi, 16.0 / 9);
    seen_at(&c, aim.target, seen);
    cr_assert_float_eq(seen[0], 0, 1e-12);
    cr_assert_float_eq(seen[1], 0, 1e-12);
    cr_assert_float_eq(seen[2], 10, 1e-12);
    cr_assert_float_eq(c.tan_x, 0.5, 1e-12, "the longer side");
    cr_assert_float_eq(c.tan_y, 0.5 * 9 / 16, 1e-12);
    cr_assert_float_eq(c.eye[1], -10.2, 1e-12, "from the front");
    aim = (struct bw_aim){.tan_long = 0.5, .azimuth = 0.5 * 3.14159265358979};
    bw_camera_fit(&c, &aim, lo, hi, 1);
    seen_at(&c, right, seen);
    cr_assert_float_eq(seen[0], 0, 1e-9, "from the right, +x is ahead");
    cr_assert_gt(c.eye[0], 1);
    aim.roll = 0.5 * 3.14159265358979; // the head goes to the right, what was above to the left
    bw_camera_fit(&c, &aim, lo, hi, 1);
    seen_at(&c, top, seen);
    cr_assert_lt(seen[0], -0.3);
    cr_assert_float_eq(seen[1], 0, 0.1);
    aim = (struct bw_aim){.tan_long = 0.5, .elevation = 0.5 * 3.14159265358979}; // straight down
    bw_camera_fit(&c, &aim, lo, hi, 1);
    seen_at(&c, (const double[3]){0, 1, 1.5}, seen);
    cr_assert_gt(seen[1], 0.3, "the back is above");
    cr_assert_gt(c.eye[2], 3);
}

Test(render, orbits_leave_the_lamps)
{
    struct bw_picture_params p = {.size = 64, .width = 128, .frame = 1, .camera = {.lens = 0.05, .sensor = 0.036}};
    struct bw_scene still = {.lo = {-1, -1, 0}, .hi = {1, 1, 2}}, turned = still;
    int32_t size[2] = {0};
    p.camera.orbit = 1;
    bw_picture_stage(&p, 0, size, &still);
    cr_assert(size[0] == 128 && size[1] == 64);
    bw_picture_stage(&p, 0.25, size, &turned);
    for (int a = 0; a < 2; a++) // a quarter of a turn
        cr_assert_float_eq(turned.camera.eye[a], a ? still.camera.eye[0] : -still.camera.eye[1], 1e-9);
    struct bw_light before[BW_LIGHTS], after[BW_LIGHTS];
    cr_assert_eq(bw_scene_lights(&still, before), bw_scene_lights(&turned, after));
    cr_assert_eq(memcmp(before[0].to, after[0].to, sizeof before[0].to), 0);
}

Test(render, a_camera_stays_above_the_floor)
{
    static const double eye_least = 0.04 * 10;
    struct bw_picture_params p = {.size = 64, .width = 128, .frame = 1, .camera = {.lens = 0.05, .sensor = 0.036}};
    const struct bw_scene stage = {.lo = {-5, -5, 0}, .hi = {5, 5, 2}};
    int32_t size[2] = {0};
    for (int i = 0; i < 3; i++) {
        struct bw_scene low = stage;
        p.floor = i != 1;
        p.camera.elevation = i < 2 ? -0.5 : -0.01;
        bw_picture_stage(&p, 0, size, &low);
        if (i == 0) cr_assert_float_eq(low.camera.eye[2], eye_least, 1e-6);
        else cr_assert(i == 1 ? low.camera.eye[2] < 0 : low.camera.eye[2] > eye_least);
    }
    struct bw_scene put = stage; // who says where it is has it there
    p.camera.elevation = -0.5, p.camera.distance = 10;
    bw_picture_stage(&p, 0, size, &put);
    cr_assert_lt(put.camera.eye[2], 0);
}

/// A ball of smoke in the unit cube.
static struct bw_volume ball_make(int n)
{
    struct bw_volume v = {.box = {{n, n, n}, {-0.5, -0.5, 0}, 1.0 / n}};
    v.density = take(NULL, (size_t)n * (size_t)n * (size_t)n * sizeof(float));
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double r = hypot(hypot((i + 0.5) / n - 0.5, (j + 0.5) / n - 0.5), (k + 0.5) / n - 0.5);
                v.density[(k * n + j) * n + i] = r < 0.3 ? 1 : 0;
            }
    return v;
}

static struct bw_image ball_render(const struct bw_tools *t, const struct bw_volume *v)
{
    struct bw_scene scene = {
        .lo = {-0.5, -0.5, 0}, .hi = {0.5, 0.5, 1}, .extinction = 60, .ambient = 293, .exposure = 1};
    struct bw_image img;
    scene.look = look_usual();
    scene.look.bloom = 0;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, t, 96, 96), BW_OK);
    cr_assert_eq(bw_render(t, v, &scene, &img), BW_OK);
    return img;
}

Test(render, smoke_is_bright_shadowed_and_inside_its_outline)
{
    struct bw_volume v = ball_make(32), none = {.box = {.h = 1}};
    struct bw_image img = ball_render(&tools, &v), empty = ball_render(&tools, &none);
    cr_assert_gt(brightness(&img, 48, 48), 0.2, "%g", (double)brightness(&img, 48, 48));
    cr_assert_gt(brightness(&img, 40, 38), brightness(&img, 56, 58) + 0.05); // key light from the upper left
    cr_assert_float_eq(brightness(&img, 2, 2), brightness(&empty, 2, 2), 1e-6);
    for (int i = 0; i < 3 * 96 * 96; i++) cr_assert(img.px[i] >= 0 && img.px[i] <= 1);
    bw_image_free(&img);
    bw_image_free(&empty);
    free(v.density);
}

/* A ball in a box of 4×4×4 active tiles: distances near its surface, a thousand metres elsewhere. */
Test(render, an_obstacle_is_seen_whole_whatever_is_active)
{
    enum { TILES = 64, CELLS = 4096 };
    const double h = 1.0 / 64;
    struct bw_domain_info domain = {
        .n = {64, 64, 64}, .tile = {16, 16, 16}, .thin = -1, .origin = {-0.5, -0.5, 0}, .h = h};
    struct bw_field_info info = {
        .name = "solid", .kind = BW_SCALAR, .precision = BW_F32, .comps = 1, .background = {1000}, .domain = &domain};
    float *data = take(NULL, TILES * CELLS * sizeof(float));
    int32_t coord[TILES][3];
    const void *tile[TILES];
    for (int t = 0; t < TILES; t++) {
        coord[t][0] = t % 4, coord[t][1] = t / 4 % 4, coord[t][2] = t / 16;
        tile[t] = data + t * CELLS;
        for (int i = 0; i < CELLS; i++) {
            double x = h * (coord[t][0] * 16 + i % 16 + .5) - .5, y = h * (coord[t][1] * 16 + i / 16 % 16 + .5) - .5;
            double d = hypot(hypot(x, y), h * (coord[t][2] * 16 + i / 256 + .5) - .5) - .2;
            data[t * CELLS + i] = d < 3 * h ? (float)d : 1000;
        }
    }
    struct bw_snapshot_field solid = {
        .info = &info, .n_tiles = TILES, .coord = (const int32_t(*)[3])coord, .tile = {tile}};
    struct bw_frame frame = {.n_fields = 1, .fields = &solid};
    struct bw_volume v = {.box = {.h = 1}}, none = {.box = {.h = 1}};
    float *memory = NULL;
    cr_assert_eq(bw_gather_volume(&tools, &frame, &v, &memory), BW_OK);
    struct bw_image img = ball_render(&tools, &v), empty = ball_render(&tools, &none);
    for (int y = 0; y < 96;
         y++) // the camera looks a little down and shows the ball 31 pixels wide, a little above the middle
        for (int x = 0; x < 96; x++) {
            double r = hypot(x - 47.5, y - 44.3);
            double change = 0;
            for (int c = 0; c < 3; c++) {
                int at = 3 * (y * img.w + x) + c;
                change = fmax(change, fabs((double)img.px[at] - (double)empty.px[at]));
            }
            bool there = change > 0.002;
            if (r < 13) cr_assert(there, "the ball has a hole at %d, %d", x, y);
            if (r > 18 && y < 48) cr_assert(!there, "something is at %d, %d, beyond the ball", x, y);
        }
    bw_image_free(&img);
    bw_image_free(&empty);
    free(v.solid);
    free(data);
}

/// What sheets of smoke a cell thick cover, of the middle of each pixel. `all`: an obstacle that is nowhere near has
/// every pixel marched.
static void sheets_cover(int n, int all, float *cover)
{
    struct bw_volume v = ball_make(n);
    struct bw_scene scene = {
        .lo = {-0.5, -0.5, 0}, .hi = {0.5, 0.5, 1}, .extinction = 0.6 * n, .ambient = 293, .exposure = 1};
    struct bw_image img;
    for (int i = 0; i < n * n * n; i++) v.density[i] *= (i % n + 2 * (i / n / n)) % 6 == 0 ? 1 : 0.02f;
    if (all) {
        v.solid = take(NULL, (size_t)(n * n * n) * sizeof(float));
        v.solid_box = v.box;
        for (int i = 0; i < n * n * n; i++) v.solid[i] = 1000;
    }
    scene.look = look_usual();
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, 96, 96), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, cover), BW_OK);
    bw_image_free(&img);
    free(v.density), free(v.solid);
}

/* Pixels that are not marched are as their neighbours foretell, of features from a pixel and a half to six. */
Test(render, what_is_not_marched_is_as_if_it_were)
{
    static float cover[2][96 * 96];
    for (int n = 16; n <= 64; n *= 2) {
        double mean = 0, most = 0, between = 0;
        for (int all = 0; all < 2; all++) sheets_cover(n, all, cover[all]);
        for (int i = 0; i < 96 * 96; i++) {
            const double off = fabs((double)(cover[0][i] - cover[1][i]));
            mean += off / (96 * 96), most = fmax(most, off), between += off > 0;
        }
        cr_assert_lt(mean, 2e-3, "%d: %g", n, mean);
        cr_assert_lt(most, 0.11, "%d: %g", n, most);
        cr_assert_gt(between, 300, "%d: some are not marched: %g", n, between);
    }
}

Test(render, same_picture_in_any_order_of_tasks)
{
    struct bw_volume v = ball_make(24);
    struct bw_image a = ball_render(&tools, &v), b = ball_render(&reversed, &v);
    cr_assert_arr_eq(a.px, b.px, 3 * 96 * 96 * sizeof(float));
    bw_image_free(&a);
    bw_image_free(&b);
    free(v.density);
}

/* A fire of three colours of extinction, by each level that this machine has. */
Test(render, same_picture_by_every_simd_level)
{
    const int levels =
        1 + !!__builtin_cpu_supports("avx2") +
        (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"));
    const size_t cells = 24 * 24 * 24;
    struct bw_volume v = ball_make(24);
    struct bw_scene scene = {.lo = {-0.5, -0.5, 0},
                             .hi = {0.5, 0.5, 1},
                             .extinction = 8,
                             .ambient = 293,
                             .exposure = 1,
                             .look = look_fire()};
    struct bw_image img[3];
    v.flame = take(NULL, 2 * cells * sizeof(float));
    v.temperature = v.flame + cells;
    for (size_t i = 0; i < cells; i++) v.flame[i] = 0.3f * v.density[i], v.temperature[i] = 40 * (float)(i % 40);
    scene.look.extinction[1] = 1.5f, scene.look.extinction[2] = 0;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    cr_log_info("%d levels", levels);
    for (int level = 0; level < levels; level++) {
        struct bw_tools with = tools;
        with.simd = (uint32_t)level;
        cr_assert_eq(bw_image_init(&img[level], &tools, 96, 96), BW_OK);
        cr_assert_eq(bw_render(&with, &v, &scene, &img[level]), BW_OK);
        cr_assert_arr_eq(img[level].px, img[0].px, 3 * 96 * 96 * sizeof(float), "level %d", level);
    }
    cr_assert_gt(brightness(&img[0], 48, 48), 0.1);
    for (int level = 0; level < levels; level++) bw_image_free(&img[level]);
    free(v.density);
    free(v.flame);
}

/* ---- memory ---- */

/// Hands out `left` blocks, refuses one, and goes on; `held` are not given back yet.
struct ration {
    int left, held;
};

static void *ration_take(void *ctx, size_t bytes)
{
    struct ration *r = ctx;
    if (r->left-- == 0) return NULL;
    r->held++;
    return take(NULL, bytes);
}

static void ration_give(void *ctx, void *memory)
{
    struct ration *r = ctx;
    r->held -= memory != NULL;
    give(NULL, memory);
}

static void ration_run(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    forwards(NULL, n, fn, user);
}

/* Whichever block can't be had: the caller is told, and everything is given back. */
Test(render, no_memory_is_told_and_nothing_kept)
{
    enum { N = 12 };
    struct ration ration;
    const struct bw_tools scarce = {ration_take, ration_give, ration_run, &ration};
    struct bw_volume v = ball_make(N);
    struct bw_scene scene = {
        .lo = {-0.5, -0.5, 0}, .hi = {0.5, 0.5, 1}, .extinction = 20, .exposure = 1, .floor = 1, .look = look_usual()};
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    v.flame = v.density;
    enum bw_status status = BW_ERR_MEMORY;
    int blocks = 0;
    for (; status && blocks < 50; blocks++) {
        struct bw_image img = {0};
        ration = (struct ration){.left = blocks};
        status = bw_image_init(&img, &scarce, 48, 48);
        if (!status) status = bw_render(&scarce, &v, &scene, &img);
        cr_assert(!status || status == BW_ERR_MEMORY, "%d blocks: %d", blocks, (int)status);
        bw_image_free(&img);
        cr_assert_eq(ration.held, 0, "%d blocks: %d are kept", blocks, ration.held);
    }
    cr_assert(!status && blocks > 10, "%d blocks", blocks);
    free(v.density);
}
