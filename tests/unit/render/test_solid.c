// SPDX-License-Identifier: Apache-2.0
/* Obstacles: planes stay where they are, balls are round, rims have no steps, what stands on a floor has no lower edge,
 * the fire's light on a wall is even. */
#include "image_tools.h"
#include "look.h"
#include <picture/volume/solid/distance.h>
#include <picture/volume/solid/normals.h>
#include <picture/volume/solid/surface.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>

enum { N = 32 };
static const struct bw_dense box = {{N, N, N}, {-1, -1, -0.25}, 2. / N};

/// Distances of what `of` says, on `box`.
static struct bw_volume solid_make(double (*of)(const double p[3]))
{
    struct bw_volume v = {.box = {.h = box.h}, .solid_box = box};
    v.solid = take(NULL, (size_t)N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++) {
        const int at[3] = {i % N, i / N % N, i / N / N};
        double p[3];
        for (int a = 0; a < 3; a++) p[a] = box.origin[a] + (at[a] + 0.5) * box.h;
        v.solid[i] = (float)of(p);
    }
    return v;
}

static double plane(const double p[3]) { return -(0.8 * p[1] + 0.6 * p[0] - 0.0137); }
static double ball(const double p[3]) { return hypot(hypot(p[0], p[1]), p[2] - 1) - 0.5; }
/// A block 0.8 m wide whose foot is at z = 0.
static double block(const double p[3])
{
    const double q[3] = {fabs(p[0]) - 0.4, fabs(p[1]) - 0.4, fabs(p[2] - 0.3) - 0.3};
    const double out = hypot(hypot(fmax(q[0], 0), fmax(q[1], 0)), fmax(q[2], 0));
    return out + fmin(fmax(fmax(q[0], q[1]), q[2]), 0);
}

static double hit_at(const struct bw_volume *v, double x, double z, const double dir[3])
{
    const double eye[3] = {x - 5 * dir[0], -5 * dir[1], z - 5 * dir[2]};
    double depth = 20;
    return bw_solid_hit(v, eye, dir, 1e-3, &depth) >= 1 ? depth - 5 : HUGE_VAL;
}

Test(solid, planes_stay_and_balls_are_round)
{
    const double ahead[3] = {0, 1, 0};
    struct bw_volume v = solid_make(plane), w = solid_make(ball);
    for (int i = 0; i < 40; i++) {
        const double x = -0.5 + 0.0243 * i, z = 0.4 + 0.031 * i;
        const double depth = hit_at(&v, x, z, ahead);
        cr_assert_float_eq(0.8 * depth + 0.6 * x, 0.0137, 0.06 * box.h, "%d: %g", i, depth);
        if (hypot(x, z - 1) > 0.45) continue;
        const double round = hit_at(&w, x, z, ahead), r = hypot(hypot(x, round), z - 1);
        cr_assert_float_eq(r, 0.5, 0.12 * box.h, "%d: radius %g", i, r);
    }
    free(v.solid);
    free(w.solid);
}

static double drum(const double p[3])
{
    const double q[2] = {hypot(p[0], p[1]) - 0.5, fabs(p[2] - 0.4) - 0.4173};
    return hypot(fmax(q[0], 0), fmax(q[1], 0)) + fmin(fmax(q[0], q[1]), 0);
}

/* Seen from above, three tenths of a cell from its rim, a drum is as high all round. */
Test(solid, rims_have_no_steps)
{
    enum { ROUND = 97 };
    struct bw_volume v = solid_make(drum);
    double mean = 0, square = 0;
    for (int i = 0; i < ROUND; i++) {
        const double r = 0.5 - 0.3 * box.h, turn = 6.283185307179586 * i / ROUND, down[3] = {0, 0, -1};
        double depth = 9;
        cr_assert_eq(bw_solid_hit(&v, (const double[3]){r * cos(turn), r * sin(turn), 1}, down, 1e-3, &depth), 1);
        mean += depth / ROUND, square += depth * depth / ROUND;
    }
    const double steps = sqrt(fmax(square - mean * mean, 0)) / box.h;
    cr_log_info("steps of a rim: %.4f cells", steps);
    cr_assert_lt(steps, 0.03, "%g cells", steps);
    free(v.solid);
}

