// SPDX-License-Identifier: Apache-2.0
/* What all fields say at the place that a pixel shows. */
#ifndef WEB_PROBE_H
#define WEB_PROBE_H

#include "draw.h"

/// JSON: {"met": "cell", "gas", "obstacle" or "nothing", "at": m, "values": [{"field", "domain", "unit", "value"}]}.
/// The wish is that of the picture, and `point` in it.
struct drawn draw_probe(struct views *v, struct shelf *shelf, const struct wish *w);

#endif
