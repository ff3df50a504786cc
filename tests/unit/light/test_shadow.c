// SPDX-License-Identifier: Apache-2.0
/* Lamps with a place and a size: their light falls with the square of the distance, far off they are as lamps far off,
 * what they cross dims them along each way, and their shadows have the half-shadow of a disc. */
#include "unit/render/image_tools.h"
#include "look.h"
#include <picture/volume/scattering/shadow_volume.h>
#include <picture/volume/render.h>
#include <picture/volume/solid/shadow.h>
#include <picture/volume/studio/floor.h>
#include <picture/volume/studio/studio.h>

#include <criterion/criterion.h>
#include <math.h>
#include <sys/mman.h>

enum { N = 40 };
static const struct bw_dense box = {{N, N, N}, {-1, -1, 0}, 2. / N};
#define PI 3.14159265358979

static float *cells_make(void) { return take(NULL, (size_t)N * N * N * sizeof(float)); }

static void cell_middle(int i, double p[3])
{
    const int at[3] = {i % N, i / N % N, i / N / N};
    for (int a = 0; a < 3; a++) p[a] = box.origin[a] + (at[a] + 0.5) * box.h;
}

static struct bw_light lamp_at(double x, double y, double z, double radius)
{
    return (struct bw_light){.rgb = {1, 1, 1}, .half = radius, .near = 1, .at = {x, y, z}};
}

/* Through even smoke exp(-s r) is left, wherever the lamp is: inside, in a corner of a cell, and outside the cells. */
Test(shadow, even_smoke_dims_a_lamp_by_the_way)
{
    static const double places[][3] = {{0.02, -0.03, 1.01}, {0.025, 0.025, 1.025}, {-0.9, 0.7, 0.1}, {0.3, 0.2, 3}};
    float *s = cells_make(), *share = cells_make();
    for (int i = 0; i < N * N * N; i++) s[i] = 1.5f;
    for (size_t q = 0; q < sizeof places / sizeof *places; q++) {
        const struct bw_light lamp = lamp_at(places[q][0], places[q][1], places[q][2], 0);
        const struct bw_shadow_volume_wish wish = {&lamp, s, BW_QUALITY_FINAL};
        double worst = 0;
        cr_assert_eq(bw_shadow_volume(&tools, &box, &wish, share), BW_OK);
        for (int i = 0; i < N * N * N; i++) {
            double p[3], r = 0, inside = 1;
            cell_middle(i, p);
            for (int a = 0; a < 3; a++) r += (p[a] - lamp.at[a]) * (p[a] - lamp.at[a]);
            if (lamp.at[2] > 2) inside = (2 - p[2]) / (lamp.at[2] - p[2]);      // of the way
            if (inside < 1 && (fabs(p[0]) > 0.4 || fabs(p[1]) > 0.4)) continue; // beside: clear air is let in
            const double want = exp(-1.5 * inside * sqrt(r));
            worst = fmax(worst, fabs((double)share[i] - want));
        }
        cr_log_info("lamp %zu: off by %.4f", q, worst);
        cr_assert_lt(worst, 0.015, "lamp %zu: off by %g", q, worst);
    }
    free(s);
    free(share);
}

/* So it is in smoke that little gets through: cells that are reached straight and those that are not go on alike. */
Test(shadow, deep_smoke_has_no_seam)
{
    float *s = cells_make(), *share = cells_make();
    const struct bw_light lamp = lamp_at(0.02, -0.03, 1.01, 0);
    const struct bw_shadow_volume_wish wish = {&lamp, s, BW_QUALITY_DEFAULT};
    for (int i = 0; i < N * N * N; i++) s[i] = (float)(4 / box.h);
    cr_assert_eq(bw_shadow_volume(&tools, &box, &wish, share), BW_OK);
    for (int i = N / 2 + 1; i < N / 2 + 9; i++) { // optical depth, along x from the lamp
        const double depth = -log((double)share[(N / 2 * N + N / 2) * N + i]);
        const double r = hypot(hypot(-1 + (i + 0.5) * box.h - 0.02, 0.055), 0.015) / box.h;
        // the mean over a cell's depth d = 4 has 4/2 - log(4/(1 - exp(-4))) = 0.63 less than its middle
        cr_expect_float_eq(depth, 4 * r - 0.63, 0.6, "%d: %g, not %g", i, depth, 4 * r - 0.63);
    }
    free(s);
    free(share);
}

