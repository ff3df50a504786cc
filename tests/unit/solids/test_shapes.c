// SPDX-License-Identifier: Apache-2.0
/* Obstacles as they are: rays meet what a search of all triangles meets, a wall thinner than any cell is there whole,
 * edges cover the part of a pixel that they cover, balls are round, creases are sharp whichever way round faces are,
 * half a lamp is seen over an edge that stands before its middle, few faces throw no shadow on what they make round,
 * and a mesh in the floor's plane covers it. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/shape/open.h>
#include <picture/volume/shape/pixel.h>
#include <picture/volume/render.h>
#include <picture/volume/spots.h>

#include <criterion/criterion.h>
#include <string.h>

#define UPRIGHT .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

static struct bw_shapes *shapes_of(const struct bw_shape *shape, int n)
{
    const struct bw_shape *list[40];
    struct bw_shapes *s = NULL;
    for (int i = 0; i < n; i++) list[i] = &shape[i];
    cr_assert_eq(bw_shapes_follow(&tools, list, NULL, n, &s), BW_OK);
    return s;
}

static uint32_t seed = 1;
/// -1 … 1.
static double some(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 8388608.0 - 1;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Where a ray meets a triangle (Möller and Trumbore 1997), in double; *sure: how far inside of its edges.
static double one_meet(double corner[3][3], const double o[3], const double d[3], double *sure)
{
    double e[2][3], from[3], p[3], q[3];
    for (int a = 0; a < 3; a++) {
        e[0][a] = corner[1][a] - corner[0][a], e[1][a] = corner[2][a] - corner[0][a], from[a] = o[a] - corner[0][a];
    }
    cross(d, e[1], p);
    cross(from, e[0], q);
    const double det = dot(e[0], p), u = dot(from, p) / det, v = dot(d, q) / det, t = dot(e[1], q) / det;
    *sure = fmin(u, fmin(v, 1 - u - v));
    return t;
}

enum { SOUP = 300, RAYS = 4000 };

/* Triangles of all sizes in no order, the mesh turned, stretched, and far from the origin. */
Test(shapes, rays_meet_what_a_search_of_all_meets)
{
    static double point[3 * SOUP][3], world[3 * SOUP][3];
    static int32_t triangle[SOUP][3];
    struct bw_shape s = {.kind = BW_SHAPE_MESH, .center = {31, -7, 3}, .scale = {2, 2, 2}};
    const double axis[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
    memcpy(s.axis, axis, sizeof axis);
    for (int i = 0; i < 3 * SOUP; i++) {
        if (i % 3 == 0)
            for (int a = 0; a < 3; a++) point[i][a] = some();
        else
            for (int a = 0; a < 3; a++) point[i][a] = point[i - i % 3][a] + some() * (i % 7 ? 0.1 : 0.8);
        triangle[i / 3][i % 3] = i;
        for (int w = 0; w < 3; w++) {
            world[i][w] = s.center[w];
            for (int a = 0; a < 3; a++) world[i][w] += axis[a][w] * 2 * point[i][a];
        }
    }
    s.point = (const double(*)[3])point, s.n_points = 3 * SOUP;
    s.triangle = (const int32_t(*)[3])triangle, s.n_triangles = SOUP;
    struct bw_shapes *all = shapes_of(&s, 1);
    int met = 0, tried = 0;
    for (int i = 0; i < RAYS; i++) {
        double o[3], d[3], best = 1e9, close = 1;
        for (int a = 0; a < 3; a++) o[a] = s.center[a] + 5 * some(), d[a] = s.center[a] + 2 * some() - o[a];
        for (int t = 0; t < SOUP; t++) {
            double sure, at = one_meet(world + 3 * t, o, d, &sure);
            if (fabs(sure) < 1e-4 || fabs(at) < 1e-4) close = 0; // either answer is right
            if (sure > 0 && at > 0 && at < best) best = at;
        }
        if (close == 0) continue;
        struct bw_shape_hit hit;
        const int is = bw_shapes_hit(all, o, d, 1e9, &hit);
        tried++, met += is;
        cr_assert_eq(is, best < 1e9, "ray %d", i);
        cr_assert_eq(bw_shapes_block(all, o, d, 1e9), is);
        cr_assert(!is || fabs(hit.depth - best) < 1e-5 * best + 1e-6, "ray %d: %.9g, not %.9g", i, hit.depth, best);
        cr_assert(!is || !bw_shapes_block(all, o, d, best * (1 - 1e-4)), "ray %d is blocked before", i);
    }
    cr_assert_gt(tried, RAYS / 2);
    cr_assert_gt(met, tried / 10);
    cr_assert_lt(met, tried * 9 / 10);
    bw_shapes_free(&tools, all);
}

/* A third of a cell of 1 cm, in front of nothing, seen at a slant. */
Test(shapes, a_wall_thinner_than_a_cell_is_whole)
{
    struct bw_shape wall = {.kind = BW_SHAPE_BOX, .center = {0, 0, 1}, .scale = {0.5, 0.01 / 6, 0.5}, UPRIGHT};
    struct bw_shapes *s = shapes_of(&wall, 1);
    for (int i = 0; i < 10000; i++) {
        const double at[3] = {0.499 * some(), -0.01 / 6, 1 + 0.499 * some()}, o[3] = {1.3, -3, 2.2};
        double d[3];
        struct bw_shape_hit hit;
        for (int a = 0; a < 3; a++) d[a] = at[a] - o[a];
        cr_assert(bw_shapes_hit(s, o, d, 1e9, &hit), "through a hole at %g, %g", at[0], at[2]);
        cr_assert_float_eq(hit.depth, 1, 1e-5);
        cr_assert_float_eq(hit.normal[1], -1, 1e-6);
    }
    bw_shapes_free(&tools, s);
}

/* A box of 0.6 m by 0.4 m, turned in the picture, seen from 10 m by pixels of 2.5 cm: its front covers as many as its
 * area says, each pixel within 1/16 along each side. */
Test(shapes, edges_cover_what_they_cover)
{
    struct bw_shape box = {.kind = BW_SHAPE_BOX, .center = {0, 10.5, 0}, .scale = {0.3, 0.5, 0.2}};
    const double axis[3][3] = {{0.96, 0, 0.28}, {0, 1, 0}, {-0.28, 0, 0.96}};
    memcpy(box.axis, axis, sizeof axis);
    struct bw_shapes *s = shapes_of(&box, 1);
    const double pixel = 0.0025, eye[3] = {0, 0, 0};
    double sum = 0;
    int fine = 0; // shares that are no quarters
    for (int y = -20; y < 20; y++)
        for (int x = -20; x < 20; x++) {
            const double dir[3] = {pixel * (x + 0.5), 1, pixel * (y + 0.5)};
            const struct bw_shapes_ray ray = {eye, dir, {pixel, 0, 0}, {0, 0, pixel}, 1, -HUGE_VAL, HUGE_VAL};
            struct bw_shapes_part part[BW_PIXEL_PARTS];
            const int n = bw_shapes_pixel(s, &ray, part);
            cr_assert_leq(n, 1, "a box seen from the front is one face");
            if (n) sum += (double)part[0].share, fine += fabs(remainder((double)part[0].share, 0.25)) > 0.05;
        }
    const double want = 0.6 * 0.4 / (10 * pixel * 10 * pixel);
    cr_assert_float_eq(sum, want, 0.01 * want, "%g pixels, not %g", sum, want);
    cr_assert_gt(fine, 10, "%d", fine);
    bw_shapes_free(&tools, s);
}

/* Of what a floor hides nothing is seen. */
Test(shapes, a_floor_hides_what_is_below)
{
    struct bw_shape ball = {.kind = BW_SHAPE_BALL, .center = {0, 0, -2}, .scale = {1, 1, 1}, UPRIGHT};
    struct bw_shapes *s = shapes_of(&ball, 1);
    const double eye[3] = {0, -5, 3}, dir[3] = {0, 0.7071, -0.7071};
    struct bw_shapes_ray ray = {eye, dir, {1e-3, 0, 0}, {0, 1e-3, 1e-3}, 1, 0, HUGE_VAL};
    struct bw_shapes_part part[BW_PIXEL_PARTS];
    cr_assert_eq(bw_shapes_pixel(s, &ray, part), 0);
    ray.floor = -HUGE_VAL;
    cr_assert_eq(bw_shapes_pixel(s, &ray, part), 1);
    bw_shapes_free(&tools, s);
}

/* A large stage mesh that lies in the floor is seen everywhere, not where rounding has it above. */
Test(shapes, a_mesh_in_the_floor_covers_it)
{
    const double point[4][3] = {{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}};
    const int32_t triangle[2][3] = {{0, 1, 2}, {0, 2, 3}};
    struct bw_shape stage = {.kind = BW_SHAPE_MESH, .center = {0.3, 0.1, 0}, .scale = {1, 1, 1}, UPRIGHT};
    stage.point = point, stage.n_points = 4, stage.triangle = triangle, stage.n_triangles = 2;
    struct bw_shapes *s = shapes_of(&stage, 1);
    for (int i = 0; i < 4000; i++) {
        const double eye[3] = {some(), -4, 1.3 + some()}, dir[3] = {0.3 * some(), 1, -0.35 + 0.3 * some()};
        const struct bw_shapes_ray ray = {eye, dir, {1e-3, 0, 0}, {0, 0, 1e-3}, 1, 0, HUGE_VAL};
        struct bw_shapes_part part[BW_PIXEL_PARTS];
        const int n = bw_shapes_pixel(s, &ray, part);
        cr_assert_eq(n, 1, "ray %d sees %d surfaces", i, n);
        cr_assert_gt(part[0].share, 0.99f, "ray %d sees %g of it", i, (double)part[0].share);
    }
    bw_shapes_free(&tools, s);
}

enum { SEEN = 64, BURNS = 12, STONES = 12 };

/// Stones on a floor round a flame so high, the first of them a little aside, as light.
static struct bw_image stones_render(double high, double aside, double aperture, struct bw_spots *spots)
{
    struct bw_shape stone[STONES];
    for (int i = 0; i < STONES; i++)
        stone[i] = (struct bw_shape){.kind = i % 2 ? BW_SHAPE_BALL : BW_SHAPE_BOX,
                                     .center = {0.8 * cos(i) + (i ? 0 : aside), 0.8 * sin(i), 0.1},
                                     .scale = {0.15, 0.25, 0.15},
                                     UPRIGHT};
    struct bw_shapes *s = shapes_of(stone, STONES);
    struct bw_volume v = {.shapes = s, .box = {{BURNS, BURNS, BURNS}, {-0.3, -0.3, high}, 0.05}};
    struct bw_scene scene = {.lo = {-1, -1, 0}, .hi = {1, 1, 1}, .extinction = 9, .exposure = 1, .floor = 1};
    const struct bw_aim aim = {
        .elevation = 0.3, .distance = 5, .tan_long = 0.25, .has_target = 1, .aperture = aperture};
    struct bw_image img;
    v.flame = take(NULL, BURNS * BURNS * BURNS * sizeof(float));
    for (int i = 0; i < BURNS * BURNS * BURNS; i++) v.flame[i] = i % BURNS > 2 && i % BURNS < 9;
    scene.look = look_usual();
    scene.look.material = (struct bw_material_wish){.kind = BW_MATERIAL_STONE, {0.4f, 0.3f, 0.2f}, 0.8f, .scale = 1};
    scene.look.material.gloss = 1, scene.spots = spots;
    cr_assert_eq(bw_image_init(&img, &tools, SEEN, SEEN), BW_OK);
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    free(v.flame);
    bw_shapes_free(&tools, s);
    return img;
}

/* Whatever was drawn before, a picture is the one that it would be alone: the fire is another one each time, and once
 * a stone. */
Test(shapes, those_that_are_kept_are_the_same)
{
    static const double high[] = {0.4, 0.9, 0.2, 0.2, 0.6, 0.4}, aside[] = {0, 0, 0, 0.1, 0.1, 0.1};
    struct bw_spots spots = {{NULL}};
    for (int i = 0; i < 12; i++) {
        const double aperture = i / 6 * 0.05;
        struct bw_image kept = stones_render(high[i % 6], aside[i % 6], aperture, &spots),
                        alone = stones_render(high[i % 6], aside[i % 6], aperture, NULL);
        cr_assert_arr_eq(kept.px, alone.px, sizeof(float) * 3 * SEEN * SEEN, "picture %d", i);
        int n = 0;
        for (int at = 0; at < SEEN * SEEN; at++) {
            const struct bw_solid_pixel p = bw_solid_spots_at(spots.solid[0], at % SEEN, at / SEEN);
            n += *p.n && p.spot && p.spot->found && p.spot->finish.found;
        }
        cr_assert(i % 3 ? n > SEEN : n == 0, "kept from the second picture of them on: %d of picture %d", n, i);
        bw_image_free(&kept), bw_image_free(&alone);
    }
    bw_spots_free(&tools, &spots);
}

/* Pebbles all over a picture, some no larger than a pixel: of each pixel is covered what its own rays meet. */
Test(shapes, none_is_left_out_of_a_picture)
{
    enum { WIDE = 100, HIGH = 60, PEBBLES = 40 };
    struct bw_shape pebble[PEBBLES];
    static float alpha[WIDE * HIGH];
    for (int i = 0; i < PEBBLES; i++)
        pebble[i] = (struct bw_shape){.kind = BW_SHAPE_BALL,
                                      .center = {some(), some(), 0.6 * some()},
                                      .scale = {0.01 + 0.02 * fabs(some()), 0.02, 0.02},
                                      UPRIGHT};
    struct bw_shapes *s = shapes_of(pebble, PEBBLES);
    const struct bw_volume v = {.shapes = s};
    struct bw_scene scene = {.lo = {-1, -1, -1}, .hi = {1, 1, 1}, .extinction = 1, .exposure = 1};
    scene.look = look_usual();
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, WIDE, HIGH), BW_OK);
    const struct bw_aim aim = {.elevation = 0.3, .distance = 5, .tan_long = 0.25, .has_target = 1, .target = {0, 0, 0}};
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, (double)WIDE / HIGH);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, alpha), BW_OK);
    const struct bw_camera *c = &scene.camera;
    int seen = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        const double x = 2 * (i % WIDE + 0.5) / WIDE - 1, y = 1 - 2 * (i / WIDE + 0.5) / HIGH;
        struct bw_shapes_ray ray = {
            .eye = c->eye, .fine = 1, .floor = -HUGE_VAL, .within = HUGE_VAL}; // of a length of 1 along the camera's
        double dir[3];
        for (int a = 0; a < 3; a++) {
            dir[a] = c->forward[a] + x * c->tan_x * c->right[a] + y * c->tan_y * c->up[a];
            ray.right[a] = 2 * c->tan_x / WIDE * c->right[a], ray.up[a] = 2 * c->tan_y / HIGH * c->up[a];
        }
        struct bw_shapes_part part[BW_PIXEL_PARTS];
        ray.dir = dir;
        const int n = bw_shapes_pixel(s, &ray, part);
        float covers = 0;
        for (int q = 0; q < n; q++) covers += part[q].share;
        cr_assert_float_eq(alpha[i], covers, 0.3f, "pixel %d, %d: %g of %g", i % WIDE, i / WIDE, (double)alpha[i],
                           (double)covers);
        seen += covers > 0;
    }
    cr_assert(seen > 100 && seen < WIDE * HIGH / 3, "%d", seen);
    bw_image_free(&img);
    bw_shapes_free(&tools, s);
}

