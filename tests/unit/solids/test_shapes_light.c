// SPDX-License-Identifier: Apache-2.0
/* Shading of obstacles: an area light is half visible over an edge that stands before its middle, creases do not depend
 * on the winding of faces, coarse meshes cast no shadow on what they make round, wax scatters, and gloss mirrors. */
#include "../render/image_tools.h"
#include "look.h"
#include "shapes.h"
#include <picture/volume/shape/open.h>
#include <picture/volume/render.h>
#include <picture/volume/spots.h>

#include <criterion/criterion.h>
#include <string.h>

enum { ROUND_BY = 14 }; ///< faces round a ball of few, and from pole to pole

/// A ball of radius 1 of few faces, turned inside out: its points are on it.
static struct bw_shapes *rough_ball(void)
{
    static double point[ROUND_BY * (ROUND_BY + 1)][3];
    static int32_t triangle[2 * ROUND_BY * ROUND_BY][3];
    struct bw_shape ball = {.kind = BW_SHAPE_MESH, .scale = {1, 1, 1}, UPRIGHT};
    int n = 0;
    for (int i = 0; i <= ROUND_BY; i++)
        for (int k = 0; k < ROUND_BY; k++) {
            const double up = M_PI * i / ROUND_BY, turn = 2 * M_PI * k / ROUND_BY;
            double *p = point[ROUND_BY * i + k];
            p[0] = sin(up) * cos(turn), p[1] = sin(up) * sin(turn), p[2] = cos(up);
        }
    for (int i = 0; i < ROUND_BY; i++)
        for (int k = 0; k < ROUND_BY; k++) {
            const int32_t a = ROUND_BY * i + k, b = ROUND_BY * i + (k + 1) % ROUND_BY;
            const int32_t one[3] = {a, b, a + ROUND_BY}, two[3] = {b, b + ROUND_BY, a + ROUND_BY};
            if (i) memcpy(triangle[n++], one, sizeof one);
            if (i < ROUND_BY - 1) memcpy(triangle[n++], two, sizeof two);
        }
    ball.point = (const double(*)[3])point, ball.n_points = ROUND_BY * (ROUND_BY + 1);
    ball.triangle = (const int32_t(*)[3])triangle, ball.n_triangles = n;
    return shapes_of(&ball, 1);
}

/* A round body hides no lamp from what faces it, though the faces that it is made of do; shadow rays begin as far over
 * the ball as those are under it, no farther. */
Test(shapes_light, few_faces_hide_no_lamp)
{
    struct bw_shapes *s = rough_ball();
    const struct bw_light_seen lamp = {.to = {0.6, 0, 0.8}, .away = HUGE_VAL, .half = 0.05};
    int seen = 0, by_face = 0, behind = 0;
    for (int i = 0; i < 4000; i++) {
        const double o[3] = {3 * some(), -4, 3 * some()}, d[3] = {0.9 * some() - o[0], 4, 0.9 * some() - o[2]};
        struct bw_shape_hit hit;
        double p[3];
        if (!bw_shapes_hit(s, o, d, 1e9, &hit)) continue;
        for (int a = 0; a < 3; a++) p[a] = hit.p[a] + hit.over[a];
        cr_assert(sqrt(dot(p, p)) < 2.002 - sqrt(dot(hit.p, hit.p)), "%g", sqrt(dot(p, p)));
        const double up = dot(hit.normal, lamp.to);
        const float open = bw_shapes_open(s, &(struct bw_open_place){p, hit.normal, 16, 0.3f}, &lamp),
                    face = bw_shapes_open(s, &(struct bw_open_place){hit.p, hit.face, 16, 0.3f}, &lamp);
        seen += up > lamp.half, by_face += up > lamp.half && face < 0.9f, behind += up < -0.3;
        cr_assert(up <= lamp.half || open > 0.9f, "%g sees %g", up, (double)open);
        cr_assert(up >= -0.3 || open == 0, "%g sees %g", up, (double)open);
    }
    cr_assert(seen > 500 && behind > 500, "%d, %d", seen, behind);
    cr_assert_gt(by_face, 5, "%d would be dark: no test", by_face);
    bw_shapes_free(&tools, s);
}

