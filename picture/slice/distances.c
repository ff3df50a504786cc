// SPDX-License-Identifier: Apache-2.0
/* A level set in a file knows distances within its band alone, and the relief and the shadow of a cut obstacle want
 * them farther. Beyond, a cell is as far as some cell of the band on its side and the way there: each takes the best
 * of what its neighbours found (Danielsson 1980, two passes to and fro). In the layer alone: where a surface leans
 * the bake, which looks around in space, finds it nearer. */
#include "distances.h"

#include <math.h>
#include <stdbool.h>

struct far {
    const int32_t *n;
    double h, band;
    float *d;
    int32_t *from; ///< the cell of the band that the best way leads to, -1: none yet
};

static double way(const struct far *f, int32_t at, int32_t from)
{
    const double dx = at % f->n[0] - from % f->n[0], dy = at / f->n[0] - from / f->n[0];
    return fabs((double)f->d[from]) + f->h * hypot(dx, dy);
}

static bool is_far(const struct far *f, int32_t at) { return !(fabs((double)f->d[at]) < f->band); }

/* What the cell beside, on the same side of the surface, has found. */
static void look(const struct far *f, int32_t i, int32_t j, int32_t di, int32_t dj)
{
    const int32_t at = i + j * f->n[0], to = i + di + (j + dj) * f->n[0];
    if (i + di < 0 || i + di >= f->n[0] || j + dj < 0 || j + dj >= f->n[1]) return;
    if (f->from[to] < 0 || signbit(f->d[at]) != signbit(f->d[f->from[to]])) return;
    if (f->from[at] < 0 || way(f, at, f->from[to]) < way(f, at, f->from[at])) f->from[at] = f->from[to];
}

static void pass(const struct far *f, int32_t turn)
{
    static const int32_t beside[4][2] = {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    for (int32_t q = 0; q < f->n[1]; q++)
        for (int32_t back = 0; back < 2; back++)
            for (int32_t p = 0; p < f->n[0]; p++) {
                const int32_t i = (turn > 0) == !back ? p : f->n[0] - 1 - p, j = turn > 0 ? q : f->n[1] - 1 - q;
                const int32_t along = (turn > 0) == !back ? 1 : -1;
                if (!is_far(f, i + j * f->n[0])) continue;
                for (int e = 0; e < 4; e++) look(f, i, j, e ? beside[e][0] : -along, turn * beside[e][1]);
            }
}

enum bw_status bw_slice_distances(const struct bw_tools *tools, const int32_t n[2], double h, double band, float *d)
{
    struct far f = {n, h, band * (1 - 1e-4), d, NULL};
    const int32_t count = n[0] * n[1];
    f.from = tools->alloc(tools->ctx, (size_t)count * sizeof *f.from);
    if (!f.from) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < count; i++) f.from[i] = is_far(&f, i) ? -1 : i;
    for (int turn = 1; turn >= -1; turn -= 2) pass(&f, turn);
    for (int turn = 1; turn >= -1; turn -= 2) pass(&f, turn);
    for (int32_t i = 0; i < count; i++)
        if (f.from[i] >= 0 && f.from[i] != i) {
            d[i] = copysignf((float)way(&f, i, f.from[i]), d[i]); // ways lead to the band, which stays as it is
        }
    tools->release(tools->ctx, f.from);
    return BW_OK;
}
