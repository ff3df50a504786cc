// SPDX-License-Identifier: Apache-2.0
/* What is round the stage: floors that are even seen from afar and have no seams, puddles that mirror. */
#include "../render/image_tools.h"
#include "look.h"
#include <picture/volume/studio/studio.h>
#include <picture/volume/render.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/// Mean and standard deviation of what a floor sends back of green light, over 2 m.
static void ground_facts(enum bw_ground kind, double footprint, double facts[2])
{
    enum { SPOTS = 400 };
    double sum = 0, square = 0;
    for (int i = 0; i < SPOTS * 10; i++) {
        const double at[2] = {-1 + 2.0 * (i % SPOTS) / SPOTS, -1 + 0.2 * (i / SPOTS)};
        struct bw_ground_spot s;
        bw_ground_at(kind, at, footprint, &s);
        sum += (double)s.albedo[1] / (SPOTS * 10);
        square += pow((double)s.albedo[1], 2) / (SPOTS * 10);
        cr_assert(s.albedo[0] > 0.005f && s.albedo[0] < 0.6f && s.wet >= 0 && s.wet <= 1);
    }
    facts[0] = sum, facts[1] = sqrt(fmax(square - sum * sum, 0));
}

Test(surroundings, floors_have_grain_near_and_none_from_afar)
{
    static const double mean[][2] = {[BW_GROUND_STUDIO] = {0.04, 0.04},
                                     [BW_GROUND_EARTH] = {0.07, 0.2},
                                     [BW_GROUND_STREET] = {0.03, 0.08},
                                     [BW_GROUND_CYCLORAMA] = {0.5, 0.5}};
    for (int kind = 0; kind < (int)(sizeof mean / sizeof *mean); kind++) {
        double near[2], far[2];
        ground_facts((enum bw_ground)kind, 1e-4, near);
        ground_facts((enum bw_ground)kind, 3, far);
        cr_log_info("floor %d: %.3f ± %.3f, from afar %.3f ± %.3f", kind, near[0], near[1], far[0], far[1]);
        cr_assert(near[0] >= mean[kind][0] - 1e-6 && near[0] <= mean[kind][1] + 1e-6, "%d: %g", kind, near[0]);
        cr_assert_float_eq(far[0], near[0], 0.35 * near[0] + 1e-9, "%d: %g, %g", kind, far[0], near[0]);
        if (mean[kind][0] < mean[kind][1]) cr_assert_gt(near[1], 0.1 * near[0]);
        cr_assert_lt(far[1], 0.02 * near[0] + 1e-9, "%d flickers", kind);
    }
}

/* Across the places where waves begin anew. */
Test(surroundings, floors_have_no_seams)
{
    double most = 0;
    struct bw_ground_spot last, s;
    for (int i = 0; i < 60000; i++, last = s) {
        const double along = i / 60000.0, at[2] = {-3 + 6 * along, -2.5 + 5.3 * along};
        bw_ground_at(BW_GROUND_EARTH, at, 0.01, &s);
        if (i) most = fmax(most, fabs((double)(s.albedo[0] - last.albedo[0])));
    }
    cr_assert_lt(most, 4e-3, "%g", most);
    struct bw_ground_spot far; // a stage far from the origin is no fault
    bw_ground_at(BW_GROUND_EARTH, (const double[2]){1e12, -3e11}, 1e-3, &far);
    cr_assert(far.albedo[0] > 0.01f && far.albedo[0] < 0.5f);
}

/// The picture of a glowing block over a floor, seen level from the front, dark but for it.
static struct bw_image block_render(enum bw_ground ground)
{
    enum { N = 24 };
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, 0.4}, 1.0 / N}};
    struct bw_scene scene = {
        .lo = {-5, -5, 0}, .hi = {5, 5, 1.4}, .extinction = 30, .ambient = 293, .exposure = 1, .floor = 1};
    struct bw_aim aim = {.tan_long = 0.3, .elevation = 0.12, .has_target = 1, .target = {0, 0, 0.2}, .distance = 5};
    struct bw_image img;
    v.flame = take(NULL, (size_t)N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++) v.flame[i] = i % N > 6 && i % N < 17 && i / N / N > 2 && i / N / N < 20 ? 1 : 0;
    scene.look = look_usual();
    scene.look.key = scene.look.environment = 0;
    scene.look.ground = ground;
    bw_camera_fit(&scene.camera, &aim, scene.lo, scene.hi, 1);
    cr_assert_eq(bw_image_init(&img, &tools, 96, 96), BW_OK);
    cr_assert_eq(bw_render_linear(&tools, &v, &scene, &img, NULL), BW_OK);
    free(v.flame);
    return img;
}

/* Fire lights the floor as much as the floor is bright; in a puddle it is seen upside down. */
Test(surroundings, fire_is_seen_on_the_floor)
{
    struct bw_image img[4];
    double glow[4] = {0}, spot = 0;
    for (int g = 0; g < 4; g++) {
        img[g] = block_render((enum bw_ground)g);
        for (int y = 76; y < 96; y++)
            for (int x = 0; x < 96; x++) glow[g] += (double)img[g].px[3 * (y * 96 + x)] / (20 * 96);
    }
    cr_log_info("floor under a fire: %g %g %g %g", glow[0], glow[1], glow[2], glow[3]);
    for (int g = 0; g < 2; g++) { // by what they send back of red light
        const double want = g ? 0.5 / 0.128 : 0.128 / 0.04, got = glow[g ? 3 : 1] / glow[g ? 1 : 0];
        cr_assert_float_eq(got, want, 0.3 * want, "%g, not %g", got, want);
    }
    for (int i = 0; i < 96 * 20; i++) // a puddle on asphalt that sends little back
        spot = fmax(spot, (double)img[BW_GROUND_STREET].px[3 * (76 * 96 + i)]);
    cr_assert_gt(spot, 4 * glow[BW_GROUND_STREET], "%g: nothing is mirrored", spot);
    for (int g = 0; g < 4; g++) bw_image_free(&img[g]);
}
