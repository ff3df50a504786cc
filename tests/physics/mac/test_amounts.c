// SPDX-License-Identifier: Apache-2.0
/* mac.advect with `scheme: flux_ppm`: amounts of smoke and heat are kept, sharp fronts arrive in time, values keep
 * their bounds, and nothing depends on threads, instructions, or where tiles lie. Each bound is one that maccormack
 * misses. */
#include "physics/physics.h"

/* ---- a plume shut in: nothing can go, nothing comes once the source is dry ---- */

static const char still_ball[] = "  - collide: {shape: {sphere: {center: [0.02, 0.01, 0.7], radius: 16 cm}}}\n";
static const char moving_ball[] =
    "  - collide: {shape: {sphere: {center: [\"=0.14*sin(5*t)\", 0.01, \"=0.66+0.1*sin(3*t)\"], radius: 16 cm}}}\n";

static int source_end(void) { return test_short() ? 3 : 24; }
static int last_frame(void) { return test_short() ? 6 : 50; }

static struct test_run shut_in(const char *scheme, const char *ball, uint32_t threads, uint32_t simd, int frames)
{
    struct test_options o = {.threads = threads, .simd = simd};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [30, 26, 40], voxel: 3 cm, margin: 4096, sides: {rest: closed}}\n"
                    "time: {fps: 24, frames: 1-%d, cfl: 3}\n"
                    "fields: {dye: {kind: vector, advect: true}}\n"
                    "stages:\n"
                    "  - emit: {frames: 1-%d, mode: max, density: 1, temperature: 100, "
                    "shape: {sphere: {center: [0.03, 0.02, 0.25], radius: 14 cm}}}\n"
                    "  - set: {field: dye, value: [0.75, \"x > 0 ? 1 : -1\", 0]}\n"
                    "%s"
                    "  - stats: {id: source, frames: 1-%d, fields: [density, temperature]}\n"
                    "  - mac.advect: {scheme: %s}\n"
                    "  - mac.forces: {buoyancy: 1, confinement: 0.2}\n"
                    "  - mac.project: {}\n"
                    "  - stats: {id: after, fields: [density, temperature, dye]}\n",
                    frames, source_end(), ball, source_end() + 1, scheme);
}

static double drift(const struct test_run *r, const char *field)
{
    char source[64], after[64];
    snprintf(source, sizeof source, "source.mass_%s", field);
    snprintf(after, sizeof after, "after.mass_%s", field);
    const double by = metric(r, after) / metric(r, source) - 1;
    fprintf(stderr, "%s drifts by %.2g\n", field, by);
    return by;
}

/* Either order of the axes, or both and their mean. */
static const char *const by_flux[] = {"flux_ppm", "flux_ppm, sweeps: symmetric"};

/* maccormack has to drift by more than `bound`, or the case is too easy. */
static void hard_for_maccormack(const char *ball, double bound)
{
    if (test_short()) return; // it takes its time
    struct test_run r = shut_in("maccormack", ball, 2, UINT32_MAX, last_frame());
    cr_assert_gt(fabs(drift(&r, "density")), bound, "maccormack drifts by %g: too easy", drift(&r, "density"));
    test_end(&r);
}

static void closed_box(const char *scheme)
{
    struct test_run r = shut_in(scheme, "", 2, UINT32_MAX, last_frame());
    cr_assert_leq(fabs(drift(&r, "density")), 5e-5, "smoke drifts by %g", drift(&r, "density"));
    cr_assert_leq(fabs(drift(&r, "temperature")), 5e-5, "heat drifts by %g", drift(&r, "temperature"));
    cr_assert(metric(&r, "after.min_density") >= 0 && metric(&r, "after.max_density") <= 1);
    struct grid flat = grid_of(&r, "dye", 0), sharp = grid_of(&r, "dye", 1);
    for (size_t i = 0; i < grid_count(&flat); i++) {
        cr_assert_eq(flat.v[i], .75, "a constant became %.9g", flat.v[i]);
        cr_assert(fabs(sharp.v[i]) <= 1, "1 became %.9g", sharp.v[i]);
    }
    bw_free(flat.v);
    bw_free(sharp.v);
    test_end(&r);
}

Test(amounts, kept_in_a_closed_box)
{
    for (uint32_t i = 0; i < BW_COUNT(by_flux); i++) closed_box(by_flux[i]);
    hard_for_maccormack("", 1e-2);
}

