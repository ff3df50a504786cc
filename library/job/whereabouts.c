// SPDX-License-Identifier: Apache-2.0
/* Where a running bake is, for those who wait for it. */
#include "job.h"

#include "base/thread/where.h"

int bw_where_bake(struct bw_bake *bake, struct bw_where *where)
{
    struct api_call api;
    int there = 0;
    api_enter(&api);
    struct job *j = where ? job_acquire(bake, &api.d) : NULL;
    if (j && job_state_get(j) == JOB_RUNNING) there = where_longest(bw_chain_where(j->chain), where);
    if (j) object_unref(&j->o);
    api_leave_silent(&api);
    return there;
}
