// SPDX-License-Identifier: Apache-2.0
/* Detail finer than the cells: it is where the flow is rough, moves with it, comes and goes without a jump, leaves the
 * amount of smoke as it was, and is the same for all SIMD levels and orders of tasks. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/detail/move.h>
#include <picture/volume/render.h>

#include <billow/host.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 40, CELLS = N * N * N, SIZE = 96 };
#define H (1.0 / N)

/// A ball of smoke of 14 cells' radius about a place, and a flow of `mean` cells a frame along x with eddies of
/// `length` cells, `eddy` cells a frame, which move with it; `frame` of them.
struct scene_wish {
    double mean, eddy, length, frame;
};

static struct bw_volume volume_make(const struct scene_wish *w)
{
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, 0}, H}};
    v.density = take(NULL, 4 * CELLS * sizeof(float));
    for (int a = 0; a < 3; a++) v.vel[a] = v.density + (a + 1) * CELLS;
    for (int i = 0; i < CELLS; i++) {
        const double x = i % N - w->mean * w->frame, y = i / N % N, z = i / N / N, k = 6.283185307 / w->length;
        const double r = hypot(hypot(i % N - 19.5, y - 19.5), z - 19.5);
        v.density[i] = (float)fmin(fmax((14 - r) / 3, 0), 1);
        v.vel[0][i] = (float)(24 * H * (w->mean + w->eddy * (sin(k * y) + cos(k * z))));
        v.vel[1][i] = (float)(24 * H * w->eddy * (sin(k * z) + cos(k * x)));
        v.vel[2][i] = (float)(24 * H * w->eddy * (sin(k * x) + cos(k * y)));
    }
    return v;
}

static struct bw_scene scene_make(double detail, double frame)
{
    struct bw_scene scene = {.lo = {-0.5, -0.5, 0},
                             .hi = {0.5, 0.5, 1},
                             .extinction = 4,
                             .exposure = 1,
                             .frame = frame,
                             .tick = 1 / 24.0,
                             .look = look_usual()};
    scene.look.detail = detail;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    return scene;
}

/// The smoke alone, and how much of each pixel it covers.
static struct bw_image picture_make(const struct bw_tools *t, const struct bw_volume *v, double detail, float *alpha)
{
    const struct bw_scene scene = scene_make(detail, 11);
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, t, SIZE, SIZE), BW_OK);
    cr_assert_eq(bw_render_linear(t, v, &scene, &img, alpha), BW_OK);
    return img;
}

Test(detail, changes_nothing_where_it_is_not_asked_for_or_the_flow_is_smooth)
{
    float alpha[SIZE * SIZE];
    static const struct scene_wish smooth[] = {{2, 0.3, 80, 0}, {2, 0, 5, 0}}, rough = {2, 0.3, 5, 0};
    for (int q = 0; q < 3; q++) {
        struct bw_volume v = volume_make(q < 2 ? &smooth[q] : &rough);
        struct bw_image none = picture_make(&tools, &v, 0, alpha), some = picture_make(&tools, &v, 1, alpha);
        const int same = !memcmp(none.px, some.px, 3 * SIZE * SIZE * sizeof(float));
        cr_assert_eq(same, q < 2, "flow %d", q);
        v.vel[0] = NULL;
        struct bw_image bare = picture_make(&tools, &v, q < 2, alpha);
        cr_assert_arr_eq(bare.px, none.px, 3 * SIZE * SIZE * sizeof(float), "no flow, no detail: %d", q);
        bw_image_free(&none), bw_image_free(&some), bw_image_free(&bare);
        free(v.density);
    }
}

static double optical_depth(const float *alpha)
{
    double sum = 0;
    for (int i = 0; i < SIZE * SIZE; i++) sum -= log(1 - fmin((double)alpha[i], 0.999));
    return sum;
}

Test(detail, leaves_as_much_smoke_as_there_was)
{
    static float alpha[2][SIZE * SIZE];
    struct bw_volume v = volume_make(&(struct scene_wish){2, 0.3, 5, 0});
    double change = 0;
    for (int q = 0; q < 2; q++) {
        struct bw_image img = picture_make(&tools, &v, q, alpha[q]);
        bw_image_free(&img);
    }
    for (int i = 0; i < SIZE * SIZE; i++) change = fmax(change, fabs((double)(alpha[1][i] - alpha[0][i])));
    const double before = optical_depth(alpha[0]), after = optical_depth(alpha[1]);
    cr_assert_gt(change, 0.02, "there is some: %g", change);
    cr_assert_float_eq(after, before, 0.02 * before, "%g before, %g after", before, after);
    free(v.density);
}

/// How strong detail is at most where cells are `h` wide and eddies are as fast as Froude's law has it.
static double strongest_of(double h)
{
    struct bw_volume v = volume_make(&(struct scene_wish){0, 0.01, 5, 0});
    struct bw_scene scene = scene_make(1, 0);
    struct bw_detail d;
    double most = 0;
    for (int i = 0; i < 3 * CELLS; i++) v.vel[0][i] *= (float)sqrt(h / H);
    for (int a = 0; a < 3; a++) v.box.origin[a] *= h / H;
    v.box.h = h;
    cr_assert_eq(bw_detail_make(&tools, &v, &scene, &d), BW_OK);
    for (int i = 0; i < d.box.n[0] * d.box.n[1] * d.box.n[2]; i++) most = fmax(most, (double)d.flow[4 * i + 3]);
    bw_detail_free(&tools, &d);
    free(v.density);
    return most;
}

/* Counted in frames, what is large would have no time to mix, and be smooth. */
Test(detail, is_as_strong_in_what_is_ten_times_as_large)
{
    const double one = strongest_of(1), ten = strongest_of(10);
    cr_assert_gt(one, 0.05, "%g", one);
    cr_assert_float_eq(ten, one, 1e-3 * one, "%g of 1 m, %g of 10 m", one, ten);
}

