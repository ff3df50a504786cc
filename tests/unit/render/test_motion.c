// SPDX-License-Identifier: Apache-2.0
/* What moves while the shutter is open: the medium is as long as its way, as much as it was, and as hot; velocities of
 * a frame lie in the cells' middles; without any nothing changes. Particles that glow have the light of their disc. */
#include "image_tools.h"
#include "look.h"
#include <picture/gather/sparks.h>
#include <picture/gather/volume.h>
#include <picture/volume/motion/shutter.h>
#include <picture/volume/motion/sparks.h>
#include <picture/volume/render.h>
#include <picture/volume/scene/flame.h>

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
        .lo = {-0.5, -0.5, 0}, .hi = {0.5, 0.5, 1}, .extinction = 30, .exposure = 1, .look = look_usual()};
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

/* Two tiles of a flow that is 3x in x and 1 + z in z on their low faces; a side that is open has the last one again. */
Test(motion, velocities_lie_in_the_middle_of_cells)
{
    enum { TILES = 2, TILE = 4096 };
    const double h = 0.25;
    struct bw_domain_info domain = {
        .n = {32, 16, 16}, .tile = {16, 16, 16}, .thin = -1, .h = h, .side = {[1] = {.kind = BW_OPEN}}};
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
    for (int i = 0; i < 32; i++) {
        const int off = (int)lround((0.5 * h - v.box.origin[0]) / h - 0.5), at = i + off;
        const size_t cell = (size_t)((4 + off) * v.box.n[1] + 4 + off) * (size_t)v.box.n[0] + (size_t)at;
        cr_assert_float_eq(v.vel[0][cell], 3 * h * (i < 31 ? i + 0.5 : i), 1e-5, "%d: %g", i, (double)v.vel[0][cell]);
        cr_assert_float_eq(v.vel[2][cell], 1 + h * 4.5, 1e-5);
        cr_assert_eq(v.vel[1][cell], 0);
    }
    give(NULL, memory);
    free(data);
}

/* ---- particles ---- */

static void backwards(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    for (int64_t i = n - 1; i >= 0; i--) fn(i, user);
}

/// What a camera 10 m away sees of particles before black, a pixel 2 cm wide; `smoke` [1/m], or none, fills a slab of
/// a metre between.
static struct bw_image sparks_look(const struct bw_tools *t, struct bw_spark *spark, int64_t n, float *smoke,
                                   const struct bw_look *look)
{
    struct bw_scene scene = {.exposure = 1,
                             .streak = 0.02,
                             .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.1, 0.1},
                             .look = *look};
    const struct bw_lit lit = {.box = {{16, 16, 16}, {-0.5, -4.5, -0.5}, 1. / 16}, .rgbs = smoke};
    const struct bw_volume v = {.box = lit.box, .spark = spark, .n_sparks = n};
    const struct bw_ambient none = {.coarse = {.box = lit.box}};
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, t, 100, 100), BW_OK);
    cr_assert_eq(bw_sparks_draw(t, &(struct bw_shot){&lit, &none, &v, &scene}, &img, NULL), BW_OK);
    return img;
}

static struct bw_image sparks_render(const struct bw_tools *t, struct bw_spark *spark, int64_t n, float *smoke)
{
    const struct bw_look usual = look_usual();
    return sparks_look(t, spark, n, smoke, &usual);
}

/// Light in all, red and blue.
static void light_sum(struct bw_image *img, double sum[2])
{
    sum[0] = sum[1] = 0;
    for (int i = 0; i < 100 * 100; i++) sum[0] += (double)img->px[3 * i], sum[1] += (double)img->px[3 * i + 2];
    bw_image_free(img);
}

