// SPDX-License-Identifier: Apache-2.0
/* Pictures of a cache. */
#ifndef CACHE_MOVIE_H
#define CACHE_MOVIE_H

#include "cache/cache.h"

/// A picture of one file, as in a movie of it alone.
enum bw_status cache_picture(struct cache *c, int64_t frame, const char *options, struct bw_pixels *out,
                             struct api_call *api);

#endif
