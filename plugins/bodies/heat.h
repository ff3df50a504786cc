// SPDX-License-Identifier: Apache-2.0
/* Heat of contacts: where in a step it arose, and how it gets into a field of temperature. */
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
    struct bw_field *temperature; ///< NULL: nobody wants to know
    double radius, capacity;      ///< m; J/(m³ K)
    struct spot *spots;           ///< of this step, the latest first
};

/// Count a contact's loss. Errors: BW_ERR_MEMORY.
enum bw_status heat_count(struct bw_stage *s, struct heat *h, int64_t one, int64_t two, const double at[3],
                          double lost);
/// Put `joule` into the cells round the spots, in proportion to what each lost; *placed is what the cells took up, in
/// their precision, and *missed what fell where no cell is.
enum bw_status heat_place(struct bw_stage *s, const struct heat *h, const struct body_arrays *b, double joule,
                          double *placed, double *missed);

#endif
