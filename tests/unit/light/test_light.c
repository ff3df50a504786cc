// SPDX-License-Identifier: Apache-2.0
/* The renderer's light against what is known of light: shadows of obstacles and on the floor, lamps that
 * add up, scattering that loses nothing, a sky that reaches everywhere through clear air. */
#include "cube.h"
#include "look.h"
#include <picture/volume/scattering/multiple_scattering.h>
#include <picture/volume/light/medium.h>
#include <picture/volume/scattering/directional_light.h>
#include <picture/volume/scattering/discrete_ordinates.h>
#include <picture/volume/studio/floor.h>
#include <picture/volume/studio/studio.h>
#include <picture/volume/render.h>
#include <picture/volume/scene/phase.h>

#include <criterion/criterion.h>
#include <math.h>

Test(light, scattering_loses_nothing)
{
    for (double g = -0.9; g < 0.95; g += 0.15) {
        enum { STEPS = 200000 };
        double sum = 0, mean = 0;
        for (int i = 0; i < STEPS; i++) {
            double cosine = 2 * (i + 0.5) / STEPS - 1, p = bw_phase(g, cosine);
            sum += p / STEPS; /* ½ ∫ p d(cos): 1 when all directions together get what came in */
            mean += p * cosine / STEPS;
        }
        cr_assert_float_eq(sum, 1, 1e-4, "anisotropy %g: %g", g, sum);
        cr_assert_float_eq(mean, bw_phase_mean(g), 1e-4, "anisotropy %g: mean cosine %g", g, mean);
    }
}

Test(light, the_sky_reaches_everywhere_in_clear_air)
{
    struct bw_scene scene = {.floor = 1, .look = look_usual()};
    struct bw_ambient a;
    float *s = cells_make();
    scene.look.environment = 1.7;
    cr_assert_eq(bw_ambient_make(&tools, &unit_box, s, NULL, &scene, &a), BW_OK);
    for (int c = 0; c < 3; c++) {
        double want = 0;
        for (int i = 0; i < 6; i++) want += 1.7 * (double)bw_ambient_sides[i].rgb[c];
        for (size_t i = 0; i < bw_dense_cells(&a.coarse.box); i++) cr_assert_float_eq(a.rgb[c][i], want, 1e-5);
    }
    bw_ambient_free(&tools, &a);
    free(s);
}

/* A sky of one's own: its mean everywhere in clear air, its colour on the floor. */
Test(light, a_sky_of_ones_own_lights_all)
{
    struct bw_scene scene = {.floor = 1, .hi = {1, 1, 1}, .look = look_usual()};
    struct bw_ambient a;
    struct bw_studio studio;
    float *s = cells_make(), floor[3];
    scene.look.environment = 2;
    scene.look.key = 0;
    scene.look.has_sky = 1;
    for (int c = 0; c < 3; c++) scene.look.above[c] = 0.3f * (float)c, scene.look.below[c] = 0.06f;
    cr_assert_eq(bw_ambient_make(&tools, &unit_box, s, NULL, &scene, &a), BW_OK);
    cr_assert_eq(bw_studio_make(&tools, &scene, NULL, &a, &studio), BW_OK);
    bw_floor_level(&studio, &(struct bw_floor_place){.p = {0.3, 0.2, 0}}, floor);
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(a.rgb[c][0], 0.3 * c + 0.06, 1e-5);
        cr_assert_float_eq(floor[c], 2 * (0.25 * c + 0.01), 1e-5, "%g", (double)floor[c]);
    }
    bw_studio_free(&tools, &studio);
    bw_ambient_free(&tools, &a);
    free(s);
}

enum { WAYS = 64 }; // upwards, and as many down