/* Amount in cells whose middle lies deeper than `depth` in an obstacle, as a share of all. */
static double inside(const struct test_run *r, double depth)
{
    struct grid g = grid_of(r, "density", 0), solid = grid_of(r, "solid", 0);
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < grid_count(&g); i++)
        if (solid.v[i] < -depth) sum += g.v[i], count++;
    cr_assert_gt(count, 50, "%zu cells are that deep", count);
    sum /= grid_sum(&g);
    bw_free(g.v);
    bw_free(solid.v);
    return sum;
}

Test(amounts, kept_round_a_ball)
{
    struct test_run r = shut_in("flux_ppm", still_ball, 2, UINT32_MAX, last_frame());
    cr_assert_leq(fabs(drift(&r, "density")), 5e-5, "smoke drifts by %g", drift(&r, "density"));
    cr_assert_eq(inside(&r, .03), 0, "smoke in the ball");
    cr_assert(metric(&r, "after.min_density") >= 0 && metric(&r, "after.max_density") <= 1);
    test_end(&r);
    hard_for_maccormack(still_ball, 2e-3);
}

/* The ball speeds up and slows down: where it goes farther than the flow knew, gas is squeezed for a while. */
static void round_a_moving_ball(const char *scheme)
{
    struct test_run r = shut_in(scheme, moving_ball, 2, UINT32_MAX, last_frame());
    cr_assert_leq(fabs(drift(&r, "density")), 5e-4, "smoke drifts by %g", drift(&r, "density"));
    cr_assert_eq(inside(&r, .03), 0, "smoke in the ball");
    cr_assert_geq(metric(&r, "after.min_density"), 0);
    cr_assert_leq(metric(&r, "after.max_density"), 1, "%g", metric(&r, "after.max_density"));
    static const double bound[] = {.75 * 1.03, 1.15}; /* where all is as full as can be */
    for (uint32_t c = 0; c < 2; c++) {
        struct grid dye = grid_of(&r, "dye", c);
        double most = 0;
        for (size_t i = 0; i < grid_count(&dye); i++) most = fmax(most, fabs(dye.v[i]));
        cr_assert_leq(most, bound[c], "dye became %g", most);
        bw_free(dye.v);
    }
    test_end(&r);
}

Test(amounts, kept_round_a_moving_ball)
{
    for (uint32_t i = 0; i < BW_COUNT(by_flux); i++) round_a_moving_ball(by_flux[i]);
    hard_for_maccormack(moving_ball, 5e-3);
}

/* A force listed before mac.advect: what goes through cut faces is the last projection's, but all else, in tiles with
 * obstacles too, goes along the velocity as it is. Once the whole tile went by the last projection. */
Test(amounts, kept_where_a_force_comes_first)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [32, 32, 32], voxel: 5 cm, margin: 4096, origin: [-0.8, -0.8, 0], "
                            "sides: {rest: closed}}\n"
                            "time: {fps: 24, frames: 1-6}\n"
                            "stages:\n"
                            "  - set: {id: smoke, field: density, value: \"x^2+y^2+(z-0.8)^2 < 0.1 ? 1 : 0\"}\n"
                            "  - collide: {shape: {box: {center: [0.6, 0.6, 1.4], size: [0.2, 0.2, 0.2]}}}\n"
                            "  - stats: {id: source, frames: 1-1, fields: [density]}\n"
                            "  - force: {kind: {vortex: {radius: 0.4, strength: 12}}}\n"
                            "  - mac.advect: {}\n"
                            "  - mac.project: {}\n"
                            "  - stats: {id: after, fields: [density]}\n");
    struct grid g = grid_of(&r, "density", 0);
    cr_assert_lt(at(&g, 10, 16, 16), .99, "nothing has moved");
    bw_free(g.v);
    cr_assert_leq(fabs(drift(&r, "density")), 1e-4, "smoke drifts by %g", drift(&r, "density"));
    test_end(&r);
}

/* Gas in a shut room, which what comes between moves; a box of obstacle stands in it. */
static struct test_run room(const char *first, const char *only, const char *then, int frames, uint32_t threads)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [32, 32, 32], voxel: 5 cm, margin: 4096, origin: [-0.8, -0.8, 0], "
                    "sides: {rest: closed}}\n"
                    "time: {fps: 24, frames: 1-%d}\n"
                    "stages:\n"
                    "  - set: {id: smoke, field: density, value: \"x^2+y^2+(z-0.8)^2 < 0.1 ? 1 : 0\"}\n"
                    "  - set: {id: heat, field: temperature, value: \"x^2+y^2+(z-0.8)^2 < 0.3 ? 200 : 0\"}\n"
                    "  - collide: {shape: {box: {center: [0.2, 0, 0.8], size: [0.2, 0.6, 0.6]}}}\n"
                    "  - stats: {id: source, frames: 1-1, fields: [density]}\n"
                    "%s  - mac.advect: {%s}\n%s"
                    "  - mac.project: {}\n"
                    "  - stats: {id: after, fields: [density]}\n",
                    frames, first, only, then);
}