/// Largest angle between a form's normal and `want`'s, from all sides, and of its place from its surface.
static double normal_off(const struct bw_shape *shape, void (*want)(const double p[3], double n[3]))
{
    struct bw_shapes *s = shapes_of(shape, 1);
    double most = 0;
    for (int i = 0; i < 5000; i++) {
        double o[3] = {some(), some(), some()}, d[3], n[3];
        const double r = sqrt(dot(o, o)) + 1e-9;
        struct bw_shape_hit hit;
        for (int a = 0; a < 3; a++) o[a] *= 9 / r, d[a] = 0.5 * some() - o[a];
        if (!bw_shapes_hit(s, o, d, 1e9, &hit)) continue;
        want(hit.own, n);
        most = fmax(most, acos(fmin(dot(n, hit.normal), 1)));
        cr_assert_leq(dot(hit.face, d), 0, "a face looks away");
    }
    bw_shapes_free(&tools, s);
    return most;
}

static void of_ball(const double p[3], double n[3])
{
    const double r = sqrt(dot(p, p));
    for (int a = 0; a < 3; a++) n[a] = p[a] / r;
}

static void of_drum(const double p[3], double n[3])
{
    const double r = hypot(p[0], p[1]);
    const int end = fabs(p[2]) > 2 - 1e-4;
    n[0] = end ? 0 : p[0] / r, n[1] = end ? 0 : p[1] / r, n[2] = end ? copysign(1, p[2]) : 0;
}

