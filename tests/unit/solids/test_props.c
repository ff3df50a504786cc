// SPDX-License-Identifier: Apache-2.0
/* What props look like: bark runs along its log, windows come in bays and storeys of metres, fire blackens what is
 * near it, grown cylinders stay near their cylinder and close, outlines stand on the horizon. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/material/material.h>
#include <picture/volume/material/scorch.h>
#include <picture/volume/material/uneven.h>
#include <picture/volume/sky/backdrop.h>
#include <picture/volume/sky/stars.h>
#include <picture/volume/studio/studio.h>

#include <criterion/criterion.h>
#include <math.h>

static struct bw_finish finish_of(int32_t kind, const double p[3], const double n[3], double footprint, uint32_t piece)
{
    const struct bw_material_wish wish = {.kind = kind, .colour = {0.2f, 0.17f, 0.14f}, .roughness = 0.9f, .scale = 1};
    const struct bw_material_place at = {.p = {p[0], p[1], p[2]},
                                         .n = {n[0], n[1], n[2]},
                                         .footprint = footprint,
                                         .lo = {-12, -6, 0},
                                         .hi = {12, 6, 21},
                                         .piece = piece};
    struct bw_finish f;
    bw_material_at(&wish, &at, &f);
    return f;
}

/// Mean change of bark's colour over a step of 4 mm, around a log of 8 cm or along it.
static double bark_change(int along, double footprint)
{
    enum { N = 4000 };
    const double r = 0.08;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double turn = 0.37 * i, z = 0.0113 * i;
        float tone[2];
        for (int q = 0; q < 2; q++) {
            const double a = turn + (along ? 0 : q * 0.004 / r), n[3] = {cos(a), sin(a), 0},
                         p[3] = {r * n[0], r * n[1], z + (along ? q * 0.004 : 0)};
            tone[q] = finish_of(BW_MATERIAL_BARK, p, n, footprint, 0).albedo[1];
        }
        sum += fabs((double)(tone[1] - tone[0])) / N;
    }
    return sum;
}

Test(props, bark_runs_along_its_log)
{
    const double around = bark_change(0, 1e-3), along = bark_change(1, 1e-3), far = bark_change(0, 0.3);
    cr_log_info("bark: %g over 4 mm around, %g along, %g around from afar", around, along, far);
    cr_expect_gt(around, 0.01);
    cr_expect_gt(around, 1.7 * along, "%g around, %g along", around, along);
    cr_expect_lt(far, 0.05 * around);
}

/// How many panes lie on a line across a front, and how far apart, m, the first and the last one of them begin.
static int panes_count(int up, double other, double footprint, uint32_t piece, double *apart)
{
    const double n[3] = {0, -1, 0};
    int count = 0, was = 0;
    double first = 0, last = 0;
    for (int i = 0; i < 6000; i++) {
        const double s = 0.004 * i, p[3] = {up ? other : s - 12, -6, up ? s : other};
        const int glass = finish_of(BW_MATERIAL_FACADE, p, n, footprint, piece).roughness < 0.5f;
        if (glass && !was) last = s, first = count++ ? first : s;
        was = glass;
    }
    *apart = last - first;
    return count;
}

/* Sashes have two panes or one; blinds hide some: the smallest distance of whole bays is what counts. */
Test(props, windows_come_in_bays_and_storeys)
{
    int found = 0;
    for (uint32_t piece = 0; piece < 4; piece++)
        for (int up = 0; up < 2; up++) {
            double apart[2];
            int most = 0;
            double period = 0;
            for (int line = 0; line < 6; line++) { // some lines run between windows
                const double other = up ? -5 + 0.61 * line : 8 + 0.61 * line;
                const int near = panes_count(up, other, 0.005, piece, &apart[0]),
                          far = panes_count(up, other, 0.02, piece, &apart[1]);
                cr_expect_eq(near, far, "house %u, line %d: %d panes near, %d farther off", piece, line, near, far);
                if (near > most) most = near, period = apart[0] / (near - 1);
            }
            if (most < 4) continue;
            found++;
            cr_expect(period > 0.9 && period < 8, "house %u: %d panes, one every %g m", piece, most, period);
            if (!up) continue;
            const double storeys = 19.7 / period; // below the cornice
            cr_expect(period > 2.7 && period < 4.4 && fabs(storeys - round(storeys)) < 0.02,
                      "house %u: a storey is %g m, %g of them", piece, period, storeys);
        }
    cr_expect_geq(found, 5, "only %d rows of windows", found);
}

