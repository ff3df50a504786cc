// SPDX-License-Identifier: Apache-2.0
/* A filter of one cell along each axis, which weakens the shortest waves, or strengthens them. */
#ifndef BW_SOFTEN_H
#define BW_SOFTEN_H

#include <picture/volume/light/lit.h>
#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

#define BW_SHARPEN (-1 / 6.0f) ///< before cubic B-splines read

/// Give each of a cell's `lanes` values (at most 4) the share `side` of its two neighbours along each axis, in place;
/// below 0 it sharpens.
void bw_cells_soften(const struct bw_tools *tools, const struct bw_dense *box, float *cells, size_t lanes, float side);

/// Smoke of `lit` before splines read it.
void bw_smoke_sharpen(const struct bw_tools *tools, const struct bw_lit *lit);

#endif
