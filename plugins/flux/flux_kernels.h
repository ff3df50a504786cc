// SPDX-License-Identifier: Apache-2.0
/* The inner loops of `flux`, one row of cells or faces at a time, compiled once a SIMD level (euler_kernels.c,
 * mass_flow_kernels.c). Each lane computes as a single value would: the same bits anywhere in a block. */
#ifndef FLUX_KERNELS_H
#define FLUX_KERNELS_H

#include <stddef.h>

enum { FLUX_VARS = 5 }; ///< mass, velocity or momentum along the active axes (2 or 3), pressure or energy: at most

enum flux_limiter { LIMITER_MC, LIMITER_MINMOD, LIMITER_NONE };
enum flux_riemann { RIEMANN_HYBRID, RIEMANN_HLLC, RIEMANN_RUSANOV };

/* ---- mass_flow: double, in unit steps (a cell, a step) ---- */

enum { MASS_FLOW_DIRECTIONS = 13, MASS_FLOW_VALUES = 4 };

/// Flows from rows of cells to their neighbours in one direction; set once for all rows. Pointers are those of cell 0
/// (of a line's cell 0 for flows); the axis of an aligned direction comes first.
struct mass_flow_row {
    int n, dim, aligned;                    ///< aligned: along an axis
    const double *mass[2], *momentum[2][3]; ///< source, neighbour
    const double *gate;                     ///< of a row: 0: closed, 1: open; NULL: all open
    const double *limiter[2]; ///< factor of a cell's outflow so that no more leaves than it holds; NULL: 1
    double dir[3];            ///< unit vector, along the active axes
    double scale;             ///< momentum to mass a step: step/(cell edge)
    double diffusion, friction;
    double *flow[2][MASS_FLOW_VALUES]; ///< out, of even and odd lines: mass, momentum; flow[][1] NULL: mass alone
};

/// Update of cells from all flows, `rows` rows `stride` apart: adds inflow less outflow, then damps and drains.
struct mass_flow_update {
    int n, rows, stride, dim, directions;
    const double *outflow[2][MASS_FLOW_DIRECTIONS][MASS_FLOW_VALUES],
        *inflow[2][MASS_FLOW_DIRECTIONS][MASS_FLOW_VALUES]; ///< of even and odd lines
    const double *own[MASS_FLOW_VALUES];                    ///< mass, momentum
    double *gain;                                           ///< scratch of (rows - 1) stride + n values
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

/// Limited slopes of one variable across a row.
struct flux_slope {
    int n, normal, limiter; ///< normal: 1: the velocity along the direction, which walls reflect
    const float *at, *low, *high;
    const float *open[2];  ///< of the faces below and above: 0 at a wall; NULL: no wall near
    const float *speed[2]; ///< of walls there, m/s, where normal; NULL: at rest
    float *slope;
};

/// Hancock's predictor on a row of cells: values half a step later.
struct flux_predict {
    int n;
    const struct flux_gas *gas;
    const float *w[FLUX_VARS], *slope[3][FLUX_VARS];
    float *out[FLUX_VARS];
};

/// A row of faces normal to active axis `axis`, between the cells `low` and `high`.
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

/// State of a row of cells in double, for the check before a step.
struct flux_row_state {
    int n, dim;
    const double *mass, *momentum[3], *energy; ///< energy NULL: isothermal, the pressure is not checked
    double gamma, rest_energy, sound;          ///< sound: where energy is NULL
    double ambient, still[3]; ///< thresholds of mass, momentum, energy beyond which a cell is not at rest
    double least_mass, least_pressure, signal; ///< out: signal is the largest sum over axes of |u| + c
    int moves;                                 ///< out
};

struct mass_flow_kernels {
    void (*bounds)(struct mass_flow_bounds *b);
    /// The row from cell `at` on; `odd`: 1 for odd lines.
    void (*flow)(const struct mass_flow_row *r, ptrdiff_t at, int odd);
    /// The line from cell `at` on, to `to` on.
    void (*update)(const struct mass_flow_update *r, ptrdiff_t at, ptrdiff_t to, int odd);
    /// a += flow where positive, b -= flow where negative: the outflow of either cell.
    void (*add_outflow)(int n, const double *flow, double *a, double *b);
    /// limiter = mass/out where more would leave than there is, else 1; returns 1 if any is below 1.
    int (*limit_outflow)(int n, const double *mass, const double *out, double *limiter);
};

struct flux_kernels {
    void (*row_state)(struct flux_row_state *s);
    /// Conserved to primitive.
    void (*primitive)(const struct flux_gas *g, int n, const float *const u[FLUX_VARS], float *const w[FLUX_VARS]);
    void (*slope)(const struct flux_slope *s);
    void (*predict)(const struct flux_predict *p);
    void (*faces)(const struct flux_faces *f);
    /// Flux of a scalar: mass flux times the mass fraction upwind.
    void (*advect_scalar)(int n, const float *mass_flux, const float *low, const float *low_slope, const float *high,
                          const float *high_slope, float *flux);
    /// out = from - ratio (high - low); out may be from.
    void (*update)(const struct flux_update *u);
    /// *most: largest sum over axes of |u| + c; *least: least mass and pressure relative to ambient.
    void (*max_wave_speed)(const struct flux_gas *g, int n, const float *const u[FLUX_VARS], float mass, float pressure,
                           float *most, float *least);
};

extern const struct mass_flow_kernels mass_flow_kernels_baseline, mass_flow_kernels_avx2, mass_flow_kernels_avx512;
extern const struct flux_kernels flux_kernels_baseline, flux_kernels_avx2, flux_kernels_avx512;

#endif
