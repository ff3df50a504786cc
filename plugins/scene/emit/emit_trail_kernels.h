// SPDX-License-Identifier: Apache-2.0
/* Trajectories of the gas of a row of cells (emit_trail_rows.c): displacements, sample positions, coverage. Compiled
 * once a SIMD level; all levels give the same bits. */
#ifndef EMIT_TRAIL_KERNELS_H
#define EMIT_TRAIL_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>
#include <common/shape/shape.h>

enum { ROW_CELLS = 64 }; ///< cells of a tile's longest row

/// Trajectories that end in a row's cell centres when the step ends.
struct row_trajectories {
    int32_t n;
    const float *u[3]; ///< velocity on the low faces of the first cell, m/s; NULL: the thin axis
    ptrdiff_t step[3];
    double scale, max_displacement; ///< displacement, cells a m/s; its limit, cells
    double h;                       ///< m
    double x[ROW_CELLS], yz[2];     ///< cell centres, m
    struct box3 near;               ///< bounds of all poses of the shape, m
    const struct pose *pose;        ///< of a static shape with pose_distance_plain(); NULL: another shape
    struct box3 bounds;             ///< of `pose`
    double width;                   ///< of the soft edge, m
    double noise, travel;           ///< displacement of the noise and of the shape, cells
    double sample_spacing;          ///< cells
    /* results: */
    double displacement[3][ROW_CELLS];          ///< dt u(x), cells
    double midpoint_displacement[3][ROW_CELLS]; ///< dt u(x - dt/2 u(x)), cells
    double length[ROW_CELLS];                   ///< of the displacement, cells
    double distance[ROW_CELLS];                 ///< from the cell centre to the shape, m
    int64_t near_shape[ROW_CELLS];              ///< 0: the trajectory has never been near the shape
    double samples[ROW_CELLS];                  ///< wanted, unlimited
    double elapsed[ROW_CELLS];                  ///< in: fraction of the step, back in time, of the next sample
    double at[3][ROW_CELLS];                    ///< position of that sample, m
    double cover[ROW_CELLS];                    ///< coverage there
};

struct trail_kernels {
    /// Marks values outside of the range.
    void (*unfilled)(const float *f, int32_t n, const double range[2], uint8_t *unfilled);
    /// Writes displacement, length, distance (with a pose) and near_shape.
    void (*displacements)(struct row_trajectories *r);
    /// Writes midpoint_displacement; where the trajectory is shorter than the sample spacing it is taken as straight.
    void (*midpoints)(struct row_trajectories *r);
    /// Writes samples.
    void (*samples)(struct row_trajectories *r);
    /// Writes `at`, and `cover` with a pose.
    void (*positions)(struct row_trajectories *r);
};

extern const struct trail_kernels trail_kernels_baseline, trail_kernels_avx2, trail_kernels_avx512;

static inline const struct trail_kernels *trail_kernels_for(uint32_t simd) { return SIMD_PICK(trail_kernels, simd); }

#endif
