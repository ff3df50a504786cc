// SPDX-License-Identifier: Apache-2.0
/* Which way distances rise in each cell: edges and corners are found by that. */
#ifndef BW_FACING_H
#define BW_FACING_H

#include <picture/tools.h>
#include <picture/volume/scene/volume.h>

/// Make v->facing and v->edged: normals near surfaces only, and where edges and corners are in a reader's reach.
/// bw_facing_free gives them back, after a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_facing_make(const struct bw_tools *tools, struct bw_volume *v);
void bw_facing_free(const struct bw_tools *tools, struct bw_volume *v);

#endif