/* A ball of smoke that nothing gets through, between a lamp and the cells behind it: its shadow is a cone. */
Test(shadow, a_ball_throws_a_cone)
{
    float *s = cells_make(), *share = cells_make();
    const struct bw_light lamp = lamp_at(-0.8, 0, 1, 0);
    const struct bw_shadow_volume_wish wish = {&lamp, s, BW_QUALITY_FINAL};
    for (int i = 0; i < N * N * N; i++) {
        double p[3];
        cell_middle(i, p);
        s[i] = hypot(hypot(p[0] + 0.3, p[1]), p[2] - 1) < 0.25 ? 200 : 0; // sine of half the cone: ½
    }
    cr_assert_eq(bw_shadow_volume(&tools, &box, &wish, share), BW_OK);
    for (int i = 0; i < N * N * N; i++) {
        double p[3];
        cell_middle(i, p);
        const double away = hypot(hypot(p[0] + 0.8, p[1]), p[2] - 1), ahead = (p[0] + 0.8) / away;
        if (away < 0.9) continue;
        if (ahead > cos(PI / 6 - 0.12))
            cr_assert_lt(share[i], 0.2f, "%g, %g, %g: %g", p[0], p[1], p[2], (double)share[i]);
        if (ahead < cos(PI / 6 + 0.14))
            cr_assert_gt(share[i], 0.7f, "%g, %g, %g: %g", p[0], p[1], p[2], (double)share[i]);
    }
    free(s);
    free(share);
}

/// Over -x, from z = 0.6 to 0.7, a shelf.
static struct bw_volume shelf_make(void)
{
    struct bw_volume v = {.box = {.h = box.h}, .solid_box = box, .solid = cells_make()};
    for (int i = 0; i < N * N * N; i++) {
        double p[3];
        cell_middle(i, p);
        const double x = p[0], z = fabs(p[2] - 0.65) - 0.05;
        v.solid[i] = (float)(x > 0 && z > 0 ? hypot(x, z) : fmax(x, z));
    }
    return v;
}

/// Of a disc what is to the one side of a line, `at` radii from its middle.
static double disc_share(double at)
{
    const double u = fmin(fmax(at, -1), 1);
    return 0.5 + (u * sqrt(1 - u * u) + asin(u)) / PI;
}

/* Under an edge a disc rises: half of it is seen below the edge, none or all of it as far to the side as it is wide. */
Test(shadow, an_edge_has_the_half_shadow_of_a_disc)
{
    struct bw_volume v = shelf_make();
    struct bw_light lamps[3] = {
        {.to = {0, 0, 1}, .half = 0.3}, lamp_at(0, 0, 3, 0.9), {.to = {0, 0, 1}, .half = 0.002}};
    for (int q = 0; q < 3; q++) {
        double worst = 0;
        for (int i = 0; i <= 40; i++) {
            double open = 0, x = -0.4 + 0.02 * i;
            struct bw_shadow_place at = {.p = {x, 0.1, 0}, .normal = {0, 0, 1}, .rays = 12};
            for (int turn = 0; turn < 16; turn++) { // as a pixel and its neighbours
                const struct bw_light_seen seen = bw_light_from(&lamps[q], at.p, 0);
                at.turn = ((float)turn + 0.5f) / 16;
                open += (double)bw_solid_shadow_rays(&v, &at, &seen) / 16;
            }
            // rays to the right pass the lower edge, to the left the upper one
            const double half = lamps[q].near ? 0.3 : lamps[q].half, t = x < 0 ? 0.6 : 0.7;
            const double want = q == 2 ? 0.5 + 0.5 * fmin(fmax(x / box.h, -1), 1)
                                       : disc_share(x / (half * t) * (lamps[q].near ? 1 - t / 3 : 1));
            if (q < 2 || fabs(x) > 0.3 * box.h) worst = fmax(worst, fabs(open - want));
        }
        cr_log_info("lamp %d: off by %.3f", q, worst);
        cr_assert_lt(worst, q < 2 ? 0.09 : 0.75, "lamp %d: off by %g", q, worst);
    }
    free(v.solid);
}

