// SPDX-License-Identifier: Apache-2.0
/* Each order of scattering is what the one before sends out, swept through the cells along the eight diagonals of a
 * cube: the mean of eight beams, the discrete ordinates S2 (Chandrasekhar 1950), whose cosines of 1/√3 are Gauss's two
 * across any plane of cells, and whose squares the third that diffusion asks for. Six beams along the axes do as well
 * deep in smoke; on its surface those that lie in it see smoke alone, twice as much light as there is. In a cell of
 * depth d, straight on, a beam keeps exp(-√3 d) of what enters, and the cell adds the rest of what it sends out. A beam
 * is an eighth of all directions wide: it takes SIDE from each of the four neighbours of the cell before. Scattering
 * with a mean cosine g is as good as even scattering by (1 - g) of it (transport approximation). Cost: two passes an
 * order and channel, of four beams with 15 operations a cell each. */
#include "scatter.h"
#include <picture/volume/scene/quick.h>

#include <stdbool.h>
#include <string.h>

#define SIDE 0.125f
#define FAINT 0.1f ///< of light is scattered: what is scattered again is not seen

#define DIAGONAL 1.7320508f

enum { BEAMS = 4 }; ///< that go up together, or down: what cells are is read once for them

/// One order.
struct order {
    const struct bw_dense *box;
    const float *keep, *even, *sent; ///< of what enters a cell: what leaves it, its mean there; what the cell sends out
    float *out, *plane[BEAMS][2];    ///< planes: what enters, with a border of one cell that is dark
};

static float scattered(const struct bw_scatter_medium *m, size_t i) { return m->albedo ? m->albedo[i] : m->even; }

/// Along a line's neighbours; past its ends lie copies of them.
static void row_spread(const float *in, int n, float *out)
{
    for (int i = 1; i < n - 1; i++) out[i] = (1 - 2 * SIDE) * in[i] + SIDE * (in[i - 1] + in[i + 1]);
    out[0] = in[0] + SIDE * (in[n > 1] - in[0]);
    if (n > 1) out[n - 1] = in[n - 1] + SIDE * (in[n - 2] - in[n - 1]);
}

static void plane_spread(const struct order *o, float *const plane[2])
{
    const int *n = o->box->n;
    const ptrdiff_t pitch = n[0] + 2;
    for (int j = 1; j <= n[1]; j++) row_spread(plane[0] + j * pitch + 1, n[0], plane[1] + j * pitch + 1);
    for (int j = 1; j <= n[1]; j++) {
        const float *row = plane[1] + j * pitch + 1, *up = j > 1 ? row - pitch : row,
                    *down = j < n[1] ? row + pitch : row;
        float *out = plane[0] + j * pitch + 1;
        for (int i = 0; i < n[0]; i++) out[i] = (1 - 2 * SIDE) * row[i] + SIDE * (up[i] + down[i]);
    }
}

/// A row of cells that starts at `at`, by the beam that goes -1 or 1 along x and y as bits of q say.
static void row_sweep(const struct order *o, int q, ptrdiff_t at, int j)
{
    const ptrdiff_t pitch = o->box->n[0] + 2, before = -(q & 2 ? pitch : -pitch) - (q & 1 ? 1 : -1);
    const float *in = o->plane[q][0] + (j + 1) * pitch + 1 + before, *keep = o->keep + at, *even = o->even + at,
                *sent = o->sent + at;
    float *leaves = o->plane[q][1] + (j + 1) * pitch + 1, *out = o->out + at;
#pragma omp simd
    for (int i = 0; i < o->box->n[0]; i++) {
        const float over = in[i] - sent[i];
        out[i] += 0.125f * (sent[i] + even[i] * over);
        leaves[i] = sent[i] + keep[i] * over;
    }
}

/// Along the four diagonals that go up, or down, plane after plane.
static void beams_sweep(struct order *o, bool up)
{
    const int *n = o->box->n;
    const size_t plane = ((size_t)n[0] + 2) * ((size_t)n[1] + 2);
    for (int q = 0; q < BEAMS; q++) memset(o->plane[q][0], 0, plane * sizeof(float));
    for (int k = 0; k < n[2]; k++) {
        for (int q = 0; q < BEAMS; q++) plane_spread(o, o->plane[q]);
        for (int j = 0; j < n[1]; j++)
            for (int q = 0; q < BEAMS; q++) row_sweep(o, q, ((ptrdiff_t)(up ? k : n[2] - 1 - k) * n[1] + j) * n[0], j);
        for (int q = 0; q < BEAMS; q++) {
            float *swap = o->plane[q][0];
            o->plane[q][0] = o->plane[q][1], o->plane[q][1] = swap;
        }
    }
}

enum bw_status bw_scatter(const struct bw_tools *tools, const struct bw_scatter_medium *m, float *light, float *out)
{
    const size_t cells = bw_dense_cells(m->box);
    const size_t plane = ((size_t)m->box->n[0] + 2) * ((size_t)m->box->n[1] + 2);
    float *keep = tools->alloc(tools->ctx, (3 * cells + 2 * BEAMS * plane) * sizeof *keep), most = 0;
    if (!keep) return BW_ERR_MEMORY;
    float *even = keep + cells, *next = even + cells, *swap;
    struct order o = {.box = m->box, .keep = keep, .even = even};
    for (size_t q = 0; q < 2 * BEAMS; q++) o.plane[q / 2][q % 2] = next + cells + q * plane;
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
        beams_sweep(&o, true);
        beams_sweep(&o, false);
        for (size_t i = 0; i < cells; i++) out[i] += next[i];
        swap = light, light = next, next = swap;
    }
    tools->release(tools->ctx, keep);
    return BW_OK;
}
