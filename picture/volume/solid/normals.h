// SPDX-License-Identifier: Apache-2.0
/* Surface normals in each cell, the gradient of the distance: edges and corners are found by them. */
#ifndef BW_NORMALS_H
#define BW_NORMALS_H

#include <picture/tools.h>
#include <picture/volume/scene/volume.h>

/// Make v->normals and v->edged: normals near surfaces only, and where edges and corners are in a reader's reach.
/// bw_normals_free gives them back, after a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_normals_make(const struct bw_tools *tools, struct bw_volume *v);
void bw_normals_free(const struct bw_tools *tools, struct bw_volume *v);

#endif
