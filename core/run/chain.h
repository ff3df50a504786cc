// SPDX-License-Identifier: Apache-2.0
/* A chain: all parts of a run. Included by what builds it (build.c), runs it (loop.c, activation.c, call.c) and
 * describes it (facts.c, resolved.c). Each part includes its own header and those below it. */
#ifndef BW_CHAIN_H
#define BW_CHAIN_H

#include "host/host.h"
#include "checkpoint/schedule_state.h"
#include "run.h"
#include "writer/writer.h"
#include <billow/services.h>

struct writer_request;

/// On a rank that is not the first: its writer's folder, outputs and log (ranks/remote_writer.c).
struct remote_writer {
    char *folder;           ///< as this rank reaches it
    struct outputs outputs; ///< each file is requested of the first rank, which keeps the record
    struct run_log log;
    struct bw_diag diag;
    char *lines; ///< for the log, under its lock: level, who, text, each with a 0 at its end
    size_t lines_bytes;
    int32_t announced; ///< announcements that the first rank has
    char *checkpoint;  ///< the name of a complete checkpoint, or NULL
    int64_t checkpoint_frame;
    double checkpoint_seconds;
};

/// The state of a run over several ranks: stop and cancel, the rotation of writers, requests and their answers.
struct run_collective {
    const _Atomic int *stop, *cancel;
    _Atomic int stops, cancels;
    struct snapshot_fetcher fetcher;
    int32_t writer_rank[BW_RANKS_MOST], n_writers; ///< ranks that write, in rotation; 0: nothing is written
    int32_t checkpoints;                           ///< that were taken
    pthread_mutex_t lock;                          ///< of what follows: the writer requests, the run's thread answers
    pthread_cond_t changed;
    struct writer_request *request; ///< NULL: nothing
    int32_t part;                   ///< the field whose tiles were fetched last; -1: whole fields
    int32_t open;                   ///< snapshots that may still fetch fields
    int32_t jobs;                   ///< of this rank's writer that have not reported their end
    enum bw_status status;
    int32_t awaited; ///< writers at work on `frame`
    int64_t frame, written;
    bool any; ///< `written` is one
    struct remote_writer remote;
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
    struct checkpoint_schedule schedule;
    struct run_clock clock;
    struct bw_progress progress;
    double stage_seconds;       ///< of this run, all stages
    struct bw_transport *ranks; ///< NULL: one process
    struct run_collective collective;
    int64_t until;       ///< the last frame that is made …
    bool partial;        ///< … if this says so; then no checkpoints are kept
    double flame_kelvin; ///< of the hottest flames, by their sources; 0: none
    bool ran;            ///< bw_chain_run or bw_chain_check was called
};

#endif
