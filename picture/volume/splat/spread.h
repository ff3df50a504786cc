// SPDX-License-Identifier: Apache-2.0
/* How far particles that stand for a cloud are apart, each by the nearest of its kind. */
#ifndef BW_SPREAD_H
#define BW_SPREAD_H

#include <picture/tools.h>
#include <picture/volume/scene/volume.h>

enum { BW_SPREAD_MOST = 64 }; ///< neighbours

/// Of where a particle's neighbours are about their middle, m².
struct bw_spread {
    float xx, yy, zz, yz, xz, xy;
};

/// Fill out[n] from each particle's `neighbours` nearest of its kind, itself among them; zeros where there are none.
/// Errors: BW_ERR_MEMORY.
enum bw_status bw_spread_make(const struct bw_tools *tools, const struct bw_spark *spark, int64_t n, int neighbours,
                              struct bw_spread *out);

#endif