/* Two faces of a roof, flat (10 degrees) or steep, of the same or opposite winding: smooth and creased all the same. */
Test(shapes_light, creases_do_not_depend_on_winding)
{
    for (int roofs = 0; roofs < 4; roofs++) {
        const bool steep = roofs & 1, reversed = roofs & 2;
        const double slope = steep ? 2 : 0.0875;
        const double point[4][3] = {{0, -1, 0}, {0, 1, 0}, {-1, 0, -slope}, {1, 0, -slope}};
        const int32_t triangle[2][3] = {{0, 1, 2}, {reversed ? 1 : 0, reversed ? 0 : 1, 3}};
        struct bw_shape roof = {.kind = BW_SHAPE_MESH, .scale = {1, 1, 1}, UPRIGHT};
        roof.point = point, roof.n_points = 4, roof.triangle = triangle, roof.n_triangles = 2;
        struct bw_shapes *s = shapes_of(&roof, 1);
        const double o[3] = {1e-3, 0.01, 5}, d[3] = {0, 0, -1}, normal = steep ? slope / hypot(1, slope) : 0;
        struct bw_shape_hit hit;
        cr_assert(bw_shapes_hit(s, o, d, 1e9, &hit));
        cr_assert_float_eq(hit.normal[0], normal, 0.01, "%d: normal %g", roofs, hit.normal[0]);
        cr_assert_gt(hit.normal[2], 0);
        bw_shapes_free(&tools, s);
    }
}

/* Where nothing is near a cone no ray in it meets anything, and cones that meet nothing are found out mostly. */
Test(shapes_light, cones_hide_nothing)
{
    struct bw_shape shape[3] = {
        {.kind = BW_SHAPE_BOX, .center = {2, 0, 0}, .scale = {0.1, 1, 0.5}, UPRIGHT},
        {.kind = BW_SHAPE_BALL, .center = {-2, 1, 0}, .scale = {0.7, 0.7, 0.7}, UPRIGHT},
        {.kind = BW_SHAPE_CYLINDER, .center = {0, -2, 1}, .scale = {0.2, 0.2, 1.5}, UPRIGHT},
    };
    struct bw_shapes *s = shapes_of(shape, 3);
    int clear = 0, free = 0;
    for (int i = 0; i < 3000; i++) {
        double o[3], d[3], u[3], w[3], any = 0;
        const double half = 0.3 * fabs(some()), far = i % 2 ? 3 : 1e9;
        for (int a = 0; a < 3; a++) o[a] = 4 * some(), d[a] = some();
        const double length = sqrt(dot(d, d));
        for (int a = 0; a < 3; a++) d[a] /= length;
        bw_light_across(d, u, w);
        for (int q = 0; q < 64; q++) {
            double to[3], r = half * sqrt(q / 63.);
            for (int a = 0; a < 3; a++) to[a] = d[a] + r * (cos(2.4 * q) * u[a] + sin(2.4 * q) * w[a]);
            any += bw_shapes_block(s, o, to, far);
        }
        const int near = bw_shapes_near(s, o, d, half, far);
        cr_assert(near || any == 0, "%d: %g rays of a cone that is said to be free", i, any);
        clear += !near, free += any == 0;
    }
    cr_assert_gt(clear, 0.6 * free, "%d of %d", clear, free);
    bw_shapes_free(&tools, s);
}

/* A lamp overhead, 0.2 rad wide, and a slab 1 m above whose edge is seen at x: of the lamp as much is seen as of a disc
 * beside a line. */
