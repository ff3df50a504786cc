// SPDX-License-Identifier: Apache-2.0
/* With fronts ψ is multiplied by their share, so the eddies live where that field changes, and are still without
 * divergence: heads of hot gas break up, and the air around and the gas within stay calm. */
#include "turbulence.h"
#include "aged.h"
#include <common/simd.h>
#include <common/tiles.h>

#include <math.h>
#include <stdbool.h>

enum { MOST_CELLS = 64 + 2 }; // of a row

/// Shares of a block's cells and of one more on each side.
struct shares {
    float *at;
    ptrdiff_t sy, sz;
};

/* psi += noise times the mean of the shares of the four cells round each edge. */
static void row_add_shared(float *restrict psi, const float *restrict noise, const struct shares *s, int c, int j,
                           int k, int n)
{
    const ptrdiff_t step[3] = {1, s->sy, s->sz}, u = step[(c + 1) % 3], v = step[(c + 2) % 3];
    const float *w = s->at + 1 + (j + 1) * s->sy + (k + 1) * s->sz;
    for (int i = 0; i < n; i++) psi[i] += noise[i] * (0.25f * ((w[i] + w[i - u]) + (w[i - v] + w[i - u - v])));
}

static bool edges_skip(const struct bw_block *b, const struct turbulence_edges *e, int j, int k)
{
    return e->rows && !e->rows[j + k * (b->n[1] + 1)];
}

/* Add one octave of one component of ψ to its edges; `plane`: room for bw_noise_plane. */
static void edges_add(const struct bw_block *b, struct turbulence_edges *e, int comp, const struct bw_noise_lattice *l,
                      double factor, double *plane, const struct shares *w)
{
    const double at[3] = {comp == 0 ? 0.5 : 0, comp == 1 ? 0.5 : 0, comp == 2 ? 0.5 : 0};
    struct bw_noise_row x;
    struct bw_noise_step y[BW_NOISE_COLUMNS];
    for (int i = 0; i <= b->n[0]; i++) bw_noise_row_add(&x, l, i, block_coord(b, 0, i + at[0]));
    for (int j = 0; j <= b->n[1]; j++) y[j] = bw_noise_locate(l, 1, block_coord(b, 1, j + at[1]));
    for (int k = 0; k <= b->n[2]; k++) {
        const struct bw_noise_step z = bw_noise_locate(l, 2, block_coord(b, 2, k + at[2]));
        if (e->rows && !memchr(e->rows + k * (b->n[1] + 1), 1, (size_t)b->n[1] + 1)) continue;
        bw_noise_plane(l, &z, factor, plane);
        for (int j = 0; j <= b->n[1]; j++) {
            if (edges_skip(b, e, j, k)) continue;
            float *psi = e->psi[comp] + j * e->sy + k * e->sz, noise[MOST_CELLS];
            for (int i = 0; i <= b->n[0] && w; i++) noise[i] = 0;
            bw_noise_add_row(l, &x, &y[j], plane, w ? noise : psi);
            if (w) row_add_shared(psi, noise, w, comp, j, k, b->n[0] + (comp != 0));
        }
    }
}

static bool row_has(const float *row, ptrdiff_t n, float least)
{
    int any = 0;
    for (ptrdiff_t i = 0; i < n; i++) any |= row[i] > least;
    return any;
}

/* Marks the rows of edges round row (j,k) of cells. */
static void edges_meet(const struct bw_block *b, struct turbulence_edges *e, int j, int k)
{
    for (int z = k < 0 ? 0 : k; z <= k + 1 && z <= b->n[2]; z++)
        for (int y = j < 0 ? 0 : j; y <= j + 1 && y <= b->n[1]; y++) e->rows[y + z * (b->n[1] + 1)] = 1;
}

/* out[i] += scale u² at the centres of n cells: q[c] is component c's low face, step[c] leads to the high one. */
static void row_add_flow(float *restrict out, const float *const q[3], const ptrdiff_t step[3], float scale,
                         ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        float square = 0;
        for (int c = 0; c < 3; c++) {
            const float u = q[c][i] + q[c][i + step[c]];
            square += u * u;
        }
        out[i] += scale * square;
    }
}

static void row_add_driver(float *restrict out, const float *q, float per, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) out[i] += fabsf(per * q[i]);
}

