// SPDX-License-Identifier: Apache-2.0
/* Obstacles in a snapshot as they are: what pictures draw instead of cells. */
#ifndef SHAPES_H
#define SHAPES_H

#include "run/chain.h"

/// Add copies of the surfaces that stages say to a snapshot. Of a stage that writes obstacles' distance and does not
/// say what they are, or lacks one of `flags` (enum bw_obstacle_flag), one is unknown. Errors are said, but of memory.
enum bw_status shapes_take(struct bw_chain *c, struct chain_snapshot *s, uint32_t flags);

#endif