static vec4 moved_at(const struct bw_detail *d, const float p[3], float *rms)
{
    return displacement_at(d, p, flow_at(d, p), rms);
}

/// Noise at places that move along with the mean flow, `frame` frames on.
static void noise_at(const struct scene_wish *w, vec4 *out, int places)
{
    struct bw_volume v = volume_make(w);
    const struct bw_scene scene = scene_make(1, w->frame);
    struct bw_detail d;
    cr_assert_eq(bw_detail_make(&tools, &v, &scene, &d), BW_OK);
    for (int i = 0; i < places; i++) {
        const float p[3] = {(float)(5 + 3.1 * (i % 5) + w->mean * w->frame), 8 + 2.7f * (float)(i / 5 % 9),
                            6 + 1.9f * (float)(i / 45)};
        float strength;
        out[i] = moved_at(&d, p, &strength);
        cr_assert_gt(strength, 0.05f);
    }
    bw_detail_free(&tools, &d);
    free(v.density);
}

/// Mean square of what differs between two of them, in parts of what both have.
static double apart(const vec4 *a, const vec4 *b, int places)
{
    double both = 0, change = 0;
    for (int i = 0; i < places; i++)
        for (int c = 0; c < 3; c++) {
            both += (double)(a[i][c] * a[i][c] + b[i][c] * b[i][c]);
            change += (double)((a[i][c] - b[i][c]) * (a[i][c] - b[i][c]));
        }
    return change / both; // 1: they have nothing to do with each other
}

Test(detail, moves_with_the_flow_and_never_jumps)
{
    enum { PLACES = 450, STEPS = 52 };
    static vec4 now[PLACES], before[PLACES], first[PLACES];
    double most = 0;
    for (int q = 0; q < STEPS; q++) {
        struct scene_wish w = {1.7, 0.03, 5, 0.25 * q};
        noise_at(&w, now, PLACES);
        if (q) most = fmax(most, apart(now, before, PLACES));
        if (!q) memcpy(first, now, sizeof now);
        if (q == 4) cr_assert_lt(apart(now, first, PLACES), 0.25, "a frame later: %g", apart(now, first, PLACES));
        memcpy(before, now, sizeof now);
    }
    cr_assert_lt(most, 0.06, "within a quarter of a frame: %g", most);
    cr_assert_gt(apart(now, first, PLACES), 0.8, "and is renewed: %g", apart(now, first, PLACES));
}

/// Noise in smoke of an age, in √(h/g): its mean square, and that of what it changes within a quarter of a cell.
static void aged_noise(double age, double units, double *square, double *change)
{
    enum { PLACES = 600 };
    struct bw_volume v = volume_make(&(struct scene_wish){2, 0.3, 5, 0});
    struct bw_scene scene = scene_make(1, 11);
    struct bw_detail d;
    v.age = take(NULL, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) v.age[i] = v.density[i] > 0 ? (float)(age * sqrt(H / 9.81)) : 0;
    v.box.h *= units, scene.metre = units;
    for (int a = 0; a < 3; a++) v.box.origin[a] *= units;
    for (int i = 0; i < 3 * CELLS; i++) v.vel[0][i] *= (float)units;
    cr_assert_eq(bw_detail_make(&tools, &v, &scene, &d), BW_OK);
    *square = *change = 0;
    for (int i = 0; i < PLACES; i++) {
        const float p[3] = {13 + 1.37f * (float)(i % 10), 13 + 1.41f * (float)(i / 10 % 10),
                            14 + 1.9f * (float)(i / 100)};
        float strength;
        const vec4 a = moved_at(&d, p, &strength), b = moved_at(&d, (float[3]){p[0], p[1] + 0.25f, p[2]}, &strength);
        for (int c = 0; c < 3; c++) {
            *square += (double)(a[c] * a[c]) / PLACES;
            *change += (double)((a[c] - b[c]) * (a[c] - b[c])) / PLACES;
        }
    }
    bw_detail_free(&tools, &d);
    free(v.age), free(v.density);
}

