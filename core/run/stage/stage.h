// SPDX-License-Identifier: Apache-2.0
/* A running stage: the handle that its plugin holds, and what the host keeps for it. */
#ifndef STAGE_H
#define STAGE_H

#include "plugin_memory.h"
#include "base/thread/where.h"
#include "entry.h"
#include "grid/grid.h"
#include "run/output/output.h"

/// Where a run is.
struct run_clock {
    double time; ///< s
    int64_t step, frame;
};

struct run_stage {
    struct bw_stage pub; ///< first: the handle that plugins hold
    char *own_id;        ///< a twin's
    const struct bw_entry *entry;
    const struct bw_preset_stage *preset;
    struct run_log *log;
    struct where_bake *where;
    struct bw_params *params;
    void *param_mem[4]; ///< slots: now, and what params_at hands out
    int32_t next_slot;
    struct bw_bound *bound; ///< a row a port
    struct plugin_memory *memory;
    int64_t held, most_held; ///< pieces of it, now and at the end of any step
    int32_t growing;         ///< steps on end after which there were more
    struct bw_arena *scratch;
    struct bw_field **scratch_field;
    int32_t n_scratch_fields;
    struct output *outputs;
    uint64_t warned[64]; ///< hashes of warnings shown
    int32_t n_warned;
    int32_t domain;
    bool twin; ///< the second of a stage that splits, on the flow's cells
    bool initialised, ended, failed, activating, growth_told; ///< ended: uninit has returned
    bool fresh;     ///< the checkpoint that the run goes on from does not have it: the next step begins with its set-up
    double span;    ///< of this step: bw_stage.span
    double seconds; ///< this frame, for timings.csv
    enum bw_status fail_status;
};

struct stage_list {
    struct run_stage *stage;
    int32_t n;
};

/// What stages are made of.
struct stage_parts {
    struct run_log *log;
    const struct bw_preset *preset;
    const struct bw_registry *registry;
    struct bw_domain *const *domain;
    const struct bw_host *host;
    struct where_bake *where;
};

/// Add a stage of the preset to the list, which has room. After a failure, said unless memory ran out, stages_free
/// takes care of what there is.
/// `twin`: the second of a stage that splits; its id ends in "@flow".
enum bw_status stage_add(struct stage_list *list, const struct stage_parts *parts, const struct bw_preset_stage *preset,
                         bool twin);
/// Uninit those that are initialised, last first.
void stages_end(struct stage_list *list);
void stages_free(struct stage_list *list);
/// Note that the calling thread enters that callback, until stage_leave (base/thread/where.h).
struct where_was stage_enter(const struct run_stage *s, const char *callback);
/// The same for a body that a callback passed to the host.
struct where_was stage_enter_body(const struct run_stage *s);
void stage_leave(const struct run_stage *s, const struct where_was *was);
/// The table that it offers under that id, or NULL.
const void *stage_extension(const struct run_stage *s, const char *id);
/// After a step: warn, once, when the stage has held more memory after each of many steps (a leak).
void stage_growth_watch(struct run_stage *s);
/// Evaluate parameters for time t.
enum bw_status stage_params(struct run_stage *s, double t);
/// After a callback: free its scratch memory and fields.
void stage_scratch_end(struct run_stage *s);
struct output_owner stage_owner(const struct run_stage *s);

static inline struct run_stage *stage_of(const struct bw_stage *s) { return (struct run_stage *)s->host_data; }

#endif
