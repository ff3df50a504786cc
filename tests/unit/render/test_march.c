// SPDX-License-Identifier: Apache-2.0
/* What a ray sees: light against the law of Beer and Lambert, a march against closed forms, black bodies against
 * tables. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/scattering/directional_light.h>
#include <picture/volume/rays/march.h>
#include <picture/volume/rays/shown.h>
#include <picture/volume/studio/noise.h>
#include <picture/volume/scene/flame.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(march, light_follows_beer_and_lambert)
{
    enum { N = 32 };
    const struct bw_dense box = {{N, N, N}, {0}, 0.1};
    float *s = take(NULL, N * N * N * sizeof(float)), *t = take(NULL, N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++) s[i] = 0.7f;
    cr_assert_eq(bw_directional_transmittance(&tools, &box, s, &(struct bw_light_beam){{0, 0, 1}, 0, 1}, t), BW_OK);
    for (int k = 0; k < N; k++) { // straight down: half a cell into layer k from above
        double depth = 0.7 * 0.1 * (N - 1 - k + 0.5);
        cr_assert_float_eq(t[(k * N + N / 2) * N + N / 2], exp(-depth), 5e-4);
    }
    memset(t, 0, N * N * N * sizeof(float));
    cr_assert_eq(bw_directional_transmittance(&tools, &box, s, &(struct bw_light_beam){{0.6, 0, 0.8}, 0, 1}, t), BW_OK);
    double slant = 0.7 * 0.1 * 10.5 / 0.8; // 11th layer from the top, far from the lit side
    cr_assert_float_eq(t[((N - 11) * N + N / 2) * N + 4], exp(-slant), 1e-3);
    free(s);
    free(t);
}

Test(march, exponential_is_accurate)
{
    for (float x = 0; x < 20; x += 0.01f)
        cr_assert_float_eq(bw_exp_neg(x), exp(-(double)x), 2e-4 * exp(-(double)x) + 1e-4);
}

/* Chromaticities of black bodies, from Wyszecki and Stiles' table and the CIE's own for 2856 K (illuminant A). */
Test(march, black_bodies_have_their_colour)
{
    static const double want[][3] = {{1000, .6528, .3444}, {1500, .5857, .3931}, {2000, .5267, .4133},
                                     {2500, .4770, .4137}, {2856, .4476, .4074}, {3000, .4369, .4041},
                                     {4000, .3805, .3768}, {5000, .3451, .3516}, {6500, .3135, .3237},
                                     {8000, .2952, .3048}, {10000, .2807, .2884}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double xyz[3];
        bw_blackbody_xyz(want[i][0], xyz);
        double sum = xyz[0] + xyz[1] + xyz[2], dx = xyz[0] / sum - want[i][1], dy = xyz[1] / sum - want[i][2];
        cr_assert_lt(hypot(dx, dy), 0.002, "%g K: (%.4f, %.4f)", want[i][0], xyz[0] / sum, xyz[1] / sum);
    }
}

