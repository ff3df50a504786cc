// SPDX-License-Identifier: Apache-2.0
/* Geometry of what the page draws over a picture: particles, outlines, domains, active tiles. */
#ifndef WEB_OVERLAY_H
#define WEB_OVERLAY_H

#include "render/picture.h"

/// The layers that the query names, of its frame, as JSON: {"metre": world units to a metre, "y_up": of tiles,
/// "outlines": bw_bake_outlines or null, "points": [{"name", "count", and by attribute the numbers of every n-th
/// particle}], m, "why": there are no points, "tiles": [{"origin", "edge", "at": tile coordinates}], world units}.
struct response overlay_response(struct view_cache *v, struct source *s, const struct query *q);

#endif