/* No window is cut by a corner, nor by the roof. */
Test(props, houses_end_in_walls)
{
    const double n[3] = {0, -1, 0}, side[3] = {1, 0, 0}, up[3] = {0, 0, 1};
    for (uint32_t piece = 0; piece < 20; piece++)
        for (int i = 0; i < 100; i++) {
            const double a[3] = {-11.9, -6, 0.2 * i}, b[3] = {12, 5.9, 0.2 * i}, c[3] = {0.1 * i, -6, 20.5},
                         d[3] = {0.1 * i - 10, 0, 21};
            cr_expect_gt(finish_of(BW_MATERIAL_FACADE, a, n, 0.01, piece).roughness, 0.5f);
            cr_expect_gt(finish_of(BW_MATERIAL_FACADE, b, side, 0.01, piece).roughness, 0.5f);
            cr_expect_gt(finish_of(BW_MATERIAL_FACADE, c, n, 0.01, piece).roughness, 0.5f);
            cr_expect_gt(finish_of(BW_MATERIAL_FACADE, d, up, 0.01, piece).roughness, 0.5f);
        }
}

Test(props, lit_windows_are_some_of_them)
{
    const struct bw_material_wish wish = {.kind = BW_MATERIAL_FACADE, .glow = {3, 2, 1}, .roughness = 1, .scale = 1};
    int lit = 0, dark = 0, wall = 0;
    for (int i = 0; i < 40000; i++) {
        const struct bw_material_place at = {.p = {-11 + 22.0 * (i % 200) / 200, -6, 4 + 14.0 * (i / 200) / 200},
                                             .n = {0, -1, 0},
                                             .footprint = 0.01,
                                             .lo = {-12, -6, 0},
                                             .hi = {12, 6, 21},
                                             .piece = 2};
        struct bw_finish f;
        bw_material_at(&wish, &at, &f);
        const int glass = f.roughness < 0.5f;
        lit += glass && f.glow[0] > 0, dark += glass && !(f.glow[0] > 0), wall += !glass && f.glow[0] > 2;
    }
    cr_expect(lit > 300 && dark > lit && !wall, "%d lit, %d dark, %d of the wall", lit, dark, wall);
}

static double light_of(int32_t kind, float scorch, double *ember)
{
    double sum = 0;
    for (int i = 0; i < 3000; i++) {
        const double a = 0.37 * i;
        const struct bw_material_wish wish = {
            .kind = kind, .colour = {0.2f, 0.2f, 0.2f}, .roughness = 0.6f, .scale = 1};
        const struct bw_material_place at = {.p = {0.1 * cos(a), 0.1 * sin(a), 0.003 * i},
                                             .n = {cos(a), sin(a), 0},
                                             .footprint = 1e-3,
                                             .lo = {-0.1, -0.1, 0},
                                             .hi = {0.1, 0.1, 9},
                                             .scorch = scorch,
                                             .ember = {1, 0.3f, 0.1f}};
        struct bw_finish f;
        bw_material_at(&wish, &at, &f);
        sum += (double)f.albedo[1] / 3000, *ember += (double)f.glow[0] / 3000;
    }
    return sum;
}