/* An ember sends what its disc would, still or in flight, and smoke before it takes its share. */
Test(motion, streaks_have_the_light_of_a_disc)
{
    struct bw_spark still = {.at = {0.1, 0, 0.05}, .kelvin = 1500, .size = 0.03f}, fast = still, near = still;
    struct bw_image img = sparks_render(&tools, &still, 1, NULL);
    double sum[2], other[2], most = 0;
    float rgb[3], *smoke = take(NULL, (size_t)16 * 16 * 16 * 4 * sizeof(float));
    struct bw_blackbody blackbody;
    bw_blackbody_init(&blackbody, BW_CONTRAST, BW_BLACKBODY_WHITE);
    bw_blackbody_rgb(&blackbody, 1500, rgb);
    light_sum(&img, sum);
    const double area = 0.25 * 3.14159265358979 * 1.5 * 1.5; // pixels
    cr_assert_float_eq(sum[0], 4 * 14 * (double)rgb[0] * area, 0.02 * sum[0], "%g", sum[0]);
    cr_assert_gt(sum[0], 20 * sum[1], "red");
    fast.vel[0] = 30, fast.vel[2] = 12; // 32 pixels
    img = sparks_render(&tools, &fast, 1, NULL);
    for (int i = 0; i < 100 * 100; i++) most = fmax(most, (double)img.px[3 * i]);
    cr_assert_lt(most, 0.1 * sum[0], "it is drawn out");
    light_sum(&img, other);
    cr_assert_float_eq(other[0], sum[0], 0.01 * sum[0], "%g, not %g", other[0], sum[0]);
    near.at[1] = -5;
    img = sparks_render(&tools, &near, 1, NULL);
    light_sum(&img, other);
    cr_assert_float_eq(other[0], 4 * sum[0], 0.02 * other[0], "half as far");
    for (int i = 0; i < 16 * 16 * 16; i++) smoke[4 * i + 3] = 1.5f;
    img = sparks_render(&tools, &still, 1, smoke);
    light_sum(&img, other);
    cr_assert_float_eq(other[0], exp(-1.5) * sum[0], 0.02 * other[0], "%g of it", other[0] / sum[0]);
    free(smoke);
}

/* Tracers that shine send their own colour from their disc, whatever the lamps, and hide none of those behind them. */
Test(motion, tracers_shine_in_their_own_colour)
{
    struct bw_look dark = look_usual();
    struct bw_spark two[2] = {{.size = 0.03f, .rgb = {0.8f, 0.2f, 0.1f}, .vel = {20, 0, 5}}};
    const double area = 0.25 * 3.14159265358979 * 1.5 * 1.5; // pixels
    double one[2], both[2];
    two[1] = two[0], two[1].at[1] = -1e-3;
    dark.key = dark.environment = 0, dark.particles.show = BW_SHOW_LIGHT, dark.particles.glow = 0.5;
    struct bw_image img = sparks_look(&tools, two, 1, NULL, &dark);
    light_sum(&img, one);
    cr_assert_float_eq(one[0], 0.5 * 0.8 * area, 0.02 * one[0], "%g", one[0]);
    cr_assert_float_eq(one[1], one[0] / 8, 1e-4 * one[0]);
    img = sparks_look(&tools, two, 2, NULL, &dark);
    light_sum(&img, both);
    cr_assert_float_eq(both[0], 2 * one[0], 1e-3 * both[0], "%g of %g", both[0], one[0]);
}

/* What is behind an obstacle, or in it, is not seen, however bright; what is before it, or beside, all of it is. */
Test(motion, obstacles_hide_what_is_behind_them)
{
    enum { M = 32 };
    const double h = 2. / M, places[][3] = {{0, -1, 0}, {0, 0, 0}, {0, 1, 0}, {0.2, 3, -0.1}, {0.85, 1, 0}};
    const int seen[] = {1, 0, 0, 0, 1};
    float *solid = take(NULL, (size_t)M * M * M * sizeof *solid);
    struct bw_scene scene = {.exposure = 1, .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.1, 0.1}};
    const struct bw_lit lit = {.box = {{M, M, M}, {-1, -1, -1}, h}};
    const struct bw_ambient none = {.coarse = {.box = lit.box}};
    scene.look = look_usual();
    scene.look.particles.show = BW_SHOW_LIGHT;
    for (int i = 0; i < M * M * M; i++) { // a ball of 0.7 m
        const double r = hypot(hypot(i % M + 0.5 - M / 2, i / M % M + 0.5 - M / 2), i / M / M + 0.5 - M / 2);
        solid[i] = (float)(r * h - 0.7);
    }
    for (size_t q = 0; q < sizeof places / sizeof *places; q++) {
        struct bw_spark one = {.rgb = {1, 1, 1}, .size = 0.03f};
        double sum[2];
        struct bw_image img;
        for (int a = 0; a < 3; a++) one.at[a] = places[q][a];
        const struct bw_volume v = {.box = lit.box, .spark = &one, .n_sparks = 1, .solid = solid, .solid_box = lit.box};
        cr_assert_eq(bw_image_init(&img, &tools, 100, 100), BW_OK);
        cr_assert_eq(bw_sparks_draw(&tools, &(struct bw_shot){&lit, &none, &v, &scene}, &img, NULL), BW_OK);
        light_sum(&img, sum);
        cr_assert(seen[q] ? sum[0] > 1 : sum[0] == 0, "place %zu: %g", q, sum[0]);
    }
    free(solid);
}

