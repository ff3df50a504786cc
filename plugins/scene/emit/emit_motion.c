// SPDX-License-Identifier: Apache-2.0
/* Poses of a moving source: where it is at a time, how far it moves, how many samples its motion needs. */
#include "emit.h"

#include <math.h>

enum bw_status pose_at(struct bw_stage *s, double time, struct pose *pose)
{
    const struct emit *p = s->host->params_at(s, time);
    return p ? shape_pose(s, &p->shape, pose) : BW_ERR_MEMORY;
}

int motion_samples(double cells) { return (int)fmax(1, fmin(ceil(2 * cells), MOTION_SAMPLES)); }

double pose_travel(const struct pose *a, const struct pose *b)
{
    struct box3 u = pose_bounds(a, 0), v = pose_bounds(b, 0);
    double most = 0;
    for (int i = 0; i < 3; i++) most = fmax(most, fmax(fabs(u.lo[i] - v.lo[i]), fabs(u.hi[i] - v.hi[i])));
    return most;
}

void bounds_add(struct box3 *b, struct box3 c)
{
    for (int i = 0; i < 3; i++) {
        b->lo[i] = fmin(b->lo[i], c.lo[i]);
        b->hi[i] = fmax(b->hi[i], c.hi[i]);
    }
}
