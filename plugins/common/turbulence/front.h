// SPDX-License-Identifier: Apache-2.0
/* Where a field has a front: a share of 0 … 1 that knows no voxel. */
#ifndef FRONT_H
#define FRONT_H

#include <billow/plugin.h>

enum { FRONT_HALO = 2 }; ///< cells of the smoothed field that its gradient is taken from round a block and a cell

/// A width that can be told from a cell, and read within a halo: from 2 cells to 32, m.
static inline double front_width(const struct bw_domain_info *d, double wanted)
{
    const double least = wanted > 2 * d->h ? wanted : 2 * d->h;
    return least < 32 * d->h ? least : 32 * d->h;
}

/// Smooth `field` over `width` m into *out, scratch of the stage's. `near` is NULL, or becomes scratch: by tile, is the
/// result there or beside it more than `least`? Errors: the host's, BW_ERR_MEMORY.
enum bw_status front_smooth(struct bw_stage *s, struct bw_field *field, double width, double least,
                            struct bw_field **out, uint8_t **near);

#endif
