// SPDX-License-Identifier: Apache-2.0
/* The parts of emit_trail.c: the step's instants (there), and what the gas of a block has met in them (emit_gas.c). */
#ifndef EMIT_TRAIL_H
#define EMIT_TRAIL_H

#include "emit.h"
#include <stdbool.h>

/// The source at one moment.
struct instant {
    struct pose pose;
    struct box3 bounds;
    double time;
    const struct bw_amount *amount;
};

struct trail {
    const struct plan *plan;
    const struct way *way;
    struct instant at[MOTION_SAMPLES];
    int n;
    bool fading;              ///< the source gives less at the step's end than earlier
    double scale, cells;      ///< cells a m/s in the step; longest way, cells
    double travel, noise;     ///< cells that the shape goes in the step; how far in time the noise goes, as a way
    double apart;             ///< samples, cells
    int least;                ///< samples that the amounts want, as they change
    bool still;               ///< the shape stands, and its distance is known everywhere
    struct box3 shape, reach; ///< all poses; and how far gas has come from them
    double (*most)[2];        ///< by row and component: greatest and least amount; what it can't raise, or lower
    uint32_t view_vel, view_solid;
};

/* ---- emit_gas.c ---- */

/// Sweeps of the source's reach: body, reach; sum[0]: memory ran out. Rows: the plan's amounts, then the views.
void trail_body(const struct bw_block *b, void *trail);
int trail_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *trail);

#endif
