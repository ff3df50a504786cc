// SPDX-License-Identifier: Apache-2.0
/* A finished cache behind its handle: the files of a sequence. */
#ifndef CACHE_H
#define CACHE_H

#include "session/session.h"
#include <picture/view/vdb_view.h>
#include <pthread.h>

struct cache_seen;
struct cache_chain;

struct cache {
    struct object o;
    struct session *session;
    struct bw_sequence files;
    char *pattern; ///< absolute, with #### for the number
    pthread_mutex_t lock;
    struct cache_seen *seen;   ///< under the lock: seen.h
    struct cache_chain *chain; ///< likewise: obstacles/obstacles.h
};

/// The cache of a handle with a reference, or NULL with an error in `d`.
struct cache *cache_acquire(struct bw_cache *handle, struct bw_diag *d);

/* seen.c */
void cache_seen_free(struct cache *c);

/* obstacles/obstacles.c */
void cache_obstacles_free(struct cache *c);

/* survey.c */
/// What a look into all files tells: fps, voxel, flow, fields, domain, and how to write more like them. `flow`: the
/// name of its grid; NULL: what flows are mostly called. false with an error in `d`.
bool cache_survey(const struct cache *c, const char *flow, json_t *out, struct api_call *api);

#endif
