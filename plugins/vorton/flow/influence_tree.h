// SPDX-License-Identifier: Apache-2.0
/* `method: influence_tree`: velocity as in Gourlay's Fluid Simulation for Video Games, parts 3 to 8, for comparison. */
#ifndef VORTON_INFLUENCE_TREE_H
#define VORTON_INFLUENCE_TREE_H

#include "flow/multipole/multipole.h"

enum { TREE_LEVELS = 16 };

/// A vorton that stands for those of a cell.
struct tree_cell {
    double strength[3], pos[3], radius, weight;
};

struct influence_tree {
    int32_t levels, n[TREE_LEVELS][3]; ///< cells of each level, the finest first, the last 1×1×1
    struct tree_cell *cell[TREE_LEVELS];
    double lo[3], h[3]; ///< of the finest
    bw_vec3 *velocity;  ///< at its corners, (n+1)³
    enum pair_kernel kernel;
    struct buffer memory[2];
};

/// The tree of the vortons and the velocity at the corners of about as many cells as there are vortons, spread over
/// vortons and points.
enum bw_status influence_tree_build(struct bw_stage *s, struct influence_tree *g, const struct vortons *v,
                                    enum pair_kernel kernel, int64_t count, const bw_vec3 *pos);
/// Add interpolated velocity and, unless NULL, the interpolation's gradient.
void influence_tree_evaluate(struct bw_stage *s, const struct influence_tree *g, int64_t count, const bw_vec3 *pos,
                             double *velocity, double *gradient);

#endif
