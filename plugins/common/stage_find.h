// SPDX-License-Identifier: Apache-2.0
/* Finding a stage by what it offers. */
#ifndef STAGE_FIND_H
#define STAGE_FIND_H

#include <billow/plugin.h>

/// The first stage of this stage's own domain that offers the service `id`, and its table. NULL: there is none.
static inline struct bw_stage *stage_in_domain(struct bw_stage *s, const char *id, const void **table)
{
    struct bw_stage *found = NULL;
    for (uint32_t k = 0; (found = s->host->find_stage(s, id, k, table)); k++)
        if (found->domain == s->domain) break;
    return found;
}

#endif
