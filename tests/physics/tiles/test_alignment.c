// SPDX-License-Identifier: Apache-2.0
/* Where smoke lies against its tiles is an accident: moved by part of a tile, or mirrored, it moves alike, although
 * other tiles are active and become so at other times. What is left is what the flow beyond the active tiles is known
 * to, its pressure (far_field.c) and what is drawn in from there (mac/advect/edges/valid_region.h). */
#include "physics/physics.h"
#include "base/memory/pool.h"
#include <malloc.h>

enum { BOX = 128, FRAMES = 10 }; ///< cells across; frames after which plumes are compared

/* Smoke that rises from a floor, its source `at` cells from the box's low corner; far from the box's sides. */
static struct test_run plume(const int at[2], int planes, const char *clamp)
{
    return run("billow: 1\n"
               "domain: {cells: [128, %d, 96], voxel: 0.03125, origin: [%.17g, %.17g, 0],\n"
               "         sides: {bottom: closed, rest: open}}\n"
               "time: {fps: 24, frames: 1-%d, dt: 0.0416666666666666667, cfl: 3}\n"
               "stages:\n"
               "  - emit: {mode: max, density: 1, temperature: 100 K,\n"
               "           shape: {sphere: {center: [0, 0, 0.2], radius: 0.25}}}\n"
               "  - mac.advect: {clamp: %s}\n"
               "  - mac.forces: {}\n"
               "  - mac.project: {tolerance: 1e-6}\n",
               planes, -at[0] / 32., planes > 1 ? -at[1] / 32. : -.5 / 32, FRAMES, clamp);
}

/// Largest difference of density between p and q, whose cells lie `by` farther, as a share of p's peak; mirrored along
/// x first where by is NULL.
static double differ(const struct grid *p, const struct grid *q, const int by[2])
{
    double worst = 0;
    for (int k = 0; k < p->n[2]; k++)
        for (int j = 0; j < p->n[1]; j++)
            for (int i = 0; i < p->n[0]; i++) {
                const int x = by ? i + by[0] : BOX - 1 - i, y = by && p->n[1] > 1 ? j + by[1] : j;
                const double v = x < q->n[0] && y < q->n[1] ? at(q, x, y, k) : 0;
                worst = fmax(worst, fabs(at(p, i, j, k) - v));
            }
    return worst / grid_max(p);
}

/// Another place, and by how much density may differ there, as a share of its peak; 0, 0: mirrored.
struct place {
    int by[2];
    double most;
};

static void compare(int planes, const char *clamp, const struct place *place, int n)
{
    static const int from[2] = {53, 56}, mirrored[2] = {BOX - 53, 56};
    struct test_run r = plume(from, planes, clamp);
    struct grid p = grid_of(&r, "density", 0);
    const int64_t tiles = bw_chain_tiles(r.chain);
    int others = 0;
    cr_assert_lt(tiles, BOX / 16 * (planes > 1 ? planes / 16 * 6 : 2), "the whole box is awake");
    for (int m = 0; m < n; m++) {
        const int *by = place[m].by, moved = by[0] || by[1];
        struct test_run s = plume(moved ? (int[]){from[0] + by[0], from[1] + by[1]} : mirrored, planes, clamp);
        struct grid q = grid_of(&s, "density", 0);
        const double d = differ(&p, &q, moved ? by : NULL);
        others += bw_chain_tiles(s.chain) != tiles;
        fprintf(stderr, "clamp: %s, %s by %d %d: %.2g of the peak\n", clamp, moved ? "moved" : "mirrored", by[0], by[1],
                d);
        cr_expect(d <= place[m].most, "clamp: %s, %s by %d %d: density differs by %g", clamp,
                  moved ? "moved" : "mirrored", by[0], by[1], d);
        bw_free(q.v);
        test_end(&s);
    }
    cr_expect(others > 0, "the same number of tiles in all: nothing was tried");
    bw_free(p.v);
    test_end(&r);
}

Test(alignment, plume)
{
    static const struct place places[] = {{{8, 8}, 1e-3}, {{0, 0}, 1e-5}, {{8, 0}, 5e-4}};
    compare(BOX, "false", places, test_short() ? 1 : 3);
}

/* Which of two bounds holds may be decided by a hair: that is most of what moving by one cell makes. */
Test(alignment, plume_within_bounds)
{
    static const struct place places[] = {{{8, 8}, 1e-3}, {{1, 0}, 1e-4},   {{0, 0}, 1e-5},
                                          {{4, 2}, 5e-4}, {{15, 11}, 5e-4}, {{8, 0}, 5e-4}};
    compare(BOX, "true", places, test_short() ? 2 : 6);
}