/// What cells of depth d send out, as seen from within each of them: the mean over all directions through flat layers.
static void layers_see(const double sent[N], double d, double out[N])
{
    for (int k = 0; k < N; k++) out[k] = 0;
    for (int way = 0; way < 2 * WAYS; way++) {
        const double slant = d / ((way % WAYS + 0.5) / WAYS), keep = exp(-slant), even = (1 - keep) / slant;
        double in = 0;
        for (int q = 0; q < N; q++) {
            const int k = way < WAYS ? q : N - 1 - q;
            out[k] += (sent[k] + even * (in - sent[k])) / (2 * WAYS);
            in = sent[k] + keep * (in - sent[k]);
        }
    }
}

/* Deep smoke under a lamp: what is scattered twice and three times is what all directions together make of it, on the
 * surface and in the depth within a fifth, for smoke that is white and dark, in layers across any axis. */
Test(light, smoke_lights_smoke)
{
    const double d = 0.25;
    for (int axis = 0; axis < 3; axis++)
        for (double albedo = 0.3; albedo < 1; albedo += 0.3) {
            double once[N], twice[N], thrice[N];
            for (int k = 0; k < N; k++) once[k] = albedo * exp(-d * (N - 0.5 - k));
            layers_see(once, d, twice);
            for (int k = 0; k < N; k++) once[k] = albedo * twice[k];
            layers_see(once, d, thrice);
            float *s = slab_make(0, N, (float)(d * N)), *light = cells_make();
            const size_t step = axis == 0 ? 1 : axis == 1 ? N : N * N;
            for (size_t i = 0; i < (size_t)N * N * N; i++)
                light[i] = (float)exp(-d * (N - 0.5 - (double)(i / step % N)));
            const struct bw_scatter_medium m = {&unit_box, s, NULL, (float)albedo, 1, 0};
            cr_assert_eq(bw_discrete_ordinates(&tools, &m, light), BW_OK);
            for (int k = N - 1; k > N - 14; k--) { // 3 deep; from the middle it is 6 to the sides
                int at[3] = {N / 2, N / 2, N / 2};
                at[axis] = k;
                const double want = twice[k] + thrice[k], got = (double)light[cell(at[0], at[1], at[2])];
                cr_assert_float_eq(got, want, 0.2 * want, "axis %d, albedo %g, cell %d: %g, not %g", axis, albedo, k,
                                   got, want);
            }
            free(s);
            free(light);
        }
}

/* Scattered light goes round no corner of obstacles: they send nothing on, and behind them it is dark. */
Test(light, scattered_light_ends_at_obstacles)
{
    float *s = slab_make(0, N, 0.1f * N), *a = slab_make(0, N, 0.9f), *light = slab_make(30, N, 1);
    for (int k = 20; k < 24; k++)
        for (size_t i = 0; i < N * N; i++) s[(size_t)k * N * N + i] = 12 * N, a[(size_t)k * N * N + i] = 0;
    const struct bw_scatter_medium m = {&unit_box, s, a, 0, 1, 0};
    cr_assert_eq(bw_discrete_ordinates(&tools, &m, light), BW_OK);
    cr_assert_gt(light[cell(N / 2, N / 2, 26)], 0.02f);
    for (int k = 0; k < 20; k++) cr_assert_lt(light[cell(N / 2, N / 2, k)], 1e-6f);
    free(s);
    free(a);
    free(light);
}

/// What arrives from smoke in the row of cells through the middle, along x.
static void middle_again(const struct bw_multiple_medium *m, float row[N])
{
    struct bw_multiple a;
    float scratch[2 * N], rgb[3 * N];
    cr_assert_eq(bw_multiple_scattering(&tools, m, &a), BW_OK);
    cr_assert_eq(a.wide, m->look->quality < BW_QUALITY_FINAL ? 2 : 1);
    bw_multiple_row(&a, &(struct bw_multiple_at){N, N / 2, N / 2}, scratch, rgb);
    memcpy(row, rgb, N * sizeof *row);
    bw_multiple_free(&tools, &a);
}

