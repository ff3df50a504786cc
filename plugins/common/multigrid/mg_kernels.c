// SPDX-License-Identifier: Apache-2.0
/* Red/black Gauss–Seidel, residual, restriction and prolongation on one tile (layout: mg_kernels.h).
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

/* How a tile's matrix is stored: constant stencil, diagonals, or diagonals and face weights. */
enum { CONSTANT, DIAGONAL, CUT };
INLINE int form_of(const struct mg_tile *t) { return t->weight ? CUT : t->inv ? DIAGONAL : CONSTANT; }

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

/* A sweep over one colour, over-relaxed by `factor` (1: Gauss–Seidel). */
struct sweep {
    int colour, is_sor; ///< is_sor, a constant in every caller: factor is not 1
    float factor;
};

INLINE void relax_row(const struct mg_tile *t, struct sweep s, int k, int j, int odd, int form, int dim)
{
    const int w = row_size(dim);
    const ptrdiff_t at = ((ptrdiff_t)k * 2 + s.colour) * half_size(dim) + (ptrdiff_t)j * w;
    const struct row r = row_at(t, s.colour, k, j, dim);
    for (int m = 0; m < w; m += VEC_LANES) {
        const vec inv = form == CONSTANT ? vec_set(1.0f / full_diag(dim)) : vec_load_aligned(t->inv + at + m);
        const float *face = form == CUT ? t->weight + at + m : NULL;
        vec x = (vec_load_aligned(t->b + at + m) + row_sum(&r, m, odd, dim, face)) * inv;
        if (s.is_sor) {
            const vec old = vec_load_aligned(t->x + at + m);
            x = old + vec_set(s.factor) * (x - old);
        }
        vec_store_aligned(t->x + at + m, x);
    }
}

/* Rows alternate between the two x-alignments, so they go in pairs. */
INLINE void relax_plane(const struct mg_tile *t, struct sweep s, int k, int odd, int form, int dim)
{
    const int rows = dim == 3 ? 16 : t->rows;
    for (int j = 0; j < rows; j += 2) {
        relax_row(t, s, k, j, odd, form, dim);
        relax_row(t, s, k, j + 1, 1 - odd, form, dim);
    }
}

INLINE void relax_planes(const struct mg_tile *t, struct sweep s, int k0, int k1, int form, int dim)
{
    for (int k = k0; k < k1; k++) {
        if ((s.colour + k) & 1) relax_plane(t, s, k, 1, form, dim);
        else relax_plane(t, s, k, 0, form, dim);
    }
}

INLINE void relax_form(const struct mg_tile *t, struct sweep s, int k0, int k1, int form, int dim)
{
    if (s.factor != 1) relax_planes(t, (struct sweep){s.colour, 1, s.factor}, k0, k1, form, dim);
    else relax_planes(t, (struct sweep){s.colour, 0, 1}, k0, k1, form, dim);
}

INLINE void relax_tile(const struct mg_tile *t, struct sweep s, int k0, int k1, int dim)
{
    switch (form_of(t)) {
    case CONSTANT: relax_form(t, s, k0, k1, CONSTANT, dim); break;
    case DIAGONAL: relax_form(t, s, k0, k1, DIAGONAL, dim); break;
    default: relax_form(t, s, k0, k1, CUT, dim); break;
    }
}

INLINE void from_zero_tile(const struct mg_tile *t, int k0, int k1, int dim)
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
    if (form == CONSTANT) return rhs - vec_set(full_diag(dim)) * x;
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

INLINE double restrict_form(const struct mg_tile *t, float *coarse, int octant, int k0, int k1, int form, int dim)
{
    const int w = row_size(dim), rows = dim == 3 ? 16 : t->rows;
    const float scale = dim == 3 ? 0.5f : 1.0f; // (2h)² times the mean: 4/8, 4/4
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
                even[m] = scale * s[2 * m];
                odd[m] = scale * s[2 * m + 1];
            }
        }
        const float *s = (const float *)square;
        for (int m = 0; m < 8; m++) squares += (double)s[m];
    }
    return squares;
}

