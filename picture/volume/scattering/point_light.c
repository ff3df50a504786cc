// SPDX-License-Identifier: Apache-2.0
/* How much of the light from a place reaches each cell, by short characteristics (Mihalas, Auer and Mihalas 1978): its
 * middle has the light of the middles before it, on the plane one cell nearer to the lamp across its farthest axis,
 * read between them where the ray to the lamp crosses, less what half of either dims. Each octant about the lamp is
 * swept outwards, so that those are ready; beside one of the lamp's own planes a cell takes what comes along that plane
 * from its own side alone. Repeated interpolation widens a shadow's edge, as in directional_light.c. Cost: one pass, 50
 * operations a cell. */
#include "point_light.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>

#define FINE 8  ///< samples a cell
#define MARCH 4 ///< cells from the lamp: nearer cells are few, and their own ways cross its planes

struct point {
    const struct bw_dense *box;
    ptrdiff_t step[3];
    float at[3]; ///< the lamp, in cells from the first one's centre
    float weight;
    const float *extinction;
    float *out, *middle; ///< middle: share of the light in each cell's middle
};

/// A cell: where it is, which way from the lamp, -1 or 1 along each axis, and how far in cells; `a`: the farthest axis.
struct reach {
    int cell[3], side[3], a;
    float far[3];
};

/// Share of the light that leaves the cells before, on the plane one nearer to the lamp, half of `way` metres in each.
static float light_before(const struct point *s, const struct reach *r, float way)
{
    const int a = r->a, b = (a + 1) % 3, c = (a + 2) % 3;
    const float wb = r->far[b] <= 1 ? 0 : r->far[b] / r->far[a], wc = r->far[c] <= 1 ? 0 : r->far[c] / r->far[a];
    const float w[4] = {(1 - wb) * (1 - wc), wb * (1 - wc), (1 - wb) * wc, wb * wc};
    ptrdiff_t at = 0, next[3];
    int in[3];
    for (int d = 0; d < 3; d++) {
        const int before = r->cell[d] - r->side[d];
        in[d] = before >= 0 && before < s->box->n[d];
        next[d] = -r->side[d] * s->step[d];
        at += r->cell[d] * s->step[d];
    }
    float light = 0;
    for (int q = 0; q < 4; q++) {
        if (w[q] <= 0) continue;
        const int inside = in[a] && (in[b] || !(q & 1)) && (in[c] || !(q & 2));
        const ptrdiff_t from = at + next[a] + (q & 1 ? next[b] : 0) + (q & 2 ? next[c] : 0);
        light += w[q] * (inside ? s->middle[from] * bw_exp_neg(0.5f * way * s->extinction[from]) : 1);
    }
    return light;
}

/// Straight from the lamp to a cell `length` away: optical depth to where the way enters it, and in it.
static void light_march(const struct point *s, const struct reach *r, float length, float depth[2])
{
    const int n = 1 + (int)(FINE * length);
    const float step = length / (float)n * (float)s->box->h;
    depth[0] = depth[1] = 0;
    for (int i = 0; i < n; i++) {
        const float t = ((float)i + 0.5f) / (float)n;
        ptrdiff_t at = 0;
        int in = 1, own = 1;
        for (int a = 0; a < 3; a++) {
            const int cell = (int)floorf(s->at[a] + t * ((float)r->cell[a] - s->at[a]) + 0.5f);
            in &= cell >= 0 && cell < s->box->n[a], own &= cell == r->cell[a];
            at += cell * s->step[a];
        }
        if (in) depth[own] += s->extinction[at] * step;
    }
}

static void cell_light(const struct point *s, struct reach *r)
{
    const size_t at = (size_t)(r->cell[0] + r->cell[1] * s->step[1] + r->cell[2] * s->step[2]);
    const float h = (float)s->box->h, sigma = s->extinction[at];
    float r2 = 0;
    for (int a = 0; a < 3; a++) r->far[a] = fabsf((float)r->cell[a] - s->at[a]), r2 += r->far[a] * r->far[a];
    const int low = r->far[1] > r->far[0], a = r->a = r->far[2] > r->far[low] ? 2 : low;
    if (r->far[a] <= MARCH) { // through as much of the cell behind its middle as before
        float march[2];
        light_march(s, r, sqrtf(r2), march);
        s->middle[at] = expf(-march[0] - march[1]); // of deep smoke too: its logarithm is looked at
        const float whole = 2 * march[1], mean = whole > 0.02f ? (1 - expf(-whole)) / whole : 1 - 0.5f * whole;
        s->out[at] += s->weight * expf(-march[0]) * mean;
        return;
    }
    const float way = sqrtf(r2) / r->far[a] * h, depth = way * sigma, enters = light_before(s, r, way);
    s->out[at] += s->weight * enters * (depth > 0.02f ? (1 - bw_exp_neg(depth)) / depth : 1 - 0.5f * depth);
    s->middle[at] = enters * bw_exp_neg(0.5f * depth);
}

/// The cells on one side of the lamp along each axis, outwards.
static void octant_sweep(const struct point *s, const int side[3])
{
    struct reach r = {.side = {side[0], side[1], side[2]}};
    int from[3], count[3];
    for (int a = 0; a < 3; a++) {
        const int n = s->box->n[a], above = (int)fminf(fmaxf(ceilf(s->at[a]), 0), (float)n); // the first not below
        from[a] = side[a] > 0 ? above : above - 1;
        count[a] = side[a] > 0 ? n - above : above;
    }
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                r.cell[0] = from[0] + i * side[0], r.cell[1] = from[1] + j * side[1], r.cell[2] = from[2] + k * side[2];
                cell_light(s, &r);
            }
}

enum bw_status bw_point_transmittance(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                                      const double at[3], float weight, float *out)
{
    struct point s = {box, {1, box->n[0], (ptrdiff_t)box->n[0] * box->n[1]}, {0}, weight, extinction, out, NULL};
    s.middle = tools->alloc(tools->ctx, bw_dense_cells(box) * sizeof(float));
    if (!s.middle) return BW_ERR_MEMORY;
    for (int a = 0; a < 3; a++) s.at[a] = (float)((at[a] - box->origin[a]) / box->h - 0.5);
    for (int o = 0; o < 8; o++) octant_sweep(&s, (int[3]){o & 1 ? 1 : -1, o & 2 ? 1 : -1, o & 4 ? 1 : -1});
    tools->release(tools->ctx, s.middle);
    return BW_OK;
}
