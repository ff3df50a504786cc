// SPDX-License-Identifier: Apache-2.0
/* Sources that keep their shape full. What carries the gas takes some of it out of the shape, by a step's way: forces
 * that come next would find the source half empty, and the more so the longer the step is. So mac.advect asks those
 * that have come before it in its step to fill up what it has carried away, along the way that it went. */
#ifndef SOURCE_H
#define SOURCE_H

#include <billow/plugin.h>

/// How gas was carried: `n` fields, along `vel` as it is now, for dt seconds.
struct source_way {
    struct bw_field *vel, *solid; ///< solid: signed distance to obstacles, m, or NULL
    struct bw_field *const *fields;
    uint32_t n;
    double dt;
};

#define SOURCE "scene.source/2"
struct source_api {
    /// [main] Fill up again at the end of step `step`; nothing where the source has not come in that step.
    enum bw_status (*refill)(struct bw_stage *source, int64_t step, const struct source_way *way);
};

/// Fill up the sources of the stage's domain. Errors: theirs.
static inline enum bw_status sources_refill(struct bw_stage *s, const struct source_way *way)
{
    enum bw_status status = BW_OK;
    struct bw_stage *found;
    const void *table = NULL;
    for (uint32_t k = 0; status == BW_OK && (found = s->host->find_stage(s, SOURCE, k, &table)); k++)
        if (found->domain == s->domain) status = ((const struct source_api *)table)->refill(found, s->step, way);
    return status;
}

#endif