Test(props, fire_blackens_what_is_near)
{
    static const int32_t kinds[] = {BW_MATERIAL_PLAIN, BW_MATERIAL_BARK, BW_MATERIAL_CLOTH, BW_MATERIAL_PAINTED};
    for (int k = 0; k < 4; k++) {
        double ember[2] = {0};
        const double clean = light_of(kinds[k], 0, &ember[0]), burnt = light_of(kinds[k], 1, &ember[1]);
        const int wood = k == 1 || k == 2;
        cr_expect_lt(burnt, 0.4 * clean, "%d: %g, then %g", kinds[k], clean, burnt);
        cr_expect_eq(ember[0], 0);
        cr_expect(wood ? ember[1] > 0.003 && ember[1] < 0.4 : ember[1] == 0, "%d: embers %g", kinds[k], ember[1]);
    }
    const struct bw_scorch fire = {.at = {1, 2, 0}, .radius = 0.5};
    const double out[3] = {1, 0, 0}, in[3] = {-1, 0, 0};
    float last = 2;
    for (int i = 0; i < 20; i++) {
        const double p[3] = {1 + 0.06 * i, 2, 0};
        const float at = bw_scorch_at(&fire, p, NULL);
        cr_assert(at <= last && at >= 0 && at <= 1);
        cr_assert_leq(bw_scorch_at(&fire, p, out), bw_scorch_at(&fire, p, in));
        last = at;
    }
    cr_assert_eq(last, 0);
    cr_assert_float_eq((double)bw_scorch_at(&fire, (const double[3]){1.5, 2, 0}, NULL), 0.5, 1e-6);
}

Test(props, grown_cylinders_stay_near_and_close)
{
    for (int kind = BW_UNEVEN_LOG; kind <= BW_UNEVEN_WAX; kind++)
        for (uint32_t lot = 0; lot < 30; lot++) {
            const double slender = kind == BW_UNEVEN_LOG ? 0.13 : 0.4;
            double far = 0, spread[2] = {9, 0};
            for (int i = 0; i < 3000; i++) {
                const double a = 0.01 * i, z = -1 + 2.0 * (i % 101) / 100;
                double p[3] = {cos(a), sin(a), z}, q[3] = {cos(a + 1e-7), sin(a + 1e-7), z};
                bw_uneven_move((enum bw_uneven)kind, lot, slender, p);
                bw_uneven_move((enum bw_uneven)kind, lot, slender, q);
                const double r = hypot(p[0], p[1]);
                far = fmax(far, fmax(fabs(r - 1), fabs(p[2] - z) / slender));
                spread[0] = fmin(spread[0], r), spread[1] = fmax(spread[1], r);
                for (int b = 0; b < 3; b++) cr_assert_float_eq(p[b], q[b], kind == BW_UNEVEN_RAGS ? 0.06 : 1e-4);
            }
            cr_expect_lt(far, 0.34, "%d, %u: %g radii off", kind, lot, far);
            cr_expect_gt(spread[1] - spread[0], 0.05, "%d, %u is round", kind, lot);
        }
}

/* What is molten is wet and deeper in colour; rim, sides and foot are not. */
Test(props, wax_is_wet_in_its_pool)
{
    const double up[3] = {0, 0, 1}, aside[3] = {1, 0, 0};
    const double pool[3] = {0.5, 0, 20}, rim[3] = {11.6, 0, 21}, side[3] = {12, 0, 20}, foot[3] = {0.5, 0, 1};
    const struct bw_finish wet = finish_of(BW_MATERIAL_WAX, pool, up, 0.01, 0),
                           dry[3] = {finish_of(BW_MATERIAL_WAX, rim, up, 0.01, 0),
                                     finish_of(BW_MATERIAL_WAX, side, aside, 0.01, 0),
                                     finish_of(BW_MATERIAL_WAX, foot, up, 0.01, 0)};
    for (int i = 0; i < 3; i++) {
        cr_expect_lt(wet.roughness, 0.4f * dry[i].roughness, "%d: %g", i, (double)dry[i].roughness);
        cr_expect_lt(wet.albedo[2] * dry[i].albedo[0], 0.8f * wet.albedo[0] * dry[i].albedo[2], "%d", i);
    }
}

