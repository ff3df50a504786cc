// SPDX-License-Identifier: Apache-2.0
/* What sweep.c and sweep_store.c share: one sweep at work. */
#ifndef SWEEP_H
#define SWEEP_H

#include "ranks/ranks.h"

#define SWEEP_ACCESS 32
#define SWEEP_REDUCE 16

struct sweep_row {
    struct bw_field *f;
    uint32_t mode;
    int32_t halo;
    bool fresh;   /* results go to new tiles */
    bool own;     /* faces that are the next tile's are not there: a view may be the tile itself */
    bool spent;   /* what is read is not wanted afterwards: tiles go as soon as no block needs them */
    bool cleared; /* a step's field that is not wanted afterwards */
    void **data[3], **rim[3];
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
    _Atomic int32_t *readers; /* by tile: how often blocks still to run may read it; NULL: nothing is spent */
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

/* A block. */
struct sweep_place {
    int32_t lo[3], n[3];       /* owned cells, cut to the box */
    int32_t tile[3], tiles[3]; /* first tile and tiles a side */
    int64_t index;             /* of the tile when there is one only, else -1 */
    bool whole;                /* the box cuts nothing off */
    int32_t high[3];           /* the high faces along that axis are no other tile's */
};

/* ---- sweep_watch.c ---- */

/// Is that block one whose body is watched?
bool sweep_watches(const struct sweep_job *j, int64_t block);
/// Sums of the cells that the views show to be read, one an access row; 0: of what is written.
void sweep_watch(const struct sweep_job *j, const struct sweep_place *p, const struct bw_view *view, uint64_t *sum);
/// The sums again: where one is another, BW_ERR_PLUGIN with the field as fault.
void sweep_watch_end(const struct sweep_job *j, const struct sweep_place *p, const struct bw_view *view,
                     const uint64_t *sum, struct sweep_result *out);

/* ---- sweep_share.c: on several ranks ---- */

/// Which blocks run here, and the tiles that they read from others.
enum bw_status sweep_share_begin(struct sweep_job *j);
/// All ranks' results of all blocks. *again: something was read that is not here; by now it is, everywhere, and the
/// blocks are as if they had not run.
enum bw_status sweep_share_results(struct sweep_job *j, bool *again);
/// What was written is its owners', or, where all ranks ran all blocks, everybody's.
void sweep_share_end(struct sweep_job *j);

/* ---- sweep_store.c ---- */

/// The first NaN or infinity of a block, if there is one.
void sweep_find_fault(const struct sweep_row *r, const struct sweep_place *p, const struct bw_view *v,
                      struct sweep_result *out);
/// Bring a row's dense results to the tiles of the block, and see that they are numbers. Errors: BW_ERR_MEMORY,
/// BW_ERR_DIVERGED.
enum bw_status sweep_row_store(struct sweep_job *j, struct sweep_row *r, const struct sweep_place *p,
                               const struct bw_view *v, struct sweep_result *out);

#endif
