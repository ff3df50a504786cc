// SPDX-License-Identifier: Apache-2.0
/* Particles' velocity at a frame's time, for motion blur. */
#ifndef PARTICLE_VELOCITY_H
#define PARTICLE_VELOCITY_H

#include "run/chain.h"

/// Set the velocity of a snapshot's particles by the flow at their positions, from stages that offer billow.motion/1.
/// The chain's particles stay, so that no later step depends on exporters. `s` NULL: the snapshot is on another rank,
/// and this one takes part. Errors are logged.
enum bw_status particle_velocity_add(struct bw_chain *c, struct chain_snapshot *s);

#endif