enum { ROUND = 3 }; ///< tenths: the radius of its edges
static void of_round_drum(const double p[3], double n[3])
{
    const double r = hypot(p[0], p[1]), flat = 1 - 0.1 * ROUND, high = 2 - 0.1 * ROUND;
    const double out = fmax(r - flat, 0), up = fmax(fabs(p[2]) - high, 0), len = hypot(out, up);
    n[0] = p[0] / r * out / len, n[1] = p[1] / r * out / len, n[2] = copysign(up / len, p[2]);
}

static void of_ring(const double p[3], double n[3])
{
    const double r = hypot(p[0], p[1]), q[3] = {p[0] - p[0] / r * 2, p[1] - p[1] / r * 2, p[2]};
    of_ball(q, n);
}

Test(shapes, round_ones_are_round_and_their_rims_sharp)
{
    const double degree = 3.14159265358979 / 180;
    struct bw_shape s = {.kind = BW_SHAPE_BALL, .scale = {1.5, 1.5, 1.5}, UPRIGHT};
    cr_expect_lt(normal_off(&s, of_ball), 0.3 * degree);
    s = (struct bw_shape){.kind = BW_SHAPE_CYLINDER, .scale = {1, 1, 2}, UPRIGHT};
    cr_expect_lt(normal_off(&s, of_drum), 0.3 * degree);
    s.tube = 0.1 * ROUND;
    cr_expect_lt(normal_off(&s, of_round_drum), 4 * degree);
    s = (struct bw_shape){.kind = BW_SHAPE_TORUS, .scale = {2, 2, 2}, .tube = 0.25, UPRIGHT};
    cr_expect_lt(normal_off(&s, of_ring), 0.6 * degree);
}

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
Test(shapes, few_faces_hide_no_lamp)
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

