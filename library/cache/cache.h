// SPDX-License-Identifier: Apache-2.0
/* A finished cache behind its handle: the numbered VDB files of a sequence. */
#ifndef CACHE_H
#define CACHE_H

#include "session/session.h"
#include <picture/view/vdb_view.h>
#include <pthread.h>

struct bw_shapes;
struct bw_sparks_wish;
struct cache_bounds;
struct cache_chain;
struct cache_look;

struct cache {
    struct object o;
    struct session *session;
    struct bw_sequence files;
    char *pattern; ///< absolute, with #### for the number
    pthread_mutex_t lock;
    struct cache_bounds *bounds; ///< under the lock: bounds.c
    struct cache_chain *chain;   ///< likewise: obstacles.c
};

/// The cache of a handle with a reference; NULL with an error in `d`.
struct cache *cache_acquire(struct bw_cache *handle, struct bw_diag *d);
/// The file of a frame, or NULL.
const char *cache_frame_path(const struct cache *c, int64_t frame);

/* bounds.c: bounding boxes and facts over all files, computed once per field */
/// Those of a field (NULL: the one to be shown). `vdb->tools` is for the caller to set. Errors: in `d`.
enum bw_status cache_bounds_get(struct cache *c, const char *field, struct bw_vdb_view *vdb, struct bw_diag *d);
/// The cache's look for bounds without a field; the default where the bake's own can't be read. Errors: BW_ERR_MEMORY.
enum bw_status cache_bounds_look(struct cache *c, const struct bw_vdb_view *vdb, struct cache_look *look,
                                 struct bw_diag *d);
void cache_bounds_free(struct cache *c);

/* obstacles.c: obstacles from the bake's preset, which are exact at any frame, unlike cells */
/// The obstacles of a frame in the files' world units, z up, as bw_gather_shapes gives them, also in v->shapes.
/// *shapes: an earlier frame's or NULL; the caller frees it. Afterwards NULL: there are none, the cache is of no bake,
/// or the preset can't place one of them (error in `why`). The volume's distances to obstacles cover all of them where
/// they are known; *memory, which holds the volume's arrays, is then replaced. `look`: a preset with their material;
/// NULL: the bake's own.
void cache_obstacles(struct cache *c, const struct bw_preset *look, const struct bw_vdb_view *vdb, int64_t frame,
                     const struct bw_tools *tools, struct bw_shapes **shapes, struct bw_volume *v, float **memory,
                     struct bw_diag *why);
void cache_obstacles_free(struct cache *c);

/* particles.c */
/// Fill v->spark, which the caller releases, with a frame's particles, in the files' units and seconds. Errors: in `d`.
enum bw_status cache_sparks(const struct cache *c, int64_t frame, const struct bw_sparks_wish *wish,
                            const struct bw_vdb_view *vdb, struct bw_volume *v, struct bw_diag *d);

/* preview/preview.c */
/// A picture of one frame, as in a movie of it alone.
enum bw_status cache_picture(struct cache *c, int64_t frame, const char *options, struct bw_pixels *out,
                             struct api_call *api);

/* statistics.c */
/// Facts of all files that upres and retime need: fps, voxel, flow, fields, domain, and export parameters for equal
/// files. `flow`: name of the velocity grid; NULL: the usual names. false with an error in api->d.
bool cache_statistics(const struct cache *c, const char *flow, json_t *out, struct api_call *api);

#endif