INLINE double restrict_tile(const struct mg_tile *t, float *coarse, int octant, int k0, int k1, int dim)
{
    switch (form_of(t)) {
    case CONSTANT: return restrict_form(t, coarse, octant, k0, k1, CONSTANT, dim);
    case DIAGONAL: return restrict_form(t, coarse, octant, k0, k1, DIAGONAL, dim);
    default: return restrict_form(t, coarse, octant, k0, k1, CUT, dim);
    }
}

INLINE void prolongate_row(const struct mg_tile *t, int k, int j, const float *add, int dim)
{
    const int w = row_size(dim);
    const ptrdiff_t at = (ptrdiff_t)k * 2 * half_size(dim) + (ptrdiff_t)j * w;
    for (int m = 0; m < w; m += VEC_LANES) {
        vec v = vec_load_aligned(add + m);
        if (t->inv) v = masked(v, vec_load_aligned(t->inv + at + m));
        vec_store_aligned(t->x + at + m, vec_load_aligned(t->x + at + m) + v);
    }
}

INLINE void prolongate_tile(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1, int dim)
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
            prolongate_row(t, k, j, s, dim);
            prolongate_row(t, k, j + 1, s, dim);
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

/* Vectors of doubles (`wide`) and as many floats (`narrow`), as wide as the SIMD level has them. */
#if defined(__AVX512F__)
#define WIDE_LANES 8
#define UP 8, 0, 1, 2, 3, 4, 5, 6
#define DOWN 1, 2, 3, 4, 5, 6, 7, 8
#elif defined(__AVX2__)
#define WIDE_LANES 4
#define UP 4, 0, 1, 2
#define DOWN 1, 2, 3, 4
#else
#define WIDE_LANES 2
#define UP 2, 0
#define DOWN 1, 2
#endif
typedef double wide __attribute__((vector_size(8 * WIDE_LANES)));
typedef int64_t wide_int __attribute__((vector_size(8 * WIDE_LANES)));
typedef double wide_loose __attribute__((vector_size(8 * WIDE_LANES), aligned(8), may_alias));
typedef float narrow __attribute__((vector_size(4 * WIDE_LANES), aligned(4), may_alias));

INLINE wide wide_load(const double *p) { return *(const wide_loose *)p; }
INLINE wide wide_of(const float *p) { return __builtin_convertvector(*(const narrow *)p, wide); }
INLINE wide wide_set(double x) { return x - (wide){0}; }

/// Where the neighbours of one row of one colour are, in double.
struct wide_row {
    const double *x, *o, *ym, *yp, *zm, *zp;
    double left, right;
};

