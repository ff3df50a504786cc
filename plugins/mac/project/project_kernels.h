// SPDX-License-Identifier: Apache-2.0
/* Row kernels of the pressure projection on one tile: divergence, gradient, and conversion between natural and
 * red/black order. Compiled once a SIMD level; all give the same bits. */
#ifndef PROJECT_KERNELS_H
#define PROJECT_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>

/// One tile of a scalar field; `at` NULL: there is no such field.
struct project_scalar {
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
    struct project_scalar divergence, pressure;
    double *p; ///< pressure of cell (0,0,0), with a ghost layer around
    ptrdiff_t p_step[3];
};

struct project_kernels {
    /// b = rhs (net outflow) + source (divergence), in red/black order, 0 where there is no unknown.
    void (*rhs)(const struct project_tile *t, float rhs, float source, float *b);
    /// First guess: x = the pressure, in red/black order, 0 where there is no unknown.
    void (*guess)(const struct project_tile *t, float *x);
    /// Fills p, but for the ghost layer, from x in red/black order.
    void (*from_red_black)(const struct project_tile *t, const float *x);
    /// u -= gradient (p - p one cell lower) on all faces (with `high`: u = old - …); stores p as the pressure.
    void (*correct)(const struct project_tile *t, double gradient);
    /// Largest |net outflow per_h - divergence| of an unknown.
    float (*max_divergence)(const struct project_tile *t, float per_h);
};

extern const struct project_kernels project_kernels_baseline, project_kernels_avx2, project_kernels_avx512;

static inline const struct project_kernels *project_kernels_for(uint32_t simd)
{
    return SIMD_PICK(project_kernels, simd);
}

#endif
