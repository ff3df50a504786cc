// SPDX-License-Identifier: Apache-2.0
/* The boundary of smoke: clear cells beside it, which splines read with it, so that the light in them counts. */
#ifndef BW_BOUNDARY_H
#define BW_BOUNDARY_H

#include <picture/volume/light/lit.h>
#include <picture/tools.h>

#include <stdint.h>

/// What there is in a cell or as near to it as splines read: smoke; such as hides much within a cell; less, or clear
/// air.
enum bw_boundary { BW_BOUNDARY_SMOKE = 1, BW_BOUNDARY_THICK = 2, BW_BOUNDARY_THIN = 4, BW_BOUNDARY_BOTH = 6 };
/// Bits of each cell of `lit`, from its extinction; they lie in `memory`, two bytes a cell.
const uint8_t *bw_boundary_mark(const struct bw_tools *tools, const struct bw_lit *lit, uint8_t *memory);

/// Smoke round a cell, the nearer and the denser the more: calls `add` with each such cell and its weight.
typedef void (*bw_boundary_fn)(size_t cell, float weight, void *user);
void bw_boundary_each(const struct bw_lit *lit, const int32_t at[3], bw_boundary_fn add, void *user);

#endif
