// SPDX-License-Identifier: Apache-2.0
/* Heat of contacts: where in a step it was dissipated, and its deposition in a temperature field. */
#ifndef BODIES_HEAT_H
#define BODIES_HEAT_H

#include <common/bodies.h>

/// Contacts of two bodies (-1: the ground) closer together than half the radius.
struct spot {
    int64_t one, two;
    double at[3]; ///< m, mean by what was lost
    double lost;  ///< J
    struct spot *next;
};

struct heat {
    struct bw_field *temperature; ///< NULL: heat is off
    double radius, capacity;      ///< m; J/(m³ K)
    struct spot *spots;           ///< of this step, the latest first
};

/// Adds a contact's loss, J, to a spot near it. Errors: BW_ERR_MEMORY.
enum bw_status heat_add_loss(struct bw_stage *s, struct heat *h, int64_t one, int64_t two, const double at[3],
                             double lost);
/// Deposits `joule` in the cells round the spots, in proportion to each one's loss. *placed: J stored, in the cells'
/// precision; *missed: J of spots without a cell.
enum bw_status heat_place(struct bw_stage *s, const struct heat *h, const struct body_arrays *b, double joule,
                          double *placed, double *missed);

#endif