/* Many of them, some cold, some behind the eye: the same bytes in any order of tasks; what is cold gives no light of
 * its own but that of the room. */
Test(motion, sparks_are_the_same_in_any_order)
{
    enum { SPARKS = 500 };
    const struct bw_tools reversed = {take, give, backwards, NULL};
    struct bw_spark *spark = take(NULL, SPARKS * sizeof *spark);
    double sum[2];
    for (int i = 0; i < SPARKS; i++)
        spark[i] = (struct bw_spark){.at = {sin(i * 1.3), i % 50 ? cos(i * 0.7) : -20, sin(i * 2.1)},
                                     .vel = {(float)(i % 7), (float)(i % 3), (float)(i % 11)},
                                     .kelvin = i % 5 ? 900 + i : 300,
                                     .size = 0.01f,
                                     .rgb = {0.5f, 0.5f, 0.5f}};
    struct bw_image a = sparks_render(&tools, spark, SPARKS, NULL), b = sparks_render(&reversed, spark, SPARKS, NULL);
    cr_assert_arr_eq(a.px, b.px, 3 * 100 * 100 * sizeof(float));
    light_sum(&a, sum);
    bw_image_free(&b);
    for (int i = 0; i < SPARKS; i++) spark[i].kelvin = 300;
    a = sparks_render(&tools, spark, SPARKS, NULL);
    double cold[2];
    light_sum(&a, cold);
    cr_assert(cold[0] > 0 && cold[0] < sum[0] && cold[1] > 0.5 * cold[0], "%g of %g", cold[0], sum[0]);
    free(spark);
}

