// SPDX-License-Identifier: Apache-2.0
/* The inner loops of `flux`, one row of cells or faces at a time, compiled once a SIMD level (euler_kernels.c,
 * mass_flow_kernels.c). Every lane does what a single value would do: same bits at any place of a block. */
#ifndef FLUX_KERNELS_H
#define FLUX_KERNELS_H

#include <stddef.h>

enum { FLUX_VARS = 5 }; ///< mass, velocity or momentum along the active axes (2 or 3), pressure or energy: at most

enum flux_limiter { LIMITER_MC, LIMITER_MINMOD, LIMITER_NONE };
enum flux_riemann { RIEMANN_HYBRID, RIEMANN_HLLC, RIEMANN_RUSANOV };

/* ---- mass_flow: double, in unit steps (a cell, a step) ---- */

enum { MASS_FLOW_WAYS = 13, MASS_FLOW_VALUES = 4 };

/// Flows from rows of cells to those of their neighbours in one direction. What all rows share is told once: pointers
/// are those of cell 0 (of a line's cell 0 where flows go), and the axis that a direction lies along comes first.
struct mass_flow_row {
    int n, dim, aligned;                    ///< aligned: along an axis
    const double *mass[2], *momentum[2][3]; ///< source, neighbour
    const double *gate;                     ///< of a row: 0 where nothing passes, else 1; NULL: all passes
    const double *share[2];                 ///< of its outflow that a cell can afford; NULL: all of it
    double dir[3];                          ///< unit vector, along the active axes
    double scale;                           ///< momentum to mass a step: step/(cell edge)
    double diffusion, friction;
    double *flow[2][MASS_FLOW_VALUES]; ///< out, of even and odd lines: mass, momentum; flow[][1] NULL: mass alone
};

/// Cells on which all flows are known, `rows` rows `stride` apart: what comes in is added, then damped and drained.
struct mass_flow_end {
    int n, rows, stride, dim, ways;
    const double *leaves[2][MASS_FLOW_WAYS][MASS_FLOW_VALUES],
        *comes[2][MASS_FLOW_WAYS][MASS_FLOW_VALUES]; ///< of even and odd lines
    const double *own[MASS_FLOW_VALUES];             ///< mass, momentum
    double *gain;                                    ///< scratch of (rows - 1) stride + n values
    double damping, drain, ambient;
    double *out[MASS_FLOW_VALUES];
    ptrdiff_t out_stride;
};

/// Extremes of a block.
struct mass_flow_bounds {
    int n, dim;
    const double *mass, *momentum[3];
    double least_mass, most_mass, most_momentum; ///< out; the largest component
};

/* ---- euler: single precision, SI ---- */

/// The gas.
struct flux_gas {
    int dim, vars, ideal; ///< vars: 1 + dim, and one more (pressure, energy) for an ideal gas
    float gamma, heat;    ///< heat: 1/(gamma - 1)
    float sound;          ///< speed in an isothermal gas, m/s
    float energy;         ///< of the ambient gas, J/m³
    int limiter, riemann;
    float half;      ///< dt/2h, s/m
    float viscosity; ///< friction/h, m/s
};

/// Slopes of one variable across a row.
struct flux_slope {
    int n, normal, limiter; ///< normal: the velocity along the direction, which a wall turns round
    const float *at, *low, *high;
    const float *open[2];  ///< of the faces below and above: 0 at a wall; NULL: no wall near
    const float *speed[2]; ///< of walls there, m/s, where normal; NULL: they are still
    float *slope;
};

/// A row of cells half a step later.
struct flux_predict {
    int n;
    const struct flux_gas *gas;
    const float *w[FLUX_VARS], *slope[3][FLUX_VARS];
    float *out[FLUX_VARS];
};

/// A row of faces across active axis `axis`: below them the cells `low`, above the cells `high`.
struct flux_faces {
    int n, axis;
    const struct flux_gas *gas;
    const float *low[FLUX_VARS], *low_slope[FLUX_VARS], *high[FLUX_VARS], *high_slope[FLUX_VARS];
    float *flux[FLUX_VARS];
};

/// Rows of cells, each `stride` (faces), `from_stride`, `out_stride` values after the one before.
struct flux_update {
    int n, rows;
    float ratio;
    const float *low[2], *high[2]; ///< fluxes through the faces below and above along one or two axes; NULL: one
    const float *from;
    float *out;
    ptrdiff_t stride, from_stride, out_stride;
};

/* ---- both ---- */

/// A row of cells in double, seen before a step.
struct flux_sight {
    int n, dim;
    const double *mass, *momentum[3], *energy; ///< energy NULL: the pressure does not count
    double gamma, rest_energy, sound;          ///< sound: where energy is NULL
    double ambient, still[3]; ///< more than these of mass, momentum, energy off the ambient gas: it moves
    double least_mass, least_pressure, signal; ///< out: signal is the largest sum over axes of |u| + c
    int moves;                                 ///< out
};

struct mass_flow_kernels {
    void (*bounds)(struct mass_flow_bounds *b);
    /// The row from cell `at` on; `odd`: 1 for odd lines.
    void (*flow)(const struct mass_flow_row *r, ptrdiff_t at, int odd);
    /// The line from cell `at` on, to `to` on.
    void (*end)(const struct mass_flow_end *r, ptrdiff_t at, ptrdiff_t to, int odd);
    /// a += flow where positive, b -= flow where negative: what leaves either cell.
    void (*leave)(int n, const double *flow, double *a, double *b);
    /// share = mass/out where more would leave than there is; returns 1 when any is.
    int (*share)(int n, const double *mass, const double *out, double *share);
};

struct flux_kernels {
    void (*see)(struct flux_sight *s);
    /// Conserved to primitive.
    void (*primitive)(const struct flux_gas *g, int n, const float *const u[FLUX_VARS], float *const w[FLUX_VARS]);
    void (*slope)(const struct flux_slope *s);
    void (*predict)(const struct flux_predict *p);
    void (*faces)(const struct flux_faces *f);
    /// Mass flux times the share upwind.
    void (*carry)(int n, const float *mass_flux, const float *low, const float *low_slope, const float *high,
                  const float *high_slope, float *flux);
    /// out = from - ratio (high - low); out may be from.
    void (*update)(const struct flux_update *u);
    /// Largest sum over axes of |u| + c in *most, least mass and pressure relative to ambient in *least.
    void (*survey)(const struct flux_gas *g, int n, const float *const u[FLUX_VARS], float mass, float pressure,
                   float *most, float *least);
};

extern const struct mass_flow_kernels mass_flow_kernels_baseline, mass_flow_kernels_avx2, mass_flow_kernels_avx512;
extern const struct flux_kernels flux_kernels_baseline, flux_kernels_avx2, flux_kernels_avx512;

#endif