/* Acceleration of the flow itself in a row of the shares' cells. */
static void row_accelerations(const struct turbulence_plan *t, const struct bw_block *b, int j, int k, float *out,
                              ptrdiff_t n)
{
    const struct bw_view *v = &b->view[t->flow];
    const ptrdiff_t step[3] = {1, v->sy, v->sz}, at = j * v->sy + k * v->sz - 1;
    const float *const q[3] = {bw_f32(v, 0) + at, bw_f32(v, 1) + at, bw_f32(v, 2) + at};
    memset(out, 0, (size_t)n * sizeof *out);
    row_add_flow(out, q, step, (float)(0.25 / t->radius), n);
    const float most = t->most > 0 ? (float)(1 / (t->most * t->most)) : 0;
    for (ptrdiff_t i = 0; i < n; i++) out[i] /= sqrtf(1 + most * out[i] * out[i]);
    const float per = (float)(1 / (t->radius * t->limit * t->limit));
    for (ptrdiff_t i = 0; i < n; i++) out[i] /= sqrtf(1 + per * out[i]);
    for (int i = 0; i < 2; i++) {
        const struct bw_view *w = &b->view[t->driver[i]];
        if (t->driver[i]) row_add_driver(out, bw_f32(w, 0) + j * w->sy + k * w->sz - 1, (float)t->per[i], n);
    }
}

static void shares_accelerate(const struct turbulence_plan *t, const struct bw_block *b, const struct shares *s)
{
    float row[MOST_CELLS], *at = s->at;
    for (int k = -1; k <= b->n[2]; k++)
        for (int j = -1; j <= b->n[1]; j++, at += s->sy) {
            if (!row_has(at, s->sy, 0)) continue; // most of the air around
            row_accelerations(t, b, j, k, row, s->sy);
            for (ptrdiff_t i = 0; i < s->sy; i++) at[i] *= row[i];
        }
}

static void front_shares(const struct bw_block *b, const struct bw_view *v, double width, double change, float *out)
{
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    const float scale = (float)(width / (2 * b->grid->h * change));
    for (int k = -1; k <= b->n[2]; k++)
        for (int j = -1; j <= b->n[1]; j++) {
            const float *q = bw_f32(v, 0) + j * v->sy + k * v->sz;
            for (int i = -1; i <= b->n[0]; i++, out++) {
                float square = 0;
                for (int a = 0; a < 3; a++) {
                    if (a == b->grid->thin) continue;
                    const float d = scale * (q[i + step[a]] - q[i - step[a]]);
                    square += d * d;
                }
                *out = square / (1 + square);
            }
        }
}

/* And which edges they leave; what is faint is none. false: out of memory. */
static bool shares_make(const struct turbulence_plan *t, const struct bw_block *b, struct shares *s,
                        struct turbulence_edges *e)
{
    const size_t rows = (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1);
    s->sy = b->n[0] + 2;
    s->sz = s->sy * (b->n[1] + 2);
    s->at = b->stage->host->body_scratch(b, (size_t)(s->sz * (b->n[2] + 2)) * sizeof *s->at);
    e->rows = b->stage->host->body_scratch(b, rows);
    if (!s->at || !e->rows) return false;
    memset(e->rows, 0, rows);
    front_shares(b, &b->view[t->fronts], t->front_width, t->front_change, s->at);
    float *row = s->at;
    for (int k = -1; k <= b->n[2]; k++)
        for (int j = -1; j <= b->n[1]; j++, row += s->sy) {
            for (ptrdiff_t i = 0; i < s->sy; i++) row[i] = row[i] > (float)t->faint ? row[i] : 0;
            if (row_has(row, s->sy, 0)) edges_meet(b, e, j, k);
        }
    if (t->flow) shares_accelerate(t, b, s);
    return true;
}

/* The shares of each octave, by the age of the smoke; `cells` of them each. NULL: out of memory. */
static float *shares_age(const struct turbulence_plan *t, const struct bw_block *b, const struct shares *s,
                         size_t cells)
{
    float *at = b->stage->host->body_scratch(b, cells * (size_t)t->octaves * sizeof *at), *of[BW_NOISE_OCTAVES];
    const float *share = s->at;
    if (!at) return NULL;
    const struct aged aged = {t->smoke, t->age, t->radius, t->size, t->octaves};
    for (int o = 0; o < t->octaves; o++) of[o] = at + (size_t)o * cells;
    for (int k = -1; k <= b->n[2]; k++)
        for (int j = -1; j <= b->n[1]; j++, share += s->sy) {
            if (row_has(share, s->sy, 0)) SIMD_NAME(aged_row)(&aged, b, j, k, share, of);
            else
                for (int o = 0; o < t->octaves; o++) memset(of[o], 0, (size_t)s->sy * sizeof *of[o]);
            for (int o = 0; o < t->octaves; o++) of[o] += s->sy;
        }
    return at;
}

