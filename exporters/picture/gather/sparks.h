// SPDX-License-Identifier: Apache-2.0
/* Particles of a frame that a render draws. */
#ifndef BW_GATHER_SPARKS_H
#define BW_GATHER_SPARKS_H

#include "fields.h"
#include <picture/volume/scene/volume.h>

enum bw_show_particles { BW_SHOW_HOT, BW_SHOW_ALL, BW_SHOW_NONE, BW_SHOW_LIGHT };

/// Fill v->spark, which the caller releases, from those with a temperature and a size, or from all. `ambient`: K;
/// `size`: m, of those that have none. Errors: BW_ERR_MEMORY.
enum bw_status bw_gather_sparks(const struct bw_tools *tools, const struct bw_frame *frame,
                                enum bw_show_particles which, double ambient, double size, struct bw_volume *v);

#endif