static const char wind[] = "  - force: {kind: {wind: {velocity: [10, 0, 0], rate: 6}}}\n";
static const char pull[] = "  - force: {kind: {attractor: {center: [0.1, 0, 0.8], radius: 0.3, strength: 12}}}\n";
static const char heat[] = "  - mac.forces: {buoyancy: 1, confinement: 0.2}\n";
static const char goal[] = "  - guide: {to: {constant: {velocity: [3, 0, 0]}}, weight: 8 1/s}\n";
static const char syrup[] = "  - mac.diffuse: {viscosity: 0.01}\n";

/* What pushes before mac.advect presses gas against walls, and together, until a projection comes: once four fifths of
 * the smoke were lost so in eight steps of wind. */
Test(amounts, kept_though_gas_is_pushed_before_it_is_carried)
{
    static const char *const push[] = {wind, pull, heat, goal};
    for (size_t i = 0; i < BW_COUNT(push); i++) {
        struct test_run r = room(push[i], "", syrup, test_short() ? 4 : 8, 2);
        cr_assert_leq(fabs(drift(&r, "density")), 2e-3, "smoke drifts by %g:\n%s", drift(&r, "density"), push[i]);
        test_end(&r);
    }
}

/* Of a velocity that is not carried itself, so that the push is the same: on any threads. */
Test(amounts, carried_as_if_the_push_came_later)
{
    static const char only[] = "only: [density]";
    char all[1000];
    snprintf(all, sizeof all, "%s%s%s", wind, pull, heat);
    struct test_run behind = room("", only, all, 4, 2);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct test_run before = room(all, only, "", 4, threads);
        cr_assert_eq(test_hash(&behind, "density"), test_hash(&before, "density"), "pushed before, it goes elsewhere");
        test_end(&before);
    }
    struct test_run still = room("", only, "", 4, 2);
    cr_assert_neq(test_hash(&behind, "density"), test_hash(&still, "density"), "nothing has moved");
    test_end(&still);
    test_end(&behind);
}

static void loss_hear(int level, const char *who, const char *text, void *heard)
{
    (void)level;
    (void)who;
    if (strstr(text, "beside obstacles") && strstr(text, "lost in a step: gale has changed the flow")) ++*(int *)heard;
}

/* What changes the flow behind mac.project, and not by `force`, is balanced by none until gas has gone along it: that
 * is told, once, and counted. */
Test(amounts, loss_beside_obstacles_is_told)
{
    for (int i = 0; i < 2; i++) {
        int heard = 0;
        static const char gale[] =
            "  - set: {id: gale, field: vel, when: always, mode: add, value: [\"60\", \"0\", \"0\"]}\n";
        char push[200];
        snprintf(push, sizeof push, i ? "%s  - mac.project: {}\n" : "  - mac.project: {}\n%s", i ? wind : gale);
        struct test_options o = {.threads = 2, .simd = UINT32_MAX, .on_log = loss_hear, .user = &heard};
        struct test_run r = run_with(&o,
                                     "billow: 1\n"
                                     "domain: {cells: [24, 24, 24], voxel: 5 cm, origin: [-0.6, -0.6, 0], "
                                     "sides: {rest: closed}}\n"
                                     "time: {fps: 24, frames: 1-3}\n"
                                     "stages:\n"
                                     "  - set: {id: smoke, field: density, value: \"x < 0.1 ? 1 : 0\"}\n"
                                     "  - collide: {shape: {box: {center: [0.2, 0, 0.6], size: [0.3, 0.5, 0.5]}}}\n"
                                     "  - mac.advect: {}\n%s",
                                     push);
        const double lost = metric(&r, "mac.advect.lost_density");
        cr_assert(i ? fabs(lost) < 1e-6 : lost > 1e-4, "%g are lost", lost);
        cr_assert_eq(heard, !i, "told %d times", heard);
        test_end(&r);
    }
}