INLINE struct wide_row wide_row_at(const struct mg_tile_f64 *t, int colour, int k, int j, int dim)
{
    const int w = row_size(dim), h = row_count(dim), half = half_size(dim);
    const ptrdiff_t plane = (ptrdiff_t)k * 2 * half + (1 - colour) * half, at = plane + (ptrdiff_t)j * w;
    struct wide_row r;
    r.o = t->x + at;
    r.x = r.o + (2 * colour - 1) * half;
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

/// -A x of WIDE_LANES cells of a row from m on; `at`: index of the first one.
INLINE wide minus_ax_f64(const struct mg_tile_f64 *t, const struct wide_row *r, ptrdiff_t at, int m, int odd, int form,
                         int dim)
{
    const wide x = wide_load(r->x + m), c = wide_load(r->o + m);
    wide beside;
    if (!odd && m == 0) beside = __builtin_shufflevector(c, wide_set(r->left), UP);
    else if (odd && m == row_size(dim) - WIDE_LANES) beside = __builtin_shufflevector(c, wide_set(r->right), DOWN);
    else beside = wide_load(r->o + m + (odd ? 1 : -1));
    if (form == CUT) { // by differences: the diagonal, a sum in single precision, is not exactly the sum of the weights
        const float *face = t->weight + at;
        wide sum = wide_of(face) * ((odd ? c : beside) - x) + wide_of(face + MG_CELLS) * ((odd ? beside : c) - x);
        sum += wide_of(face + 2 * MG_CELLS) * (wide_load(r->ym + m) - x) +
               wide_of(face + 3 * MG_CELLS) * (wide_load(r->yp + m) - x);
        if (dim == 3)
            sum += wide_of(face + 4 * MG_CELLS) * (wide_load(r->zm + m) - x) +
                   wide_of(face + 5 * MG_CELLS) * (wide_load(r->zp + m) - x);
        return sum;
    }
    wide sum = (c + beside) + (wide_load(r->ym + m) + wide_load(r->yp + m));
    if (dim == 3) sum += wide_load(r->zm + m) + wide_load(r->zp + m);
    return sum - (form == CONSTANT ? wide_set((double)full_diag(dim)) : wide_of(t->diag + at)) * x;
}

/// Residuals of one row in double; adds their squares.
INLINE void residual_f64_row(const struct mg_tile_f64 *t, int colour, int k, int j, int odd, int form, int dim,
                             wide *squares)
{
    const int w = row_size(dim);
    const ptrdiff_t own = ((ptrdiff_t)k * 2 + colour) * half_size(dim) + (ptrdiff_t)j * w;
    const struct wide_row r = wide_row_at(t, colour, k, j, dim);
    for (int m = 0; m < w; m += WIDE_LANES) {
        wide left = wide_of(t->f + own + m) + minus_ax_f64(t, &r, own + m, m, odd, form, dim);
        if (form != CONSTANT) left = (wide)((wide_int)left & (wide_of(t->inv + own + m) != (wide){0}));
        *(narrow *)(t->r + own + m) = __builtin_convertvector(left, narrow);
        squares[m % 8 / WIDE_LANES] += left * left;
    }
}

INLINE double residual_f64_form(const struct mg_tile_f64 *t, int form, int dim)
{
    const int rows = dim == 3 ? 16 : t->rows;
    wide squares[8 / WIDE_LANES] = {{0}};
    for (int half = 0; half < 2 * t->planes; half++) {
        const int k = half >> 1, colour = half & 1;
        for (int j = 0; j < rows; j++) {
            if ((colour + j + k) & 1) residual_f64_row(t, colour, k, j, 1, form, dim, squares);
            else residual_f64_row(t, colour, k, j, 0, form, dim, squares);
        }
    }
    const double *q = (const double *)squares;
    return ((q[0] + q[1]) + (q[2] + q[3])) + ((q[4] + q[5]) + (q[6] + q[7]));
}

INLINE double residual_f64_tile(const struct mg_tile_f64 *t, int dim)
{
    if (t->weight) return residual_f64_form(t, CUT, dim);
    return t->inv ? residual_f64_form(t, DIAGONAL, dim) : residual_f64_form(t, CONSTANT, dim);
}

static void from_zero_2d(const struct mg_tile *t, int k0, int k1) { from_zero_tile(t, k0, k1, 2); }
static void from_zero_3d(const struct mg_tile *t, int k0, int k1) { from_zero_tile(t, k0, k1, 3); }
static void relax_2d(const struct mg_tile *t, int colour, float factor, int k0, int k1)
{
    relax_tile(t, (struct sweep){colour, 0, factor}, k0, k1, 2);
}
static void relax_3d(const struct mg_tile *t, int colour, float factor, int k0, int k1)
{
    relax_tile(t, (struct sweep){colour, 0, factor}, k0, k1, 3);
}
static double restrict_2d(const struct mg_tile *t, float *coarse, int octant, int k0, int k1)
{
    return restrict_tile(t, coarse, octant, k0, k1, 2);
}
static double restrict_3d(const struct mg_tile *t, float *coarse, int octant, int k0, int k1)
{
    return restrict_tile(t, coarse, octant, k0, k1, 3);
}
static void prolongate_2d(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1)
{
    prolongate_tile(t, coarse, octant, k0, k1, 2);
}
static void prolongate_3d(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1)
{
    prolongate_tile(t, coarse, octant, k0, k1, 3);
}
static double apply_2d(const struct mg_tile *t, float *q) { return apply_tile(t, q, 2); }
static double apply_3d(const struct mg_tile *t, float *q) { return apply_tile(t, q, 3); }
static double residual_f64_2d(const struct mg_tile_f64 *t) { return residual_f64_tile(t, 2); }
static double residual_f64_3d(const struct mg_tile_f64 *t) { return residual_f64_tile(t, 3); }

const struct mg_kernels SIMD_NAME(mg_kernels)[2] = {
    {from_zero_2d, relax_2d, restrict_2d, prolongate_2d, apply_2d, residual_f64_2d},
    {from_zero_3d, relax_3d, restrict_3d, prolongate_3d, apply_3d, residual_f64_3d},
};
