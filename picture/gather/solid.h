// SPDX-License-Identifier: Apache-2.0
/* Obstacles of a frame: where they are, and distances that rays may march by. */
#ifndef BW_GATHER_SOLID_H
#define BW_GATHER_SOLID_H

#include "fields.h"
#include <picture/volume/scene/volume.h>

/// Join the cells in and near obstacles to `box`, where `f` (or NULL) is of `domain`.
void bw_gather_solid_cells(const struct bw_snapshot_field *f, const struct bw_domain_info *domain,
                           struct bw_cells *box);
/// Fill v->solid, which the caller releases, and v->solid_box, on cells at least `step` wide. Errors: BW_ERR_MEMORY.
enum bw_status bw_gather_solid(const struct bw_tools *tools, const struct bw_snapshot_field *f, int32_t step,
                               struct bw_volume *v);

#endif
