// SPDX-License-Identifier: Apache-2.0
/* A ray through a dense box, in cells. */
#ifndef BW_RAY_H
#define BW_RAY_H

#include "blocks.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>

/// Position = o + t·d with |d| = 1, 0 ≤ t < length; o in cells from the first one's centre, `start` metres from the
/// eye.
struct bw_ray {
    float o[3], d[3], length;
    double start;
};

/// Cut a ray, from range[0] to range[1] m, to the box between the outermost cell centres. 0: it misses.
static inline int bw_ray_clip(const struct bw_dense *b, const double eye[3], const double dir[3], const double range[2],
                              struct bw_ray *r)
{
    double t0 = range[0] / b->h, t1 = range[1] / b->h;
    for (int a = 0; a < 3; a++) {
        double o = (eye[a] - b->origin[a]) / b->h - 0.5, d = fabs(dir[a]) > 1e-9 ? dir[a] : 1e-9;
        double lo = -o / d, hi = (b->n[a] - 1 - o) / d;
        t0 = fmax(t0, fmin(lo, hi));
        t1 = fmin(t1, fmax(lo, hi));
        r->d[a] = (float)d;
    }
    for (int a = 0; a < 3; a++) r->o[a] = (float)((eye[a] - b->origin[a]) / b->h - 0.5 + t0 * (double)r->d[a]);
    r->length = (float)(t1 - t0), r->start = t0 * b->h;
    return t1 > t0;
}

/// Distance along the ray to the end of the block around p.
static inline float bw_block_exit(const float p[3], const float d[3])
{
    float t = 1e30f;
    for (int a = 0; a < 3; a++) {
        float lo = (float)((int)(p[a] / BW_BLOCK) * BW_BLOCK);
        float edge = d[a] > 0 ? lo + BW_BLOCK - p[a] : lo - p[a];
        t = bw_least(t, edge / d[a]);
    }
    return bw_most(t, 0);
}

#endif
