// SPDX-License-Identifier: Apache-2.0
/* Materials: a colour is their mean, nothing jumps, what is finer than a pixel is not seen, relief leans no farther
 * than what faces the eye may, and the pattern goes where the obstacle goes. */
#include "../render/image_tools.h"
#include <picture/volume/material/material.h>
#include <picture/volume/material/grain.h>
#include <picture/volume/shape/shapes.h>
#include <picture/gather/shapes.h>

#include <criterion/criterion.h>
#include <math.h>

static const char *const names[] = {"plain", "wood", "bark",    "stone", "brick",  "concrete", "rubber",
                                    "metal", "wax",  "painted", "cloth", "facade", "scales"};
enum { KINDS = BW_MATERIAL_SCALES + 1 };

static struct bw_material_wish wish_of(int kind)
{
    return (struct bw_material_wish){.kind = kind, .colour = {0.2f, 0.15f, 0.1f}, .roughness = 0.8f, .scale = 1};
}

/// On the front of a block of 8 m.
static void finish_at(const struct bw_material_wish *wish, const double p[3], double footprint, struct bw_finish *f)
{
    const struct bw_material_place at = {.p = {p[0], p[1], p[2]},
                                         .n = {0, -1, 0},
                                         .footprint = footprint,
                                         .lo = {-4, -4, -4},
                                         .hi = {4, 4, 4},
                                         .piece = 3};
    bw_material_at(wish, &at, f);
}

/* On the front of a wall of 4 m by 4 m. */
Test(material, a_colour_is_their_mean)
{
    enum { N = 400 };
    for (int kind = 0; kind < KINDS; kind++) {
        const struct bw_material_wish wish = wish_of(kind);
        const double n[3] = {0, -1, 0};
        double mean[3] = {0}, square = 0;
        for (int i = 0; i < N * N; i++) {
            const double p[3] = {4. * (i % N) / N - 1.93, -1.03, 4. * (i / N) / N + 0.01};
            struct bw_finish f;
            double length = 0, out = 0;
            finish_at(&wish, p, 1e-3, &f);
            for (int c = 0; c < 3; c++) mean[c] += (double)(f.albedo[c] / wish.colour[c]) / (N * N);
            for (int a = 0; a < 3; a++) length += f.normal[a] * f.normal[a], out += f.normal[a] * n[a];
            square += pow((double)(f.albedo[1] / wish.colour[1]), 2) / (N * N);
            cr_assert_float_eq(length, 1, 1e-9);
            cr_assert_gt(out, 0.5, "%s leans by %g", names[kind], acos(out));
            cr_assert(f.roughness > 0 && f.roughness <= 1);
        }
        for (int c = 0; c < 3 && kind != BW_MATERIAL_FACADE; c++) // windows are no wall
            cr_expect_float_eq(mean[c], 1, 0.12, "%s: %g of its colour", names[kind], mean[c]);
        cr_expect(kind == BW_MATERIAL_PLAIN || sqrt(square - mean[1] * mean[1]) > 0.02, "%s is even", names[kind]);
    }
}

Test(material, nothing_jumps)
{
    for (int i = 0; i < 4000; i++) {
        const double p[3] = {1e-3 * (i - 2000) - 5e-7, 0.37, -0.21}, q[3] = {p[0] + 1e-6, p[1], p[2]};
        const double r[3] = {0.37, p[0], -0.21}, t[3] = {0.37, p[0] + 1e-6, -0.21};
        float which;
        cr_assert_float_eq((double)bw_grain(p), (double)bw_grain(q), 1e-5, "at %g", p[0]);
        cr_assert_float_eq((double)bw_grain(r), (double)bw_grain(t), 1e-5, "at %g", p[0]);
        cr_assert_float_eq((double)bw_grain_cells(p, &which), (double)bw_grain_cells(q, &which), 1e-5, "at %g", p[0]);
    }
}

