// SPDX-License-Identifier: Apache-2.0
/* Open sides of the box. A puff that is blown through one, or rises through it by its heat, leaves a box as it leaves
 * the same part of a box twice as long: amounts, speeds and what lies in the last four layers are compared frame by
 * frame, along each axis, in two and three dimensions. With p = 0 one cell beyond an open side they differed three
 * times as much. Still layers in a channel stay still. */
#include "physics/physics.h"

enum { FRAMES = 40, CELLS_2D = 64, CELLS_3D = 32, LAST = 4 };

/// A puff that leaves by one side of the box, and what is seen of it after each frame.
struct puff {
    struct watched watched;                                         ///< first
    int dim, axis, high;                                            ///< it goes along the axis, to its high or low side
    int is_hot;                                                     ///< it rises by its heat; else it is blown
    int times;                                                      ///< length of the box, in lengths of the small one
    double amount[FRAMES + 1], last[FRAMES + 1], speed[FRAMES + 1]; ///< in the small box; its last layers; there
};

static int puff_cells(const struct puff *p) { return p->dim == 2 ? CELLS_2D : CELLS_3D; }

/// A cell's layer, counted from the small box's far end towards the source; negative beyond it.
static int layer_of(const struct puff *p, int at)
{
    const int n = puff_cells(p);
    return p->high ? n - 1 - at : at - (p->times - 1) * n;
}

static void puff_see(struct watched *w, const struct bw_progress *progress)
{
    struct puff *p = (struct puff *)w;
    struct grid d = grid_of(&w->run, "density", 0), u = grid_of(&w->run, "vel", (uint32_t)p->axis);
    double amount = 0, last = 0, moved = 0;
    int x[3];
    for (x[2] = 0; x[2] < d.n[2]; x[2]++)
        for (x[1] = 0; x[1] < d.n[1]; x[1]++)
            for (x[0] = 0; x[0] < d.n[0]; x[0]++) {
                const double q = at(&d, x[0], x[1], x[2]);
                const int layer = layer_of(p, x[p->axis]);
                if (layer < 0) continue;
                amount += q;
                if (layer >= LAST) continue;
                last += q;
                const double low = at(&u, x[0], x[1], x[2]);
                x[p->axis]++;
                moved += q * .5 * (low + at(&u, x[0], x[1], x[2])) * (p->high ? 1 : -1);
                x[p->axis]--;
            }
    p->amount[progress->frame] = amount;
    p->last[progress->frame] = last;
    p->speed[progress->frame] = last > 0 ? moved / last : 0;
    bw_free(d.v);
    bw_free(u.v);
}

/// Three numbers of which the axis of the puff has `along`, the thin axis `thin` and the others `across`.
static const char *vector(const struct puff *p, double along, double across, double thin)
{
    static char text[8][96];
    static int which;
    double v[3] = {across, across, across};
    v[p->axis] = along;
    if (p->dim == 2) v[(p->axis + 1) % 3] = thin;
    char *to = text[which++ % 8];
    snprintf(to, sizeof text[0], "[%.9g, %.9g, %.9g]", v[0], v[1], v[2]);
    return to;
}

static void puff_run(struct puff *p)
{
    const int n = puff_cells(p);
    const double h = 1. / n, way = p->high ? 1 : -1, far = p->times - 1, at = p->high ? .35 : far + .65;
    char shape[160], push[512];
    snprintf(shape, sizeof shape, "sphere: {center: %s, radius: 0.12}", vector(p, at, .5, h / 2));
    if (p->is_hot) snprintf(push, sizeof push, "  - mac.forces: {gravity: %s}\n", vector(p, -9.81 * way, 0, 0));
    else
        snprintf(push, sizeof push, "  - force: {frames: 1-2, shape: {%s}, kind: {wind: {velocity: %s, rate: 100}}}\n",
                 shape, vector(p, 3 * way, 0, 0));
    p->watched.see = puff_see;
    run_watched(&p->watched,
                "billow: 1\n"
                "domain: {cells: %s, voxel: %.17g, origin: [0, 0, 0], sides: {rest: open}}\n"
                "time: {fps: 24, frames: 1-%d}\n"
                "stages:\n"
                "  - mac.advect: {}\n"
                "  - emit: {frames: 1-2, shape: {%s}, density: 1, temperature: 150}\n"
                "%s"
                "  - mac.project: {}\n",
                vector(p, p->times * n, n, 1), h, FRAMES, shape, push);
    test_end(&p->watched.run);
}

/// The largest differences over all frames: of amounts, as shares of the whole, before a twentieth has left the long
/// box's part and at all; of those in the last layers; of speeds there while a fifth has left, as a share of the
/// fastest.
struct apart {
    double before, amount, last, speed;
};

static struct apart puff_compare(const struct puff *small, const struct puff *large)
{
    struct apart a = {0};
    double whole = 0, fastest = 0;
    for (int f = 1; f <= FRAMES; f++) {
        whole = fmax(whole, large->amount[f]);
        fastest = fmax(fastest, large->speed[f]);
    }
    for (int f = 1; f <= FRAMES; f++) {
        const double amount = fabs(small->amount[f] - large->amount[f]) / whole;
        if (large->amount[f] > .95 * whole) a.before = fmax(a.before, amount);
        a.amount = fmax(a.amount, amount);
        a.last = fmax(a.last, fabs(small->last[f] - large->last[f]) / whole);
        if (fmin(small->last[f], large->last[f]) > .02 * whole && large->amount[f] > .8 * whole)
            a.speed = fmax(a.speed, fabs(small->speed[f] - large->speed[f]) / fastest);
    }
    return a;
}

