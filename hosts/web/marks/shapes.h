// SPDX-License-Identifier: Apache-2.0
/* Outlines of obstacles, emitters and domains, from what bw_bake_outlines tells. */
#ifndef WEB_SHAPES_H
#define WEB_SHAPES_H

#include "paint.h"
#include <jansson.h>

/// `metre`: world units to a metre. Answers how many were drawn.
int shapes_draw(const struct paint *p, const json_t *outlines, double metre);
int domains_draw(const struct paint *p, const json_t *outlines, double metre);
/// Rigid bodies (particles "bodies"), which go where no preset says.
void bodies_draw(const struct paint *p, const struct bw_snapshot_points *bodies, double metre);

#endif
