// SPDX-License-Identifier: Apache-2.0
/* The flow of wide cells on the faces of finer ones, M of them to a wide cell along each axis. On faces of wide cells
 * the flux is linear along the face and keeps its mean; the slope is that of the halves of a face in fifth order,
 *     s = (22 (u[1] - u[-1]) - 3 (u[2] - u[-2])) / 32
 * since what central differences miss alternates from one fine cell to the next. Between them component a is
 *     u(x) = (1-θ) u- + θ u+ + (1/4 - (θ-1/2)²)/2 · Σ_b (s_b+ - s_b-)      θ = x/H
 * with s_b± the slopes along a of the flux through the two faces across each other axis b. The last term balances
 * these slopes, so that the divergence of every fine cell is that of its wide cell: amounts keep their sums, and a
 * constant stays one, to rounding. Slopes are 0 beside obstacles: nothing passes a shut face.
 *     Balsara 2001, J. Comput. Phys. 174; Toth and Roe 2002, J. Comput. Phys. 180. */
#include "flux_refine.h"
#include "flux_detail.h"
#include "solids/walls.h"
#include <common/tiles.h>
#include <string.h>

/// One refinement.
struct refine {
    const struct bw_sample_api *sample;
    const struct refine_flow *from;
    const struct flux_detail *detail; ///< NULL: none
    int32_t by;                       ///< finer cells of a wide one
};

enum { AROUND = 2 }; ///< wide cells that slopes reach

static int32_t floor_div(int32_t a, int32_t b) { return tile_coord(a, b); }

static void box_lay(const struct bw_block *b, const struct refine *r, struct wide_box *w)
{
    *w = (struct wide_box){.size = 1};
    for (int a = 0; a < 3; a++) {
        const int32_t around = a == b->grid->thin ? 0 : r->detail ? DETAIL_AROUND : AROUND;
        w->by[a] = around ? r->by : 1;
        w->first[a] = floor_div(b->lo[a], w->by[a]);
        w->m[a] = floor_div(b->lo[a] + b->n[a] - 1, w->by[a]) + 1 - w->first[a];
        w->lo[a] = w->first[a] - around;
        w->n[a] = w->m[a] + 2 * around;
        w->step[a] = (ptrdiff_t)w->size;
        w->zero += around * w->step[a];
        w->size *= (size_t)w->n[a];
    }
}

static bool box_alloc(const struct bw_block *b, struct wide_box *w, bool obstacles)
{
    float *at = b->stage->host->body_scratch(b, w->size * 12 * sizeof *at);
    w->shut = obstacles ? b->stage->host->body_scratch(b, 2 * w->size) : NULL;
    if (!at || (obstacles && !w->shut)) return false;
    for (int a = 0; a < 3; a++) {
        w->u[a] = at + (size_t)a * w->size;
        w->bend[a] = at + (size_t)(3 + a) * w->size;
        for (int t = 0, k = 0; t < 3; t++)
            if (t != a) w->slope[a][t] = at + (size_t)(6 + 2 * a + k++) * w->size;
    }
    return true;
}

/* Cells that are not wholly free, now or as the step began. */
static void box_shut(const struct refine *r, struct wide_box *w)
{
    if (!w->shut) return;
    walls_fill(r->from->walls, 0, w->lo, w->n, w->shut);
    walls_fill(r->from->walls, 1, w->lo, w->n, w->shut + w->size);
    for (size_t i = 0; i < w->size; i++) w->shut[i] = (w->shut[i] & w->shut[i + w->size]) != WALLS_FREE;
}

/* Two faces from a shut one slopes are central differences; beside one they are those away from it, and a shut one has
 * none. */
static void slopes_near_shut(const struct wide_box *w, ptrdiff_t at, int a, int t, int32_t n)
{
    const ptrdiff_t up = w->step[t], low = w->step[a];
    const float *u = w->u[a] + at;
    float *slope = w->slope[a][t] + at;
    const uint8_t *shut = w->shut + at;
    for (int32_t i = 0; i < n; i++, u++, shut++, slope++) {
        const bool own = shut[0] | shut[-low], above = shut[up] | shut[up - low], below = shut[-up] | shut[-up - low],
                   far = shut[2 * up] | shut[2 * up - low] | shut[-2 * up] | shut[-2 * up - low];
        if (own || (above && below)) *slope = 0;
        else if (above || below) *slope = above ? u[0] - u[-up] : u[up] - u[0];
        else if (far) *slope = 0.5f * (u[up] - u[-up]);
    }
}