/* From so far that a pixel is 20 m wide a wall is even. */
Test(material, what_is_finer_than_a_pixel_is_not_seen)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const struct bw_material_wish wish = wish_of(kind);
        double least = 9, most = 0;
        for (int i = 0; i < 2000; i++) {
            const double p[3] = {0.0173 * i, -1.03, 0.0091 * i};
            struct bw_finish f;
            finish_at(&wish, p, 20, &f);
            least = fmin(least, (double)f.albedo[1]), most = fmax(most, (double)f.albedo[1]);
            cr_assert_gt(-f.normal[1], 0.999, "%s has relief", names[kind]);
        }
        cr_expect_lt(most / least, 1.1, "%s: %g to %g", names[kind], least, most);
    }
}

/* The same place of a ball that has moved, turned and come nearer. */
Test(material, it_goes_where_the_obstacle_goes)
{
    struct bw_shape ball = {
        .kind = BW_SHAPE_BALL, .scale = {1, 1, 1}, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .center = {0, 0, 0}};
    const struct bw_shape *list[1] = {&ball};
    struct bw_shapes *s = NULL;
    struct bw_shape_hit hit[2];
    const double from[2][3] = {{3, 0.3, 0.2}, {4 - 0.3, 1 + 3, 5 + 0.2}};
    const double way[2][3] = {{-1, 0, 0}, {0, -1, 0}};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(bw_shapes_follow(&tools, list, NULL, 1, &s), BW_OK);
        cr_assert(bw_shapes_hit(s, from[i], way[i], 1e9, &hit[i]));
        const double turned[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
        for (int a = 0; a < 9; a++) ball.axis[a / 3][a % 3] = turned[a / 3][a % 3];
        ball.center[0] = 4, ball.center[1] = 1, ball.center[2] = 5;
    }
    for (int a = 0; a < 3; a++) cr_assert_float_eq(hit[0].own[a], hit[1].own[a], 1e-5, "%d", a);
    bw_shapes_free(&tools, s);
}

/* Of three obstacles the second has no width and is not drawn: the third looks as its stage's name says. */
Test(material, each_obstacle_looks_as_its_stage_is_named)
{
    struct bw_picture_obstacle own[2] = {{.stage = "wick", .colour = {0, 0, 2}, .material = BW_MATERIAL_BARK},
                                         {.stage = "nobody"}};
    struct bw_picture_params p = {.fire = 1, .obstacles = {{.colour = {0.5, 0.5, 0.5}}, {own, 2}}};
    struct bw_field_info info = {.name = "solid"};
    const struct bw_snapshot_field solid = {.info = &info};
    struct bw_snapshot_shape shape[3];
    const struct bw_frame frame = {.n_shapes = 3, .shapes = shape};
    struct bw_shapes *s = NULL;
    struct bw_look look;
    char why[200];
    for (int i = 0; i < 3; i++)
        shape[i] = (struct bw_snapshot_shape){&info,
                                              i < 2 ? "wax" : "wick",
                                              {.kind = BW_SHAPE_BOX,
                                               .center = {i, 0, 0},
                                               .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                               .scale = {1, 1, i != 1}}};
    cr_assert_eq(bw_gather_shapes(&tools, &frame, &solid, &p.obstacles, &s), BW_OK);
    cr_assert(s && s->n == 2 && s->form[0].look == 0 && s->form[1].look == 1);
    bw_shapes_free(&tools, s);
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_OK);
    cr_assert(look.each[0].kind == BW_MATERIAL_BARK && look.each[0].colour[2] == 1 && look.material.colour[0] == 0.5f);
    for (int c = 0; c < 3; c++) cr_assert_eq(look.material.glow[c], 0);
    float ember[2];
    for (int i = 0; i < 2; i++) {
        own[0].glow = 1200 + 300 * i;
        cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_OK);
        ember[i] = look.each[0].glow[0];
        cr_assert_gt(ember[i], 3 * look.each[0].glow[2], "what glows is red");
    }
    cr_assert_gt(ember[1], 1.5f * ember[0], "%g of 1200 K, %g of 1500 K", ember[0], ember[1]);
    own[1].stage = NULL;
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_ERR_PRESET);
    cr_assert_str_eq(why, "obstacles: number 2 of `each` has no `stage`, the id of the one that it is");
    p.obstacles.each.count = 17;
    cr_assert_eq(bw_picture_look(&p, 0, &look, why, sizeof why), BW_ERR_PRESET);
}
