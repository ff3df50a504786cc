// SPDX-License-Identifier: Apache-2.0
/* What a coarser domain knows differently: at its own places, its values less the averages of a finer field there. */
#ifndef SCALES_H
#define SCALES_H

#include "refine.h"

/// The difference of one component at the coarse domain's places (cells or faces) over the fine domain's box.
struct scales {
    const struct bw_domain_info *coarse;
    int32_t lo[3], n[3];
    double back[3];            ///< how far places lie before the middle of their cells, in cells
    double *x;                 ///< of the places along x
    float *difference, *known; ///< known: 1 where both domains have values all over the place's cell, else 0, and so is
                               ///< the difference
};

enum { SCALES_ROW = 80 };
/// Rows of n places, `each` of the coarse domain's cells apart: the coarse place below each, and how far it is above.
struct scales_along {
    const struct scales *scales;
    int32_t n, at[SCALES_ROW];
    double part[SCALES_ROW];
};

/// Before that, of several ranks: what is wanted of both fields beside this one's own tiles. Errors: BW_ERR_MEMORY.
enum bw_status scales_bring(struct bw_stage *s, struct bw_field *coarse, struct bw_field *fine);
/// Find the difference of component c. Memory is scratch. Errors: BW_ERR_MEMORY.
enum bw_status scales_find(struct bw_stage *s, const struct bw_field *coarse, const struct bw_field *fine, uint32_t c,
                           struct scales *d);
/// For rows of n places, `step` metres after one another along x from `first`. At most SCALES_ROW - 3 places, no
/// farther apart than the coarse domain's cells.
void scales_rows(const struct scales *d, double first, double step, int32_t n, struct scales_along *along);
/// A block's rows are made by refine.h: of lines by scales_line (user: struct scales_along) of 2 n numbers, …
struct refine_place scales_place(const struct scales *d, int axis, double x);
void scales_line(void *user, int32_t y, int32_t z, double *out);
/// … n differences at the row at y: trilinear between the places where they are known, 0 where none is.
void scales_row(struct refine *lines, const struct refine_place *y, int32_t n, double *out);

#endif
