// SPDX-License-Identifier: Apache-2.0
/* One running sweep, for the files of sweep_*.c. */
#ifndef SWEEP_H
#define SWEEP_H

#include "ranks/ranks.h"

#define SWEEP_ACCESS 32
#define SWEEP_REDUCE 16

struct sweep_row {
    struct bw_field *f;
    uint32_t mode;
    int32_t halo;
    bool fresh;    /* results go to new tiles */
    bool own;      /* without the faces that the next tile stores: a view may be the tile itself */
    bool consumed; /* BW_READ_LAST: a tile is freed as soon as no block still has to read it */
    bool cleared;  /* BW_READ_LAST of a step's field: cleared when the sweep ends */
    void **data[3], **boundary_faces[3];
};

struct sweep_result {
    double sum[SWEEP_REDUCE], max[SWEEP_REDUCE];
    enum bw_status status;
    struct bw_sweep_fault fault;
};

struct sweep_job {
    const struct bw_sweep_env *env;
    const struct bw_sweep *s;
    struct bw_domain *d;
    struct sweep_row row[SWEEP_ACCESS];
    struct sweep_result *result;
    int64_t n_blocks;
    int64_t *mine, n_mine;    /* the blocks that run here; NULL: all */
    _Atomic int32_t *readers; /* by tile: how often blocks still to run may read it; NULL: nothing is consumed */
};

static inline bool sweep_is_cell(const struct sweep_row *r) { return r->f->info.kind != BW_MAC; }

/* Does its halo reach beyond the tiles next to a block? */
static inline bool sweep_is_far(const struct sweep_row *r)
{
    const struct bw_domain_info *d = r->f->info.domain;
    bool far = false;
    for (int a = 0; a < 3; a++) far = far || (a != d->thin && r->halo > d->tile[a]);
    return far;
}

/* One block: a tile, or a run of tiles. */
struct sweep_block {
    int32_t lo[3], n[3];       /* owned cells, cut to the box */
    int32_t tile[3], tiles[3]; /* first tile and tiles a side */
    int64_t index;             /* of the tile when there is one only, else -1 */
    bool whole;                /* no tile of it is cut by the box */
    int32_t high[3];           /* 1: this block stores the high faces along that axis */
};

/* ---- sweep_readonly.c ---- */

/// Is that the block of this sweep whose read-only views are checked?
bool sweep_checks_block(const struct sweep_job *j, int64_t block);
/// Checksums of the cells of the read-only views, one for each access row; 0 for rows that are written.
void sweep_checksums(const struct sweep_job *j, const struct sweep_block *p, const struct bw_view *view, uint64_t *sum);
/// Compare the checksums after the body has run. A difference: BW_ERR_PLUGIN, with the field as fault.
void sweep_check_unchanged(const struct sweep_job *j, const struct sweep_block *p, const struct bw_view *view,
                           const uint64_t *sum, struct sweep_result *out);

/* ---- sweep_guard.c: bodies that read beyond their views ---- */

/// Cells of bw_sweep_env.guard round each view; 0: none, and views may be tiles themselves.
static inline int32_t sweep_guard(const struct sweep_job *j) { return j->env->guard != 0 ? 3 : 0; }
void sweep_guard_fill(const struct sweep_job *j, void *to, size_t values, size_t elem);
/// Of component c of a mac view of n values a side from `m` on, one more than cells along every axis: the last ones
/// along the other axes are no faces of it.
void sweep_guard_planes(const struct sweep_job *j, const int32_t n[3], uint32_t c, const struct bw_view *v, char *m,
                        size_t elem);

/* ---- sweep_ranks.c: on several ranks ---- */

/// Find the blocks that run on this rank, and fetch the tiles of other ranks that they read.
enum bw_status sweep_ranks_begin(struct sweep_job *j);
/// Gather all ranks' reductions and faults. *again: a body read a tile that its rank did not hold. The field has been
/// fetched by all ranks, and the blocks' results are discarded: run them again.
enum bw_status sweep_ranks_gather(struct sweep_job *j, bool *again);
/// Record who holds the written tiles: their owners, or, where all ranks ran all blocks, every rank.
void sweep_ranks_end(struct sweep_job *j);

/* ---- sweep_store.c ---- */

/// The first NaN or infinity of a block, if there is one.
void sweep_find_fault(const struct sweep_row *r, const struct sweep_block *p, const struct bw_view *v,
                      struct sweep_result *out);
/// Copy a row's dense results to the tiles of the block, and check that they are finite. Errors: BW_ERR_MEMORY,
/// BW_ERR_DIVERGED.
enum bw_status sweep_row_store(struct sweep_job *j, struct sweep_row *r, const struct sweep_block *p,
                               const struct bw_view *v, struct sweep_result *out);

#endif
