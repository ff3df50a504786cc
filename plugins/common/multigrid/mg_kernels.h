// SPDX-License-Identifier: Apache-2.0
/* The multigrid's inner loops on one tile: red/black Gauss–Seidel, restriction, prolongation, residual. Compiled once a
 * SIMD level (mg_kernels.c).
 *
 * A tile holds MG_CELLS cells: 16 planes of 16 rows of 16 (3D) or one plane of 64 rows of 64 (2D), split by colour so
 * that a sweep of one colour reads and writes whole vectors: plane k is its red half, (i+j+k) even, then its black
 * half; in each half row j holds the 8 (32) cells i>>1. The operator is the 7-point (5-point) Laplacian times -h², with
 * off-diagonals of exactly -1, or -weight in tiles with cut faces: cells that are no unknowns hold x = 0 and have inv =
 * 0. */
#ifndef MG_KERNELS_H
#define MG_KERNELS_H

#include <stdint.h>

enum { MG_CELLS = 4096, MG_RED = 0, MG_BLACK = 1 };

/// One tile and its neighbours' x, in the order x-, x+, y-, y+, z-, z+; a tile of zeros where there is none.
struct mg_tile {
    float *x;
    const float *b;
    const float *diag, *inv; ///< both NULL: constant stencil, every cell and all its neighbours are unknowns
    const float *weight;     ///< of the face on each side, 6 × MG_CELLS laid out like x; NULL: 1
    const float *side[6];
    int32_t planes, rows; ///< occupied ones, from 0; beyond them x stays 0
};

/// The same with the solution in double: r = f - A x where single precision would lose it.
struct mg_tile_f64 {
    const double *x;
    const double *side[6];
    const float *f, *diag, *inv, *weight;
    float *r;
    int32_t planes, rows;
};

struct mg_kernels {
    /// x = b/diag on red cells: the first red sweep, from x = 0.
    void (*relax_from_zero)(const struct mg_tile *t, int k0, int k1);
    /// One Gauss–Seidel sweep over one colour of planes k0 … k1-1, over-relaxed by `factor` (SOR).
    void (*relax)(const struct mg_tile *t, int colour, float factor, int k0, int k1);
    /// Restriction: half the sum (2D: the sum) of the red residuals of each 2×2×2 cells into an octant (bit a: high
    /// half along a) of a coarse tile's b, or nowhere when that is NULL; planes k0 … k1-1, k0 even, and the one after
    /// an odd last. Returns the sum of the residuals' squares.
    double (*restrict_residual)(const struct mg_tile *t, float *coarse, int octant, int k0, int k1);
    /// Prolongation: adds the coarse tile's x to red cells.
    void (*prolongate)(const struct mg_tile *t, const float *coarse, int octant, int k0, int k1);
    /// q = A x; returns x·q.
    double (*apply)(const struct mg_tile *t, float *q);
    /// r = f - A x; returns r·r.
    double (*residual_f64)(const struct mg_tile_f64 *t);
};

/// [0]: 2D tiles, [1]: 3D tiles.
extern const struct mg_kernels mg_kernels_baseline[2], mg_kernels_avx2[2], mg_kernels_avx512[2];

#endif
