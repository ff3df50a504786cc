// SPDX-License-Identifier: Apache-2.0
/* Each order of scattering is what the one before sends out, swept through the cells along the eight diagonals of a
 * cube: the mean of eight beams, the discrete ordinates S2 (Chandrasekhar 1950), whose cosines of 1/√3 are Gauss's two
 * across any plane of cells, and whose squares the third that diffusion asks for. Six beams along the axes do as well
 * deep in smoke; on its surface those that lie in it see smoke alone, twice as much light as there is. In a cell of
 * depth d, straight on, a beam keeps exp(-√3 d) of what enters, and the cell adds the rest of what it sends out. A beam
 * is an eighth of all directions wide: it takes SIDE from each of the four neighbours of the cell before. Scattering
 * with a mean cosine g is as good as even scattering by (1 - g) of it (transport approximation). Cost: eight passes an
 * order and channel, 15 operations a cell. */
#include "scatter.h"
#include <picture/volume/scene/quick.h>

#include <string.h>

#define SIDE 0.125f
#define FAINT 0.1f ///< of light is scattered: what is scattered again is not seen

#define DIAGONAL 1.7320508f

/// One order.
struct order {
    const struct bw_dense *box;
    const float *keep, *even, *sent; ///< of what enters a cell: what leaves it, its mean there; what the cell sends out
    float *out, *plane[2];           ///< planes: what enters, with a border of one cell that is dark
};

static float scattered(const struct bw_scatter_medium *m, size_t i) { return m->albedo ? m->albedo[i] : m->even; }

/// Along a line's neighbours; past its ends lie copies of them.
static void row_spread(const float *in, int n, float *out)
{
    for (int i = 1; i < n - 1; i++) out[i] = (1 - 2 * SIDE) * in[i] + SIDE * (in[i - 1] + in[i + 1]);
    out[0] = in[0] + SIDE * (in[n > 1] - in[0]);
    if (n > 1) out[n - 1] = in[n - 1] + SIDE * (in[n - 2] - in[n - 1]);
}

static void plane_spread(const struct order *o)
{
    const int *n = o->box->n;
    const ptrdiff_t pitch = n[0] + 2;
    for (int j = 1; j <= n[1]; j++) row_spread(o->plane[0] + j * pitch + 1, n[0], o->plane[1] + j * pitch + 1);
    for (int j = 1; j <= n[1]; j++) {
        const float *row = o->plane[1] + j * pitch + 1, *up = j > 1 ? row - pitch : row,
                    *down = j < n[1] ? row + pitch : row;
        float *out = o->plane[0] + j * pitch + 1;
        for (int i = 0; i < n[0]; i++) out[i] = (1 - 2 * SIDE) * row[i] + SIDE * (up[i] + down[i]);
    }
}

/// Along a diagonal, -1 or 1 along each axis, plane after plane.
static void beam_sweep(struct order *o, const int way[3])
{
    const int *n = o->box->n;
    const ptrdiff_t pitch = n[0] + 2, layer = (ptrdiff_t)n[0] * n[1], before = -way[1] * pitch - way[0];
    memset(o->plane[0], 0, (size_t)(pitch * (n[1] + 2)) * sizeof(float));
    for (int k = 0; k < n[2]; k++) {
        plane_spread(o);
        for (int j = 0; j < n[1]; j++) {
            const ptrdiff_t at = (way[2] > 0 ? k : n[2] - 1 - k) * layer + (ptrdiff_t)j * n[0];
            const float *in = o->plane[0] + (j + 1) * pitch + 1 + before, *keep = o->keep + at, *even = o->even + at,
                        *sent = o->sent + at;
            float *leaves = o->plane[1] + (j + 1) * pitch + 1, *out = o->out + at;
#pragma omp simd
            for (int i = 0; i < n[0]; i++) {
                const float over = in[i] - sent[i];
                out[i] += 0.125f * (sent[i] + even[i] * over);
                leaves[i] = sent[i] + keep[i] * over;
            }
        }
        float *swap = o->plane[0];
        o->plane[0] = o->plane[1], o->plane[1] = swap;
    }
}

enum bw_status bw_scatter(const struct bw_tools *tools, const struct bw_scatter_medium *m, float *light, float *out)
{
    const size_t cells = bw_dense_cells(m->box);
    const size_t plane = ((size_t)m->box->n[0] + 2) * ((size_t)m->box->n[1] + 2);
    float *keep = tools->alloc(tools->ctx, (3 * cells + 2 * plane) * sizeof *keep), most = 0;
    if (!keep) return BW_ERR_MEMORY;
    float *even = keep + cells, *next = even + cells, *swap;
    struct order o = {.box = m->box, .keep = keep, .even = even, .plane = {next + cells, next + cells + plane}};
    for (size_t i = 0; i < cells; i++) {
        const float a = scattered(m, i),
                    depth = m->extinction[i] * m->more * (1 - a * m->ahead) * DIAGONAL * (float)m->box->h;
        keep[i] = bw_exp_neg(depth);
        even[i] = depth > 0.02f ? (1 - keep[i]) / depth : 1 - 0.5f * depth;
        most = bw_most(most, a);
    }
    memset(out, 0, cells * sizeof *out);
    for (int bounce = 0; bounce < (most > FAINT ? BW_BOUNCES : 1); bounce++) {
        for (size_t i = 0; i < cells; i++) {
            const float a = scattered(m, i);
            light[i] *= m->extinction[i] > 0 ? a * (1 - m->ahead) / (1 - a * m->ahead) : 0;
        }
        memset(next, 0, cells * sizeof *next);
        o.sent = light, o.out = next;
        for (int q = 0; q < 8; q++) beam_sweep(&o, (int[3]){q & 1 ? 1 : -1, q & 2 ? 1 : -1, q & 4 ? 1 : -1});
        for (size_t i = 0; i < cells; i++) out[i] += next[i];
        swap = light, light = next, next = swap;
    }
    tools->release(tools->ctx, keep);
    return BW_OK;
}