/* ---- copies of a fire -------------------------------------------------------------------------------------------- */

/* A charge of two balls of fuel on the ground, as it is, mirrored along x, or turned by 90 degrees: it expands, so
 * tiles wake on all sides of others. */
enum copy { AS_IT_IS, MIRRORED, TURNED };

static struct test_run charge(enum copy copy, const char *scheme)
{
    const double beside[3][2] = {{.7, .35}, {-.7, .35}, {-.35, .7}};
    return run(
        "billow: 1\n"
        "character: calm\n"
        "domain: {cells: [128, 128, 96], voxel: 0.125, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 24, frames: 1-12, cfl: 4}\n"
        "stages:\n"
        "  - mac.advect: {scheme: %s}\n"
        "  - emit: {frames: 1-2, fuel: 1, temperature: 2000, shape: {sphere: {center: [0, 0, 1.1], radius: 1}}}\n"
        "  - emit: {frames: 1-2, fuel: 1, temperature: 2000,\n"
        "           shape: {sphere: {center: [%g, %g, 1.4], radius: 0.6}}}\n"
        "  - fire: {smoke: 3, heat: 3e6 J/kg, burnout: 8 1/s}\n"
        "  - mac.forces: {buoyancy: 0.45}\n"
        "  - mac.project: {tolerance: 1e-6}\n",
        scheme, beside[copy][0], beside[copy][1]);
}

/* Where an even number of cells lies: -x of the copy, or its (y, -x). */
static double copy_at(const struct grid *g, enum copy copy, int i, int j, int k)
{
    const int last = g->n[0] - 1;
    return copy == MIRRORED ? at(g, last - i, j, k) : at(g, last - j, i, k);
}

static void charge_copied(enum copy copy, const char *scheme, double most_l1, double most)
{
    struct test_run r = charge(AS_IT_IS, scheme), s = charge(copy, scheme);
    struct grid p = grid_of(&r, "temperature", 0), q = grid_of(&s, "temperature", 0);
    double worst = 0, sum = 0, all = 0;
    for (int k = 0; k < p.n[2]; k++)
        for (int j = 0; j < p.n[1]; j++)
            for (int i = 0; i < p.n[0]; i++) {
                const double d = fabs(at(&p, i, j, k) - copy_at(&q, copy, i, j, k));
                worst = fmax(worst, d);
                sum += d;
                all += at(&p, i, j, k);
            }
    fprintf(stderr, "a fire, %s, %s: %.2g of its heat elsewhere, %.2g of the peak at most\n", scheme,
            copy == MIRRORED ? "mirrored" : "turned", sum / all, worst / grid_max(&p));
    cr_expect_gt(bw_chain_tiles(r.chain), 24, "no tile has woken");
    cr_expect_leq(sum / all, most_l1);
    cr_expect_leq(worst / grid_max(&p), most);
    bw_free(p.v);
    bw_free(q.v);
    test_end(&r);
    test_end(&s);
}

/* What wakes is the same on both sides: its velocity, and what is known of the forces there. (In one cell's faces that
 * two new tiles share, or that lie between an old one and a new one, it was not: 1.7e-4 of the heat, 9e-4 of the
 * peak.) */
Test(alignment, fire_mirrored) { charge_copied(MIRRORED, "cubic", 2.5e-5, 2.2e-4); }
Test(alignment, fire_turned) { charge_copied(TURNED, "cubic", 2.5e-5, 2.2e-4); }

/* Sweeps along one axis after the other carry a turned fire otherwise: 5e-2 of its heat is elsewhere then. */
Test(alignment, fire_turned_in_fluxes) { charge_copied(TURNED, "flux_ppm, sweeps: symmetric", 5e-5, 5e-4); }

enum other { RENAMED, REFLECTED, ROTATED }; ///< x and y are y and x; -x and y; -y and x

static double other_at(enum other other, const struct grid *g, int i, int j, int k)
{
    const int last = g->n[0] - 1;
    return other == RENAMED ? at(g, j, i, k) : other == REFLECTED ? at(g, last - i, j, k) : at(g, last - j, i, k);
}

/* The share that lies elsewhere in q, another p. */
static double other_differs(enum other other, const struct grid *p, const struct grid *q)
{
    double sum = 0, all = 0;
    for (int k = 0; k < p->n[2]; k++)
        for (int j = 0; j < p->n[1]; j++)
            for (int i = 0; i < p->n[0]; i++) {
                sum += fabs(at(p, i, j, k) - other_at(other, q, i, j, k));
                all += fabs(at(p, i, j, k));
            }
    return sum / all;
}

/* A ball that burns where nothing pulls it down is as fast along all axes: rounding must not say which of them `sweeps:
 * symmetric` takes alone. Then it stays its own copy with x and y renamed. (It did: 1.2e-3.) */