static void same_bytes(const char *scheme)
{
    const int last = test_short() ? 3 : 12;
    struct test_run one = shut_in(scheme, moving_ball, 1, 0, last);
    for (uint32_t simd = test_short() ? bw_simd_best() : 0; simd <= bw_simd_best(); simd++) {
        struct test_run two = shut_in(scheme, moving_ball, 2, simd, last);
        cr_assert_eq(test_hash(&one, "density"), test_hash(&two, "density"), "level %u differs", simd);
        cr_assert_eq(test_hash(&one, "dye"), test_hash(&two, "dye"), "level %u differs", simd);
        test_end(&two);
    }
    test_end(&one);
}

Test(amounts, same_bytes_on_any_threads_and_instructions)
{
    for (uint32_t i = 0; i < BW_COUNT(by_flux); i++) same_bytes(by_flux[i]);
}

/* ---- a slab of smoke in a steady wind, a tenth of a cell a step ---- */

/* Where the front that leads passes one half, cells. */
static double front_place(const char *scheme, int steps)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [64, 4, 1], voxel: 1, origin: [0, 0, 0], sides: {rest: periodic}}\n"
                            "time: {fps: 1, frames: 1-%d, dt: 1}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, keep: true, value: [0.1, 0, 0]}\n"
                            "  - set: {id: smoke, field: density, value: \"x > 8 && x < 28 ? 1 : 0\"}\n"
                            "  - mac.advect: {scheme: %s}\n",
                            steps + 1, scheme);
    struct grid g = grid_of(&r, "density", 0);
    double place = 0;
    for (int i = 28; i < 63; i++)
        if (at(&g, i, 0, 0) >= .5 && at(&g, i + 1, 0, 0) < .5)
            place = i + .5 + (at(&g, i, 0, 0) - .5) / (at(&g, i, 0, 0) - at(&g, i + 1, 0, 0));
    bw_free(g.v);
    test_end(&r);
    return place;
}

Test(amounts, a_front_arrives_in_time)
{
    const double place = front_place("flux_ppm", 200), old = front_place("maccormack", 200);
    fprintf(stderr, "front at %.3f, maccormack's at %.3f, of 48 cells\n", place, old);
    cr_assert_float_eq(place, 48, .1, "the front is at %g, not at 48", place);
    cr_assert_lt(old, 47.5, "maccormack's front is at %g: too easy", old);
}

/* ---- a swirl that turns back at half time: what is left of a slotted disc (Zalesak's), 64² ---- */

enum { SWIRL = 64 };

/* L1 error over the disc, and what its amount has grown to. */
static double swirl_error(const char *scheme, double cfl, double *amount)
{
    const int half = (int)lrint(1.5 * SWIRL / cfl);
    const double edge = .5 / SWIRL, c = cfl / PI;
    struct test_run r = run(
        "billow: 1\n"
        "domain: {cells: [%d, %d, 1], voxel: %.17g, origin: [0, 0, 0], sides: {rest: periodic}}\n"
        "time: {fps: 1, frames: 1-%d, dt: 1}\n"
        "fields: {start: {kind: scalar}}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, when: always, keep: true, value: [\"(frame < %g ? 1 : -1)*%.17g*sin(pi*x)^2*"
        "(sin(pi*(y+%.17g))^2 - sin(pi*(y-%.17g))^2)\", \"(frame < %g ? -1 : 1)*%.17g*sin(pi*y)^2*"
        "(sin(pi*(x+%.17g))^2 - sin(pi*(x-%.17g))^2)\", 0]}\n"
        "  - set: {id: disc, field: density, value: \"(x-0.5)^2+(y-0.75)^2 < 0.0225 && (abs(x-0.5) > 0.025 || "
        "y > 0.85) ? 1 : 0\"}\n"
        "  - set: {id: keep, field: start, value: density}\n"
        "  - mac.advect: {scheme: %s}\n",
        SWIRL, SWIRL, 1. / SWIRL, 2 * half + 1, half + 1.5, c, edge, edge, half + 1.5, c, edge, edge, scheme);
    struct grid g = grid_of(&r, "density", 0), start = grid_of(&r, "start", 0);
    double error = 0;
    for (size_t i = 0; i < grid_count(&g); i++) {
        error += fabs(g.v[i] - start.v[i]);
        cr_assert(g.v[i] >= 0 && g.v[i] <= 1, "%s: a value of %.9g", scheme, g.v[i]);
    }
    error /= grid_sum(&start);
    *amount = grid_sum(&g) / grid_sum(&start);
    bw_free(g.v);
    bw_free(start.v);
    test_end(&r);
    return error;
}