Test(shapes_light, half_shadows_are_as_wide_as_lamps)
{
    struct bw_shape slab = {.kind = BW_SHAPE_BOX, .center = {-5, 0, 1.05}, .scale = {5, 5, 0.05}, UPRIGHT};
    struct bw_shapes *s = shapes_of(&slab, 1);
    const struct bw_light_seen lamp = {{0, 0, 1}, HUGE_VAL, 0.1, 1};
    const double up[3] = {0, 0, 1};
    for (int i = -6; i <= 6; i++) {
        const double x = i / 50., c = fmin(fmax(x / 0.1, -1), 1);
        const double want = 1 - (acos(c) - c * sqrt(1 - c * c)) / 3.14159265358979;
        double mean = 0;
        for (int q = 0; q < 32; q++) {
            const double p[3] = {x, 0.01 * q, 0};
            mean += (double)bw_shapes_open(s, &(struct bw_open_place){p, up, 16, (float)(q / 32.)}, &lamp) / 32;
        }
        cr_assert_float_eq(mean, want, 0.04, "at %g: %g, not %g", x, mean, want);
    }
    bw_shapes_free(&tools, s);
}

/* A mesh that only moves is made once. */
Test(shapes_light, what_moves_is_not_made_anew)
{
    struct bw_shape ball = {.kind = BW_SHAPE_BALL, .scale = {1, 1, 1}, UPRIGHT};
    struct bw_shapes *s = shapes_of(&ball, 1);
    const struct bw_mesh *before = s->mesh[0];
    ball.center[0] = 3, ball.scale[1] = 2;
    const struct bw_shape *list[1] = {&ball};
    cr_assert_eq(bw_shapes_follow(&tools, list, NULL, 1, &s), BW_OK);
    cr_assert_eq(s->mesh[0], before);
    struct bw_shapes *other = bw_shapes_meshes(&tools, s);
    bw_shapes_free(&tools, s); // who holds a mesh keeps it
    cr_assert_eq(bw_shapes_follow(&tools, list, NULL, 1, &other), BW_OK);
    cr_assert_eq(other->mesh[0], before);
    cr_assert_eq(other->n, 1);
    bw_shapes_free(&tools, other);
    cr_assert_null(bw_shapes_meshes(&tools, NULL));
}

/// Light of a street, seen from above, in front of a wall that is not in the picture.
static double street_light(float white)
{
    struct bw_shape wall = {.kind = BW_SHAPE_BOX, .center = {0, 12, 10}, .scale = {30, 1, 10}, UPRIGHT};
    struct bw_shapes *s = shapes_of(&wall, 1);
    const struct bw_volume v = {.shapes = s};
    struct bw_scene scene = {.lo = {-10, -10, 0}, .hi = {10, 10, 10}, .extinction = 1, .exposure = 1, .floor = 1};
    scene.look = look_usual();
    scene.look.ground = 2; // a street
    for (int c = 0; c < 3; c++) scene.look.material.colour[c] = white;
    struct bw_image img;
    double sum = 0;
    cr_assert_eq(bw_image_init(&img, &tools, 96, 54), BW_OK);
    const struct bw_aim aim = {
        .elevation = 0.5, .distance = 20, .tan_long = 0.25, .has_target = 1, .target = {0, 0, 0}};
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 96. / 54);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    for (int i = 0; i < 3 * 96 * 54; i++) sum += (double)img.px[i];
    bw_image_free(&img);
    bw_shapes_free(&tools, s);
    return sum;
}

Test(shapes_light, puddles_mirror_them)
{
    const double dark = street_light(0), bright = street_light(1);
    cr_assert_gt(bright, 1.02 * dark, "%g and %g", bright, dark);
}

/* ---- wax ---- */

enum { FLAME = 16, WIDE = 40, HIGH = 90 };

