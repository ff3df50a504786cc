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

/// The radius of the largest source in this stage's domain, m; 0: there is none. Not before all stages have had init.
static inline double source_radius(struct bw_stage *s)
{
    const void *table;
    struct bw_stage *found;
    double most = 0;
    for (uint32_t k = 0; (found = s->host->find_stage(s, BW_SOURCE, k, &table)); k++) {
        const double radius = found->domain == s->domain ? ((const struct bw_source_api *)table)->radius(found) : 0;
        most = radius > most ? radius : most;
    }
    return most;
}

#endif
