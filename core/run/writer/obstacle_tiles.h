// SPDX-License-Identifier: Apache-2.0
/* Obstacles for pictures: their shapes (obstacle_shapes.h), and their distance field in inactive tiles, which fields do
 * not store. */
#ifndef OBSTACLE_TILES_H
#define OBSTACLE_TILES_H

#include "run/chain.h"

/// Add the inactive tiles near obstacles' surfaces to a snapshot's fields (not the chain's), from stages that offer
/// billow.obstacle/1. Errors are logged.
enum bw_status obstacle_tiles_add(struct bw_chain *c, struct chain_snapshot *s);

#endif
