// SPDX-License-Identifier: Apache-2.0
/* Plain loops over rows; those of whole 3D tiles have a length and a stride that the compiler knows. */
#include "project_kernels.h"
#include <common/multigrid/multigrid.h>
#include <common/simd.h>
#include <math.h>
#include <string.h>

enum { EDGE = 16, ROW = 64 }; ///< cells of a whole row in 3D; the most that any row has

/// Is this a tile whose rows have EDGE cells one beside the other?
static int is_whole(const struct project_tile *t) { return t->dim == 3 && t->n[0] == EDGE; }

/// Row (j,k) of a scalar: its first cell.
INLINE float *cells_row(const struct project_scalar *c, int j, int k)
{
    return c->at + j * c->step[1] + k * c->step[2];
}

/* ---- between fields and the multigrid's order ---- */

/// Net outflow of the faces of one row of n cells, m/s; s: stride along it.
INLINE void row_outflow(const struct project_tile *t, int n, ptrdiff_t s, int j, int k, float *restrict out)
{
    const ptrdiff_t at = j * t->step[1] + k * t->step[2];
    const int split = t->high[0] != NULL, top = split && j == EDGE - 1, last = split && k == EDGE - 1;
    const float *u = t->u[0] + at, *v = t->u[1] + at, *v1 = top ? t->high[1] + k * EDGE : v + t->step[1];
    const float end = split ? t->high[0][j + k * EDGE] : u[n * s];
    if (t->dim == 3) {
        const float *w = t->u[2] + at, *w1 = last ? t->high[2] + j * EDGE : w + t->step[2];
        for (int i = 0; i < n - 1; i++)
            out[i] = (u[i * s + s] - u[i * s]) + (v1[i * s] - v[i * s]) + (w1[i * s] - w[i * s]);
        const int i = n - 1;
        out[i] = (end - u[i * s]) + (v1[i * s] - v[i * s]) + (w1[i * s] - w[i * s]);
    } else {
        for (int i = 0; i < n; i++) out[i] = (u[i * s + s] - u[i * s]) + (v1[i * s] - v[i * s]);
    }
}

/// Writes a row (zeros past its end) into its red and black halves, 0 where there is no unknown.
INLINE void row_to_red_black(const struct project_tile *t, int edge, float *restrict row, int j, int k,
                             float *restrict tile)
{
    const uint8_t *kind = t->kind + mg_index(t->dim, 0, j, k);
    float *restrict even = tile + mg_colour_index(t->dim, 0, j, k), *restrict odd =
                                                                        tile + mg_colour_index(t->dim, 1, j, k);
    for (int i = 0; i < edge; i++) row[i] = kind[i] ? row[i] : 0.0f;
    for (int i = 0; i < edge / 2; i++) {
        even[i] = row[2 * i];
        odd[i] = row[2 * i + 1];
    }
}

INLINE void rhs_rows(const struct project_tile *t, int n, int edge, ptrdiff_t s, float rhs, float source, float *b)
{
    const struct project_scalar *d = &t->divergence;
    for (int k = 0; k < t->n[2]; k++)
        for (int j = 0; j < t->n[1]; j++) {
            float row[ROW];
            for (int i = n; i < edge; i++) row[i] = 0;
            row_outflow(t, n, s, j, k, row);
            for (int i = 0; i < n; i++) row[i] *= rhs;
            for (int i = 0; d->at && i < n; i++) row[i] += source * cells_row(d, j, k)[i * d->step[0]];
            row_to_red_black(t, edge, row, j, k, b);
        }
}

/// Clears a tile that the box cuts: cells beyond the box stay 0.
static void tile_clear(const struct project_tile *t, float *tile)
{
    if (t->n[0] * t->n[1] * t->n[2] < MG_CELLS) memset(tile, 0, MG_CELLS * sizeof *tile);
}

static int row_edge(const struct project_tile *t) { return t->dim == 3 ? EDGE : ROW; }

static void rhs_make(const struct project_tile *t, float rhs, float source, float *b)
{
    tile_clear(t, b);
    if (is_whole(t)) rhs_rows(t, EDGE, EDGE, 1, rhs, source, b);
    else rhs_rows(t, t->n[0], row_edge(t), t->step[0], rhs, source, b);
}

INLINE void guess_rows(const struct project_tile *t, int n, int edge, ptrdiff_t s, float *x)
{
    for (int k = 0; k < t->n[2]; k++)
        for (int j = 0; j < t->n[1]; j++) {
            const float *p = cells_row(&t->pressure, j, k);
            float row[ROW];
            for (int i = 0; i < n; i++) row[i] = p[i * s];
            for (int i = n; i < edge; i++) row[i] = 0;
            row_to_red_black(t, edge, row, j, k, x);
        }
}

static void guess_make(const struct project_tile *t, float *x)
{
    tile_clear(t, x);
    if (is_whole(t)) guess_rows(t, EDGE, EDGE, 1, x);
    else guess_rows(t, t->n[0], row_edge(t), t->pressure.step[0], x);
}

/// A row from its red and black halves.
INLINE void row_from_red_black(const float *restrict even, const float *restrict odd, int n, double *restrict row)
{
    for (int i = 0; i < n / 2; i++) {
        row[2 * i] = (double)even[i];
        row[2 * i + 1] = (double)odd[i];
    }
    if (n & 1) row[n - 1] = (double)even[n / 2];
}

