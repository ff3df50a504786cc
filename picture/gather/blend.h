// SPDX-License-Identifier: Apache-2.0
/* A frame of two domains that overlap, as one volume. */
#ifndef BW_GATHER_BLEND_H
#define BW_GATHER_BLEND_H

#include "volume.h"

/// bw_gather_volume of the frame's domain and of `other` together, as nest_share tells how much of each: on cells of
/// the finer one, or as many times wider as makes them few enough.
enum bw_status bw_gather_blend(const struct bw_tools *tools, const struct bw_frame *frame,
                               const struct bw_domain_info *other, double edge, struct bw_volume *v, float **memory);

#endif
