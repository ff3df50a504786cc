// SPDX-License-Identifier: Apache-2.0
/* Where a running bake is, for those who wait for it. */
#include "job.h"

#include "base/thread/where.h"

int bw_where_bake(struct bw_bake *bake, struct bw_where *where)
{
    struct door door;
    int there = 0;
    door_enter(&door);
    struct job *j = where ? job_use(bake, &door.d) : NULL;
    if (j && job_state_get(j) == JOB_RUNNING) there = where_longest(bw_chain_where(j->chain), where);
    if (j) object_unref(&j->o);
    door_leave_silent(&door);
    return there;
}
