// SPDX-License-Identifier: Apache-2.0
/* Red-black Gauss–Seidel, residual and transfers on one colour-split tile (layout: mg_kernels.h).
 *
 * The neighbours of a cell all have the other colour. Along y and z they sit at the same place of another row; along
 * x, a row whose first cell of this colour is i = 0 (`odd` = 0) has them at m-1 and m, one that starts at i = 1 at m
 * and m+1. Every level does the same operations on the same lanes, so all give the same bits. */
#include "mg_kernels.h"

#define VEC_LANES_MOST 8 // a row of 3D tiles
#include <common/simd.h>
#include <stddef.h>
#include <string.h>

/* Tile geometry; `dim` is a constant in every caller, so these fold. */
INLINE int row_size(int dim) { return dim == 3 ? 8 : 32; }
INLINE int row_count(int dim) { return dim == 3 ? 16 : 64; }
INLINE int half_size(int dim) { return dim == 3 ? 128 : 2048; }
INLINE float full_diag(int dim) { return dim == 3 ? 6.0f : 4.0f; }

/// v where inv is not 0, else 0: keeps cells that are no unknowns at 0.
INLINE vec masked(vec v, vec inv) { return (vec)((vec_int)v & (inv != (vec){0})); }

#if VEC_LANES == 8
INLINE vec shift_up(vec c, float edge) { return __builtin_shufflevector(c, vec_set(edge), 8, 0, 1, 2, 3, 4, 5, 6); }
INLINE vec shift_down(vec c, float edge) { return __builtin_shufflevector(c, vec_set(edge), 1, 2, 3, 4, 5, 6, 7, 8); }
#else
INLINE vec shift_up(vec c, float edge) { return __builtin_shufflevector(c, vec_set(edge), 4, 0, 1, 2); }
INLINE vec shift_down(vec c, float edge) { return __builtin_shufflevector(c, vec_set(edge), 1, 2, 3, 4); }
#endif

/// Where the neighbours of one row of one colour are.
struct row {
    const float *o, *ym, *yp, *zm, *zp; ///< the other colour: same row, rows beside, planes beside
    float left, right;                  ///< the values past its ends
};

INLINE struct row row_at(const struct mg_tile *t, int colour, int k, int j, int dim)
{
    const int w = row_size(dim), h = row_count(dim), half = half_size(dim);
    const ptrdiff_t plane = (ptrdiff_t)k * 2 * half + (1 - colour) * half, at = plane + (ptrdiff_t)j * w;
    struct row r;
    r.o = t->x + at;
    r.ym = j > 0 ? r.o - w : t->side[2] + plane + (h - 1) * w;
    r.yp = j < h - 1 ? r.o + w : t->side[3] + plane;
    if (dim == 3) {
        r.zm = k > 0 ? r.o - 2 * half : t->side[4] + at + 15 * 2 * half;
        r.zp = k < 15 ? r.o + 2 * half : t->side[5] + at - 15 * 2 * half;
    }
    r.left = t->side[0][at + w - 1];
    r.right = t->side[1][at];
    return r;
}

/* How a tile's operator is stored: all the same, diagonals, or diagonals and weights. */
enum { PLAIN, DIAGONAL, CUT };
INLINE int form_of(const struct mg_tile *t) { return t->weight ? CUT : t->inv ? DIAGONAL : PLAIN; }

/// Sum of the neighbours of cells m … m+VEC_LANES-1 of a row; `w`: their weights, NULL: 1.
INLINE vec row_sum(const struct row *r, int m, int odd, int dim, const float *w)
{
    const vec c = vec_load_aligned(r->o + m);
    vec beside;
    if (odd) beside = m == row_size(dim) - VEC_LANES ? shift_down(c, r->right) : vec_load(r->o + m + 1);
    else beside = m == 0 ? shift_up(c, r->left) : vec_load(r->o + m - 1);
    vec sum;
    if (w) {
        sum = vec_load_aligned(w) * (odd ? c : beside) + vec_load_aligned(w + MG_CELLS) * (odd ? beside : c);
        sum += vec_load_aligned(w + 2 * MG_CELLS) * vec_load_aligned(r->ym + m) +
               vec_load_aligned(w + 3 * MG_CELLS) * vec_load_aligned(r->yp + m);
        if (dim == 3)
            sum += vec_load_aligned(w + 4 * MG_CELLS) * vec_load_aligned(r->zm + m) +
                   vec_load_aligned(w + 5 * MG_CELLS) * vec_load_aligned(r->zp + m);
    } else {
        sum = (c + beside) + (vec_load_aligned(r->ym + m) + vec_load_aligned(r->yp + m));
        if (dim == 3) sum += vec_load_aligned(r->zm + m) + vec_load_aligned(r->zp + m);
    }
    return sum;
}

