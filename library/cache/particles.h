// SPDX-License-Identifier: Apache-2.0
/* Particles beside a finished cache, in its pictures. */
#ifndef CACHE_PARTICLES_H
#define CACHE_PARTICLES_H

#include "cache.h"
#include <picture/view/vdb_view.h>
#include <picture/gather/sparks.h>

/// Fill v->spark, which the caller gives back, with a frame's, in the files' units and seconds. Errors: in `d`.
enum bw_status cache_sparks(const struct cache *c, int64_t frame, const struct bw_sparks_wish *wish,
                            const struct bw_vdb_view *seen, struct bw_volume *v, struct bw_diag *d);

#endif