static void slopes_make(const struct bw_block *b, struct wide_box *w, int a, int t)
{
    const ptrdiff_t up = w->step[t];
    const int32_t n[3] = {w->m[0] + (a == 0), w->m[1] + (a == 1), w->m[2] + (a == 2)};
    const bool flat = t == b->grid->thin;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const ptrdiff_t at = w->zero + j * w->step[1] + k * w->step[2];
            const float *u = w->u[a] + at;
            float *slope = w->slope[a][t] + at;
            for (int32_t i = 0; i < n[0] && !flat; i++)
                slope[i] = 0.6875f * (u[i + up] - u[i - up]) - 0.09375f * (u[i + 2 * up] - u[i - 2 * up]);
            for (int32_t i = 0; i < n[0] && flat; i++) slope[i] = 0;
            if (w->shut && !flat) slopes_near_shut(w, at, a, t, n[0]);
        }
}

static void bend_make(const struct bw_block *b, struct wide_box *w, int a)
{
    for (int32_t k = 0; k < w->m[2]; k++)
        for (int32_t j = 0; j < w->m[1]; j++) {
            const ptrdiff_t at = w->zero + j * w->step[1] + k * w->step[2];
            float *bend = w->bend[a] + at;
            for (int32_t i = 0; i < w->m[0]; i++) bend[i] = 0;
            for (int t = 0; t < 3; t++) {
                if (t == a || t == b->grid->thin) continue;
                const float *slope = w->slope[t][a] + at;
                for (int32_t i = 0; i < w->m[0]; i++) bend[i] += slope[i + w->step[t]] - slope[i];
            }
        }
}

static bool box_make(const struct bw_block *b, const struct refine *r, struct wide_box *w)
{
    box_lay(b, r, w);
    if (!box_alloc(b, w, r->from->walls && r->from->walls->now.count)) return false;
    for (int a = 0; a < 3; a++)
        if (a != b->grid->thin) r->sample->box(r->from->flow, (uint32_t)a, w->lo, w->n, w->u[a]);
    box_shut(r, w);
    for (int a = 0; a < 3; a++)
        for (int t = 0; t < 3; t++)
            if (t != a && a != b->grid->thin) slopes_make(b, w, a, t);
    for (int a = 0; a < 3; a++)
        if (a != b->grid->thin) bend_make(b, w, a);
    return true;
}

/// Where a fine face or cell lies in its wide cell along an axis.
struct place {
    int32_t cell;       ///< of the box
    float low, high;    ///< weights of the wide cell's two faces
    float bend, offset; ///< as at the top; from the middle, cells
};

static struct place place_of(const struct bw_block *b, const struct wide_box *w, int axis, int32_t i, bool face)
{
    const int32_t at = b->lo[axis] + i, cell = floor_div(at, w->by[axis]), part = at - cell * w->by[axis];
    const float theta = (float)part / (float)w->by[axis], off = theta - .5f;
    struct place p = {.cell = cell - w->first[axis]};
    p.low = face ? 1 - theta : 1;
    p.high = face ? theta : 0;
    p.bend = face ? .5f * (.25f - off * off) : 0;
    p.offset = face ? 0 : ((float)part + .5f) / (float)w->by[axis] - .5f;
    return p;
}

/// A row of component a on wide cells: its values, and their slopes along x.
struct wide_row {
    float *u, *slope, *bend;
};

/* out += scale · from, or its first value. */
static void row_add(float *restrict out, const float *restrict from, float scale, int32_t n)
{
    for (int32_t i = 0; i < n; i++) out[i] += scale * from[i];
}

/* What the row is where it crosses wide cells at y and z: p[1] and p[2]. */
static void wide_row_make(const struct wide_box *w, int a, const struct place p[3], int32_t n, struct wide_row *row)
{
    const ptrdiff_t at = w->zero + p[1].cell * w->step[1] + p[2].cell * w->step[2];
    for (int32_t i = 0; i < n; i++) row->u[i] = row->slope[i] = row->bend[i] = 0;
    for (int high = 0; high < 2; high++) {
        const float weight = a == 0 ? 1.f - (float)high : high ? p[a].high : p[a].low;
        const ptrdiff_t from = at + high * w->step[a];
        if (weight == 0) continue;
        row_add(row->u, w->u[a] + from, weight, n);
        for (int t = 1; t < 3; t++)
            if (t != a) row_add(row->u, w->slope[a][t] + from, weight * p[t].offset, n);
        if (a != 0) row_add(row->slope, w->slope[a][0] + from, weight, n);
    }
    if (a == 0) row_add(row->bend, w->bend[0] + at, 1, w->m[0]);
    else if (p[a].bend > 0) row_add(row->u, w->bend[a] + at, p[a].bend, n);
}

