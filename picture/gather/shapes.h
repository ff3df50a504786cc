// SPDX-License-Identifier: Apache-2.0
/* Obstacles of a frame as they are, where all of them are known so. */
#ifndef BW_GATHER_SHAPES_H
#define BW_GATHER_SHAPES_H

#include <billow/plugin.h>
#include <picture/params.h>
#include <picture/volume/shape/shapes.h>

/// Of the field `solid`, or NULL: none. *shapes is what an earlier frame had, or NULL, and then what this one has; the
/// caller gives it back; each looks as `wish` says of its stage. NULL: one is not known, or the frame does not say.
/// Errors: BW_ERR_MEMORY.
enum bw_status bw_gather_shapes(const struct bw_tools *tools, const struct bw_frame *frame,
                                const struct bw_snapshot_field *solid, const struct bw_picture_obstacles *wish,
                                struct bw_shapes **shapes);

#endif
