// SPDX-License-Identifier: Apache-2.0
/* How a finished cache is to be shown: as in its bake's own movie, or, of other files, by default. */
#ifndef CACHE_LOOK_H
#define CACHE_LOOK_H

#include "cache.h"
#include <picture/gather/sparks.h>
#include <picture/view/vdb_view.h>
#include <picture/volume/sky/sphere.h>

struct bw_preset;

/// What a bake of ours left beside its files: FOLDER/resolved.yaml of FOLDER/vdb/NAME_0001.vdb. Its text and *path, new
/// memory. NULL: there is none, or, said, a bad one.
char *cache_record(const struct cache *c, char **path, struct bw_diag *d);

/// The preset of that record, as it was resolved; NULL likewise.
struct bw_preset *cache_preset(const struct cache *c, struct bw_diag *d);

/// The same, or, where there is none or another grid is asked for (`field`), one that says nothing: with `texts` said
/// over it (bw_preset_say; borrowed). NULL with an error in `d`.
struct bw_preset *cache_preset_said(const struct cache *c, const char *field, const char *const *texts, int32_t n,
                                    struct bw_diag *d);

struct cache_look {
    struct bw_scene scene; ///< in the files' world units, z-up; extinction for a density of 1 as it is shown
    int32_t size[2];       ///< pixels
    double fps;            ///< of the files, else 24
    struct bw_sky_wish sky;
    struct bw_sparks_wish sparks; ///< m; nobody else's files have any
    int32_t particles_alone;      ///< the smoke is not to be seen where there are particles
};

/// Slices as a bake's own movie shows them.
struct cache_slice {
    int32_t axis, vectors, map;
    int64_t height;      ///< of the picture, as the bake had it
    double position;     ///< m along the axis; NAN: the middle
    double range[2];     ///< of the colours; both 0: the values so far
    double relief;       ///< as a bake's
    double lo[3], hi[3]; ///< m: the bake's domain; all 0: without limits
    int64_t first;       ///< the bake's first frame, at 0 s
    char field[64];      ///< or ""
};

/// Of the cache `c`, which `view` has seen, as `p` says (NULL: the bake's own). `height`: of the picture, 0: as the
/// bake had it. What stands in the way of the bake's own look goes to `why`; then it is the default. Errors:
/// BW_ERR_MEMORY.
enum bw_status cache_look_find(struct cache_look *l, const struct cache *c, const struct bw_preset *p,
                               const struct bw_vdb_view *view, int64_t height, struct bw_diag *why);

/// The look at a frame, of a preset (NULL: the bake's own): *l, the cache's, is changed where that has one, and stays
/// where it is flat. 0 with an error in `d`.
int cache_look_at(struct cache_look *l, const struct cache *c, const struct bw_preset *p,
                  const struct bw_vdb_view *view, int64_t frame, struct bw_diag *d);

/// 1: `c` is from a bake of ours that showed slices alone, and `slice` says which; else 0.
int cache_look_slice(struct cache_slice *slice, const struct cache *c);

#endif