static void puff_check(int dim, int is_hot, const struct apart *most)
{
    for (int side = 0; side < 6; side++) {
        struct puff small = {.dim = dim, .axis = side / 2, .high = side & 1, .is_hot = is_hot, .times = 1},
                    large = small;
        large.times = 2;
        if (side != 5 && (test_short() || (side != 0 && side != 3))) continue; // one of each axis
        puff_run(&small);
        puff_run(&large);
        const struct apart a = puff_compare(&small, &large);
        fprintf(
            stderr,
            "%dD, %s along %c%c: %.3f of the smoke apart, %.3f before it leaves, %.3f in the last layers, speeds by "
            "%.2f\n",
            dim, is_hot ? "rising" : "blown", 'x' + side / 2, side & 1 ? '+' : '-', a.amount, a.before, a.last,
            a.speed);
        cr_expect_leq(a.before, most->before);
        cr_expect_leq(a.amount, most->amount);
        cr_expect_leq(a.last, most->last);
        cr_expect_leq(a.speed, most->speed);
    }
}

Test(open_sides, let_a_blown_puff_out) { puff_check(3, 0, &(struct apart){.01, .06, .055, .2}); }
Test(open_sides, let_a_hot_puff_out) { puff_check(3, 1, &(struct apart){.015, .12, .115, .14}); }
Test(open_sides, let_a_blown_puff_out_in_two_dimensions) { puff_check(2, 0, &(struct apart){.045, .18, .1, .7}); }
Test(open_sides, let_a_hot_puff_out_in_two_dimensions) { puff_check(2, 1, &(struct apart){.04, .18, .11, .33}); }

/* A slab of smoke, eight cells long, that stands at an open side and goes out slowly: none is kept back. There is
 * denser smoke elsewhere: what is densest has no room to pile up. */
Test(open_sides, keep_no_smoke_back)
{
    for (int side = 0; side < 6; side++) {
        const int a = side / 2, high = side & 1;
        double v[3] = {0};
        v[a] = high ? .25 : -.25;
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [24, 24, 24], voxel: 1, origin: [0, 0, 0], sides: {rest: open}}\n"
                                "time: {fps: 1, frames: 1-17, dt: 1}\n"
                                "stages:\n"
                                "  - set: {id: flow, field: vel, keep: true, value: [%g, %g, %g]}\n"
                                "  - set: {id: smoke, field: density, value: \"x+y+z < 16 ? 1 : %c %s ? 0.5 : 0\"}\n"
                                "  - mac.advect: {only: [density]}\n",
                                v[0], v[1], v[2], 'x' + a, high ? "> 16" : "< 8");
        struct grid d = grid_of(&r, "density", 0);
        const int end = high ? 23 : 0;
        double line = 0;
        for (int i = 0; i < 24; i++) line += at(&d, a == 0 ? i : 12, a == 1 ? i : 12, a == 2 ? i : 12);
        cr_expect_float_eq(line, 2, 5e-3, "side %d: %g of 4 cells are left, not 2", side, line);
        cr_expect_float_eq(at(&d, a == 0 ? end : 12, a == 1 ? end : 12, a == 2 ? end : 12), .5, .01);
        bw_free(d.v);
        test_end(&r);
    }
}

/* ---- rest -------------------------------------------------------------------------------------------------------- */

/* A heavy layer in a shaft, in 3D and 2D, between walls and in a periodic box, on its floor or below the top: the
 * pressure holds it, wherever the active tiles end, as exactly as it is asked to. On the floor for two seconds; below
 * the top what is left of rounding grows (Rayleigh–Taylor). Velocities are in √(g' L), L the layer's height. In a
 * periodic box it once moved by .06 of that, for its far field saw where its images ended. */
Test(open_sides, let_a_layer_rest)
{
    static const char *const layer[] = {"z < 0.5", "z > 0.5", "1 > 0"},
                             *const box[] = {"[32, 32, 64]", "[32, 32, 64]", "[64, 1, 64]", "[64, 1, 64]"},
                             *const sides[] = {"rest: closed", "rest: periodic", "rest: closed", "rest: periodic"};
    for (int i = 0; i < (test_short() ? 4 : 24); i++) {
        const int which = i % 4, exact = i / 4 % 2;
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: %s, voxel: 2.5 cm, origin: [0, 0, 0], margin: 2, sides: {bottom: closed, top: open, "
                "%s}}\n"
                "time: {fps: 24, frames: 1-%d}\n"
                "stages:\n"
                "  - set: {field: density, value: \"%s ? 1 : 0\"}\n"
                "  - set: {field: temperature, value: \"%s ? -100 : 0\"}\n"
                "  - mac.advect: {}\n"
                "  - mac.forces: {weight: 1}\n"
                "  - mac.project: {tolerance: %g}\n"
                "  - stats: {}\n",
                box[which], sides[which], i < 8 ? 49 : 9, layer[i / 8], layer[i / 8], exact ? 1e-6 : 1e-3);
        const double speed = metric(&r, "stats.max_speed_vel") / sqrt((1 + 100 / 288.15) * 9.81 * .5);
        cr_assert_leq(speed, exact ? 1e-5 : 8e-4, "%s in a box %s, %s, %d tiles: %g", layer[i / 8], box[which],
                      sides[which], (int)bw_chain_tiles(r.chain), speed);
        test_end(&r);
    }
}