Test(amounts, a_reversed_swirl_comes_back)
{
    static const double cfl[] = {.7, 2, 4}, gain[] = {.8, .8, .8};
    for (int i = test_short() ? 2 : 0; i < 3; i++) {
        double amount, before;
        const double error = swirl_error("flux_ppm", cfl[i], &amount), old = swirl_error("maccormack", cfl[i], &before);
        cr_assert_lt(error, gain[i] * old, "CFL %g: error %g, maccormack's %g", cfl[i], error, old);
        cr_assert_float_eq(amount, 1, 1e-6, "CFL %g: the amount is %.9g", cfl[i], amount);
        cr_assert_gt(fabs(before - 1), 1e-3, "maccormack keeps the amount: %g", before);
    }
}

/* ---- sweeps that meet between parts are one: halos must reach as far, in flat boxes and whole ones ---- */

enum { THIN_NONE = 3 };

/* Cells of gas, three times as long along one axis as along the other, of which the longer turn at `speed` cells a step
 * at most; along an axis that is left all is blown by ten. */
static struct test_run cells_of_gas(int thin, int first, double speed, int frames)
{
    const int p = thin == THIN_NONE ? first : (thin + 1 + first) % 3,
              q = thin == THIN_NONE ? (first + 1) % 3 : (thin + 2 - first) % 3, rest = 3 - p - q;
    const char axis[] = "xyz";
    char u[3][64], cells[32];
    const double along = sin(M_PI / 48), across = sin(3 * M_PI / 48); // what makes differences cancel
    snprintf(u[p], sizeof *u, "\"%g*sin(%c*pi/24)*cos(%c*pi/8)\"", speed, axis[p], axis[q]);
    snprintf(u[q], sizeof *u, "\"-%.9g*cos(%c*pi/24)*sin(%c*pi/8)\"", speed * along / across, axis[p], axis[q]);
    snprintf(u[rest], sizeof *u, "%d", thin == THIN_NONE ? 10 : 0);
    snprintf(cells, sizeof cells, "%d, %d, %d", thin == 0 ? 1 : 48, thin == 1 ? 1 : 48, thin == 2 ? 1 : 48);
    return run("billow: 1\n"
               "domain: {cells: [%s], voxel: 1, origin: [0, 0, 0], sides: {rest: periodic}}\n"
               "time: {fps: 1, frames: 1-%d, dt: 1}\n"
               "fields: {dye: {kind: vector, advect: true}}\n"
               "stages:\n"
               "  - set: {id: flow, field: vel, when: always, keep: true, value: [%s, %s, %s]}\n"
               "  - set: {id: smoke, field: density, value: \"mod(%c,20) > 7 ? 1 : 0\"}\n"
               "  - set: {field: dye, value: [0.75, 0, 0]}\n"
               "  - mac.advect: {scheme: flux_ppm, cfl: 0}\n",
               cells, frames, u[0], u[1], u[2], axis[p]);
}

Test(amounts, kept_in_parts)
{
    for (int thin = 0; thin <= THIN_NONE; thin++)
        for (int first = 0; first < 2; first++)
            for (double speed = 3; speed < 16; speed += 4) {
                struct test_run start = cells_of_gas(thin, first, speed, 1), r = cells_of_gas(thin, first, speed, 5);
                struct grid before = grid_of(&start, "density", 0), g = grid_of(&r, "density", 0),
                            flat = grid_of(&r, "dye", 0);
                cr_assert_float_eq(grid_sum(&g) / grid_sum(&before), 1, 2e-6, "thin %d, %d, by %g: %.9g of the amount",
                                   thin, first, speed, grid_sum(&g) / grid_sum(&before));
                for (size_t i = 0; i < grid_count(&g); i++) {
                    cr_assert(g.v[i] >= 0 && g.v[i] <= 1, "a value of %.9g", g.v[i]);
                    cr_assert_eq(flat.v[i], .75, "a constant became %.9g", flat.v[i]);
                }
                if (speed > 8) cr_assert_gt(metric(&r, "mac.advect.parts"), 1, "no step was too long");
                bw_free(before.v), bw_free(g.v), bw_free(flat.v);
                test_end(&start), test_end(&r);
            }
}

/* ---- a pattern that lies elsewhere among the tiles, with its flow ---- */

