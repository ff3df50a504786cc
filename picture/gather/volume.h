// SPDX-License-Identifier: Apache-2.0
/* A frame as the renderer's dense arrays: only the box that holds something, with air around; halved until it fits. */
#ifndef BW_GATHER_VOLUME_H
#define BW_GATHER_VOLUME_H

#include "fields.h"
#include <picture/volume/scene/volume.h>

/// Fill *v (zeroed but for what it asks) from density, flame, temperature, dye, vel and solid over what is not empty.
/// The caller releases *memory and v->solid with the tools. Errors: BW_ERR_MEMORY.
enum bw_status bw_gather_volume(const struct bw_tools *tools, const struct bw_frame *frame, struct bw_volume *v,
                                float **memory);

#endif