/* A block's face goes on below its foot, where the cells of its distance are rounded, and its floor would show. */
Test(solid, what_stands_has_no_lower_edge)
{
    const double ahead[3] = {0, 1, 0};
    struct bw_volume v = solid_make(block);
    cr_assert_gt(hit_at(&v, 0.1, -0.3 * box.h, ahead), 1, "there is no edge to take away");
    v.stands = 1, v.stand = 2 * box.h;
    for (double z = -0.3 * box.h; z < 0.4; z += 0.01) {
        const double depth = hit_at(&v, 0.1, z, ahead);
        cr_assert_float_eq(depth, -0.4, 0.06 * box.h, "%g at %g", depth, z);
    }
    free(v.solid);
}

static double turned(const double p[3])
{
    const double c = cos(0.5), s = sin(0.5), q[3] = {c * p[0] + s * p[1], c * p[1] - s * p[0], p[2] - 0.4};
    return block(q);
}

/// Two blocks beside each other, a street of a cell and a half between them, and a thin wall.
static double street(const double p[3])
{
    const double left[3] = {p[0] + 0.5, p[1], p[2]}, right[3] = {p[0] - 0.39, p[1] - 0.15, p[2] - 0.1};
    const double wall = fmax(fmax(fabs(p[0]) - 0.8, fabs(p[1] + 0.75) - 0.8 * box.h), fabs(p[2] - 1.2) - 0.2);
    return fmin(fmin(block(left), block(right)), wall);
}

/// Farthest that a seen place is from the surface of `of`, in cells, and the share of rays that do not agree with it
/// whether there is something, but for those that pass within a fifth of a cell of an edge.
static double worst_seen(double (*of)(const double p[3]), double *wrong)
{
    struct bw_volume v = solid_make(of);
    const double dir[3] = {0.36, 0.8, -0.48};
    double worst = 0;
    int n = 0, bad = 0;
    cr_assert_eq(bw_normals_make(&tools, &v), BW_OK);
    for (int j = 0; j < 80; j++)
        for (int i = 0; i < 80; i++, n++) {
            const double eye[3] = {-2.2 + 0.035 * i, -3, 1.2 + 0.025 * j};
            double depth = 20, nearest = HUGE_VAL, p[3];
            const int hit = bw_solid_hit(&v, eye, dir, 1e-3, &depth) >= 1;
            for (double t = 0; t < 6; t += 0.1 * box.h) {
                for (int a = 0; a < 3; a++) p[a] = eye[a] + t * dir[a];
                int in = 1;
                for (int a = 0; a < 3; a++) in &= p[a] > box.origin[a] && p[a] < box.origin[a] + N * box.h;
                if (in) nearest = fmin(nearest, of(p) / box.h);
            }
            for (int a = 0; a < 3; a++) p[a] = eye[a] + depth * dir[a];
            if (fabs(nearest) < 0.2) continue;
            bad += hit != (nearest < 0);
            if (hit && nearest < 0 && p[2] > box.origin[2] + 0.01) worst = fmax(worst, fabs(of(p)) / box.h);
        }
    *wrong = (double)bad / n;
    bw_normals_free(&tools, &v);
    free(v.solid);
    return worst;
}

/* Blocks, upright and turned, keep their edges and corners within a quarter of a cell, and nothing hangs in the air. */
Test(solid, edges_are_sharp)
{
    double (*const shapes[])(const double p[3]) = {block, turned, street, ball, drum};
    for (int q = 0; q < 5; q++) {
        double wrong, worst = worst_seen(shapes[q], &wrong);
        cr_log_info("shape %d: %.3f cells off, %.4f of the rays are wrong", q, worst, wrong);
        cr_expect_lt(worst, 0.25, "shape %d: %g cells", q, worst);
        cr_expect_lt(wrong, 0.002, "shape %d: %g of the rays", q, wrong);
    }
}

/* Beside an upright edge, half a cell wide as a pixel sees it, a ray has as much of the block as it passes near to it,
 * though no step of it ends there. */
