// SPDX-License-Identifier: Apache-2.0
/* The look of a finished cache: that of its bake's own movie; for other files the default. */
#ifndef CACHE_LOOK_H
#define CACHE_LOOK_H

#include "cache.h"
#include <picture/gather/sparks.h>
#include <picture/view/vdb_view.h>
#include <picture/volume/sky/sphere.h>

struct bw_preset;

/// The bake's resolved preset, FOLDER/resolved.yaml of FOLDER/vdb/NAME_0001.vdb: its text and *path, new memory. NULL:
/// there is none, or an error in `d`.
char *cache_resolved_text(const struct cache *c, char **path, struct bw_diag *d);

/// That preset, parsed; NULL likewise.
struct bw_preset *cache_preset(const struct cache *c, struct bw_diag *d);

/// The same with the overrides `texts` (bw_preset_override_look, borrowed). An empty preset, if there is none or
/// another grid is to be shown (`field`). NULL with an error in `d`.
struct bw_preset *cache_preset_with(const struct cache *c, const char *field, const char *const *texts, int32_t n,
                                    struct bw_diag *d);

struct cache_look {
    struct bw_scene scene; ///< in the files' world units, z-up; extinction for a density of 1 as it is shown
    int32_t size[2];       ///< pixels
    double fps;            ///< of the files, else 24
    struct bw_sky_wish sky;
    struct bw_sparks_wish sparks; ///< m; only of bakes by Billow
    int32_t particles_alone;      ///< smoke is hidden where there are particles
};

/// The slice of a bake's own movie.
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

/// The look of a cache with the bounds `view`, by the preset `p` (NULL: the bake's own). `height`: of the picture; 0:
/// the bake's. If the bake's own look can't be read, it is the default, and the reason goes to `why`. Errors:
/// BW_ERR_MEMORY.
enum bw_status cache_look_find(struct cache_look *l, const struct cache *c, const struct bw_preset *p,
                               const struct bw_vdb_view *view, int64_t height, struct bw_diag *why);

/// Update *l to a frame, by a preset (NULL: the bake's own); unchanged for flat domains. 0 with an error in `d`.
int cache_look_at(struct cache_look *l, const struct cache *c, const struct bw_preset *p,
                  const struct bw_vdb_view *view, int64_t frame, struct bw_diag *d);

/// 1: `c` is of a bake by Billow whose pictures are slices, and `slice` is filled; else 0.
int cache_look_slice(struct cache_slice *slice, const struct cache *c);

#endif
