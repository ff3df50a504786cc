// SPDX-License-Identifier: Apache-2.0
/* Stages that push gas before it is carried. What they add to the velocity no projection has balanced yet: it leads
 * into walls, and gas would be squeezed there. So before the first of them in a step mac.advect keeps the flow as the
 * last projection left it, and carries by that all but the velocity. */
#ifndef PUSH_H
#define PUSH_H

#include <billow/plugin.h>

#define PUSHED "mac.pushed/1"
struct pushed_api {
    /// [main] The velocity of the stage's domain is about to be pushed in step `step`. Errors: BW_ERR_MEMORY
    /// (reported); the sweep's.
    enum bw_status (*begins)(struct bw_stage *advect, int64_t step);
};

/// To be called by a stage that adds to its domain's velocity, before it does. Errors: as above.
static inline enum bw_status push_begins(struct bw_stage *s)
{
    enum bw_status status = BW_OK;
    struct bw_stage *found;
    const void *table = NULL;
    for (uint32_t k = 0; status == BW_OK && (found = s->host->find_stage(s, PUSHED, k, &table)); k++)
        if (found->domain == s->domain) status = ((const struct pushed_api *)table)->begins(found, s->step);
    return status;
}

#endif
