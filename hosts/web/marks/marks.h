// SPDX-License-Identifier: Apache-2.0
/* What a page draws over a picture: particles, outlines, domains, active tiles, as numbers. */
#ifndef WEB_MARKS_H
#define WEB_MARKS_H

#include "show/draw.h"

/// Those of a frame that are wished, as JSON: {"metre": world units to a metre, "y_up": of tiles, "outlines":
/// bw_bake_outlines, or null: nobody knows, "points": [{"name", "count", and by attribute the numbers of every
/// so-manieth}], metres, "why": there are none, "tiles": [{"origin", "edge", "at": coordinates}], world units}.
struct drawn draw_marks(struct views *v, struct shelf *s, const struct wish *w);

#endif
