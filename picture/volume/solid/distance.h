// SPDX-License-Identifier: Apache-2.0
/* Obstacles through their distances: where a ray meets them, and which way their surface faces. */
#ifndef BW_SOLID_DISTANCE_H
#define BW_SOLID_DISTANCE_H

#include <picture/volume/scene/volume.h>

/// Are there obstacles?
static inline int bw_solid_any(const struct bw_volume *v) { return v->solid || v->shapes; }
/// Signed distance at p, m: exact near a surface, elsewhere a lower bound.
double bw_solid_distance(const struct bw_volume *v, const double p[3]);
/// The surface's normal at p, which lies on it.
void bw_solid_normal(const struct bw_volume *v, const double p[3], double n[3]);
/// Cut the way t[0] … t[1] of a cone from p along `dir`, `half` the tangent of half its angle, to the box where
/// distances are known. 0: nothing is left.
int bw_solid_clip(const struct bw_volume *v, const double p[3], const double dir[3], double half, double t[2]);
/// Share of a pixel, `pixel` wide at a distance of 1, that an obstacle covers along a ray; its distance in *depth,
/// which comes as that to look no farther than.
float bw_solid_hit(const struct bw_volume *v, const double eye[3], const double dir[3], double pixel, double *depth);

#endif
