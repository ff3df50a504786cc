// SPDX-License-Identifier: Apache-2.0
/* A source along trajectories: the step's instants (emit_trail.c), the trajectories of a block (emit_trail_rows.c). */
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
    const struct advection *advection;
    struct instant at[MOTION_SAMPLES];
    int n;
    bool fading;              ///< amounts are less at the step's end than at its beginning
    double scale;             ///< displacement in the step, cells a m/s
    double max_displacement;  ///< cells
    double travel, noise;     ///< displacement of the shape, and of the noise in its time, in the step, cells
    double sample_spacing;    ///< along a trajectory, cells
    int min_samples;          ///< a trajectory, for amounts that change
    bool static_shape;        ///< the shape has one pose, and a closed-form distance
    struct box3 shape, reach; ///< bounds of all poses; of all trajectories that may leave them
    double (*range)[2];       ///< by row and component: greatest amount (where positive), least (where negative)
    uint32_t view_vel, view_solid;
};

/* ---- emit_trail_rows.c ---- */

/// Body and reach of the sweep: traces the gas of each block back. Views: the plan's amounts, velocity, solid.
/// sum[0]: memory ran out.
void trail_body(const struct bw_block *b, void *trail);
int trail_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *trail);

#endif
