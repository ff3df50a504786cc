// SPDX-License-Identifier: Apache-2.0
/* A bake's obstacles as they were, not as cells know them: its preset says so, at any frame. */
#ifndef CACHE_OBSTACLES_H
#define CACHE_OBSTACLES_H

#include "cache/cache.h"
#include <picture/volume/shape/shapes.h>

/// The obstacles of a frame in the files' world units, z-up, as bw_gather_shapes gives them: *shapes is an earlier
/// frame's or NULL, and the caller gives it back; NULL then: none of them, one that the preset can't place (then `why`
/// has a sentence), or no bake of ours.
/// The volume gets them as its own, and where they are known the distances to those that stand where no gas is, too, in
/// *memory, which is its arrays' and may be another then.
/// `look`: a preset that says what they are made of; NULL: the bake's own.
void cache_obstacles(struct cache *c, const struct bw_preset *look, const struct bw_vdb_view *seen, int64_t frame,
                     const struct bw_tools *tools, struct bw_shapes **shapes, struct bw_volume *v, float **memory,
                     struct bw_diag *why);

#endif
