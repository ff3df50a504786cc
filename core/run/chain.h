// SPDX-License-Identifier: Apache-2.0
/* A chain: the parts of a run, put together. For those who see all of them: who builds (build.c), who runs (loop.c,
 * activation.c, call.c), who tells about it (facts.c, resolved.c). A part knows its own header and those below it. */
#ifndef BW_CHAIN_H
#define BW_CHAIN_H

#include "host/host.h"
#include "checkpoint/keeper.h"
#include "run.h"
#include "writer/writer.h"
#include <billow/services.h>

struct together_ask;

/// What a rank other than the first has in place of the bake's folder, its record and its log (together/away.c).
struct run_away {
    char *folder;           ///< as this rank reaches it
    struct outputs outputs; ///< the record is asked before a file appears
    struct run_log log;
    struct bw_diag diag;
    char *lines; ///< for the log, under its lock: level, who, text, each with a 0 at its end
    size_t lines_bytes;
    int32_t told; ///< announcements that the first rank has
    char *kept;   ///< a checkpoint that is whole, or NULL
    int64_t kept_frame;
    double kept_seconds;
};

/// What the first rank is asked, by whom, and what all then see.
struct run_together {
    const _Atomic int *stop, *cancel;
    _Atomic int stops, cancels;
    struct snapshot_lender lender;
    int32_t turn[BW_RANKS_MOST], n_turns; ///< ranks that write, in turn; 0: nothing is written
    int32_t checkpoints;                  ///< that were taken
    pthread_mutex_t lock;                 ///< of what follows: the writer asks, the run's thread answers
    pthread_cond_t changed;
    struct together_ask *ask; ///< NULL: nothing
    int32_t part;             ///< the field that tiles were brought of last; -1: whole ones
    int32_t open;             ///< snapshots that may ask for fields
    int32_t jobs;             ///< of this rank's writer, whose end it has not told
    enum bw_status status;
    int32_t awaited; ///< writers at work on `frame`
    int64_t frame, written;
    bool any; ///< `written` is one
    struct run_away away;
};

struct bw_chain {
    const struct bw_preset *preset;
    const struct bw_registry *registry;
    struct bw_run_options opt;
    struct bw_bake_info bake;
    char hash[17], flow[17]; ///< of all values; of all but exporters'
    struct chain_part *part; ///< of the hash
    int32_t n_parts;
    struct run_log log;
    struct where_bake where;
    struct outputs outputs;
    struct metrics metrics, timings;
    struct bw_account *account; ///< its memory
    struct bw_domain *domain[BW_MAX_DOMAINS];
    const struct bw_domain_info *grid[BW_MAX_DOMAINS]; ///< of `domain`
    struct bw_workers *workers;
    struct bw_arena **arena; ///< one per worker
    struct field_table fields;
    struct stage_list stages;
    struct run_host host;
    struct exporter_list exporters;
    struct writer writer;
    struct checkpoint_keeper keeper;
    struct run_clock clock;
    struct bw_progress progress;
    struct bw_transport *ranks; ///< NULL: one process
    struct run_together together;
    int64_t until; ///< the last frame that is made …
    bool partial;  ///< … if this says so; then no checkpoints are kept
    bool ran;      ///< bw_chain_run or bw_chain_check was called
};

#endif