/* On cells twice as wide as on the medium's own, also beside a wall that fills less than half of such a cell, or more,
 * which has smoke in the light before it and in the dark behind it. */
Test(light, wide_cells_scatter_as_narrow_ones)
{
    for (int wall = 0; wall < 3; wall++) {
        const int from = 24 + wall, to = from + 3;
        struct bw_volume v = {.box = unit_box, .density = cells_make()};
        struct bw_look look = look_usual();
        float *s = cells_make(), *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float)), fine[N], wide[N], most = 0;
        const struct bw_lit lit = {.box = unit_box, .rgbs = rgbs};
        const struct bw_multiple_medium m = {&v, &look, &lit, s, NULL, 0.3f};
        for (int i = 0; i < N * N * N; i++) {
            const int x = i % N, solid = wall && x >= from && x < to;
            v.density[i] = s[i] = rgbs[4 * i + 3] = solid ? 0 : 0.3f * N;
            if (solid) s[i] = 12 * N;
            else if (!wall || x < from) rgbs[4 * i] = 1;
        }
        v.solid = wall ? s : NULL; // that there are some
        look.quality = BW_QUALITY_FINAL;
        middle_again(&m, fine);
        look.quality = BW_QUALITY_DEFAULT;
        middle_again(&m, wide);
        for (int x = 0; x < N; x++) most = fmaxf(most, fine[x]);
        for (int x = 0; x < N; x++)
            if (!wall || x < from || x >= to)
                cr_assert_float_eq(wide[x], fine[x], 0.15f * fine[x] + 1e-3f * most, "wall %d, cell %d: %g, not %g",
                                   wall, x, (double)wide[x], (double)fine[x]);
        for (int x = to + 1; x < N && wall; x++) cr_assert_lt(wide[x], 1e-3f * most);
        free(v.density);
        free(s);
        free(rgbs);
    }
}

/* ---- pictures ---- */

/// Nothing but what the lamps send: no sky, a black wall, no bloom.
static struct bw_scene dark_scene(void)
{
    struct bw_scene s = {.lo = {-0.5, -0.5, 0},
                         .hi = {0.5, 0.5, 1},
                         .extinction = 30,
                         .ambient = 293,
                         .exposure = 1,
                         .floor = 1,
                         .look = look_usual()};
    s.look.environment = s.look.bloom = 0;
    s.look.has_background = 1;
    bw_camera_fit(&s.camera, NULL, s.lo, s.hi, 1);
    return s;
}

static void lamp_add(struct bw_scene *s, double x, double y, double z, float r, float g, float b)
{
    const double size = sqrt(x * x + y * y + z * z);
    s->look.light[s->look.n_lights++] = (struct bw_light){{x / size, y / size, z / size}, {r, g, b}, 0.04, 0, {0}};
}

static struct bw_image light_render(const struct bw_volume *v, const struct bw_scene *s)
{
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, 64, 64), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, v, s, &img, NULL), BW_OK);
    return img;
}

static double sum_of(const struct bw_image *img)
{
    double sum = 0;
    for (int i = 0; i < 3 * img->w * img->h; i++) sum += (double)img->px[i];
    return sum;
}

/// Distance to the slab |x - at| < half, over the box.
static void wall_put(struct bw_volume *v, double at, double half)
{
    v->solid_box = v->box;
    v->solid = cells_make();
    for (int i = 0; i < N * N * N; i++) {
        const double x = v->box.origin[0] + (i % N + 0.5) * v->box.h, band = 3 * v->box.h;
        v->solid[i] = (float)fmin(fmax(fabs(x - at) - half, -band), band);
    }
}

/// A block of smoke, 0 < x < 0.3.
static struct bw_volume smoke_make(void)
{
    struct bw_volume v = {.box = unit_box};
    v.density = cells_make();
    for (int i = 0; i < N * N * N; i++) {
        const double p[3] = {(i % N + 0.5) / N - 0.5, (i / N % N + 0.5) / N - 0.5, (i / N / N + 0.5) / N};
        v.density[i] = p[0] > 0 && p[0] < 0.3 && fabs(p[1]) < 0.2 && fabs(p[2] - 0.5) < 0.2;
    }
    return v;
}