/* Rec.709 back to CIE 1931 x and y. */
static void chromaticity_of(const float rgb[3], double xy[2])
{
    static const double matrix[3][3] = {
        {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
    double xyz[3];
    for (int a = 0; a < 3; a++)
        xyz[a] = matrix[a][0] * (double)rgb[0] + matrix[a][1] * (double)rgb[1] + matrix[a][2] * (double)rgb[2];
    for (int a = 0; a < 2; a++) xy[a] = xyz[a] / (xyz[0] + xyz[1] + xyz[2]);
}

/* What renders have of it is as red as the table says, below 1900 K too, where that is no colour of Rec.709. */
Test(march, flames_have_a_black_bodys_colour)
{
    static const double want[][3] = {{1000, .6528, .3444}, {1500, .5857, .3931}, {2000, .5267, .4133},
                                     {2500, .4770, .4137}, {3000, .4369, .4041}, {3900, .3850, .3795}};
    struct bw_blackbody p;
    for (int contrast = 1; contrast <= 2; contrast++)
        for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
            const float fire[2] = {0.3f, (float)want[i][0]};
            float rgb[3];
            double xy[2];
            bw_blackbody_init(&p, 0.5 * contrast, BW_BLACKBODY_WHITE);
            bw_emission(&p, fire, rgb);
            chromaticity_of(rgb, xy);
            cr_assert_lt(hypot(xy[0] - want[i][1], xy[1] - want[i][2]), 0.002, "%g K: (%.4f, %.4f)", want[i][0], xy[0],
                         xy[1]);
        }
}

/* The table that renders use: luminance as told, redder when colder. */
Test(march, glow_follows_temperature)
{
    struct bw_blackbody p;
    double before[2] = {0, -1}, exact[3], unit[3];
    bw_blackbody_init(&p, 1, BW_BLACKBODY_WHITE);
    bw_blackbody_xyz(1900, unit);
    for (float kelvin = 905; kelvin < 3900; kelvin += 130) {
        float rgb[3];
        bw_blackbody_rgb(&p, kelvin, rgb);
        bw_blackbody_xyz((double)kelvin, exact);
        double y = 0.2126 * (double)rgb[0] + 0.7152 * (double)rgb[1] + 0.0722 * (double)rgb[2],
               ratio = (double)(rgb[1] / rgb[0]);
        cr_assert_gt(rgb[0], 0);
        cr_assert_float_eq(y, exact[1] / unit[1], 0.02 * y, "%g K: luminance %g, not %g", (double)kelvin, y,
                           exact[1] / unit[1]);
        cr_assert(y > before[0] && ratio > before[1] - 1e-6, "%g K", (double)kelvin);
        before[0] = y, before[1] = ratio;
    }
}

/* What a camera 10 m away sees of a lit medium that fills [-1, 1]³, over a background of 1. */
static struct bw_image look_render(const struct bw_lit *lit, const struct bw_look *look)
{
    struct bw_scene scene = {
        .exposure = 1, .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.12, 0.12, 0, 0}, .look = *look};
    const struct bw_volume v = {.box = lit->box};
    const struct bw_ambient none = {.coarse = {.box = lit->box}};
    struct bw_image img;
    scene.look.has_background = 1;
    for (int c = 0; c < 3; c++) scene.look.background[c] = 1;
    cr_assert_eq(bw_image_init(&img, &tools, 65, 65), BW_OK);
    cr_assert_eq(bw_march(&tools, &(struct bw_shot){lit, &none, &v, &scene}, &img, NULL), BW_OK);
    return img;
}

static struct bw_image lit_render(const struct bw_lit *lit)
{
    const struct bw_look usual = look_usual();
    return look_render(lit, &usual);
}

/* The same of n³ cells that are lit already. */
static struct bw_image medium_render(int n, float *rgbs)
{
    const struct bw_lit lit = {.box = {{n, n, n}, {-1, -1, -1}, 2. / n}, .rgbs = rgbs};
    return lit_render(&lit);
}

static double ray_slope(int pixel) { return 0.12 * (2 * (pixel + .5) / 65 - 1); }

/* Smoke that nothing is seen through, 9.5 m away, loses as much of its contrast to the air as an obstacle there; half
 * of it hidden, as much less. */
