// SPDX-License-Identifier: Apache-2.0
/* Obstacles as they are: rays meet what a search of all triangles meets, a wall thinner than any cell is there whole,
 * edges cover the part of a pixel that they cover, balls are round, and a mesh in the floor's plane covers it. */
#include "../render/image_tools.h"
#include "look.h"
#include "shapes.h"
#include <picture/volume/shape/pixel.h>
#include <picture/volume/render.h>
#include <picture/volume/spots.h>

#include <criterion/criterion.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

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