Test(solid, an_outline_fades_as_a_pixel_does)
{
    struct bw_volume v = solid_make(turned);
    const double pixel = 0.5 * box.h / 5, dir[3] = {0, 1, 0};
    double worst = 0;
    int part = 0;
    cr_assert_eq(bw_normals_make(&tools, &v), BW_OK);
    for (double x = -0.6; x < -0.4; x += 0.02 * box.h)
        for (double z = 0.55; z < 0.85; z += 0.13) {
            const double eye[3] = {x, -5, z};
            double nearest = HUGE_VAL, depth = 20;
            for (double t = 4; t < 6; t += 0.01 * box.h)
                nearest = fmin(nearest, turned((double[3]){x, t - 5, z}) / (pixel * t));
            const double want = fmax(fmin(1 - nearest, 1), 0);
            const double cover = (double)bw_solid_hit(&v, eye, dir, pixel, &depth);
            part += want > 0.2 && want < 0.8;
            worst = fmax(worst, fabs(cover - want));
        }
    cr_log_info("%d rays, at most %.3f off", part, worst);
    cr_assert_gt(part, 20);
    cr_assert_lt(worst, 0.3, "%g", worst);
    bw_normals_free(&tools, &v);
    free(v.solid);
}

/// Two walls that meet in a corner which goes in.
static double nook(const double p[3])
{
    const double x = p[0] - 0.0137, y = p[1] + 0.021;
    return x > 0 && y > 0 ? fmin(x, y) : -hypot(fmin(x, 0), fmin(y, 0));
}

/* Near one of them the other one, within reach, is no face of the same body: the nearer one is what is there. */
Test(solid, a_wall_beside_another_is_no_face_of_it)
{
    struct bw_volume v = solid_make(nook);
    cr_assert_eq(bw_normals_make(&tools, &v), BW_OK);
    for (double near = 0.1; near < 0.5; near += 0.09)
        for (double far = 0.9; far < 1.8; far += 0.13)
            for (int turned = 0; turned < 2; turned++) {
                const double p[2] = {0.0137 + box.h * (turned ? far : near), -0.021 + box.h * (turned ? near : far)};
                const float x[3] = {(float)((p[0] + 1) / box.h - 0.5), (float)((p[1] + 1) / box.h - 0.5), 12.3f};
                const struct bw_surface s = bw_surface_at(&box, v.normals, x);
                cr_expect_float_eq(s.distance, near, 0.1, "%g, %g: %g", near, far, (double)s.distance);
                cr_expect_gt(s.normal[turned], 0.97f, "%g, %g: %g", near, far, (double)s.normal[turned]);
            }
    bw_normals_free(&tools, &v);
    free(v.solid);
}

/* A wall beside a fire: light without patches or discs, a pixel against its neighbours. */
Test(solid, fire_lights_a_wall_evenly)
{
    enum { SIDE = 160, B = 48 };
    struct bw_volume v = solid_make(block);
    struct bw_scene scene = {
        .lo = {-1, -1, 0}, .hi = {1, 1, 2}, .extinction = 30, .ambient = 293, .exposure = 1, .look = look_usual()};
    struct bw_aim aim = {.tan_long = 0.1, .has_target = 1, .target = {0, -0.4, 0.3}, .distance = 5};
    struct bw_image img;
    v.box = (struct bw_dense){{B, B, B}, {-1.5, -1.5, 0}, box.h};
    v.flame = take(NULL, (size_t)B * B * B * sizeof(float));
    for (int i = 0; i < B * B * B; i++) { // to the left of the wall that is seen, and as near as it can be
        const double x = -1.5 + (i % B + 0.5) * box.h, y = -1.5 + (i / B % B + 0.5) * box.h;
        const double z = (i / B / B + 0.5) * box.h;
        v.flame[i] = x > -1 && x < -0.5 && y > -0.9 && y < -0.3 && z < 0.6 + 0.1 * sin(9 * y) ? 1 : 0;
    }
    scene.look.key = scene.look.environment = 0;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, SIDE, SIDE), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    double worst = 0, mean = 0;
    for (int y = 50; y < 110; y++)
        for (int x = 50; x < 110; x++) {
            const float *p = img.px + 3 * (y * SIDE + x), *row = p - 3 * SIDE, *next = p + 3 * SIDE;
            const double around = (double)(p[-3] + p[3] + *row + *next) / 4;
            worst = fmax(worst, fabs((double)*p / around - 1));
            mean += (double)*p / 3600;
        }
    cr_assert_gt(mean, 0.01, "%g: it is not lit", mean);
    cr_assert_lt(worst, 0.03, "%g", worst);
    bw_image_free(&img);
    free(v.flame);
    free(v.solid);
}