/* Faces of component 0 between two wide ones are mixed; of others, cells along x go by the slope. */
static inline void row_spread(const struct wide_row *row, int a, int32_t by, int32_t m, float *restrict out)
{
    for (int32_t part = 0; part < by; part++) {
        const float theta = (float)part / (float)by, off = theta - .5f;
        const float bend = .5f * (.25f - off * off), offset = ((float)part + .5f) / (float)by - .5f;
        if (a == 0 && part)
            for (int32_t q = 0; q < m; q++)
                out[q * by + part] = (1 - theta) * row->u[q] + theta * row->u[q + 1] + bend * row->bend[q];
        else if (a == 0)
            for (int32_t q = 0; q < m; q++) out[q * by] = row->u[q];
        else
            for (int32_t q = 0; q < m; q++) out[q * by + part] = row->u[q] + offset * row->slope[q];
    }
    if (a == 0) out[m * by] = row->u[m];
}

static void component_refine(const struct bw_block *b, const struct wide_box *w, int a, struct wide_row *row,
                             float *line)
{
    const struct bw_view *v = &b->view[0];
    const int32_t n[3] = {b->n[0] + (a == 0), b->n[1] + (a == 1), b->n[2] + (a == 2)};
    const int32_t skip = b->lo[0] - w->first[0] * w->by[0], wide = w->m[0] + (a == 0);
    struct place p[3] = {{0}};
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            float *out = bw_f32(v, a) + j * v->sy + k * v->sz;
            p[1] = place_of(b, w, 1, j, a == 1);
            p[2] = place_of(b, w, 2, k, a == 2);
            wide_row_make(w, a, p, wide, row);
            if (w->by[0] == 2) row_spread(row, a, 2, w->m[0], line);
            else row_spread(row, a, w->by[0], w->m[0], line);
            for (int32_t i = 0; i < n[0]; i++) out[i] = line[i + skip];
        }
}

/* Nothing goes across the thin axis. */
static void thin_clear(const struct bw_block *b)
{
    const int a = b->grid->thin;
    const struct bw_view *v = &b->view[0];
    for (int32_t k = 0; a >= 0 && k < b->n[2] + (a == 2); k++)
        for (int32_t j = 0; j < b->n[1] + (a == 1); j++)
            memset(bw_f32(v, a) + j * v->sy + k * v->sz, 0, (size_t)(b->n[0] + (a == 0)) * sizeof(float));
}

static void block_refine(const struct bw_block *b, void *user)
{
    const struct refine *r = user;
    struct wide_box w;
    if (!box_make(b, r, &w)) return; // the host sees that scratch memory ran out
    const size_t wide = (size_t)w.m[0] + 1;
    float *memory = b->stage->host->body_scratch(b, (3 * wide + wide * (size_t)w.by[0] + 1) * sizeof *memory);
    if (!memory) return;
    thin_clear(b);
    struct wide_row row = {memory, memory + wide, memory + 2 * wide};
    for (int a = 0; a < 3; a++)
        if (a != b->grid->thin) component_refine(b, &w, a, &row, memory + 3 * wide);
    if (r->detail) flux_detail_add(b, r->detail, &w);
}

enum bw_status flux_refine(struct bw_stage *s, const struct refine_flow *from, const struct flux_detail *detail,
                           struct bw_field *to)
{
    struct refine r = {s->host->extension(BW_SAMPLE), from, detail, s->flow_cells};
    const struct bw_access row = {to, BW_WRITE, 0};
    double sum[2] = {0, 0};
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &row,
                                                             .n_access = 1,
                                                             .block = detail ? 2 : 1,
                                                             .body = block_refine,
                                                             .user = &r,
                                                             .sums = sum,
                                                             .n_sums = detail ? 2 : 0});
    if (st == BW_OK && detail && sum[0] > 0) s->host->metric(s, "detail", sum[1] / sum[0], BW_METRIC_LAST);
    return st;
}