static struct test_run moved(int by)
{
    return run("billow: 1\n"
               "domain: {cells: [48, 48, 20], voxel: 1, origin: [0, 0, 0], sides: {z-: closed, z+: open, rest: "
               "periodic}}\n"
               "time: {fps: 1, frames: 1-6, dt: 1}\n"
               "stages:\n"
               "  - set: {id: flow, field: vel, when: always, keep: true, value: [\"2.7*sin(mod(x-%d+48,48)*pi/12)\", "
               "\"1.9*cos(mod(y-%d+48,48)*pi/8)\", \"z*(20-z)*sin(mod(x-%d+48,48)*pi/24)/90\"]}\n"
               "  - set: {id: smoke, field: density, value: \"mod(x-%d+48,48) > 9 && mod(y-%d+48,48) > 17 ? z : 0\"}\n"
               "  - mac.advect: {scheme: flux_ppm, cfl: 0}\n",
               by, by, by, by, by);
}

Test(amounts, tiles_leave_no_trace)
{
    struct test_run r = moved(0);
    struct grid g = grid_of(&r, "density", 0);
    for (int by = 1; by < 16; by += 7) {
        struct test_run s = moved(by);
        struct grid h = grid_of(&s, "density", 0);
        for (int k = 0; k < 20; k++)
            for (int j = 0; j < 48; j++)
                for (int i = 0; i < 48; i++)
                    cr_assert_eq(at(&g, i, j, k), at(&h, (i + by) % 48, (j + by) % 48, k),
                                 "moved by %d: (%d,%d,%d) has %g, not %g", by, i, j, k,
                                 at(&h, (i + by) % 48, (j + by) % 48, k), at(&g, i, j, k));
        bw_free(h.v);
        test_end(&s);
    }
    cr_assert_gt(metric(&r, "mac.advect.parts"), 1, "no step was too long");
    bw_free(g.v);
    test_end(&r);
}

/* ---- what goes out is told ---- */

Test(amounts, what_leaves_is_counted)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [40, 20, 20], voxel: 0.5, origin: [0, 0, 0], sides: {x-: open, x+: open, "
                            "rest: closed}}\n"
                            "time: {fps: 1, frames: 1-2, dt: 1}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, when: always, keep: true, value: [0.25, 0, 0]}\n"
                            "  - set: {id: smoke, field: density, value: \"x > 10 ? 2 : 0\"}\n"
                            "  - stats: {id: before, frames: 1-1, fields: [density]}\n"
                            "  - mac.advect: {scheme: flux_ppm}\n"
                            "  - stats: {id: after, fields: [density]}\n");
    const double left = metric(&r, "mac.advect.left_density");
    cr_assert_float_eq(left, .25 * 2 * 100, 1e-3, "%g left: 25 cm of smoke of 2 over 100 m2 were blown out", left);
    cr_assert_float_eq(metric(&r, "after.mass_density") + left, metric(&r, "before.mass_density"), 1e-3);
    test_end(&r);
}

/* A puff that thins out in the open, without a box: what its tiles lose at their rims, and with those that fall
 * silent, is all that is lacking. */
Test(amounts, what_leaves_the_active_tiles_is_counted)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {voxel: 0.0625, size: none, margin: 2, sides: {rest: open}}\n"
                            "time: {fps: 0.25, frames: 1-2, substeps: 80}\n"
                            "fields: {density: {kind: scalar, alive: 0.2}}\n"
                            "stages:\n"
                            "  - set: {id: smoke, field: density, value: \"exp(-16*(x^2+y^2+z^2))\", "
                            "box: {lo: [-0.6, -0.6, -0.6], hi: [0.6, 0.6, 0.6]}}\n"
                            "  - stats: {id: before, frames: 1-1, fields: [density]}\n"
                            "  - mac.advect: {}\n"
                            "  - mac.forces: {weight: 12}\n"
                            "  - mac.project: {}\n"
                            "  - stats: {id: after, fields: [density]}\n");
    const double before = metric(&r, "before.mass_density"), after = metric(&r, "after.mass_density");
    const double left = metric(&r, "mac.advect.left_density"), dropped = metric(&r, "main.dropped");
    cr_log_info("of %g: %g is there, %g left, %g dropped", before, after, left, dropped);
    cr_assert_gt(left + dropped, 1e-2 * before, "%g left, %g dropped: nothing to see", left, dropped);
    cr_assert_float_eq(after + left + dropped, before, 1e-3 * before, "of %g: %g is there, %g left, %g dropped", before,
                       after, left, dropped);
    test_end(&r);
}