Test(detail, lobes_grow_and_fade_with_age)
{
    double young[2], grown[2], old[2], other[2];
    aged_noise(0, 1, &young[0], &young[1]);
    aged_noise(16, 1, &grown[0], &grown[1]);
    aged_noise(160, 1, &old[0], &old[1]);
    aged_noise(16, 100, &other[0], &other[1]);
    const double finer = young[1] / young[0], wider = grown[1] / grown[0];
    cr_assert_float_eq(finer / wider, 4, 1.2, "twice as wide: a quarter of the slopes' squares: %g", finer / wider);
    cr_assert_float_eq(grown[0] / young[0], 1.7, 0.4, "longer ways, less 14 %% of contrast: %g", grown[0] / young[0]);
    cr_assert_float_eq(old[0] / grown[0], pow(1.16 / 17, 2), 1e-4, "1/(1 + (a/40)²): %g", old[0] / grown[0]);
    cr_assert_float_eq(other[0], grown[0], 1e-3 * grown[0], "in centimetres: %g, %g", other[0], grown[0]);
}

Test(detail, young_smoke_is_as_without_ages)
{
    static float alpha[SIZE * SIZE];
    struct bw_volume v = volume_make(&(struct scene_wish){2, 0.3, 5, 0});
    struct bw_image none = picture_make(&tools, &v, 1, alpha);
    v.age = take(NULL, CELLS * sizeof(float));
    memset(v.age, 0, CELLS * sizeof(float));
    struct bw_image young = picture_make(&tools, &v, 1, alpha);
    for (int i = 0; i < CELLS; i++) v.age[i] = 3;
    struct bw_image old = picture_make(&tools, &v, 1, alpha);
    double change[2] = {0};
    for (int i = 0; i < 3 * SIZE * SIZE; i++) {
        change[0] = fmax(change[0], fabs((double)(young.px[i] - none.px[i])));
        change[1] = fmax(change[1], fabs((double)(old.px[i] - none.px[i])));
    }
    cr_assert_lt(change[0], 1e-4, "%g", change[0]);
    cr_assert_gt(change[1], 1e-2, "%g", change[1]);
    bw_image_free(&none), bw_image_free(&young), bw_image_free(&old);
    free(v.age), free(v.density);
}

Test(detail, keeps_off_obstacles)
{
    struct bw_volume v = volume_make(&(struct scene_wish){2, 0.3, 5, 0});
    const struct bw_scene scene = scene_make(1, 11);
    struct bw_detail d;
    float strength;
    v.solid = take(NULL, CELLS * sizeof(float));
    v.solid_box = v.box;
    for (int i = 0; i < CELLS; i++) v.solid[i] = (float)((i / N / N - 9.5) * H); // the lower ten cells
    cr_assert_eq(bw_detail_make(&tools, &v, &scene, &d), BW_OK);
    for (int z = 0; z < N - 4; z++) {
        moved_at(&d, (float[3]){20, 20, (float)z}, &strength);
        if (z < 11) cr_assert_eq(strength, 0, "%d: %g", z, (double)strength);
        if (z > 16) cr_assert_gt(strength, 0.1f, "%d: %g", z, (double)strength);
    }
    bw_detail_free(&tools, &d);
    free(v.solid), free(v.density);
}

static void backwards(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    while (n-- > 0) fn(n, user);
}

Test(detail, is_the_same_by_all_levels_and_in_any_order)
{
    static float alpha[SIZE * SIZE];
    struct bw_volume v = volume_make(&(struct scene_wish){2, 0.3, 5, 0});
    struct bw_image first = picture_make(&tools, &v, 1, alpha);
    for (uint32_t level = BW_SIMD_BASELINE; level <= BW_SIMD_AVX512; level++) {
        struct bw_tools other = {take, give, backwards, NULL, level};
        if ((level == BW_SIMD_AVX2 && !__builtin_cpu_supports("avx2")) ||
            (level == BW_SIMD_AVX512 && !__builtin_cpu_supports("avx512f")))
            continue;
        struct bw_image img = picture_make(&other, &v, 1, alpha);
        cr_assert_arr_eq(img.px, first.px, 3 * SIZE * SIZE * sizeof(float), "level %u", level);
        bw_image_free(&img);
    }
    bw_image_free(&first);
    free(v.density);
}