/* Molten wax is level, lower than the rim, and no run leaves the rim torn. */
Test(props, wax_has_a_level_pool)
{
    const double slender = 0.4;
    for (uint32_t lot = 0; lot < 30; lot++)
        for (int i = 0; i < 200; i++) {
            const double a = 0.0314 * i;
            double in[3] = {0.5 * cos(a), 0.5 * sin(a), 1}, side[3] = {cos(a), sin(a), 0.9991},
                   top[3] = {0.9999 * cos(a), 0.9999 * sin(a), 1};
            bw_uneven_move(BW_UNEVEN_WAX, lot, slender, in);
            bw_uneven_move(BW_UNEVEN_WAX, lot, slender, side);
            bw_uneven_move(BW_UNEVEN_WAX, lot, slender, top);
            cr_assert_float_eq(in[2], 1 - 0.16 * slender, 1e-9);
            cr_assert_gt(top[2], in[2], "%u: it runs over", lot);
            cr_assert_float_eq(hypot(side[0], side[1]), hypot(top[0], top[1]), 0.01);
        }
}

Test(props, outlines_stand_on_the_horizon)
{
    const struct bw_backdrop_light light = {
        .zenith = {0.01f, 0.01f, 0.01f}, .horizon = {0.1f, 0.1f, 0.1f}, .windows = 1};
    for (int kind = BW_BACKDROP_DUSK; kind <= BW_BACKDROP_TOWN; kind++) {
        int dark[2] = {0};
        struct bw_texture_plan plan;
        bw_backdrop_plan((enum bw_backdrop)kind, light.to, &plan);
        for (int i = 0; i < 2000; i++) {
            const double round = -3.1 + 0.0031 * i;
            float low[3], high[3], back[2][3];
            for (int h = 0; h < 2; h++) {
                const double up = h ? 0.3 : 0.012, length = sqrt(1 + up * up),
                             to[3] = {cos(round) / length, sin(round) / length, up / length};
                bw_backdrop_see(&plan, NULL, &light, to, 1e-3, h ? high : low);
            }
            dark[0] += low[1] < 0.07f, dark[1] += high[1] < 0.8f * 0.017f;
            for (int s = 0; s < 2; s++) // no seam behind the eye
                bw_backdrop_see(&plan, NULL, &light, (const double[3]){-1, s ? 1e-9 : -1e-9, 0.01 + 1e-5 * i}, 1e-3,
                                back[s]);
            cr_assert_float_eq((double)back[0][1], (double)back[1][1], 1e-3);
        }
        cr_expect(kind == BW_BACKDROP_DUSK ? !dark[0] : dark[0] > 1000, "%d: %d of 2000 are dark", kind, dark[0]);
        cr_expect_eq(dark[1], 0, "%d stands overhead", kind);
    }
}

/* A star is as bright in a large picture as in a small one: what all of them add up to stays, while there are many dark
 * places between them. */
Test(props, stars_keep_their_light)
{
    enum { N = 1200 };
    const double step = 0.5 / N;
    double sum[2] = {0};
    int lit[2] = {0};
    for (int fine = 0; fine < 2; fine++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double round = 1 + step * i, up = 0.4 + step * j, flat = cos(up);
                const double to[3] = {flat * cos(round), flat * sin(round), sin(up)};
                float rgb[3] = {0};
                bw_stars_add(to, fine ? 8e-4 : 2.4e-3, 1, rgb);
                sum[fine] += (double)rgb[1], lit[fine] += rgb[1] > 1e-3f;
            }
    cr_log_info("stars: light %g and %g, %d and %d of %d lit", sum[0], sum[1], lit[0], lit[1], N * N);
    cr_expect_gt(sum[0], 0);
    cr_expect_float_eq(sum[1] / sum[0], 1, 0.05, "%g", sum[1] / sum[0]);
    cr_expect(lit[1] > 100 && lit[1] < N * N / 20 && lit[1] < lit[0], "%d and %d", lit[1], lit[0]);
    float below[3] = {0};
    for (int i = 0; i < 100000; i++)
        bw_stars_add((const double[3]){cos(6e-5 * i), sin(6e-5 * i), -0.1}, 1e-3, 1, below);
    cr_expect_eq(below[1], 0, "there are none in the ground");
}

