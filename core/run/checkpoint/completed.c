// SPDX-License-Identifier: Apache-2.0
#include "base/alloc.h"
#include "schedule.h"
#include "run/chain.h"

void schedule_add_seconds(struct checkpoint_schedule *k, double seconds)
{
    atomic_fetch_add(&k->nanoseconds, (int64_t)(seconds * 1e9));
}

void schedule_completed(struct bw_chain *c, const char *name, int64_t frame, double seconds)
{
    struct remote_writer *a = &c->collective.remote;
    if (a->folder) { // the first rank counts; the job's report brings it there
        bw_free(a->checkpoint);
        a->checkpoint = bw_strdup(name);
        a->checkpoint_frame = frame;
        a->checkpoint_seconds = seconds;
        return;
    }
    atomic_fetch_add(&c->schedule.completed, 1);
    where_checkpoint(&c->where, name);
    schedule_add_seconds(&c->schedule, seconds);
    if (c->opt.on_checkpoint) c->opt.on_checkpoint(name, frame, c->opt.user);
}