/* Each lamp with its own shadow on smoke, obstacles and floor: together they give the sum, channel by channel. */
Test(light, lamps_add_up)
{
    struct bw_volume v = smoke_make();
    struct bw_scene first = dark_scene(), second = dark_scene(), both = dark_scene();
    wall_put(&v, -0.35, 0.05);
    lamp_add(&first, -1, -0.5, 1.5, 2, 1, 0.5f), lamp_add(&second, 1, 0.2, 0.8, 0.3f, 0.6f, 2);
    lamp_add(&both, -1, -0.5, 1.5, 2, 1, 0.5f), lamp_add(&both, 1, 0.2, 0.8, 0.3f, 0.6f, 2);
    struct bw_image a = light_render(&v, &first), b = light_render(&v, &second), c = light_render(&v, &both);
    cr_assert_gt(sum_of(&a), 1);
    cr_assert_gt(sum_of(&b), 1);
    for (int i = 0; i < 3 * 64 * 64; i++) // rims, where sharpened cells are below 0, may differ by a little
        cr_assert_float_eq(c.px[i], a.px[i] + b.px[i], 3e-4f + 0.03f * c.px[i]);
    cr_assert_float_eq(sum_of(&c), sum_of(&a) + sum_of(&b), 1e-3 * sum_of(&c));
    bw_image_free(&a);
    bw_image_free(&b);
    bw_image_free(&c);
    free(v.density);
    free(v.solid);
}

/* A wall between lamp and smoke puts the smoke in the dark; beside the lamp's way it changes nothing of it. */
Test(light, obstacles_cast_shadows_on_smoke)
{
    struct bw_volume v = smoke_make();
    struct bw_scene scene = dark_scene();
    scene.floor = 0;
    lamp_add(&scene, -1, 0, 0.05, 2, 2, 2);
    struct bw_image open = light_render(&v, &scene);
    wall_put(&v, -0.1, 0.05);
    struct bw_image shut = light_render(&v, &scene);
    double bright = 0, dark = 0;
    for (int i = 0; i < 64 * 64; i++) /* right of the wall: smoke alone */
        if (i % 64 > 38) bright += (double)open.px[3 * i], dark += (double)shut.px[3 * i];
    cr_assert_gt(bright, 1);
    cr_assert_lt(dark, 0.02 * bright, "%g of %g is left", dark, bright);
    bw_image_free(&open);
    bw_image_free(&shut);
    free(v.density);
    free(v.solid);
}

/* The floor's middle under a slab: every lamp's cosine times its own exp(-s d/cos). */
Test(light, the_floor_lies_in_shadow)
{
    struct bw_scene scene = dark_scene();
    struct bw_ambient a;
    struct bw_studio studio;
    const double depth = 0.8;
    float *s = slab_make(16, 24, (float)(depth * N / 8));
    lamp_add(&scene, 0.2, 0.1, 1, 2, 0, 0), lamp_add(&scene, -0.5, 0, 1, 0, 3, 0);
    cr_assert_eq(bw_ambient_make(&tools, &unit_box, s, NULL, &scene, &a), BW_OK);
    cr_assert_eq(bw_studio_make(&tools, &scene, NULL, &a, &studio), BW_OK);
    float rgb[3];
    bw_floor_level(&studio, &(struct bw_floor_place){.p = {0}}, rgb);
    for (int l = 0; l < 2; l++) {
        const double up = scene.look.light[l].to[2];
        const double want = (double)(BW_SUN_SURFACE * scene.look.light[l].rgb[l]) * up * exp(-depth / up);
        cr_assert_float_eq(rgb[l], want, 0.02 * want, "lamp %d: %g, not %g", l, (double)rgb[l], want);
    }
    cr_assert_eq(rgb[2], 0);
    bw_studio_free(&tools, &studio);
    bw_ambient_free(&tools, &a);
    free(s);
}