/// The layers of v from `first` on, behind memory that nobody may read.
static struct bw_volume cut_make(const struct bw_volume *v, int first)
{
    const size_t guard = 1 << 20, cells = (size_t)(N - first) * N * N;
    struct bw_volume cut = *v;
    char *all = mmap(NULL, guard + cells * sizeof(float), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(all != MAP_FAILED);
    cr_assert_eq(mprotect(all + guard, cells * sizeof(float), PROT_READ | PROT_WRITE), 0);
    cut.solid = (float *)(void *)(all + guard);
    memcpy(cut.solid, v->solid + (size_t)first * N * N, cells * sizeof(float));
    cut.solid_box.n[2] = N - first, cut.solid_box.origin[2] += first * box.h;
    return cut;
}

/* Over a floor, what hangs in the air has its distances in a box that begins above it. */
Test(shadow, what_hangs_in_the_air_throws_the_same)
{
    struct bw_volume v = shelf_make();
    v.stands = 1, v.stand = 2 * box.h;
    const struct bw_volume cut = cut_make(&v, 8);
    const struct bw_light lamp = {.to = {0.5, 0, 0.866025}, .half = 0.2};
    for (int i = 0; i <= 60; i++) {
        const struct bw_shadow_place at = {.p = {-0.9 + 0.03 * i, 0.1, 0}, .normal = {0, 0, 1}, .rays = 12};
        const struct bw_light_seen seen = bw_light_from(&lamp, at.p, 0);
        const float whole = bw_solid_shadow_rays(&v, &at, &seen), hung = bw_solid_shadow_rays(&cut, &at, &seen);
        cr_expect_float_eq(hung, whole, 0.05, "at %g: %g, not %g", at.p[0], (double)hung, (double)whole);
    }
    free(v.solid);
}

/* On the floor E/π: a lamp of strength 1 a metre above it, and what the square and the cosine leave aside. */
Test(shadow, light_falls_with_the_square_of_the_distance)
{
    struct bw_scene scene = {.lo = {-1, -1, 0}, .hi = {1, 1, 2}, .floor = 1, .look = look_usual()};
    const struct bw_ambient clear = {0};
    struct bw_studio studio;
    scene.look.environment = 0;
    scene.look.n_lights = 1, scene.look.light[0] = lamp_at(0.1, 0, 1, 0.2);
    cr_assert_eq(bw_studio_make(&tools, &scene, NULL, &clear, &studio), BW_OK);
    for (double x = 0.1; x < 3; x += 0.35) {
        const double r = hypot(x - 0.1, 1), want = BW_SUN / PI / (r * r * r);
        float rgb[3];
        bw_floor_level(&studio, &(struct bw_floor_place){.p = {x, 0, 0}}, rgb);
        cr_assert_float_eq(rgb[1], want, 1e-3 * want, "at %g: %g, not %g", x, (double)rgb[1], want);
    }
    bw_studio_free(&tools, &studio);
}

static double picture(const struct bw_light *lamp, struct bw_image *img)
{
    struct bw_scene scene = {.lo = {-1, -1, 0},
                             .hi = {1, 1, 2},
                             .extinction = 10,
                             .ambient = 293,
                             .exposure = 1,
                             .floor = 1,
                             .look = look_usual()};
    struct bw_volume v = shelf_make();
    double sum = 0;
    v.box = box;
    v.density = cells_make();
    for (int i = 0; i < N * N * N; i++) {
        double p[3];
        cell_middle(i, p);
        v.density[i] = hypot(hypot(p[0], p[1]), p[2] - 1.3) < 0.4;
    }
    scene.look.environment = scene.look.bloom = 0, scene.look.has_background = 1;
    scene.look.n_lights = 1, scene.look.light[0] = *lamp;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(img, &tools, 64, 64), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, img, NULL), BW_OK);
    for (int i = 0; i < 3 * 64 * 64; i++) sum += (double)img->px[i];
    free(v.density);
    free(v.solid);
    return sum;
}

/* From 200 m, as strong as the square of that, a lamp's smoke, obstacle and floor are those of one far off. */
Test(shadow, far_away_a_lamp_is_far_off)
{
    const double to[3] = {-0.48, -0.36, 0.8}, away = 200;
    const struct bw_light far = {.to = {to[0], to[1], to[2]}, .rgb = {1, 1, 1}, .half = 0.05};
    struct bw_light near = lamp_at(away * to[0], away * to[1], away * to[2] + 1, 0.05 * away);
    struct bw_image a, b;
    for (int c = 0; c < 3; c++) near.rgb[c] = (float)(away * away);
    const double want = picture(&far, &a), got = picture(&near, &b);
    double off = 0;
    for (int i = 0; i < 3 * 64 * 64; i++) off += fabs((double)(a.px[i] - b.px[i]));
    cr_log_info("%g and %g, off by %.4f", want, got, off / want);
    cr_assert_gt(want, 10);
    cr_assert_float_eq(got, want, 0.02 * want, "%g, not %g", got, want);
    cr_assert_lt(off, 0.06 * want, "%g of %g", off, want);
    bw_image_free(&a);
    bw_image_free(&b);
}

/* Whatever stands at a lamp's place: the picture is finite, and of one inside an obstacle next to nothing is seen. */
Test(shadow, a_lamp_may_stand_anywhere)
{
    static const double places[][3] = {{0, 0, 1.3}, {0.025, 0.025, 1.325}, {0, -9, 1}, {0.9, 0.9, 0}, {-0.5, 0, 0.65}};
    double sum[5];
    for (int size = 0; size < 2; size++) {
        for (size_t q = 0; q < sizeof places / sizeof *places; q++) {
            const struct bw_light lamp = lamp_at(places[q][0], places[q][1], places[q][2], size ? 0.02 : 0);
            struct bw_image img;
            sum[q] = picture(&lamp, &img);
            cr_assert(isfinite(sum[q]) && (q == 4 || sum[q] > 0.5), "lamp %zu: %g", q, sum[q]);
            bw_image_free(&img);
        }
        cr_assert_lt(sum[4], 0.02 * sum[0], "%g of %g gets out of an obstacle", sum[4], sum[0]);
    }
}