/* Two faces of a roof, flat (10 degrees) or steep, one of them the other way round: smooth and creased all the same. */
Test(shapes, creases_do_not_hang_on_the_way_round)
{
    for (int way = 0; way < 4; way++) {
        const double fall = way & 1 ? 2 : 0.0875;
        const double point[4][3] = {{0, -1, 0}, {0, 1, 0}, {-1, 0, -fall}, {1, 0, -fall}};
        const int32_t triangle[2][3] = {{0, 1, 2}, {way & 2 ? 1 : 0, way & 2 ? 0 : 1, 3}};
        struct bw_shape roof = {.kind = BW_SHAPE_MESH, .scale = {1, 1, 1}, UPRIGHT};
        roof.point = point, roof.n_points = 4, roof.triangle = triangle, roof.n_triangles = 2;
        struct bw_shapes *s = shapes_of(&roof, 1);
        const double o[3] = {1e-3, 0.01, 5}, d[3] = {0, 0, -1}, lean = way & 1 ? fall / hypot(1, fall) : 0;
        struct bw_shape_hit hit;
        cr_assert(bw_shapes_hit(s, o, d, 1e9, &hit));
        cr_assert_float_eq(hit.normal[0], lean, 0.01, "%d: leans by %g", way, hit.normal[0]);
        cr_assert_gt(hit.normal[2], 0);
        bw_shapes_free(&tools, s);
    }
}