/* ψ times the mean of the shares of the four cells round each edge. */
static void edges_front(const struct bw_block *b, const struct shares *s, struct turbulence_edges *e)
{
    const ptrdiff_t step[3] = {1, s->sy, s->sz};
    for (int c = 0; c < 3; c++) {
        const ptrdiff_t u = step[(c + 1) % 3], v = step[(c + 2) % 3];
        const int n[3] = {b->n[0] + (c != 0), b->n[1] + (c != 1), b->n[2] + (c != 2)}; // edges: those along c no more
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++) {
                const float *w = s->at + 1 + (j + 1) * s->sy + (k + 1) * s->sz;
                float *psi = e->psi[c] + j * e->sy + k * e->sz;
                if (edges_skip(b, e, j, k)) continue;
                for (int i = 0; i < n[0]; i++, w++) psi[i] *= 0.25f * ((w[0] + w[-u]) + (w[-v] + w[-u - v]));
            }
    }
}

/* No ψ where no front is: most of the air around is far from any. */
static int edges_make(const struct turbulence_plan *t, const struct bw_block *b, struct turbulence_edges *e)
{
    const struct bw_host *host = b->stage->host;
    size_t count = (size_t)(b->n[0] + 1) * (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1);
    struct shares shares = {0};
    if (t->fronts && !shares_make(t, b, &shares, e)) return 0;
    if (e->rows && !memchr(e->rows, 1, (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1))) return 1;
    float *memory = host->body_scratch(b, 3 * count * sizeof(float));
    if (!memory) return 0;
    for (size_t i = 0; i < 3 * count; i++) memory[i] = 0;
    e->sy = b->n[0] + 1;
    e->sz = e->sy * (b->n[1] + 1);
    double lo[3], hi[3], size = t->size;
    for (int i = 0; i < 3; i++) {
        e->psi[i] = memory + (size_t)i * count;
        lo[i] = block_coord(b, i, 0);
        hi[i] = block_coord(b, i, b->n[i] + 1);
    }
    float *aged = NULL;
    const size_t cells = (size_t)(shares.sz * (b->n[2] + 2));
    if (t->age && !(aged = shares_age(t, b, &shares, cells))) return 0;
    for (int o = 0; o < t->octaves; o++, size /= 2)
        for (int c = 0; c < 3; c++) {
            if (b->grid->thin >= 0 && c != b->grid->thin) continue;
            struct bw_noise_lattice l;
            uint64_t seed = bw_rng(t->seed, (uint64_t)(3 * o + c));
            l.g = host->body_scratch(b, bw_noise_place(&l, seed, size, lo, hi));
            double *plane = host->body_scratch(b, 3 * sizeof *plane * (size_t)l.n[0] * (size_t)l.n[1]);
            if (!l.g || !plane) return 0;
            bw_noise_fill(&l, seed, t->time * t->speed / size);
            const struct shares of = {aged ? aged + o * cells : NULL, shares.sy, shares.sz};
            edges_add(b, e, c, &l, t->factor[o], plane, aged ? &of : NULL);
        }
    if (t->fronts && !aged) edges_front(b, &shares, e);
    return 1;
}

/* (ψ_w(v+1) - ψ_w(v) - ψ_v(w+1) + ψ_v(w))/h with v, w the axes that follow. */
static void add_row(const struct turbulence_edges *e, int axis, const int from[3], int n, double scale,
                    const double *cover, float *f)
{
    const int layer = (int)(e->sz / e->sy);
    const uint8_t *rows = e->rows ? e->rows + from[1] + from[2] * layer : NULL;
    if (rows && !(rows[0] | (axis != 1 ? rows[1] : 0) | (axis != 2 ? rows[layer] : 0))) return;
    const ptrdiff_t stride[3] = {1, e->sy, e->sz}, first = from[0] + from[1] * e->sy + from[2] * e->sz;
    const int v = (axis + 1) % 3, w = (axis + 2) % 3;
    const float *pv = e->psi[v] + first, *pw = e->psi[w] + first, *pv1 = pv + stride[w], *pw1 = pw + stride[v];
    for (int i = 0; i < n; i++)
        f[i] = (float)(f[i] + scale * (cover ? cover[i] : 1) * (((double)pw1[i] - pw[i]) - ((double)pv1[i] - pv[i])));
}

const struct turbulence_kernels SIMD_NAME(turbulence_kernels) = {edges_make, add_row};
