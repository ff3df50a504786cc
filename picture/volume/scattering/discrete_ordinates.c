// SPDX-License-Identifier: Apache-2.0
/* Each order of scattering is what the one before sends out, swept through the cells along the eight diagonals of a
 * cube: the mean of eight beams, the discrete ordinates S2 (Chandrasekhar 1950), whose cosines of 1/√3 are Gauss's two
 * across any plane of cells, and whose squares the third that diffusion asks for. Six beams along the axes do as well
 * deep in smoke; on its surface those that lie in it see smoke alone, twice as much light as there is. In a cell of
 * depth d, straight on, a beam keeps exp(-√3 d) of what enters, and the cell adds the rest of what it sends out. A beam
 * is an eighth of all directions wide: it takes SIDE from each of the four neighbours of the cell before. Scattering
 * with a mean cosine g is as good as even scattering by (1 - g) of it (transport approximation). Cost: two passes an
 * order and channel, side by side, of four beams with 15 operations a cell each. */
#include "discrete_ordinates.h"

#include <string.h>

#define SIDE 0.125f
#define FAINT 0.1f ///< of light is scattered: what is scattered again is not seen

enum { BEAMS = 4 }; ///< that go up together, or down: what cells are is read once for them

/// What the tasks share, and a way to go through it.
struct order {
    const struct bw_scatter_medium *m;
    const struct bw_dense *box;
    float *keep, *even;  ///< of what enters a cell: what leaves it, its mean there
    float *sent;         ///< what the cell sends out
    float *seen[2];      ///< the sum of what was in it so far on ways down and up
    float *planes;       ///< 4 · BEAMS of what enters, with a border of one cell that is dark
    int32_t first, last; ///< layers from `first` to before `last` hold something
};

/// Four beams: what enters a plane, and what leaves it; what is seen.
struct beams {
    float *plane[BEAMS][2], *out;
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
static void row_sweep(const struct order *o, const struct beams *b, int q, ptrdiff_t at, int j)
{
    const ptrdiff_t pitch = o->box->n[0] + 2, before = -(q & 2 ? pitch : -pitch) - (q & 1 ? 1 : -1);
    const float *in = b->plane[q][0] + (j + 1) * pitch + 1 + before, *keep = o->keep + at, *even = o->even + at,
                *sent = o->sent + at;
    float *leaves = b->plane[q][1] + (j + 1) * pitch + 1, *out = b->out + at;
#pragma omp simd
    for (int i = 0; i < o->box->n[0]; i++) {
        const float over = in[i] - sent[i];
        out[i] += 0.125f * (sent[i] + even[i] * over);
        leaves[i] = sent[i] + keep[i] * over;
    }
}

/// Along the four diagonals that go down (0) or up (1), plane after plane from the first to the last that holds smoke:
/// before it is dark, and behind it nobody looks.
static void beams_sweep(int64_t up, void *user)
{
    const struct order *o = user;
    const int *n = o->box->n;
    const size_t plane = ((size_t)n[0] + 2) * ((size_t)n[1] + 2);
    struct beams b = {.out = o->seen[up]};
    for (size_t q = 0; q < 2 * BEAMS; q++) b.plane[q / 2][q % 2] = o->planes + ((size_t)up * 2 * BEAMS + q) * plane;
    for (int q = 0; q < BEAMS; q++) memset(b.plane[q][0], 0, plane * sizeof(float));
    for (int k = o->first; k < o->last; k++) {
        const ptrdiff_t layer = (ptrdiff_t)(up ? k : o->first + o->last - 1 - k) * n[1];
        for (int q = 0; q < BEAMS; q++) plane_spread(o, b.plane[q]);
        for (int j = 0; j < n[1]; j++)
            for (int q = 0; q < BEAMS; q++) row_sweep(o, &b, q, (layer + j) * n[0], j);
        for (int q = 0; q < BEAMS; q++) {
            float *swap = b.plane[q][0];
            b.plane[q][0] = b.plane[q][1], b.plane[q][1] = swap;
        }
    }
}

/// What cells let through, and what they scatter of the light that comes first.
static void layer_begin(int64_t k, void *user)
{
    const struct order *o = user;
    const struct bw_scatter_medium *m = o->m;
    const size_t layer = (size_t)o->box->n[0] * (size_t)o->box->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++) {
        const struct bw_scatter_cell cell = bw_scatter_cell(m, m->extinction[i], scattered(m, i));
        o->keep[i] = cell.keep, o->even[i] = cell.even;
        o->sent[i] *= cell.sends;
    }
}

/// And of what has come by then.
static void layer_multiple(int64_t k, void *user)
{
    const struct order *o = user;
    const struct bw_scatter_medium *m = o->m;
    const size_t layer = (size_t)o->box->n[0] * (size_t)o->box->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++)
        o->sent[i] = (o->seen[0][i] + o->seen[1][i]) * bw_scatter_cell(m, m->extinction[i], scattered(m, i)).sends;
}

static void layer_end(int64_t k, void *user)
{
    const struct order *o = user;
    const size_t layer = (size_t)o->box->n[0] * (size_t)o->box->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++) o->sent[i] = o->seen[0][i] + o->seen[1][i];
}

/// Which layers hold something; answers what they scatter at most.
static float layers_look(struct order *o)
{
    const struct bw_scatter_medium *m = o->m;
    const size_t layer = (size_t)o->box->n[0] * (size_t)o->box->n[1];
    float all = 0;
    for (int32_t k = 0; k < o->box->n[2]; k++) {
        const size_t first = (size_t)k * layer;
        float most = 0, dense = 0;
        for (size_t i = first; i < first + layer; i++) {
            dense = bw_most(dense, m->extinction[i]);
            if (m->albedo) most = bw_most(most, m->albedo[i]);
        }
        all = bw_most(all, most);
        if (!(dense > 0)) continue;
        if (o->last == 0) o->first = k;
        o->last = k + 1;
    }
    return m->albedo ? all : m->even;
}

enum bw_status bw_discrete_ordinates(const struct bw_tools *tools, const struct bw_scatter_medium *m, float *light)
{
    const size_t cells = bw_dense_cells(m->box);
    const size_t plane = ((size_t)m->box->n[0] + 2) * ((size_t)m->box->n[1] + 2);
    float *memory = tools->alloc(tools->ctx, (4 * cells + 4 * BEAMS * plane) * sizeof *memory);
    if (!memory) return BW_ERR_MEMORY;
    struct order o = {.m = m, .box = m->box, .keep = memory, .even = memory + cells, .sent = light};
    for (size_t up = 0; up < 2; up++) o.seen[up] = memory + (2 + up) * cells;
    o.planes = memory + 4 * cells;
    const int bounces = layers_look(&o) > FAINT ? BW_BOUNCES : 1;
    tools->parallel(tools->ctx, m->box->n[2], layer_begin, &o);
    for (int bounce = 0; bounce < bounces; bounce++) {
        if (bounce > 0) tools->parallel(tools->ctx, m->box->n[2], layer_multiple, &o);
        tools->parallel(tools->ctx, 2, beams_sweep, &o);
    }
    tools->parallel(tools->ctx, m->box->n[2], layer_end, &o);
    tools->release(tools->ctx, memory);
    return BW_OK;
}
