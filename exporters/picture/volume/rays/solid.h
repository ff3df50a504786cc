// SPDX-License-Identifier: Apache-2.0
/* Obstacles as rays meet them, found and shaded through their distances. */
#ifndef BW_SOLID_H
#define BW_SOLID_H

#include "studio.h"
#include <picture/volume/scene/volume.h>

/// Share of a pixel, `pixel` wide at a distance of 1, that an obstacle covers along a ray; its distance in *depth,
/// which comes as that to look no farther than.
float bw_solid_hit(const struct bw_volume *v, const double eye[3], const double dir[3], double pixel, double *depth);
/// Light that the obstacle at p sends back against dir, the eye's way to it.
void bw_solid_shade(const struct bw_volume *v, const struct bw_studio *studio, const double p[3], const double dir[3],
                    float rgb[3]);

#endif
