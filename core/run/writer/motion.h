// SPDX-License-Identifier: Apache-2.0
/* How fast particles move in the moment that a frame shows. */
#ifndef MOTION_H
#define MOTION_H

#include "run/chain.h"

/// Give a snapshot's particles (not the chain's, whose next step must not depend on who looks) the velocity that the
/// flow has where they are, from stages that offer billow.motion/1. `s` NULL: another rank takes one, and this one does
/// its share. Errors are said.
enum bw_status motion_take(struct bw_chain *c, struct chain_snapshot *s);

#endif
