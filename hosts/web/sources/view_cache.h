// SPDX-License-Identifier: Apache-2.0
/* The cache of open views (frames ready to be rendered): reference-counted, the least recently used one is evicted
 * beyond MAX_VIEWS or the bytes of view_cache.c. */
#ifndef WEB_VIEW_CACHE_H
#define WEB_VIEW_CACHE_H

#include "source.h"

enum { MAX_VIEWS = 8 };

struct cached_view {
    struct bw_view *view; ///< NULL: free
    struct bw_view_facts facts;
    int32_t source;                      ///< its id
    int64_t frame, generation, last_use; ///< last_use: of the cache's counter
    int users, transient;                ///< users: reference count; transient: it is not in the cache
    json_t *fields;                      ///< [{name, unit, kind}] of the snapshot
    double time, fps;
    char *look; ///< values over the source's own look (look_settings.h), "": none
};

struct view_cache {
    pthread_mutex_t lock;
    struct cached_view open[MAX_VIEWS];
    int64_t use_counter;
};

void view_cache_init(struct view_cache *v);
void view_cache_free(struct view_cache *v);
/// The view of a frame with a look over the source's own ("": none), from the cache or opened, to be released. NULL:
/// bw_error_last says why.
struct cached_view *view_cache_acquire(struct view_cache *v, struct source *s, int64_t frame, const char *look);
/// The same for one picture of many: a view that is not cached is opened, and evicts no other.
struct cached_view *view_cache_acquire_transient(struct view_cache *v, struct source *s, int64_t frame,
                                                 const char *look);
void view_cache_release(struct view_cache *v, struct cached_view *o);

#endif