/* What covers nothing is clear, what is dense is not; over black the studio adds just what gets through. */
Test(light, alpha_is_what_is_covered)
{
    struct bw_volume v = smoke_make();
    struct bw_scene scene = dark_scene();
    struct bw_image alone;
    float *alpha = take(NULL, 64 * 64 * sizeof(float));
    lamp_add(&scene, -1, -0.5, 1.5, 2, 1, 0.5f);
    scene.floor = 0;
    for (int c = 0; c < 3; c++) scene.look.background[c] = 0.5f;
    struct bw_image whole = light_render(&v, &scene);
    cr_assert_eq(bw_image_init(&alone, &tools, 64, 64), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &alone, alpha), BW_OK);
    cr_assert_eq(alpha[0], 0);
    cr_assert_gt(alpha[64 * 32 + 40], 0.98f);
    for (int i = 0; i < 3 * 64 * 64; i++)
        cr_assert_float_eq(whole.px[i], alone.px[i] + 0.5f * (1 - alpha[i / 3]), 1e-5f);
    bw_image_free(&whole);
    bw_image_free(&alone);
    free(alpha);
    free(v.density);
}

/* A slab of 2 that is half as thick for red and twice for blue: of a background of ½ gets through exp(-1), exp(-2),
 * exp(-4), and on the floor lies a red shadow. */
Test(light, extinction_has_a_colour)
{
    const float more[3] = {0.5f, 1, 2};
    struct bw_volume v = {.box = unit_box};
    struct bw_scene scene = dark_scene();
    v.density = cells_make();
    for (int i = 0; i < N * N * N; i++) v.density[i] = i / N % N >= 12 && i / N % N < 36;
    scene.extinction = 4, scene.floor = 0, scene.look.has_background = 1;
    scene.look.key = scene.look.environment = 0;
    for (int c = 0; c < 3; c++) scene.look.background[c] = 0.5f, scene.look.extinction[c] = more[c];
    scene.camera = (struct bw_camera){.eye = {0, -10, 0.5}, .right = {1}, .up = {0, 0, 1}, .forward = {0, 1}};
    scene.camera.tan_x = scene.camera.tan_y = 0.02;
    struct bw_image img = light_render(&v, &scene);
    for (int c = 0; c < 3; c++) {
        const double want = 0.5 * exp(-2 * (double)more[c]), got = (double)img.px[3 * (32 * 64 + 32) + c];
        cr_assert_float_eq(got, want, 0.03 * want, "%d: %g, not %g", c, got, want);
    }
    bw_image_free(&img);
    free(v.density);
}

/// (brightest - darkest) / mean red along the middle of a wall of flame whose columns of cells burn by turns.
static double stripes(double soften)
{
    struct bw_volume v = {.box = unit_box};
    struct bw_scene scene = dark_scene();
    double least = HUGE_VAL, most = 0, sum = 0;
    v.flame = cells_make();
    for (int i = 0; i < N * N * N; i++) v.flame[i] = i % 2 && abs(i / N % N - N / 2) < 3 ? 0.6f : 0;
    scene.look.soften = soften, scene.look.flames.contrast = 0.5;
    struct bw_image img = light_render(&v, &scene);
    for (int x = 24; x < 40; x++) {
        const double red = img.px[3 * (32 * 64 + x)];
        least = fmin(least, red), most = fmax(most, red), sum += red / 16;
    }
    bw_image_free(&img);
    free(v.flame);
    return (most - least) / sum;
}

