// SPDX-License-Identifier: Apache-2.0
/* Displacement of cylinders that grew, were wound, or ran: how far they are from round. */
#ifndef BW_DISPLACEMENT_H
#define BW_DISPLACEMENT_H

#include <stdint.h>

enum bw_displacement { BW_DISPLACED_NOT, BW_DISPLACED_LOG, BW_DISPLACED_RAGS, BW_DISPLACED_WAX };

/// Move a point of the cylinder of radius 1 round z, z = -1 … 1, whose radius is `slender` of half its height; `lot`:
/// which of many. By less than an eighth of the radius: what flows round it sees the cylinder.
void bw_displacement_at(enum bw_displacement kind, uint32_t lot, double slender, double p[3]);

#endif