Test(alignment, ball_in_fluxes)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [64, 64, 64], voxel: 0.125, sides: {rest: open}}\n"
            "time: {fps: 24, frames: 1-6, cfl: 4}\n"
            "stages:\n"
            "  - mac.advect: {sweeps: symmetric}\n"
            "  - emit: {frames: 1-2, fuel: 1, temperature: 2000, shape: {sphere: {center: [0, 0, 4], radius: 1}}}\n"
            "  - fire: {smoke: 3, heat: 3e6 J/kg}\n"
            "  - mac.project: {tolerance: 1e-6}\n");
    struct grid heat = grid_of(&r, "temperature", 0);
    const double d = other_differs(RENAMED, &heat, &heat);
    fprintf(stderr, "a ball, axes renamed: %.2g of its heat elsewhere\n", d);
    cr_expect_leq(d, 1e-5);
    bw_free(heat.v);
    test_end(&r);
}

/* A fire that two radian of rotation and converging flow a step make hard to follow, as it is, and with x and y
 * renamed, x turned round, or turned by 90 degrees: bounds of displacements that were a block's, halved tiles along two
 * axes only, or knew faces at low ends only, and soot that burnt or not by a trace of air, told them apart. A copy with
 * a disturbance of 1e-6 is as far. */
struct hearth {
    struct watched watched; // first: it is what `see` gets
    struct grid heat[2], soot[2];
};

enum { EARLY = 6, LATE = 12 };

static void hearth_see(struct watched *w, const struct bw_progress *p)
{
    struct hearth *h = (struct hearth *)w;
    const int late = p->frame == LATE;
    if (p->frame != EARLY && !late) return;
    h->heat[late] = grid_of(&w->run, "temperature", 0);
    h->soot[late] = grid_of(&w->run, "density", 0);
}

static struct hearth hearth(const double at[2][2])
{
    struct hearth h = {.watched = {.see = hearth_see}};
    run_watched(&h.watched,
                "billow: 1\n"
                "domain: {cells: [64, 64, 64], voxel: 0.0234375, sides: {bottom: closed, rest: open}}\n"
                "time: {fps: 24, frames: 1-%d, cfl: 5}\n"
                "fields: {oxygen: {kind: scalar, advect: true, background: 0.232}}\n"
                "stages:\n"
                "  - mac.advect: {sweeps: symmetric}\n"
                "  - emit: {mode: max, shape: {cylinder: {center: [%g, %g, 0.09], radius: 20 cm, height: 9 cm}},\n"
                "           falloff: 3 cm, fuel: 0.45, temperature: 600}\n"
                "  - emit: {mode: max, shape: {sphere: {center: [%g, %g, 0.15], radius: 8 cm}}, falloff: 3 cm,\n"
                "           fuel: 0.45, temperature: 900}\n"
                "  - fire: {burn_rate: 8 1/s, heat: 3.4e6 J/kg, oxygen_need: 0.36, smoke: 0.05, burnout: 30 1/s,\n"
                "           flame_life: 0.05, cooling: 4500 K/s, expansion: 0.9}\n"
                "  - mac.forces: {buoyancy: 0.85, confinement: 0.6}\n"
                "  - mac.project: {tolerance: 1e-6}\n",
                LATE, at[0][0], at[0][1], at[1][0], at[1][1]);
    return h;
}

Test(alignment, fire_in_other_axes)
{
    static const char *const name[] = {"renamed", "mirrored", "turned"};
    static const double places[][2][2] = {{{.03, .05}, {.15, .08}},
                                          [1 + RENAMED] = {{.05, .03}, {.08, .15}},
                                          [1 + REFLECTED] = {{-.03, .05}, {-.15, .08}},
                                          [1 + ROTATED] = {{-.05, .03}, {-.08, .15}}};
    static const double most[2] = {1e-6, 1e-2};
    enum { COPIES = 3 };
    struct hearth h[1 + COPIES];
    for (int i = 0; i <= COPIES; i++) h[i] = hearth(places[i]);
    for (int i = 0; i < COPIES; i++)
        for (int late = 0; late < 2; late++) {
            const double heat = other_differs((enum other)i, &h[0].heat[late], &h[1 + i].heat[late]),
                         soot = other_differs((enum other)i, &h[0].soot[late], &h[1 + i].soot[late]);
            fprintf(stderr, "a fire %s, frame %d: %.2g of the heat, %.2g of the soot elsewhere\n", name[i],
                    late ? LATE : EARLY, heat, soot);
            cr_expect_leq(heat, most[late]);
            cr_expect_leq(soot, most[late]);
        }
    for (int i = 0; i <= COPIES; i++) {
        for (int late = 0; late < 2; late++) bw_free(h[i].heat[late].v), bw_free(h[i].soot[late].v);
        test_end(&h[i].watched.run);
    }
}

