// SPDX-License-Identifier: Apache-2.0
#include "base/alloc.h"
#include "keep.h"
#include "run/chain.h"

void keeper_spent(struct checkpoint_keeper *k, double seconds)
{
    atomic_fetch_add(&k->spent, (int64_t)(seconds * 1e9));
}

void keeper_kept(struct bw_chain *c, const char *name, int64_t frame, double seconds)
{
    struct run_away *a = &c->together.away;
    if (a->folder) { // it is the first rank that keeps count, and is told at the job's end
        bw_free(a->kept);
        a->kept = bw_strdup(name);
        a->kept_frame = frame;
        a->kept_seconds = seconds;
        return;
    }
    atomic_fetch_add(&c->keeper.kept, 1);
    where_checkpoint(&c->where, name);
    keeper_spent(&c->keeper, seconds);
    if (c->opt.on_checkpoint) c->opt.on_checkpoint(name, frame, c->opt.user);
}
