// SPDX-License-Identifier: Apache-2.0
/* Obstacles for pictures: as they are (shapes.h), and, where no gas is, their distance, which has no tile to stand in
 * there. */
#ifndef OUTLINE_H
#define OUTLINE_H

#include "run/chain.h"

/// Add to a snapshot's fields (not the chain's) the sleeping tiles of the box that an obstacle's surface is near, from
/// stages that offer billow.obstacle/1. Errors are said.
enum bw_status outline_take(struct bw_chain *c, struct chain_snapshot *s);

#endif