/* Where nothing is near a cone no ray in it meets anything, and cones that meet nothing are found out mostly. */
Test(shapes, cones_hide_nothing)
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
Test(shapes, half_shadows_are_as_wide_as_lamps)
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
Test(shapes, what_moves_is_not_made_anew)
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

Test(shapes, puddles_mirror_them)
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
Test(shapes, few_faces_dim_no_flame)
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
Test(shapes, wax_glows_by_its_flame)
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
Test(shapes, gloss_mirrors_flames)
{
    const float dull = mirrored(0, 1), one = mirrored(1, 1), two = mirrored(2, 1);
    cr_expect_gt(one, 2 * dull, "%g beside %g", one, dull);
    cr_expect_float_eq(two - dull, 2 * (one - dull), 0.02f * two, "%g, %g, %g", dull, one, two);
    cr_expect_float_eq(mirrored(1, 2), mirrored(0, 2), 0.02f * one, "a wall before it: %g", mirrored(1, 2));
}

/* It mirrors other obstacles, too: of one that shines, what Fresnel's law says. */
Test(shapes, gloss_mirrors_obstacles)
{
    const float want = 0.8f * (0.04f + 0.96f * powf(1 - 0.70711f, 5)); // at 45 degrees, less its roughness
    const float alone = mirrored_glow(1, 1, 1) - mirrored_glow(1, 1, 0);
    const float dull = mirrored_glow(0, 2, 1), one = mirrored_glow(1, 2, 1), two = mirrored_glow(2, 2, 1);
    cr_expect_float_eq(one - dull, want, 0.05f * want, "%g, not %g", one - dull, want);
    cr_expect_float_eq(two - dull, 2 * want, 0.1f * want, "%g, not %g", two - dull, 2 * want);
    cr_expect_float_eq(alone, 1, 0.01f, "%g with none about", alone);
}