INLINE void relax_row(const struct mg_tile *t, int colour, int k, int j, int odd, int form, int dim)
{
    const int w = row_size(dim);
    const ptrdiff_t at = ((ptrdiff_t)k * 2 + colour) * half_size(dim) + (ptrdiff_t)j * w;
    const struct row r = row_at(t, colour, k, j, dim);
    for (int m = 0; m < w; m += VEC_LANES) {
        const vec inv = form == PLAIN ? vec_set(1.0f / full_diag(dim)) : vec_load_aligned(t->inv + at + m);
        const float *face = form == CUT ? t->weight + at + m : NULL;
        vec_store_aligned(t->x + at + m, (vec_load_aligned(t->b + at + m) + row_sum(&r, m, odd, dim, face)) * inv);
    }
}

/* Rows alternate between the two x-alignments, so they go in pairs. */
INLINE void relax_plane(const struct mg_tile *t, int colour, int k, int odd, int form, int dim)
{
    const int rows = dim == 3 ? 16 : t->rows;
    for (int j = 0; j < rows; j += 2) {
        relax_row(t, colour, k, j, odd, form, dim);
        relax_row(t, colour, k, j + 1, 1 - odd, form, dim);
    }
}

INLINE void relax_planes(const struct mg_tile *t, int colour, int k0, int k1, int form, int dim)
{
    for (int k = k0; k < k1; k++) {
        if ((colour + k) & 1) relax_plane(t, colour, k, 1, form, dim);
        else relax_plane(t, colour, k, 0, form, dim);
    }
}

INLINE void relax_tile(const struct mg_tile *t, int colour, int k0, int k1, int dim)
{
    switch (form_of(t)) {
    case PLAIN: relax_planes(t, colour, k0, k1, PLAIN, dim); break;
    case DIAGONAL: relax_planes(t, colour, k0, k1, DIAGONAL, dim); break;
    default: relax_planes(t, colour, k0, k1, CUT, dim); break;
    }
}

INLINE void first_tile(const struct mg_tile *t, int k0, int k1, int dim)
{
    const int half = half_size(dim), size = dim == 3 ? half : t->rows * row_size(dim);
    for (int k = k0; k < k1; k++) {
        const ptrdiff_t at = (ptrdiff_t)k * 2 * half;
        for (int m = 0; m < size; m += VEC_LANES) {
            const vec inv = t->inv ? vec_load_aligned(t->inv + at + m) : vec_set(1.0f / full_diag(dim));
            vec_store_aligned(t->x + at + m, vec_load_aligned(t->b + at + m) * inv);
        }
    }
}

/// Residual of one vector of cells.
INLINE vec residual(const struct mg_tile *t, const struct row *r, ptrdiff_t at, int m, int odd, int form, int dim)
{
    const float *w = form == CUT ? t->weight + at + m : NULL;
    const vec rhs = vec_load_aligned(t->b + at + m) + row_sum(r, m, odd, dim, w), x = vec_load_aligned(t->x + at + m);
    if (form == PLAIN) return rhs - vec_set(full_diag(dim)) * x;
    return masked(rhs - vec_load_aligned(t->diag + at + m) * x, vec_load_aligned(t->inv + at + m));
}

/// Adds the red residuals of row (j, k) to sum[], their squares to square[] (8 lanes).
INLINE void residual_row(const struct mg_tile *t, int k, int j, int odd, int form, int dim, vec *sum, vec *square)
{
    const int w = row_size(dim);
    const ptrdiff_t at = (ptrdiff_t)k * 2 * half_size(dim) + (ptrdiff_t)j * w;
    const struct row r = row_at(t, MG_RED, k, j, dim);
    for (int m = 0; m < w; m += VEC_LANES) {
        const vec v = residual(t, &r, at, m, odd, form, dim);
        sum[m / VEC_LANES] += v;
        square[m % 8 / VEC_LANES] += v * v;
    }
}

/// Where row (j, k) of an octant starts in a coarse tile: the half-row of even cells, then the one of odd cells.
INLINE ptrdiff_t coarse_row(int octant, int k, int j, int odd, int dim)
{
    const int w = row_size(dim), kk = k + (octant >> 2) * 8, jj = j + (octant >> 1 & 1) * w;
    return ((ptrdiff_t)kk * 2 + (((kk + jj) & 1) ^ odd)) * half_size(dim) + (ptrdiff_t)jj * w + (octant & 1) * (w / 2);
}