/// Light of a candle's side, 2 m wide and 4 m high, 0.5, 1.5 and 2.5 m below its flame's side, by channel: deep in wax
/// of that kind red light gets 1.2 m.
static void candle_light(int32_t kind, float rgb[3][3])
{
    struct bw_shape drum = {.kind = BW_SHAPE_CYLINDER, .center = {0, 0, 2}, .scale = {1, 1, 2}, UPRIGHT};
    struct bw_shapes *s = shapes_of(&drum, 1);
    struct bw_volume v = {.shapes = s, .box = {.h = 0.1, .n = {FLAME, FLAME, FLAME}, .origin = {-0.8, -0.8, 4.4}}};
    struct bw_scene scene = {.lo = {-2, -2, 0}, .hi = {2, 2, 6}, .extinction = 1, .exposure = 1};
    scene.look = look_usual();
    scene.look.key = scene.look.environment = 0;
    scene.look.material = (struct bw_material_wish){.kind = kind, .colour = {0.5f, 0.5f, 0.5f}, 1, .scale = 100};
    v.flame = take(NULL, FLAME * FLAME * FLAME * sizeof(float));
    for (int i = 0; i < FLAME * FLAME * FLAME; i++)
        v.flame[i] = abs(i % FLAME - 8) < 3 && abs(i / FLAME % FLAME - 8) < 3 && abs(i / FLAME / FLAME - 8) < 5;
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, WIDE, HIGH), BW_OK);
    const struct bw_aim aim = {.distance = 100, .tan_long = 0.0225, .has_target = 1, .target = {0, 0, 2.25}};
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, (double)WIDE / HIGH);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    for (int i = 0; i < 3; i++) memcpy(rgb[i], img.px + 3 * (WIDE * (20 + 20 * i) + WIDE / 2), sizeof rgb[i]);
    bw_image_free(&img);
    bw_shapes_free(&tools, s);
    give(NULL, v.flame);
}

/// The front of a ball of radius 1 by the light of a flame to its right and behind it.
static struct bw_image firelight(struct bw_shapes *s)
{
    struct bw_volume v = {.shapes = s, .box = {.h = 0.1, .n = {FLAME, FLAME, FLAME}, .origin = {1.8, 0, -0.8}}};
    struct bw_scene scene = {.lo = {-2, -2, -2}, .hi = {4, 2, 2}, .extinction = 1, .exposure = 1};
    scene.look = look_usual();
    scene.look.key = scene.look.environment = 0;
    v.flame = take(NULL, FLAME * FLAME * FLAME * sizeof(float));
    for (int i = 0; i < FLAME * FLAME * FLAME; i++) v.flame[i] = 1;
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, WIDE, WIDE), BW_OK);
    const struct bw_aim aim = {.distance = 100, .tan_long = 0.0055, .has_target = 1, .target = {0, 0, 0}};
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    bw_shapes_free(&tools, s);
    give(NULL, v.flame);
    return img;
}

/* Firelight goes round a body of few faces as round a ball, without steps at their horizons. */
Test(shapes_light, few_faces_dim_no_flame)
{
    const struct bw_shape ball = {.kind = BW_SHAPE_BALL, .scale = {1, 1, 1}, UPRIGHT};
    struct bw_image few = firelight(rough_ball()), round = firelight(shapes_of(&ball, 1));
    float most = 0, off = 0;
    for (int i = 0; i < 3 * WIDE * WIDE; i++)
        most = fmaxf(most, round.px[i]), off = fmaxf(off, fabsf(few.px[i] - round.px[i]));
    cr_assert(most > 0 && off < 0.2f * most, "%g of %g", (double)off, (double)most);
    bw_image_free(&few);
    bw_image_free(&round);
}

/* A flame on top is seen through wax's side, less and redder with depth, and not through clay's. */
Test(shapes_light, wax_glows_by_its_flame)
{
    float wax[3][3], clay[3][3];
    candle_light(BW_MATERIAL_WAX, wax);
    candle_light(BW_MATERIAL_PLAIN, clay);
    for (int i = 0; i < 3; i++) cr_expect_lt(clay[i][0], 0.1f * wax[i][0], "%g through clay at %d", clay[i][0], i);
    for (int i = 1; i < 3; i++) {
        cr_expect_lt(wax[i][0], 0.8f * wax[i - 1][0], "%g below %g", wax[i][0], wax[i - 1][0]);
        cr_expect_lt(wax[i][1] * wax[i - 1][0], 0.8f * wax[i - 1][1] * wax[i][0], "no redder at %d: %g of red, %g", i,
                     (double)(wax[i - 1][1] / wax[i - 1][0]), (double)(wax[i][1] / wax[i][0]));
    }
}

