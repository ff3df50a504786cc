// SPDX-License-Identifier: Apache-2.0
/* A snapshot behind its handle: of a running bake, or of a file of a cache. */
#ifndef BAKE_SNAPSHOT_H
#define BAKE_SNAPSHOT_H

#include "api_guard.h"
#include "run/snapshot.h"

struct job;
struct snapshot;
struct view;

/// How a view shows it.
struct view_look {
    const struct bw_preset *preset; ///< whose look it has; NULL: its own
    const char *const *set;         ///< over that, "look.KEY=VALUE", `n_set` of them
    int32_t n_set;
};

/// Operations of a snapshot, by where it comes from.
struct snapshot_ops {
    /// Component c of grid `grid` on a box; mac: on faces. Errors: in `d`.
    enum bw_status (*read)(struct snapshot *m, uint32_t grid, uint32_t c, const struct bw_box *box, float *out,
                           struct bw_diag *d);
    enum bw_status (*picture)(struct snapshot *m, const char *look, uint32_t flags, struct bw_pixels *out,
                              struct bw_diag *d);
    /// What a render shows of it (view/view.h). Errors: in `d`.
    enum bw_status (*view)(struct snapshot *m, const struct view_look *look, struct view *v, struct bw_diag *d);
    void (*free)(struct snapshot *m);
};

struct snapshot {
    struct object o;
    const struct snapshot_ops *ops;
    struct bw_snapshot_facts facts;
    struct bw_snapshot_grid *grids;
    struct bw_snapshot_points *points;
    void *owner; ///< a job or a cache, with a reference
    void *data;  ///< a chain_snapshot or a bwvdb_file
};

/// The current frame of a running bake, on the bake's thread; a handle. NULL: out of memory.
struct bw_snapshot *snapshot_of_job(struct job *j, int64_t frame);
/// An object with room for that many grids and points; NULL: out of memory.
struct snapshot *snapshot_new(const struct snapshot_ops *ops, uint32_t n_grids, uint32_t n_points);

/* view/view_frame.c */
/// What a render of a bake's frame shows. Errors: in `d`.
enum bw_status view_of_job(struct snapshot *m, const struct view_look *look, struct view *v, struct bw_diag *d);

/* picture.c */
/// A picture of one domain's fields, as the png exporter makes it.
enum bw_status picture_of_job(struct snapshot *m, const char *look, uint32_t flags, struct bw_pixels *out,
                              struct bw_diag *d);

#endif