INLINE double coarsen_form(const struct mg_tile *t, float *coarse, int octant, int k0, int k1, int form, int dim)
{
    const int w = row_size(dim), rows = dim == 3 ? 16 : t->rows;
    const float share = dim == 3 ? 0.5f : 1.0f; // (2h)² times the mean: 4/8, 4/4
    double squares = 0;
    for (int k = k0; k < k1; k += dim == 3 ? 2 : 1) {
        vec square[8 / VEC_LANES] = {{0}};
        for (int j = 0; j < rows; j += 2) {
            vec sum[32 / VEC_LANES] = {{0}};
            residual_row(t, k, j, 0, form, dim, sum, square);
            residual_row(t, k, j + 1, 1, form, dim, sum, square);
            if (dim == 3) {
                residual_row(t, k + 1, j, 1, form, dim, sum, square);
                residual_row(t, k + 1, j + 1, 0, form, dim, sum, square);
            }
            if (!coarse) continue;
            const float *s = (const float *)sum;
            float *even = coarse + coarse_row(octant, k / 2, j / 2, 0, dim);
            float *odd = coarse + coarse_row(octant, k / 2, j / 2, 1, dim);
            for (int m = 0; m < w / 2; m++) {
                even[m] = share * s[2 * m];
                odd[m] = share * s[2 * m + 1];
            }
        }
        const float *s = (const float *)square;
        for (int m = 0; m < 8; m++) squares += (double)s[m];
    }
    return squares;
}

INLINE double coarsen_tile(const struct mg_tile *t, float *coarse, int octant, int k0, int k1, int dim)
{
    switch (form_of(t)) {
    case PLAIN: return coarsen_form(t, coarse, octant, k0, k1, PLAIN, dim);
    case DIAGONAL: return coarsen_form(t, coarse, octant, k0, k1, DIAGONAL, dim);
    default: return coarsen_form(t, coarse, octant, k0, k1, CUT, dim);
    }
}

INLINE void refine_row(const struct mg_tile *t, int k, int j, const float *add, int dim)
{
    const int w = row_size(dim);
    const ptrdiff_t at = (ptrdiff_t)k * 2 * half_size(dim) + (ptrdiff_t)j * w;
    for (int m = 0; m < w; m += VEC_LANES) {
        vec v = vec_load_aligned(add + m);
        if (t->inv) v = masked(v, vec_load_aligned(t->inv + at + m));
        vec_store_aligned(t->x + at + m, vec_load_aligned(t->x + at + m) + v);
    }
}

INLINE void refine_tile(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1, int dim)
{
    const int w = row_size(dim), rows = dim == 3 ? 16 : t->rows;
    for (int k = k0; k < k1; k++)
        for (int j = 0; j < rows; j += 2) {
            const float *even = coarse + coarse_row(octant, k / 2, j / 2, 0, dim);
            const float *odd = coarse + coarse_row(octant, k / 2, j / 2, 1, dim);
            vec sum[32 / VEC_LANES];
            float *s = (float *)sum;
            for (int m = 0; m < w / 2; m++) {
                s[2 * m] = even[m];
                s[2 * m + 1] = odd[m];
            }
            refine_row(t, k, j, s, dim);
            refine_row(t, k, j + 1, s, dim);
        }
}

INLINE double apply_tile(const struct mg_tile *t, float *q, int dim)
{
    const int w = row_size(dim), rows = dim == 3 ? 16 : t->rows;
    double total = 0;
    for (int half = 0; half < 2 * t->planes; half++) {
        const int k = half >> 1, colour = half & 1;
        vec dot[8 / VEC_LANES] = {{0}};
        for (int j = 0; j < rows; j++) {
            const ptrdiff_t at = (ptrdiff_t)half * half_size(dim) + (ptrdiff_t)j * w;
            const struct row r = row_at(t, colour, k, j, dim);
            for (int m = 0; m < w; m += VEC_LANES) {
                const int odd = (colour + j + k) & 1;
                const float *face = t->weight ? t->weight + at + m : NULL;
                const vec sum = odd ? row_sum(&r, m, 1, dim, face) : row_sum(&r, m, 0, dim, face);
                const vec x = vec_load_aligned(t->x + at + m);
                const vec ax =
                    t->inv ? masked(vec_load_aligned(t->diag + at + m) * x - sum, vec_load_aligned(t->inv + at + m))
                           : vec_set(full_diag(dim)) * x - sum;
                vec_store_aligned(q + at + m, ax);
                dot[m % 8 / VEC_LANES] += ax * x;
            }
        }
        for (int m = 0; m < 8; m++) total += (double)((const float *)dot)[m];
    }
    return total;
}