/* Embers glow by themselves; vortons, which have a temperature and no size, only when all are asked for. */
Test(motion, embers_are_told_from_other_particles)
{
    static const struct bw_attribute embers[] = {{"pos", BW_F64P, 3, "m"},
                                                 {"velocity", BW_F32, 3, "m/s"},
                                                 {"temperature", BW_F32, 1, "K"},
                                                 {"size", BW_F32, 1, "m"}},
                                     vortons[] = {{"pos", BW_F32, 3, "m"}, {"temperature", BW_F64P, 1, "K"}};
    static const double at[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, hot[2] = {1200, 1300};
    static const float vel[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, kelvin[3] = {1000, 20, 900},
                       size[3] = {0.01f, 0.01f, 0}, place[2][3] = {{0, 0, 1}, {0, 0, 2}};
    const void *const of_embers[] = {at, vel, kelvin, size}, *const of_vortons[] = {place, hot};
    const struct bw_snapshot_particles particles[2] = {{"embers", 3, 4, embers, of_embers},
                                                       {"vortons", 2, 2, vortons, of_vortons}};
    const struct bw_frame frame = {.n_particles = 2, .particles = particles};
    struct bw_volume v = {0}, all = {0};
    cr_assert_eq(bw_gather_sparks(&tools, &frame, &(struct bw_sparks_wish){BW_SHOW_HOT, 300, 0, 0}, &v), BW_OK);
    cr_assert_eq(v.n_sparks, 1, "one is cold, one is gone: %lld", (long long)v.n_sparks);
    cr_assert_float_eq(v.spark[0].kelvin, 1300, 1e-3);
    cr_assert(v.spark[0].at[2] == 3 && v.spark[0].vel[0] == 1 && v.spark[0].size == 0.01f);
    cr_assert_eq(bw_gather_sparks(&tools, &frame, &(struct bw_sparks_wish){BW_SHOW_ALL, 300, 0, 0}, &all), BW_OK);
    cr_assert_eq(all.n_sparks, 4);
    cr_assert(all.spark[3].at[2] == 2 && all.spark[3].kelvin == 0 && all.spark[3].size == 0);
    free(v.spark);
    free(all.spark);
}

/* Of those that are cold, tracers shine, who have a colour, and not the vortons that move them. */
Test(motion, tracers_are_told_from_vortons)
{
    static const struct bw_attribute tracers[] = {{"pos", BW_F32, 3, "m"}, {"colour", BW_F32, 3, "1"}},
                                     vortons[] = {{"pos", BW_F32, 3, "m"}, {"vorticity", BW_F32, 3, "1/s"}};
    static const float at[2][3] = {{0, 0, 1}, {0, 0, 2}}, other[2][3] = {{1, 0.5f, 0.25f}, {0, 0, 1}};
    const void *const data[] = {at, other};
    const struct bw_snapshot_particles particles[2] = {{"vortons", 2, 2, vortons, data},
                                                       {"tracers", 2, 2, tracers, data}};
    const struct bw_frame frame = {.n_particles = 2, .particles = particles};
    struct bw_volume v = {0};
    cr_assert_eq(bw_gather_sparks(&tools, &frame, &(struct bw_sparks_wish){BW_SHOW_LIGHT, 300, 2e-3, 0}, &v), BW_OK);
    cr_assert_eq(v.n_sparks, 2, "%lld", (long long)v.n_sparks);
    cr_assert(v.spark[0].rgb[1] == 0.5f && v.spark[0].size == 2e-3f && v.spark[0].kelvin == 0);
    free(v.spark);
}

/* Files may hold anything. */
Test(motion, particles_that_are_nowhere_are_left_out)
{
    static const struct bw_attribute tracers[] = {{"pos", BW_F32, 3, "m"}, {"colour", BW_F32, 3, "1"}};
    static const float at[3][3] = {{0, 0, 1}, {0, NAN, 2}, {0, 0, 3}},
                       colour[3][3] = {{1, 1, 1}, {1, 1, 1}, {1, INFINITY, 1}};
    const void *const data[] = {at, colour};
    const struct bw_snapshot_particles particles = {"tracers", 3, 2, tracers, data};
    const struct bw_frame frame = {.n_particles = 1, .particles = &particles};
    struct bw_volume v = {0};
    cr_assert_eq(bw_gather_sparks(&tools, &frame, &(struct bw_sparks_wish){BW_SHOW_LIGHT, 300, 2e-3, 0}, &v), BW_OK);
    cr_assert(v.n_sparks == 1 && v.spark[0].at[2] == 1, "%lld", (long long)v.n_sparks);
    free(v.spark);
}

/* A tracer keeps its brightness, wherever it stands among the others, and all together keep theirs. */
Test(motion, tracers_vary_by_their_number)
{
    enum { TRACERS = 20000 };
    static const struct bw_attribute rows[] = {
        {"pos", BW_F32, 3, "m"}, {"colour", BW_F32, 3, "1"}, {"id", BW_I64, 1, ""}};
    float *ones = take(NULL, 3 * TRACERS * sizeof(float));
    int64_t *id = take(NULL, TRACERS * sizeof *id);
    const void *const data[] = {ones, ones, id};
    const struct bw_snapshot_particles tracers = {"tracers", TRACERS, 3, rows, data};
    const struct bw_frame frame = {.n_particles = 1, .particles = &tracers};
    const struct bw_sparks_wish wish = {BW_SHOW_LIGHT, 300, 1e-3, 1};
    struct bw_volume v[2] = {0};
    double sum = 0;
    int bright = 0;
    for (int i = 0; i < 3 * TRACERS; i++) ones[i] = 1;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < TRACERS; i++) id[i] = k ? TRACERS - 1 - i : i;
        cr_assert_eq(bw_gather_sparks(&tools, &frame, &wish, &v[k]), BW_OK);
    }
    for (int i = 0; i < TRACERS; i++) {
        const float one = v[0].spark[i].rgb[0];
        cr_assert(one == v[1].spark[TRACERS - 1 - i].rgb[0] && one == v[0].spark[i].rgb[2] && one >= 0 && one < 8);
        sum += (double)one, bright += one > 2.5f;
    }
    cr_assert_float_eq(sum / TRACERS, 1, 0.05, "%g", sum / TRACERS);
    cr_assert(bright > 0.1 * TRACERS && bright < 0.2 * TRACERS, "%d", bright);
    free(v[0].spark), free(v[1].spark), free(ones), free(id);
}
