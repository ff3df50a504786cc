// SPDX-License-Identifier: Apache-2.0
/* Cylinders that grew, were wound, or ran: how far they are from round. */
#ifndef BW_UNEVEN_H
#define BW_UNEVEN_H

#include <stdint.h>

enum bw_uneven { BW_UNEVEN_NOT, BW_UNEVEN_LOG, BW_UNEVEN_RAGS, BW_UNEVEN_WAX };

/// Move a point of the cylinder of radius 1 round z, z = -1 … 1, whose radius is `slender` of half its height; `lot`:
/// which of many. By less than an eighth of the radius: what flows round it sees the cylinder.
void bw_uneven_move(enum bw_uneven kind, uint32_t lot, double slender, double p[3]);

#endif
