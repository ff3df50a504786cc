// SPDX-License-Identifier: Apache-2.0
/* Obstacles in a snapshot as meshes and primitives, which pictures draw instead of cells. */
#ifndef OBSTACLE_SHAPES_H
#define OBSTACLE_SHAPES_H

#include "run/chain.h"

/// Add copies of the stages' obstacle shapes to a snapshot. A stage that writes obstacles' distance without offering
/// shapes, or that lacks one of `flags` (enum bw_obstacle_flag), adds one of unknown shape. Errors are logged, but for
/// BW_ERR_MEMORY.
enum bw_status obstacle_shapes_add(struct bw_chain *c, struct chain_snapshot *s, uint32_t flags);

#endif
