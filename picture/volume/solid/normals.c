// SPDX-License-Identifier: Apache-2.0
/* Where two faces meet inside an obstacle distances have a kink, and a central difference mixes both faces. Along each
 * axis there are the difference to the cell before, to the one behind, and their mean; of all combinations that one is
 * taken whose length is nearest to 1, as a distance's gradient must have, the means if they do as well. */
#include "normals.h"

#include <math.h>
#include <string.h>

#define NEAR 2.0f  ///< cells from a surface: farther off normals are not asked for
#define BIAS 0.03f ///< by which one-sided differences must be better for each that is taken
#define OFF 0.06f  ///< a gradient of another length is none: two obstacles, or the box's last cells
#define KINK 0.75f ///< cosine between neighbours' normals below which there is an edge

enum { REACH = 2 }; ///< cells that a cubic reader sees to each side

struct normals {
    struct bw_volume *v;
};

/// {before, mean, behind} along an axis, `at` cells from the first of n.
static void slopes(const float *d, float h, int at, int n, ptrdiff_t step, float out[3])
{
    const float before = at > 0 ? d[0] - d[-step] : 0, behind = at + 1 < n ? d[step] - d[0] : before;
    out[0] = (at > 0 ? before : behind) / h, out[2] = behind / h;
    out[1] = 0.5f * (out[0] + out[2]);
}

static void cell_face(const float *d, float h, const int at[3], const int n[3], float out[3])
{
    const ptrdiff_t step[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    float slope[3][3], best = INFINITY;
    for (int a = 0; a < 3; a++) slopes(d, h, at[a], n[a], step[a], slope[a]);
    for (int q = 0; q < 27; q++) {
        const int pick[3] = {(q + 1) % 3, (q / 3 + 1) % 3, (q / 9 + 1) % 3}; // means first
        const float x = slope[0][pick[0]], y = slope[1][pick[1]], z = slope[2][pick[2]];
        const float length = sqrtf(x * x + y * y + z * z),
                    sides = (float)((pick[0] != 1) + (pick[1] != 1) + (pick[2] != 1));
        const float off = fabsf(length - 1) + BIAS * sides;
        if (!(off < best) || !(length > 0)) continue;
        best = off;
        const float sure = fabsf(length - 1) < OFF ? 1 / length : 0;
        out[0] = sure * x, out[1] = sure * y, out[2] = sure * z;
    }
}

static void layer_face(int64_t k, void *user)
{
    const struct normals *f = user;
    const struct bw_dense *b = &f->v->solid_box;
    const float h = (float)b->h;
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++) {
            const size_t cell = ((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0] + (size_t)i;
            const float *d = f->v->solid + cell;
            float *out = f->v->normals + 4 * cell;
            out[0] = *d / h, out[1] = out[2] = out[3] = 0;
            if (fabsf(*d) < NEAR * h) cell_face(d, h, (int[3]){i, j, (int)k}, b->n, out + 1);
        }
}

/// Do the normals of a cell and of one behind it differ as they do across an edge?
static int kinked(const struct bw_volume *v, const int at[3], size_t cell)
{
    const struct bw_dense *b = &v->solid_box;
    const float *n = v->normals + 4 * cell;
    for (int q = 14; q < 27; q++) { // the second half of the 27 cells around
        const int to[3] = {at[0] + q % 3 - 1, at[1] + q / 3 % 3 - 1, at[2] + q / 9 - 1};
        if (to[0] < 0 || to[1] < 0 || to[0] >= b->n[0] || to[1] >= b->n[1] || to[2] >= b->n[2]) continue;
        const float *m =
            v->normals + 4 * (((size_t)to[2] * (size_t)b->n[1] + (size_t)to[1]) * (size_t)b->n[0] + (size_t)to[0]);
        const int known = m[1] != 0 || m[2] != 0 || m[3] != 0;
        if (known && n[1] * m[1] + n[2] * m[2] + n[3] * m[3] < KINK) return 1;
    }
    return 0;
}

static void layer_kinks(int64_t k, void *user)
{
    const struct normals *f = user;
    const struct bw_dense *b = &f->v->solid_box;
    size_t cell = (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, cell++) {
            const float *n = f->v->normals + 4 * cell;
            if (n[1] != 0 || n[2] != 0 || n[3] != 0)
                f->v->edged[cell] = (uint8_t)kinked(f->v, (int[3]){i, j, (int)k}, cell);
        }
}

/// Spread what is set REACH + 1 cells along a line of n, `step` apart.
static void line_spread(uint8_t *p, int n, size_t step)
{
    int last = -REACH - 2; // behind what was set
    for (int i = 0; i < n; i++) {
        if (p[(size_t)i * step] == 1) {
            for (int q = i - 1; q >= 0 && q >= i - REACH - 1 && !p[(size_t)q * step]; q--) p[(size_t)q * step] = 2;
            last = i;
        } else if (i - last <= REACH + 1) p[(size_t)i * step] = 2;
    }
    for (int i = 0; i < n; i++) p[(size_t)i * step] = p[(size_t)i * step] > 0;
}

static void layer_spread(int64_t k, void *user)
{
    const struct normals *f = user;
    const size_t nx = (size_t)f->v->solid_box.n[0], ny = (size_t)f->v->solid_box.n[1];
    uint8_t *layer = f->v->edged + (size_t)k * nx * ny;
    for (size_t j = 0; j < ny; j++) line_spread(layer + j * nx, (int)nx, 1);
    for (size_t i = 0; i < nx; i++) line_spread(layer + i, (int)ny, nx);
}

static void column_spread(int64_t j, void *user)
{
    const struct normals *f = user;
    const struct bw_dense *b = &f->v->solid_box;
    const size_t nx = (size_t)b->n[0], ny = (size_t)b->n[1];
    for (size_t i = 0; i < nx; i++) line_spread(f->v->edged + nx * (size_t)j + i, b->n[2], nx * ny);
}

enum bw_status bw_normals_make(const struct bw_tools *tools, struct bw_volume *v)
{
    const size_t cells = bw_dense_cells(&v->solid_box);
    struct normals f = {.v = v};
    v->normals = tools->alloc(tools->ctx, 4 * cells * sizeof *v->normals);
    v->edged = tools->alloc(tools->ctx, cells);
    if (!v->normals || !v->edged) return BW_ERR_MEMORY;
    memset(v->edged, 0, cells);
    tools->parallel(tools->ctx, v->solid_box.n[2], layer_face, &f);
    tools->parallel(tools->ctx, v->solid_box.n[2], layer_kinks, &f);
    tools->parallel(tools->ctx, v->solid_box.n[2], layer_spread, &f);
    tools->parallel(tools->ctx, v->solid_box.n[1], column_spread, &f);
    return BW_OK;
}

void bw_normals_free(const struct bw_tools *tools, struct bw_volume *v)
{
    if (v->normals) tools->release(tools->ctx, v->normals);
    if (v->edged) tools->release(tools->ctx, v->edged);
    v->normals = NULL, v->edged = NULL;
}
