// SPDX-License-Identifier: Apache-2.0
/* What mac.project's sweeps do row by row on one tile, compiled once a SIMD level; all give the same bits. */
#ifndef PROJECT_KERNELS_H
#define PROJECT_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>

/// A tile's share of a scalar field; `at` NULL: there is none.
struct project_cells {
    float *at;
    ptrdiff_t step[3];
};

/// One tile: all axes and strides are the solver's, whose first one has stride 1 in 3D.
struct project_tile {
    int32_t dim, n[3];   ///< cells along each axis
    const uint8_t *kind; ///< of the cells, natural order: 0 is no unknown
    float *u[3];         ///< low faces of cell (0,0,0) along each axis
    ptrdiff_t step[3];   ///< between them
    /// NULL: the high faces of the last cells follow in u. Else those, of a whole 3D tile: the other two axes' cells,
    /// the lower axis first.
    float *high[3];
    const float *old[3]; ///< with `high`: the faces before the correction, laid out like u
    struct project_cells divergence, pressure;
    double *p; ///< pressure of cell (0,0,0), with a layer of cells around
    ptrdiff_t p_step[3];
};

struct project_kernels {
    /// b = rhs (net outflow) + source (divergence), colour-split, 0 where there is no unknown.
    void (*rhs)(const struct project_tile *t, float rhs, float source, float *b);
    /// x = the pressure, colour-split, 0 where there is no unknown.
    void (*guess)(const struct project_tile *t, float *x);
    /// Fills p, but for the layer around, from the colour-split x.
    void (*join)(const struct project_tile *t, const float *x);
    /// u -= gradient (p - p one cell lower) on all faces (with `high`: old less that); the pressure becomes p.
    void (*correct)(const struct project_tile *t, double gradient);
    /// Largest |net outflow per_h - divergence| of an unknown.
    float (*worst)(const struct project_tile *t, float per_h);
};

extern const struct project_kernels project_kernels_baseline, project_kernels_avx2, project_kernels_avx512;

static inline const struct project_kernels *project_kernels_for(uint32_t simd)
{
    return SIMD_PICK(project_kernels, simd);
}

#endif