Test(march, smoke_fades_with_distance)
{
    enum { N = 40 };
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
    struct bw_scene scene = {.exposure = 1,
                             .camera = {{0, -10, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.12, 0.12, 0, 0},
                             .look = look_usual()};
    const struct bw_lit lit = {.box = {{N, N, N}, {-1, -1, -1}, 2. / N}, .rgbs = rgbs};
    const struct bw_volume v = {.box = lit.box};
    const struct bw_ambient none = {.coarse = {.box = lit.box}};
    double seen[2][2]; // by density, by its light
    scene.look.has_background = 1, scene.look.visibility = 20;
    for (int c = 0; c < 3; c++) scene.look.background[c] = 0.25f;
    for (int thick = 0; thick < 2; thick++)
        for (int light = 0; light < 2; light++) {
            struct bw_image img;
            const float sigma = thick ? 100 : 2 * logf(2); // the slab is half a metre deep
            for (int i = 0; i < N * N * N; i++)
                if (i / N % N >= N / 8 && i / N % N < 3 * N / 8)
                    for (int c = 0; c < 4; c++) rgbs[4 * i + c] = c == 3 ? sigma : (float)light * sigma;
            cr_assert_eq(bw_image_init(&img, &tools, 65, 65), BW_OK);
            cr_assert_eq(bw_march(&tools, &(struct bw_shot){&lit, &none, &v, &scene}, &img, NULL), BW_OK);
            seen[thick][light] = brightness(&img, 32, 32);
            bw_image_free(&img);
        }
    for (int thick = 0; thick < 2; thick++) {
        const double cover = thick ? 1 : 0.5, far = thick ? 9.26 : 9.48, kept = exp(-3.912 * far / 20);
        cr_expect_float_eq(seen[thick][1] - seen[thick][0], cover * kept, 0.01 * cover, "%g, not %g",
                           seen[thick][1] - seen[thick][0], cover * kept);
        const double air = (1 - kept) / (1 - exp(-3.912 * 9.26 / 20)) * seen[1][0];
        cr_expect_float_eq(seen[thick][0], cover * air + (1 - cover) * 0.25, 5e-4, "%g, not %g", seen[thick][0],
                           cover * air + (1 - cover) * 0.25);
    }
    cr_expect_gt(seen[1][0], 0.01, "black smoke is as black far off");
    free(rgbs);
}

/* A slab half a metre thick of 3 per metre lets exp(-1.5/cos) of the background through. */
Test(march, slab_follows_beer_and_lambert)
{
    enum { N = 64 };
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
    for (int i = 0; i < N * N * N; i++)
        if (i / N % N >= N / 4 && i / N % N < N / 2) rgbs[4 * i + 3] = 3;
    struct bw_image img = medium_render(N, rgbs);
    for (int y = 8; y < 57; y++)
        for (int x = 8; x < 57; x++) {
            double want = exp(-1.5 * sqrt(1 + pow(ray_slope(x), 2) + pow(ray_slope(y), 2)));
            cr_assert_float_eq(img.px[3 * (y * 65 + x)], want, 0.01 * want, "%d, %d: %g, not %g", x, y,
                               (double)img.px[3 * (y * 65 + x)], want);
        }
    bw_image_free(&img);
    free(rgbs);
}

/* A ball of radius 0.6 m that emits j and absorbs s: (j/s)(1 - exp(-s·chord)) + exp(-s·chord). */
Test(march, ball_emits_and_absorbs)
{
    enum { N = 96, SUB = 4 };
    const double s = 2, j[3] = {3, 1, 0.25};
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
    for (int i = 0; i < N * N * N; i++) {
        double inside = 0; /* share of the cell in the ball */
        for (int q = 0; q < SUB * SUB * SUB; q++) {
            double x = (i % N + (q % SUB + .5) / SUB) * 2 / N - 1,
                   y = (i / N % N + (q / SUB % SUB + .5) / SUB) * 2 / N - 1;
            double z = (i / N / N + (q / SUB / SUB + .5) / SUB) * 2 / N - 1;
            inside += x * x + y * y + z * z < 0.36 ? 1. / (SUB * SUB * SUB) : 0;
        }
        for (int c = 0; c < 3; c++) rgbs[4 * i + c] = (float)(inside * j[c]);
        rgbs[4 * i + 3] = (float)(inside * s);
    }
    struct bw_image img = medium_render(N, rgbs);
    for (int y = 0; y < 65; y++)
        for (int x = 0; x < 65; x++) {
            double t2 = pow(ray_slope(x), 2) + pow(ray_slope(y), 2),
                   near2 = 100 * t2 / (1 + t2);        /* distance from the centre */
            if (near2 > 0.25 && near2 < 0.5) continue; /* the edge is a cell wide */
            double chord = near2 < 0.36 ? 2 * sqrt(0.36 - near2) : 0, keep = exp(-s * chord);
            for (int c = 0; c < 3; c++) {
                double want = j[c] / s * (1 - keep) + keep, got = (double)img.px[3 * (y * 65 + x) + c];
                cr_assert_float_eq(got, want, 0.01 * want, "%d, %d: %g, not %g", x, y, got, want);
            }
        }
    bw_image_free(&img);
    free(rgbs);
}

/* Far from a small fire its light falls as J/(4π r²), on surfaces times `firelight`; of white smoke between
 * counts two fifths: the rest scatters forward. */
Test(march, fire_lights_its_surroundings)
{
    enum { N = 40 };
    const struct bw_dense box = {{N, N, N}, {-1, -1, -1}, 2. / N};
    struct bw_scene scene = {.look = look_usual()};
    float *extinction = take(NULL, N * N * N * sizeof(float)), *emission = take(NULL, 4 * N * N * N * sizeof(float));
    scene.look.environment = 0, scene.look.firelight[0] = 3;
    for (int c = 0; c < 3; c++) scene.look.albedo[c] = 0.92f;
    for (int i = 0; i < N * N * N; i++) {
        int x = i % N, y = i / N % N, z = i / N / N;
        if (abs(2 * x - N + 1) < 4 && abs(2 * y - N + 1) < 4 && abs(2 * z - N + 1) < 4) emission[4 * i] = 5;
        extinction[i] = 0.4f;
    }
    struct bw_ambient a;
    cr_assert_eq(bw_ambient_make(&tools, &box, extinction, emission, &scene, &a), BW_OK);
    double total = 0;
    for (int i = 0; i < N * N * N; i++) total += (double)emission[4 * i] * pow(2. / N, 3);
    for (double r = 0.5; r <= 0.9; r += 0.2) {
        const struct bw_shading_point faces = {.normal = {-0.48, 0.6, -0.64}, .face = {-0.48, 0.6, -0.64}};
        const struct bw_shading_point behind = {.normal = {-0.48, 0.6, -0.64}, .face = {0.48, -0.6, 0.64}};
        float rgb[3] = {0}, lit[3] = {0}, relief[3] = {0};
        double want = total / (4 * 3.14159265358979 * r * r) * exp(-0.4 * 0.4 * r);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * r, -0.6 * r, 0.64 * r}, NULL, rgb);
        cr_assert_float_eq(rgb[0], want, 0.08 * want, "at %g m: %g, not %g", r, (double)rgb[0], want);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * r, -0.6 * r, 0.64 * r}, &faces, lit);
        cr_assert_float_eq(lit[0], 3 * want, 0.24 * want, "a surface at %g m: %g", r, (double)lit[0]);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * r, -0.6 * r, 0.64 * r}, &behind, relief);
        cr_assert(relief[0] == 0, "relief on a face that is turned away, at %g m: %g", r, (double)relief[0]);
        cr_assert(rgb[1] == 0 && rgb[2] == 0);
    }
    bw_ambient_free(&tools, &a);
    free(extinction);
    free(emission);
}