/* What a spline leaves of the shortest waves of a flame is gone with all of the softening; with none there is more. */
Test(light, softened_flames_hide_their_cells)
{
    const double sharp = stripes(0), usual = stripes(BW_SOFTEN), soft = stripes(1);
    cr_log_info("stripes %.3f, %.3f, %.3f", sharp, usual, soft);
    cr_assert_gt(usual, 0.2);
    cr_assert_gt(sharp, 1.05 * usual);
    cr_assert_lt(soft, 0.5 * usual); // what is left is the wall seen in perspective
}

/// The largest of each channel where an obstacle stands.
static void brightest(float roughness, float most[3])
{
    struct bw_volume v = {.box = unit_box};
    struct bw_scene scene = dark_scene();
    scene.floor = 0;
    lamp_add(&scene, -0.3, -1, 0.5, 1, 1, 1);
    for (int c = 0; c < 3; c++) scene.look.material.colour[c] = c ? 0.05f : 0.5f;
    scene.look.material.roughness = roughness;
    v.solid_box = unit_box;
    v.solid = cells_make();
    for (int i = 0; i < N * N * N; i++) {
        const double p[3] = {(i % N + 0.5) / N - 0.5, (i / N % N + 0.5) / N - 0.5, (i / N / N + 0.5) / N - 0.5};
        v.solid[i] = (float)(length(p) - 0.3);
    }
    v.box.n[0] = v.box.n[1] = v.box.n[2] = 0;
    struct bw_image img = light_render(&v, &scene);
    for (int c = 0; c < 3; c++) most[c] = 0;
    for (int i = 0; i < 3 * 64 * 64; i++) most[i % 3] = fmaxf(most[i % 3], img.px[i]);
    bw_image_free(&img);
    free(v.solid);
}

/* A rough ball sends back its colour of what a lamp sends, E/π where it faces it; a smooth one mirrors the lamp's
 * white, in a spot that is brighter the smoother it is. */
Test(light, obstacles_have_colour_and_gloss)
{
    float clay[3], satin[3], polished[3];
    brightest(1, clay), brightest(0.6f, satin), brightest(0.3f, polished);
    cr_log_info("%g %g %g", (double)clay[2], (double)satin[2], (double)polished[2]);
    for (int c = 0; c < 3; c++) {
        const double want = (c ? 0.05 : 0.5) * BW_SUN / 3.14159265358979;
        cr_assert_float_eq(clay[c], want, 0.02 * want, "%g, not %g", (double)clay[c], want);
    }
    cr_assert_gt(satin[2], 1.2f * clay[2]);
    cr_assert_gt(polished[2], 3 * satin[2]);
    cr_assert_float_eq(polished[0] - clay[0], polished[2] - clay[2], 0.1f * polished[2]); // white
}

/* Light that is scattered again takes on the colour of smoke once more: thick smoke is redder than its albedo says, by
 * as much as octaves have; thin smoke is not. */
Test(light, thick_smoke_is_deeper_in_colour)
{
    double ratio[2];
    for (int thick = 0; thick < 2; thick++) {
        struct bw_volume v = smoke_make();
        struct bw_scene scene = dark_scene();
        scene.floor = 0;
        scene.extinction = thick ? 60 : 0.2;
        lamp_add(&scene, 0, 1, 0.3, 2, 2, 2); // from behind: what is seen is not lit directly
        scene.look.albedo[0] = 0.9f, scene.look.albedo[1] = scene.look.albedo[2] = 0.3f;
        struct bw_image img = light_render(&v, &scene);
        double sum[2] = {0, 0};
        for (int i = 0; i < 64 * 64; i++) sum[0] += (double)img.px[3 * i], sum[1] += (double)img.px[3 * i + 1];
        ratio[thick] = sum[0] / sum[1];
        bw_image_free(&img);
        free(v.density);
    }
    cr_log_info("red over green: %g, %g", ratio[0], ratio[1]);
    cr_assert_gt(ratio[0], 3);
    cr_assert_gt(ratio[1], 1.2 * ratio[0], "%g, %g", ratio[0], ratio[1]); // 1.25; three times as fine: 1.25, too
}
