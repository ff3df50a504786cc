// SPDX-License-Identifier: Apache-2.0
/* Particles over a picture: what has a strength as a line along it, the longer and brighter the stronger; others as
 * points in their colour. */
#ifndef WEB_PARTICLES_H
#define WEB_PARTICLES_H

#include "paint.h"

/// `metre`: world units to a metre.
void particles_draw(const struct paint *p, const struct bw_snapshot_points *points, double metre);

#endif