#define BALL 0.4 ///< m, radius of a ball of flame in a box of 2 m
#define GLOW 5.0 ///< what it sends out, 1/m

/// Light round and in that ball; bw_ambient_free gives it back.
static struct bw_ambient ball_light(double soot)
{
    enum { N = 40 };
    const struct bw_dense box = {{N, N, N}, {-1, -1, -1}, 2. / N};
    struct bw_scene scene = {.look = look_usual()};
    struct bw_ambient a;
    float *extinction = take(NULL, N * N * N * sizeof(float)), *emission = take(NULL, 4 * N * N * N * sizeof(float));
    scene.look.environment = 0;
    for (int i = 0; i < N * N * N; i++) {
        const double x = (i % N + 0.5) * box.h - 1, y = (i / N % N + 0.5) * box.h - 1;
        const double z = (i / N / N + 0.5) * box.h - 1;
        if (x * x + y * y + z * z > BALL * BALL) continue;
        emission[4 * i] = (float)GLOW, extinction[i] = emission[4 * i + 3] = (float)soot;
    }
    cr_assert_eq(bw_ambient_make(&tools, &box, extinction, emission, &scene, &a), BW_OK);
    free(extinction);
    free(emission);
    return a;
}

/* Of a deep ball of flame the surface is seen: what its soot keeps lights nothing. Of J/(4π r²) gets out what gets out
 * along its chords, (j/s)(1 - exp(-s chord)). */
Test(march, deep_flames_light_by_their_surface)
{
    const double pi = 3.14159265358979;
    for (double soot = 1.5; soot < 10; soot *= 2) {
        struct bw_ambient a = ball_light(soot);
        float rgb[3] = {0};
        double out = 0;
        for (double b = 5e-4; b < BALL; b += 1e-3)
            out += GLOW / soot * (1 - exp(-2 * soot * sqrt(BALL * BALL - b * b))) * 2 * pi * b * 1e-3;
        const double want = out / (4 * pi * 0.95 * 0.95);
        bw_lamps_light(&a.lamps, (double[3]){0.48 * 0.95, -0.6 * 0.95, 0.64 * 0.95}, NULL, rgb);
        cr_log_info("soot %g: %.4f, exact %.4f", soot, (double)rgb[0], want);
        cr_assert_float_eq(rgb[0], want, 0.1 * want, "soot %g: %g, not %g", soot, (double)rgb[0], want);
        bw_ambient_free(&tools, &a);
    }
}

