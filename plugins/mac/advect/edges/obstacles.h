// SPDX-License-Identifier: Apache-2.0
/* Advection of scalars near obstacles. */
#ifndef OBSTACLES_H
#define OBSTACLES_H

#include <advect/advect_pass.h>

/// After a block has been advected: recomputes the nodes whose trajectories or interpolations meet obstacles.
void advect_obstacles_correct(const struct bw_block *b, const struct pass *p);
/// Halo of at least `halo` cells that also covers the motion of obstacles in the step, if possible.
int32_t advect_obstacles_halo(const struct pass *p, int32_t halo);
/// Reach of a block's accesses, the same on all sides near obstacles; blocks far from obstacles do not read their
/// velocity.
int advect_obstacles_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);

#endif
