// SPDX-License-Identifier: Apache-2.0
/* Coarse-grid correction g - R f: at a coarser domain's positions, its values less the averages of a finer field. */
#ifndef SCALES_H
#define SCALES_H

#include "refine.h"

/// The difference of one component at the coarse domain's cells or faces within the fine domain's box.
struct scales {
    const struct bw_domain_info *coarse;
    int32_t lo[3], n[3];
    double back[3];            ///< offset of the positions below the cell centres, in cells
    double *x;                 ///< positions along x, m
    float *difference, *known; ///< known: 1 where both domains have values in the whole coarse cell; else both are 0
};

enum { SCALES_ROW = 80 };
/// Rows of n places, `each` of the coarse domain's cells apart: the coarse place below each, and how far it is above.
struct scales_along {
    const struct scales *scales;
    int32_t n, at[SCALES_ROW];
    double part[SCALES_ROW];
};

/// With several ranks: fetches the remote tiles of both fields that scales_restrict() reads. Errors: BW_ERR_MEMORY.
enum bw_status scales_fetch(struct bw_stage *s, struct bw_field *coarse, struct bw_field *fine);
/// Computes the difference of component c. Memory is scratch. Errors: BW_ERR_MEMORY.
enum bw_status scales_restrict(struct bw_stage *s, const struct bw_field *coarse, const struct bw_field *fine,
                               uint32_t c, struct scales *d);
/// For rows of n places, `step` metres after one another along x from `first`. At most SCALES_ROW - 3 places, no
/// farther apart than the coarse domain's cells.
void scales_rows(const struct scales *d, double first, double step, int32_t n, struct scales_along *along);
/// A block's rows are made by refine.h: of lines by scales_line (user: struct scales_along) of 2 n numbers, …
struct refine_place scales_place(const struct scales *d, int axis, double x);
void scales_line(void *user, int32_t y, int32_t z, double *out);
/// … n differences at the row at y: trilinear between the places where they are known, 0 where none is.
void scales_row(struct refine *lines, const struct refine_place *y, int32_t n, double *out);

#endif
