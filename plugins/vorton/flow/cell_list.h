// SPDX-License-Identifier: Apache-2.0
/* Neighbour search within a distance by a cell list: points sorted into cubes. */
#ifndef VORTON_CELL_LIST_H
#define VORTON_CELL_LIST_H

#include <billow/plugin.h>

struct cell_list {
    double edge;
    int64_t count, cubes;
    int64_t (*cube)[3]; ///< coordinates, sorted by z, y, x
    int64_t *begin;     ///< `cubes` + 1: where each one's points begin in `order`
    int64_t *order;     ///< points, by cube, then by number
};

/// In scratch memory. Errors: BW_ERR_MEMORY.
enum bw_status cell_list_make(struct bw_stage *s, struct cell_list *b, int64_t count, const bw_vec3 *pos, double edge);
/// Runs of `order` in the cubes within `reach` cubes of the one that holds x, one per row of cubes; at most 25 (reach
/// 2).
int cell_list_near(const struct cell_list *b, const double x[3], int reach, int64_t run[25][2]);

#endif