/* By day a hill's spurs have a side in the sun and one in shade, and which is which turns with the sun. */
Test(props, hills_have_a_sunny_side)
{
    double unlike = 0;
    for (int i = 0; i < 1000; i++) {
        const double round = 1e-3 * i, to[3] = {cos(round), sin(round), 0.012};
        float rgb[2][3];
        for (int right = 0; right < 2; right++) {
            const double aside = right ? -0.9 : 0.9;
            const struct bw_backdrop_light light = {.horizon = {0.3f, 0.3f, 0.3f},
                                                    .stands = {0.05f, 0.05f, 0.05f},
                                                    .sky = {0.4f, 0.4f, 0.4f},
                                                    .sun = {3, 3, 3},
                                                    .to = {-aside * sin(0.5), aside * cos(0.5), 0.44},
                                                    .bare = 1};
            struct bw_texture_plan plan;
            bw_backdrop_plan(BW_BACKDROP_HILLS, light.to, &plan);
            bw_backdrop_see(&plan, NULL, &light, to, 1e-4, rgb[right]);
        }
        unlike += fabs((double)(rgb[0][1] - rgb[1][1])) / 1000;
    }
    cr_log_info("hills: sun from left and right differ by %g on average", unlike);
    cr_expect_gt(unlike, 0.02, "%g", unlike);
}

/* What is lost in the air is the wall that stands behind it, darker towards the picture's edges: no seam where the
 * floor ends. */
Test(props, air_ends_in_the_wall_that_is_seen)
{
    struct bw_scene scene = {.look = look_usual(),
                             .camera = {{0, -3, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, 0.4, 0.3, 0, 0}};
    const struct bw_studio studio = {.scene = &scene,
                                     .room = {.wall = {0.1f, 0.2f, 0.3f}, .edge = {0.02f, 0.03f, 0.04f}}};
    scene.look.visibility = 3;
    for (int i = -2; i <= 2; i++) {
        const double uv[2] = {0.4 * i, 0.2 * i}, length = sqrt(1 + pow(0.4 * uv[0], 2) + pow(0.3 * uv[1], 2));
        const double dir[3] = {0.4 * uv[0] / length, 1 / length, 0.3 * uv[1] / length};
        struct bw_behind wall;
        float lost[3] = {1, 1, 1};
        bw_studio_colour(&studio, &(struct bw_studio_ray){scene.camera.eye, dir, uv, 0.5f, NULL}, &wall);
        bw_studio_air(&studio, dir, 1e6, BW_HIDDEN, lost);
        for (int c = 0; c < 3; c++)
            cr_expect_float_eq(lost[c], wall.rgb[c], 1e-6, "%d: %g, not %g", i, (double)lost[c], (double)wall.rgb[c]);
    }
}

/* At the visibility a fiftieth of the contrast is left, half as far its root. */
Test(props, air_hides_what_is_far)
{
    struct bw_scene scene = {.look = look_usual()};
    const struct bw_studio studio = {.scene = &scene, .room.wall = {0.1f, 0.2f, 0.3f}};
    const double ahead[3] = {0, 1, 0};
    float far[2][3], near[2][3];
    scene.look.visibility = 300;
    for (int light = 0; light < 2; light++) {
        for (int c = 0; c < 3; c++) far[light][c] = near[light][c] = (float)light;
        bw_studio_air(&studio, ahead, 300, BW_HIDDEN, far[light]);
        bw_studio_air(&studio, ahead, 150, BW_HIDDEN, near[light]);
    }
    for (int c = 0; c < 3; c++) {
        cr_expect_float_eq((double)(far[1][c] - far[0][c]), 0.02, 1e-4);
        cr_expect_float_eq((double)(near[1][c] - near[0][c]), sqrt(0.02), 1e-3);
        cr_expect_gt(far[0][c], near[0][c], "black gets no lighter");
    }
    float wall[3] = {0};
    bw_studio_air(&studio, ahead, 1e6, BW_HIDDEN, wall);
    for (int c = 0; c < 3; c++) cr_expect_float_eq(wall[c], studio.room.wall[c], 1e-6, "what is far is not the wall");
    scene.look.visibility = 0;
    bw_studio_air(&studio, ahead, 1e6, BW_HIDDEN, far[1]);
    cr_expect_float_eq((double)far[1][0], 0.02 + (double)far[0][0], 1e-4);
}
