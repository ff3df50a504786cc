// SPDX-License-Identifier: Apache-2.0
/* Where smoke lies against its tiles is an accident: moved by part of a tile, or mirrored, it moves alike, although
 * other tiles are active and become so at other times. Without bounds for values: which of two holds is decided by a
 * hair, and makes a percent. */
#include "physics/physics.h"

enum { BOX = 128, FRAMES = 10 }; ///< cells across; frames after which plumes are compared

/* Smoke that rises from a floor, its source `at` cells from the box's low corner; far from the box's sides. */
static struct test_run plume(const int at[2], int planes)
{
    return run("billow: 1\n"
               "domain: {cells: [128, %d, 96], voxel: 0.03125, origin: [%.17g, %.17g, 0],\n"
               "         sides: {bottom: closed, rest: open}}\n"
               "time: {fps: 24, frames: 1-%d, dt: 0.0416666666666666667, cfl: 3}\n"
               "stages:\n"
               "  - emit: {mode: max, density: 1, temperature: 100 K,\n"
               "           shape: {sphere: {center: [0, 0, 0.2], radius: 0.25}}}\n"
               "  - mac.advect: {clamp: false}\n"
               "  - mac.forces: {}\n"
               "  - mac.project: {tolerance: 1e-6}\n",
               planes, -at[0] / 32., planes > 1 ? -at[1] / 32. : -.5 / 32, FRAMES);
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

static void compare(int planes, const int (*by)[2], int n, double most)
{
    static const int from[2] = {53, 56}, mirrored[2] = {BOX - 53, 56};
    struct test_run r = plume(from, planes);
    struct grid p = grid_of(&r, "density", 0);
    const int64_t tiles = bw_chain_tiles(r.chain);
    int others = 0;
    cr_assert_lt(tiles, BOX / 16 * (planes > 1 ? planes / 16 * 6 : 2), "the whole box is awake");
    for (int m = 0; m <= n; m++) {
        struct test_run s = plume(m < n ? (int[]){from[0] + by[m][0], from[1] + by[m][1]} : mirrored, planes);
        struct grid q = grid_of(&s, "density", 0);
        const double d = differ(&p, &q, m < n ? by[m] : NULL);
        others += bw_chain_tiles(s.chain) != tiles;
        fprintf(stderr, "%s by %d %d: %.2g of the peak\n", m < n ? "moved" : "mirrored", m < n ? by[m][0] : 0,
                m < n ? by[m][1] : 0, d);
        cr_expect(d <= most, "%s by %d %d: density differs by %g", m < n ? "moved" : "mirrored", m < n ? by[m][0] : 0,
                  m < n ? by[m][1] : 0, d);
        bw_free(q.v);
        test_end(&s);
    }
    cr_expect(others > 0, "the same number of tiles in all: nothing was tried");
    bw_free(p.v);
    test_end(&r);
}

Test(alignment, plume)
{
    static const int by[][2] = {{8, 8}, {1, 0}, {4, 2}, {8, 0}, {15, 11}};
    compare(BOX, by, test_short() ? 1 : 5, 1e-3);
}