/* ---- cut tiles --------------------------------------------------------------------------------------------------- */

/* A box of 20 cells is cut into tiles of 16 and of 4, mirrored into others. Here the source reaches the edge of the
 * tiles that are awake when it begins, so that those beside it wake in the first step that has any lift. */
static struct test_run shaft(double x)
{
    return run("billow: 1\n"
               "domain: {cells: [20, 20, 40], voxel: 0.025, sides: {bottom: closed, rest: open}}\n"
               "time: {fps: 24, frames: 1-4, dt: 0.0416666666666666667, cfl: 3}\n"
               "stages:\n"
               "  - emit: {mode: max, shape: {sphere: {center: [%g, 0, 0.15], radius: 0.11}}, density: 1,\n"
               "           temperature: 130 K}\n"
               "  - mac.advect: {}\n"
               "  - mac.forces: {}\n"
               "  - mac.project: {tolerance: 1e-6}\n",
               x);
}

Test(alignment, mirrored_in_cut_tiles)
{
    struct test_run r = shaft(.05), s = shaft(-.05);
    static const char *const name[] = {"vel", "density"};
    static const double most[] = {3e-3, 2e-4}; // of the largest: it stands at the open sides
    for (uint32_t f = 0; f < BW_COUNT(name); f++) {
        struct grid p = grid_of(&r, name[f], f == 0 ? 2 : 0), q = grid_of(&s, name[f], f == 0 ? 2 : 0);
        double worst = 0;
        for (int k = 0; k < p.n[2]; k++)
            for (int j = 0; j < p.n[1]; j++)
                for (int i = 0; i < p.n[0]; i++)
                    worst = fmax(worst, fabs(at(&p, i, j, k) - at(&q, p.n[0] - 1 - i, j, k)));
        worst /= grid_max(&p);
        fprintf(stderr, "%s, mirrored: %.2g of the largest\n", name[f], worst);
        cr_expect(worst <= most[f], "%s differs by %g of the largest", name[f], worst);
        bw_free(p.v);
        bw_free(q.v);
    }
    cr_expect_gt(bw_chain_tiles(r.chain), 4, "no tile has woken");
    test_end(&r);
    test_end(&s);
}

/* ---- the box ----------------------------------------------------------------------------------------------------- */

/// On one thread: a second one takes its scratch memory when it first gets a tile, and in a busy machine that is late.
static struct test_run puff(int across)
{
    return run_with(
        &(struct test_options){.threads = 1, .simd = UINT32_MAX},
        "billow: 1\n"
        "domain: {cells: [%d, %d, %d], voxel: 0.03125, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 24, frames: 1-4, dt: 0.0416666666666666667}\n"
        "stages:\n"
        "  - emit: {density: 1 1/s, temperature: 100 K, shape: {sphere: {center: [0, 0, 0.5], radius: 0.2}}}\n"
        "  - mac.advect: {}\n"
        "  - mac.forces: {}\n"
        "  - mac.project: {}\n",
        across, across, across);
}

static double heap_bytes(void) { return (double)mallinfo2().uordblks + (double)mallinfo2().hblkhd; }

/* Of a box that smoke is far from the sides of nothing costs but its tiles: as many of them, of cycles and of bytes,
 * and the same bits left over, in 30,000 times the volume. */
Test(alignment, size_of_the_box_is_no_cost)
{
    static const char *const same[] = {"mac.project.iterations", "mac.project.residual", "mac.project.divergence"};
    const double none = heap_bytes();
    struct test_run small = puff(64);
    const double one = heap_bytes();
    const int64_t pool = bw_pool_bytes();
    struct test_run large = puff(2048);
    const double two = heap_bytes();
    cr_assert_eq(bw_chain_tiles(small.chain), bw_chain_tiles(large.chain));
    for (uint32_t i = 0; i < BW_COUNT(same); i++)
        cr_expect(metric(&small, same[i]) == metric(&large, same[i]),
                  "%s is %.17g in the small box, %.17g in the large", same[i], metric(&small, same[i]),
                  metric(&large, same[i]));
    cr_expect_leq(two - one, 1.02 * (one - none), "%g bytes for the large box, %g for the small", two - one,
                  one - none);
    cr_expect_eq(bw_pool_bytes(), 2 * pool, "%lld bytes of tiles for one, %lld for two", (long long)pool,
                 (long long)bw_pool_bytes());
    test_end(&small);
    test_end(&large);
}