/// Residuals of one row in double; returns the sum of their squares.
INLINE double defect_row(const struct mg_wide *t, int colour, int k, int j, int dim)
{
    const int w = row_size(dim), h = row_count(dim), half = half_size(dim), odd = (colour + j + k) & 1;
    const ptrdiff_t plane = (ptrdiff_t)k * 2 * half + (1 - colour) * half, at = plane + (ptrdiff_t)j * w;
    const ptrdiff_t own = at + (2 * colour - 1) * half;
    const double *o = t->x + at, *x = t->x + own, *zero = t->side[0];
    const double *ym = j > 0 ? o - w : t->side[2] + plane + (h - 1) * w, *yp = j < h - 1 ? o + w : t->side[3] + plane;
    const double *zm = dim < 3 ? zero : k > 0 ? o - 2 * half : t->side[4] + at + 15 * 2 * half;
    const double *zp = dim < 3 ? zero : k < 15 ? o + 2 * half : t->side[5] + at - 15 * 2 * half;
    double line[34], squares = 0, d = full_diag(dim);
    line[0] = t->side[0][at + w - 1];
    memcpy(line + 1, o, (size_t)w * sizeof *o);
    line[w + 1] = t->side[1][at];
    for (int m = 0; m < w; m++) {
        const double rhs = (double)t->f[own + m], low = line[m + odd], high = line[m + odd + 1];
        double r;
        if (t->weight) { // by differences: the diagonal, a sum in single precision, would not balance the weights
            const float *face = t->weight + own + m;
            r = rhs + (double)face[0] * (low - x[m]) + (double)face[MG_CELLS] * (high - x[m]);
            r += (double)face[2 * MG_CELLS] * (ym[m] - x[m]) + (double)face[3 * MG_CELLS] * (yp[m] - x[m]);
            if (dim == 3)
                r += (double)face[4 * MG_CELLS] * (zm[m] - x[m]) + (double)face[5 * MG_CELLS] * (zp[m] - x[m]);
        } else {
            double sum = rhs + low + high + ym[m] + yp[m];
            if (dim == 3) sum += zm[m] + zp[m];
            if (t->inv) d = (double)t->diag[own + m];
            r = sum - d * x[m];
        }
        if (t->inv && t->inv[own + m] == 0.0f) r = 0;
        t->r[own + m] = (float)r;
        squares += r * r;
    }
    return squares;
}

INLINE double defect_tile(const struct mg_wide *t, int dim)
{
    const int rows = dim == 3 ? 16 : t->rows;
    double squares = 0;
    for (int half = 0; half < 2 * t->planes; half++)
        for (int j = 0; j < rows; j++) squares += defect_row(t, half & 1, half >> 1, j, dim);
    return squares;
}

static void first_2d(const struct mg_tile *t, int k0, int k1) { first_tile(t, k0, k1, 2); }
static void first_3d(const struct mg_tile *t, int k0, int k1) { first_tile(t, k0, k1, 3); }
static void relax_2d(const struct mg_tile *t, int colour, int k0, int k1) { relax_tile(t, colour, k0, k1, 2); }
static void relax_3d(const struct mg_tile *t, int colour, int k0, int k1) { relax_tile(t, colour, k0, k1, 3); }
static double coarsen_2d(const struct mg_tile *t, float *coarse, int octant, int k0, int k1)
{
    return coarsen_tile(t, coarse, octant, k0, k1, 2);
}
static double coarsen_3d(const struct mg_tile *t, float *coarse, int octant, int k0, int k1)
{
    return coarsen_tile(t, coarse, octant, k0, k1, 3);
}
static void refine_2d(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1)
{
    refine_tile(t, coarse, octant, k0, k1, 2);
}
static void refine_3d(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1)
{
    refine_tile(t, coarse, octant, k0, k1, 3);
}
static double apply_2d(const struct mg_tile *t, float *q) { return apply_tile(t, q, 2); }
static double apply_3d(const struct mg_tile *t, float *q) { return apply_tile(t, q, 3); }
static double defect_2d(const struct mg_wide *t) { return defect_tile(t, 2); }
static double defect_3d(const struct mg_wide *t) { return defect_tile(t, 3); }

const struct mg_kernels SIMD_NAME(mg_kernels)[2] = {
    {first_2d, relax_2d, coarsen_2d, refine_2d, apply_2d, defect_2d},
    {first_3d, relax_3d, coarsen_3d, refine_3d, apply_3d, defect_3d},
};
