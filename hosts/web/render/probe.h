// SPDX-License-Identifier: Apache-2.0
/* The probe: values of all fields at the point that a pixel shows. */
#ifndef WEB_PROBE_H
#define WEB_PROBE_H

#include "picture.h"

/// JSON: {"hit": "cell", "gas", "obstacle" or "nothing", "at": m, "values": [{"field", "domain", "unit", "stored",
/// "value"}]}. The query is that of the picture, and `point` in it.
struct response probe_response(struct view_cache *v, struct source *s, const struct query *q);

#endif
