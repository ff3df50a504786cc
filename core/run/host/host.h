// SPDX-License-Identifier: Apache-2.0
/* The services behind struct bw_host: thin, each a few lines over the grid, the workers, or the run. */
#ifndef HOST_H
#define HOST_H

#include "run/output/metrics.h"
#include "run/stage/stage.h"
#include "run/wire/fields.h"

/// What services work on; all of it is the chain's.
struct run_host {
    struct bw_host pub; ///< first: the table that plugins hold
    const struct bw_preset *preset;
    const struct run_clock *clock;
    const _Atomic int *cancel; ///< may be NULL
    float guard;               ///< as bw_run_options has it
    struct run_log *log;
    struct metrics *metrics, *timings;
    struct outputs *outputs;
    struct bw_workers *workers;
    struct bw_arena **arena; ///< one per worker
    const struct field_table *fields;
    const struct stage_list *stages;
    struct bw_domain *const *domains;
    bool distributed;    ///< the running stage's sweeps (ranks/collective.h)
    bool may_distribute; ///< the stage is; `distributed` is off where it asks to run replicated
};

/// Fill the table; all else is there. `simd`: UINT32_MAX: the best this machine has.
void host_init(struct run_host *h, uint32_t simd);

static inline const struct run_host *host_of(const struct bw_stage *s) { return (const struct run_host *)s->host; }

#endif
