// SPDX-License-Identifier: Apache-2.0
/* Scalars near obstacles, for mac.advect. */
#ifndef ADVECT_WALLS_H
#define ADVECT_WALLS_H

#include <advect/advect_pass.h>

/// After a block's rows have been carried: mends the nodes whose traces or interpolations meet obstacles.
void advect_walls_mend(const struct bw_block *b, const struct pass *p);
/// Halo that reaches as far as `halo`, and as far as obstacles move in the step, if that is at all possible.
int32_t advect_walls_halo(const struct pass *p, int32_t halo);
/// Reach of a block's rows, the same to all sides near obstacles; blocks far from obstacles do without the obstacles'
/// velocity.
int advect_walls_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);

#endif
