// SPDX-License-Identifier: Apache-2.0
/* A snapshot behind its handle: of a running bake, or of a file of a cache. */
#ifndef BAKE_SNAPSHOT_H
#define BAKE_SNAPSHOT_H

#include "door.h"
#include "run/snapshot.h"

struct job;
struct moment;
struct view;
struct bw_preset;

/// Where a snapshot's values come from.
struct moment_source {
    /// Component c of grid `grid` on a box; mac: on faces. Errors are said.
    enum bw_status (*read)(struct moment *m, uint32_t grid, uint32_t c, const struct bw_box *box, float *out,
                           struct bw_diag *d);
    enum bw_status (*picture)(struct moment *m, const char *look, uint32_t flags, struct bw_pixels *out,
                              struct bw_diag *d);
    /// What a render shows of it (view/view.h), with the look of a preset (NULL: its own). Errors are said.
    enum bw_status (*view)(struct moment *m, const struct bw_preset *look, struct view *v, struct bw_diag *d);
    void (*free)(struct moment *m);
};

struct moment {
    struct object o;
    const struct moment_source *source;
    struct bw_snapshot_facts facts;
    struct bw_snapshot_grid *grids;
    struct bw_snapshot_points *points;
    void *owner; ///< a job or a cache, with a reference
    void *data;  ///< a chain_snapshot or a bwvdb_file
};

/// The present frame of a running bake, from its own thread; a handle. NULL: out of memory.
struct bw_snapshot *snapshot_of_job(struct job *j, int64_t frame);
/// A new moment with room for so many grids and points; NULL: out of memory.
struct moment *moment_new(const struct moment_source *source, uint32_t n_grids, uint32_t n_points);

/* view/view_frame.c */
/// What a render of a bake's frame shows. Errors are said.
enum bw_status view_of_job(struct moment *m, const struct bw_preset *look, struct view *v, struct bw_diag *d);

/* picture.c */
/// A picture of one domain's fields, as the png exporter makes it.
enum bw_status picture_of_job(struct moment *m, const char *look, uint32_t flags, struct bw_pixels *out,
                              struct bw_diag *d);

#endif