static void from_red_black(const struct project_tile *t, const float *x)
{
    for (int k = 0; k < t->n[2]; k++)
        for (int j = 0; j < t->n[1]; j++) {
            const float *even = x + mg_colour_index(t->dim, 0, j, k), *odd = x + mg_colour_index(t->dim, 1, j, k);
            double *row = t->p + j * t->p_step[1] + k * t->p_step[2];
            if (is_whole(t)) row_from_red_black(even, odd, EDGE, row);
            else row_from_red_black(even, odd, t->n[0], row);
        }
}

/* ---- correction ---- */

/// `n` faces of a row, whose cells' pressure is p and that of the cells below them `low`.
INLINE void row_correct(float *restrict f, const double *restrict p, const double *restrict low, double gradient, int n,
                        ptrdiff_t s)
{
    for (int i = 0; i < n; i++) f[i * s] = (float)((double)f[i * s] - gradient * (p[i] - low[i]));
}

INLINE void row_store_pressure(const double *restrict p, float *restrict out, int n, ptrdiff_t s)
{
    for (int i = 0; i < n; i++) out[i * s] = (float)p[i];
}

/* A row of cells with their low faces; past the last cell of an axis, the high faces of that axis alone. */
INLINE void correct_rows(const struct project_tile *t, double gradient, int n, ptrdiff_t s, ptrdiff_t out)
{
    const int flat = t->dim == 2;
    for (int k = 0; k < t->n[2] + !flat; k++)
        for (int j = 0; j < t->n[1] + (k < t->n[2]); j++) {
            const ptrdiff_t at = j * t->step[1] + k * t->step[2];
            const double *p = t->p + j * t->p_step[1] + k * t->p_step[2];
            const int own = j < t->n[1] && k < t->n[2];
            if (own) row_correct(t->u[0] + at, p, p - 1, gradient, n, s);
            if (own) row_correct(t->u[0] + at + n * s, p + n, p + n - 1, gradient, 1, s);
            if (k < t->n[2]) row_correct(t->u[1] + at, p, p - t->p_step[1], gradient, n, s);
            if (j < t->n[1] && !flat) row_correct(t->u[2] + at, p, p - t->p_step[2], gradient, n, s);
            if (own) row_store_pressure(p, cells_row(&t->pressure, j, k), n, out);
        }
}

/// The same, from `old` to f.
INLINE void row_correct_from(const float *restrict old, float *restrict f, const double *restrict p,
                             const double *restrict low, double gradient)
{
    for (int i = 0; i < EDGE; i++) f[i] = (float)((double)old[i] - gradient * (p[i] - low[i]));
}

static void correct_whole(const struct project_tile *t, double gradient)
{
    const ptrdiff_t sy = t->p_step[1], sz = t->p_step[2];
    for (int k = 0; k < EDGE; k++)
        for (int j = 0; j < EDGE; j++) {
            const ptrdiff_t at = j * t->step[1] + k * t->step[2];
            const double *p = t->p + j * sy + k * sz;
            row_correct_from(t->old[0] + at, t->u[0] + at, p, p - 1, gradient);
            row_correct_from(t->old[1] + at, t->u[1] + at, p, p - sy, gradient);
            row_correct_from(t->old[2] + at, t->u[2] + at, p, p - sz, gradient);
            row_correct(t->high[0] + j + k * EDGE, p + EDGE, p + EDGE - 1, gradient, 1, 1);
            row_store_pressure(p, cells_row(&t->pressure, j, k), EDGE, 1);
        }
    for (int k = 0; k < EDGE; k++) {
        const double *p = t->p + EDGE * sy + k * sz, *q = t->p + EDGE * sz + k * sy;
        row_correct(t->high[1] + k * EDGE, p, p - sy, gradient, EDGE, 1);
        row_correct(t->high[2] + k * EDGE, q, q - sz, gradient, EDGE, 1);
    }
}

static void correct(const struct project_tile *t, double gradient)
{
    if (t->high[0]) correct_whole(t, gradient);
    else if (is_whole(t)) correct_rows(t, gradient, EDGE, 1, 1);
    else correct_rows(t, gradient, t->n[0], t->step[0], t->pressure.step[0]);
}

INLINE float max_divergence_rows(const struct project_tile *t, int n, ptrdiff_t s, float per_h)
{
    const struct project_scalar *d = &t->divergence;
    float most[ROW] = {0}, worst = 0;
    for (int k = 0; k < t->n[2]; k++)
        for (int j = 0; j < t->n[1]; j++) {
            const uint8_t *kind = t->kind + mg_index(t->dim, 0, j, k);
            float row[ROW];
            row_outflow(t, n, s, j, k, row);
            for (int i = 0; i < n; i++) row[i] *= per_h;
            for (int i = 0; d->at && i < n; i++) row[i] -= cells_row(d, j, k)[i * d->step[0]];
            for (int i = 0; i < n; i++) {
                const float off = kind[i] ? fabsf(row[i]) : 0.0f;
                most[i] = off > most[i] ? off : most[i];
            }
        }
    for (int i = 0; i < n; i++) worst = most[i] > worst ? most[i] : worst;
    return worst;
}

static float max_divergence(const struct project_tile *t, float per_h)
{
    return is_whole(t) ? max_divergence_rows(t, EDGE, 1, per_h) : max_divergence_rows(t, t->n[0], t->step[0], per_h);
}

const struct project_kernels SIMD_NAME(project_kernels) = {rhs_make, guess_make, from_red_black, correct,
                                                           max_divergence};
