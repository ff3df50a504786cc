// SPDX-License-Identifier: Apache-2.0
/* How the gas of a row of cells has come (emit_gas.c), all of it at once; compiled once a SIMD level, all give the same
 * bits. */
#ifndef EMIT_FOLLOW_H
#define EMIT_FOLLOW_H

#include <billow/host.h>
#include <common/simd_pick.h>
#include <common/shape/shape.h>

enum { GAS_ROW = 64 }; ///< cells of a tile's longest row

/// One step of a row's gas.
struct gas_row {
    int32_t n;
    const float *u[3]; ///< on the low faces of the first cell, m/s; NULL: nothing flows along the axis
    ptrdiff_t step[3];
    double scale, longest;    ///< cells a m/s in the step; ways are no longer, cells
    double h;                 ///< m
    double x[GAS_ROW], yz[2]; ///< m, where it is in the end: the cells' centres
    struct box3 near;         ///< m, round all places of the shape: gas whose way passes by it has not been there
    const struct pose *pose;  ///< of a shape that stands, of a kind with pose_distance_plain(); NULL: none such
    struct box3 bounds;       ///< of `pose`
    double width;             ///< m, of the soft edge
    double noise, travel;     ///< cells that the noise and the shape go
    double apart;             ///< samples, cells
    /* what comes of it: */
    double now[3][GAS_ROW], middle[3][GAS_ROW]; ///< cells that it goes by the flow there, and by that half of it back
    double way[GAS_ROW];
    double distance[GAS_ROW]; ///< m, of its end from the shape
    int64_t touches[GAS_ROW]; ///< may it have been near the shape?
    double samples[GAS_ROW];  ///< wanted, uncut
    double back[GAS_ROW];     ///< share of the step: where it was then is asked for
    double at[3][GAS_ROW];    ///< m, there
    double cover[GAS_ROW];    ///< how much of it the shape covers there
};

struct follow_kernels {
    /// Marks values below least or above most.
    void (*lacks)(const float *f, int32_t n, const double range[2], uint8_t *lacks);
    /// Makes now, way, distance (if there is a pose) and touches.
    void (*ways)(struct gas_row *r);
    /// Makes middle, where the way is longer than samples are apart; elsewhere it is straight, as far as they can tell.
    void (*middles)(struct gas_row *r);
    /// Makes samples.
    void (*samples)(struct gas_row *r);
    /// Makes `at`, and `cover` if there is a pose.
    void (*places)(struct gas_row *r);
};

extern const struct follow_kernels follow_kernels_baseline, follow_kernels_avx2, follow_kernels_avx512;

static inline const struct follow_kernels *follow_kernels_for(uint32_t simd) { return SIMD_PICK(follow_kernels, simd); }

#endif
