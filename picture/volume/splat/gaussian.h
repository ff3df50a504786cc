// SPDX-License-Identifier: Apache-2.0
/* The splat of a particle: an elliptic Gaussian on a raster, as wide as the particle is spread. */
#ifndef BW_GAUSSIAN_H
#define BW_GAUSSIAN_H

#include "spread.h"

#include <math.h>

struct bw_gaussian {
    double at[2];      ///< pixels
    double xx, xy, yy; ///< the inverse of its covariance
    double peak;       ///< of what is 1 in all, on the pixel in its middle
    int32_t lo, hi;    ///< rows that it touches; none: lo > hi
};

/// `across`: pixels that a metre in x, y, z goes to the right and down; `least`: pixels², of the raster's own blur,
/// both ways; `rows`: of the raster.
struct bw_gaussian bw_gaussian_make(const struct bw_spread *s, const double across[2][3], double least,
                                    const double at[2], int32_t rows);

/// A row of one: from `x` on n pixels, `value` on the first; each next is `value *= ratio, ratio *= fall`.
struct bw_gaussian_row {
    int32_t x, n;
    double value, ratio, fall;
};
struct bw_gaussian_row bw_gaussian_row(const struct bw_gaussian *b, int32_t y, int32_t width);

#endif