/* ---- gloss ---- */

/// Light of the middle of a slab's smooth top, where the eye would see a flame in it, with `n` shapes, of which the
/// second would stand before the flame; all of them shine by themselves, `glow`.
static float mirrored_glow(float gloss, int n, float glow)
{
    const struct bw_shape shape[2] = {
        {.kind = BW_SHAPE_BOX, .center = {0, 0, -0.5}, .scale = {3, 3, 0.5}, UPRIGHT},
        {.kind = BW_SHAPE_BOX, .center = {0, 0.8, 0.9}, .scale = {0.6, 0.05, 0.6}, UPRIGHT},
    };
    struct bw_shapes *s = shapes_of(shape, n);
    struct bw_volume v = {.shapes = s, .box = {.h = 0.1, .n = {FLAME, FLAME, FLAME}, .origin = {-0.8, 1.2, 1.2}}};
    struct bw_scene scene = {.lo = {-3, -3, -1}, .hi = {3, 3, 3}, .extinction = 1, .exposure = 1};
    scene.look = look_usual();
    scene.look.key = scene.look.environment = 0;
    scene.look.material = (struct bw_material_wish){.kind = BW_MATERIAL_PLAIN,
                                                    .colour = {0.1f, 0.1f, 0.1f},
                                                    .roughness = 0.2f,
                                                    .gloss = gloss,
                                                    .glow = {glow, glow, glow},
                                                    .scale = 1};
    v.flame = take(NULL, FLAME * FLAME * FLAME * sizeof(float));
    for (int i = 0; i < FLAME * FLAME * FLAME; i++)
        v.flame[i] = abs(i % FLAME - 8) < 3 && abs(i / FLAME % FLAME - 8) < 3 && abs(i / FLAME / FLAME - 8) < 3;
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, 9, 9), BW_OK);
    const struct bw_aim aim = {
        .elevation = 0.785398, .distance = 20, .tan_long = 0.005, .has_target = 1, .target = {0, 0, 0}};
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    const float light = img.px[3 * (9 * 4 + 4)];
    bw_image_free(&img);
    bw_shapes_free(&tools, s);
    give(NULL, v.flame);
    return light;
}

static float mirrored(float gloss, int n) { return mirrored_glow(gloss, n, 0); }

/* What is smooth mirrors flames, as much as it is told, and none that stand behind something else. */
Test(shapes_light, gloss_mirrors_flames)
{
    const float dull = mirrored(0, 1), one = mirrored(1, 1), two = mirrored(2, 1);
    cr_expect_gt(one, 2 * dull, "%g beside %g", one, dull);
    cr_expect_float_eq(two - dull, 2 * (one - dull), 0.02f * two, "%g, %g, %g", dull, one, two);
    cr_expect_float_eq(mirrored(1, 2), mirrored(0, 2), 0.02f * one, "a wall before it: %g", mirrored(1, 2));
}

/* It mirrors other obstacles, too: of one that shines, what Fresnel's law says. */
Test(shapes_light, gloss_mirrors_obstacles)
{
    const float want = 0.8f * (0.04f + 0.96f * powf(1 - 0.70711f, 5)); // at 45 degrees, less its roughness
    const float alone = mirrored_glow(1, 1, 1) - mirrored_glow(1, 1, 0);
    const float dull = mirrored_glow(0, 2, 1), one = mirrored_glow(1, 2, 1), two = mirrored_glow(2, 2, 1);
    cr_expect_float_eq(one - dull, want, 0.05f * want, "%g, not %g", one - dull, want);
    cr_expect_float_eq(two - dull, 2 * want, 0.1f * want, "%g, not %g", two - dull, 2 * want);
    cr_expect_float_eq(alone, 1, 0.01f, "%g with none about", alone);
}