/* In the midst of flames it is no brighter than in endless ones, j/s, and nearly as bright where they are deep. */
Test(march, deep_flames_are_as_bright_within_as_without)
{
    for (double soot = 12; soot < 100; soot *= 2) {
        struct bw_ambient a = ball_light(soot);
        float most = 0;
        for (int i = 0; i < a.lamps.n; i++) {
            float rgb[3] = {0};
            double p[3];
            for (int c = 0; c < 3; c++) p[c] = a.lamps.lamp[i].at[c] + 0.02;
            bw_lamps_light(&a.lamps, p, NULL, rgb);
            most = fmaxf(most, rgb[0]);
        }
        const double share = (double)most * soot / GLOW;
        cr_log_info("soot %g: %.2f of j/s", soot, share);
        cr_assert(share > 0.7 && share < 1, "soot %g: %g of j/s", soot, share);
        bw_ambient_free(&tools, &a);
    }
}

Test(march, flame_glows_and_hot_gas_too)
{
    struct bw_volume v = {.box = {{16, 16, 16}, {-0.5, -0.5, 0}, 1.0 / 16}};
    struct bw_blackbody blackbody;
    float rgb[3], cold[3], fire[2], hot[16 * 16 * 16];
    bw_blackbody_init(&blackbody, 0.5, BW_BLACKBODY_WHITE);
    v.flame = take(NULL, sizeof hot);
    v.flame[(8 * 16 + 8) * 16 + 8] = 1;
    bw_fire_at(&v, (8 * 16 + 8) * 16 + 8, 293, fire);
    bw_emission(&blackbody, fire, rgb);
    cr_assert(rgb[0] > rgb[1] && rgb[1] > rgb[2]);
    free(v.flame);
    v.flame = NULL;
    for (int i = 0; i < 16 * 16 * 16; i++) hot[i] = i ? 1200 : 300;
    v.temperature = hot;
    bw_fire_at(&v, 1, 293, fire);
    bw_emission(&blackbody, fire, rgb);
    bw_fire_at(&v, 0, 293, fire);
    bw_emission(&blackbody, fire, cold);
    cr_assert(rgb[0] > 0.05f && cold[0] == 0);
}

/* Flames of 0.7 at 1650 K in a slab half a metre thick: (j/s)(1 - exp(-s d)) + exp(-s d), with j and s of what
 * flames are. */
Test(march, slab_of_flames_glows_as_a_black_body)
{
    enum { N = 64 };
    const double d = 0.5, glow = 0.7, gain = 4, soot = 1.5;
    float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float)),
          *fire = take(NULL, (size_t)N * N * N * 2 * sizeof(float));
    for (int i = 0; i < N * N * N; i++) {
        fire[2 * i] = i / N % N >= N / 4 && i / N % N < N / 2 ? (float)glow : 0;
        fire[2 * i + 1] = 1650;
    }
    struct bw_blackbody blackbody;
    float rgb[3];
    bw_blackbody_init(&blackbody, 0.5, BW_BLACKBODY_WHITE);
    bw_blackbody_rgb(&blackbody, 1650, rgb);
    struct bw_lit lit = {.box = {{N, N, N}, {-1, -1, -1}, 2. / N},
                         .rgbs = rgbs,
                         .fire = fire,
                         .blackbody = &blackbody,
                         .gain = (float)gain,
                         .soot = (float)soot};
    struct bw_image img = lit_render(&lit);
    for (int c = 0; c < 3; c++) {
        double keep = exp(-soot * glow * d), want = gain * (double)rgb[c] / soot * (1 - keep) + keep;
        cr_assert_float_eq(img.px[3 * (32 * 65 + 32) + c], want, 0.01 * fabs(want), "%d: %g, not %g", c,
                           (double)img.px[3 * (32 * 65 + 32) + c], want);
    }
    bw_image_free(&img);
    free(rgbs);
    free(fire);
}

