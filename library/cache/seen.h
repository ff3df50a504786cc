// SPDX-License-Identifier: Apache-2.0
/* What a look into all files of a cache told, kept with the cache: pictures of single frames do not look again. */
#ifndef CACHE_SEEN_H
#define CACHE_SEEN_H

#include "look.h"

/// Bounds and facts of all files for a field (NULL: what is to be shown). `seen->tools` is for the caller to set.
/// Errors: in `d`.
enum bw_status cache_seen(struct cache *c, const char *field, struct bw_vdb_view *seen, struct bw_diag *d);
/// The cache's look, `seen` being of no field. What stands in the way of the bake's own is no error. Errors:
/// BW_ERR_MEMORY.
enum bw_status cache_seen_look(struct cache *c, const struct bw_vdb_view *seen, struct cache_look *look,
                               struct bw_diag *d);
/// The file of a frame, or NULL.
const char *cache_file(const struct cache *c, int64_t frame);

#endif
