// SPDX-License-Identifier: Apache-2.0
/* Row kernels of semi-Lagrangian advection: trajectories, trilinear gathers, MacCormack's correction, limiter. All work
 * on one row of cells along x; displacements are in cells. A gather reads the 8 values around a cell moved by its
 * displacement: the caller guarantees that cells floor(d) to floor(d) + 1 away can be read. */
#ifndef ADVECT_KERNELS_H
#define ADVECT_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>
#include <stdbool.h>

/* The limiter ignores corners whose weight along an axis is less than this: without displacement, rounding would choose
 * the side, and a mirrored flow would take the other one. */
#define ADVECT_CORNER_LEAST 1e-4f

/// Factor of c's second difference that is subtracted from its mean over a cell's two faces (advect_newton.h).
#define ADVECT_SHARPER 0.1875f

/// Least determinant of I - s ∇g for which Newton's method inverts it at all; from twice as much on wholly
/// (advect_newton.h).
#define ADVECT_LEAST_DETERMINANT 0.3f

/// Cells: a second step of Newton's method that is longer is followed by a third (advect_newton.h).
#define ADVECT_NEWTON_NEAR 0.05f

/// Largest whole number not above d, for |d| < 2^31.
static inline float advect_floor(float d)
{
    float t = (float)(int32_t)d;
    return t - (t > d ? 1.0f : 0.0f);
}

/// How a trajectory is integrated: midpoint rule; Ralston's third-order Runge–Kutta; or trapezoidal rule, solved for
/// the departure point by Newton's method (advect_newton.h).
enum advect_rule { ADVECT_MIDPOINT, ADVECT_RK3, ADVECT_TRAPEZOID };

struct advect_trace {
    const float *u[3];               ///< velocity components at the row's first cell (low faces)
    int32_t sy, sz, n;               ///< strides of u; cells in the row
    float scale[3];                  ///< cells moved per m/s: -dt/h backward, +dt/h forward, 0 along a thin axis
    const float *least[3], *most[3]; ///< of the row's cells: displacements lie between these, whatever u holds
    enum advect_rule rule;
    const float *ahead[3]; ///< ADVECT_TRAPEZOID: u plus the rest of the step's acceleration, at the row's first cell
    int32_t ahead_sy, ahead_sz; ///< strides of `ahead`
    float *d[3];                ///< out: displacement of the row's cells
};

/// A row of departure points to gather from.
struct advect_row {
    const float *f;    ///< the field at the row's first cell
    int32_t sy, sz, n; ///< strides of f; cells in the row
    const float *d[3]; ///< displacement of the cells,
    const float *e[3]; ///< and of those below along an axis: the mean of both moves the faces between. NULL: d alone
    int32_t first;     ///< the row's first cell, as the block counts them
    float soften;      ///< advect_cubic: fraction of the cubic's part removed where it is not resolved
};

/// Of Q = -½ tr(∇u ∇u) (the Q-criterion), ∇ in differences between cells, (m/s)²: in rigid rotation it is the square of
/// its rate; in shear 0; in strain negative. Sums are of cells where it is positive.
/// In lanes, which the caller joins once a block.
enum { ADVECT_ROTATION_LANES = 16 };
struct advect_rotation {
    float most[ADVECT_ROTATION_LANES];
    double squares[ADVECT_ROTATION_LANES], cubes[ADVECT_ROTATION_LANES];
};

static inline float advect_displacement(const struct advect_row *r, int axis, int32_t i)
{
    return r->e[axis] ? 0.5f * (r->e[axis][i] + r->d[axis][i]) : r->d[axis][i];
}

/// out = f at the displaced cells by cubic interpolation. True: clamped already, as `clamp` of advect_kernels does.
typedef bool advect_cubic_fn(const struct advect_row *r, bool clamp, float *out);

/// Ranges of u, u + c/2 and c/2; 0 lies in all.
struct advect_increment_ranges {
    float now[2], mean[2], half[2];
};

/// u, and the velocity after the last advection. With c = factor (u - advected) they become u + c/2 and u + c. Rows of
/// both are n[0] long.
struct advect_increment {
    float *vel, *advected;
    ptrdiff_t vel_step[2], advected_step[2]; ///< from row to row, and from plane to plane
    int32_t n[3], axis;
    float factor;
    struct advect_increment_ranges all, first; ///< out: of all, and of the first plane along `axis`; from 0 on
};

struct advect_kernels {
    uint32_t simd; ///< enum bw_simd that this is
    void (*trace)(const struct advect_trace *t);
    /// out = f at the displaced cells.
    void (*gather)(const struct advect_row *r, float *out);
    /// MacCormack's second half: out = hat + (old - hat at its displaced cells) / 2, and with `clamp` no further than
    /// the 8 values that `old` has around its own displaced cells. Both rows have the same n.
    void (*correct)(const struct advect_row *hat, const struct advect_row *old, int clamp, float *out);
    /// Limiter: clamps out to the 8 values around the displaced cells.
    void (*clamp)(const struct advect_row *r, float *out);
    /// Widens range[0] … range[1] to hold all n[0] × n[1] × n[2] values; rows are step[0], planes step[1] apart.
    void (*range)(const float *u, const ptrdiff_t step[2], const int32_t n[3], float range[2]);
    void (*add_increment)(struct advect_increment *l);
    /// Adds a row of n cells to `r`. step: of u; 0 along a thin axis.
    void (*rotation)(const float *const u[3], const int32_t step[3], int32_t n, struct advect_rotation *r);
};

/// One build of advect_kernels.c per SIMD level; all give the same bits.
extern const struct advect_kernels advect_kernels_baseline, advect_kernels_avx2, advect_kernels_avx512;

static inline const struct advect_kernels *advect_kernels_for(uint32_t simd) { return SIMD_PICK(advect_kernels, simd); }

#endif