/* One lit cell: all that its spline spreads is gathered, from any side of it: ∫ j dV over the picture. */
Test(march, nothing_of_a_cell_is_skipped)
{
    enum { N = 12 };
    const double h = 2. / N, pixel = (10 + 0.5 * h) * 0.24 / 65, want = 5 * h * h * h;
    for (int kind = 0; kind < 3; kind++) { // smoke, flame, a flame's root
        float *rgbs = take(NULL, (size_t)N * N * N * 4 * sizeof(float));
        float *fire = take(NULL, (size_t)N * N * N * 2 * sizeof(float));
        const int cell = (6 * N + 6) * N + 6;
        struct bw_blackbody blackbody;
        float rgb[3];
        bw_blackbody_init(&blackbody, 0.5, BW_BLACKBODY_WHITE);
        bw_blackbody_rgb(&blackbody, 1600, rgb);
        for (int i = 0; i < N * N * N; i++) fire[2 * i + 1] = 1600;
        float *roots = take(NULL, (size_t)N * N * N * sizeof(float));
        if (kind == 1) fire[2 * cell] = 1;
        else if (kind == 2) roots[cell] = 5;
        else rgbs[4 * cell] = 5;
        const struct bw_lit lit = {.box = {{N, N, N}, {-1, -1, -1}, h},
                                   .rgbs = rgbs,
                                   .fire = kind == 1 ? fire : NULL,
                                   .roots = kind == 2 ? roots : NULL,
                                   .root_rgb = {1, 1, 1},
                                   .blackbody = &blackbody,
                                   .gain = 5 / rgb[0]};
        struct bw_image img = lit_render(&lit);
        double sum = 0, low = 0, left = 0;
        for (int i = 0; i < 65 * 65; i++) {
            const double light = ((double)img.px[3 * i] - 1) * pixel * pixel;
            sum += light, low += light * (i / 65), left += light * (i % 65);
        }
        const double at = 32 + 0.5 * h / pixel; // half a cell to the right of the middle, and above it
        cr_assert_float_eq(sum, want, 0.012 * want, "%d: %g, not %g", kind, sum, want);
        cr_assert_float_eq(left / sum, at, 0.1, "%d: %g, not %g", kind, left / sum, at);
        cr_assert_float_eq(64 - low / sum, at, 0.1, "%d: %g, not %g", kind, 64 - low / sum, at);
        bw_image_free(&img);
        free(rgbs);
        free(fire);
        free(roots);
    }
}

/// By how much pictures of random cells with and without pixels that are not marched differ, as the film shows it: the
/// mean, and the most.
static void between_differ(int n, double differ[2])
{
    float *rgbs = take(NULL, (size_t)n * (size_t)n * (size_t)n * 4 * sizeof(float));
    const struct bw_lit lit = {.box = {{n, n, n}, {-1, -1, -1}, 2. / n}, .rgbs = rgbs};
    uint32_t seed = 7;
    for (int i = 0; i < n * n * n; i++) {
        const float dense = bw_noise_draw(&seed) < 0.03f ? 60 : 0, bright = bw_noise_draw(&seed);
        for (int c = 0; c < 4; c++) rgbs[4 * i + c] = c == 3 ? dense : dense * bright;
    }
    struct bw_look fine = look_usual();
    fine.quality = BW_QUALITY_FINAL; // marches every pixel, four rays each
    struct bw_image some = lit_render(&lit), all = look_render(&lit, &fine);
    for (int i = 0; i < 3 * 65 * 65; i++) {
        const double off = fabs((double)(bw_shown(some.px[i]) - bw_shown(all.px[i])));
        differ[0] += off / (3 * 65 * 65), differ[1] = fmax(differ[1], off);
    }
    bw_image_free(&some), bw_image_free(&all);
    free(rgbs);
}

/* Pixels amid others that are alike are not marched; what is as fine as a pixel or two is seen all the same. */
Test(march, fine_smoke_is_seen_between_pixels)
{
    double wide[2] = {0}, fine[2] = {0};
    between_differ(10, wide);
    between_differ(32, fine);
    cr_log_info("wide cells: %.4f, most %.3f; fine ones: %.4f, most %.3f", wide[0], wide[1], fine[0], fine[1]);
    cr_assert_lt(wide[0], 6e-4);
    cr_assert(fine[0] < 1e-3 && fine[1] < 0.03);
}
