// SPDX-License-Identifier: Apache-2.0
/* A chain: a preset's stages instantiated, their fields wired and checked, and run frame by frame. */
#ifndef BW_RUN_H
#define BW_RUN_H

#include "base/machine.h"
#include "preset/preset.h"
#include "run/registry/registry.h"

struct bw_chain;
struct bw_transport;
struct where_bake;
struct chain_snapshot;
struct file_facts;

/// Facts about a finished frame, for the progress line and --json.
struct bw_progress {
    int64_t frame, first, last; ///< frame < first: warm-up, or frames before the written range
    int32_t done, total;        ///< frames made and to make, warm-up included
    double seconds;             ///< this frame took
    double elapsed;
    int32_t substeps;
    int64_t cells;               ///< active, all domains
    double divergence, residual; ///< largest of the projections' metrics, NAN when nobody reports one
    double iterations;           ///< NAN likewise
    int64_t memory;              ///< resident bytes
    const char *exporter;        ///< the id of the one that has worked longest, NULL: none has …
    double exporter_seconds;     ///< … and how long
    int64_t written;             ///< frames up to this one have all their files on the disk; first - 1: none
};

struct bw_run_options {
    const char *out;  ///< folder for outputs; NULL: no exporters run, nothing is written
    uint32_t threads; ///< 0: all cores
    uint32_t simd;    ///< enum bw_simd, or UINT32_MAX: the best this machine has
    int32_t quick;
    float guard;               ///< not 0 (tests): such values, NaN too, lie round all views that sweeps hand out
    int32_t max_frames;        ///< stop after that many frames (tests, benchmarks); 0: all
    const _Atomic int *stop;   ///< non-zero: end when the substep does, with a checkpoint; set from any thread
    const _Atomic int *cancel; ///< non-zero: end as soon as can be; set from any thread
    _Atomic int *checkpoint;   ///< non-zero: keep a checkpoint when the frame is whole; set back then
    const char *resume;        ///< go on from this checkpoint; NULL: from the first frame
    bool changed;              ///< it is of other values: stages and fields that it does not have begin there
    void (*on_frame)(const struct bw_progress *p, void *user);
    /// Live: `done` frames, partial facts; and once more when the last files are written. May be NULL.
    void (*on_substep)(const struct bw_progress *p, void *user);
    void (*before_step)(void *user); ///< before each substep, between steps of all stages; may be NULL
    void (*on_log)(int level, const char *who, const char *text, void *user); ///< enum bw_log_level
    /// A committed output worth naming at the end ("movie", "picture", "cache", "particles"); may be NULL.
    void (*on_output)(const char *what, const char *path, void *user);
    /// From any thread: the file `name`, below `out`, is about to appear under its temporary name, .NAME.part beside
    /// it, `whole` NULL; and again, with its facts (output/files.h), about to take its own; or bytes FILE_GONE: it was
    /// removed. An errno, and it is not made; FILE_UNWANTED: it goes when it is whole. May be NULL.
    int (*on_file)(const char *name, const struct file_facts *whole, void *user);
    /// From any thread: text to keep in a checkpoint, new memory; NULL: out of memory. May be NULL.
    char *(*about)(void *user);
    /// From any thread: the checkpoint `name`, below `out`, of that frame is whole. May be NULL.
    void (*on_checkpoint)(const char *name, int64_t frame, void *user);
    void *user;
};

/* build.c, loop.c */

/// Instantiate and check. NULL after an error, with sentences in `d`. The preset and registry must outlive the chain.
struct bw_chain *bw_chain_create(const struct bw_preset *p, const struct bw_registry *r, const struct bw_run_options *o,
                                 struct bw_diag *d);
/// What a run would find out before its first frame: the init of every stage and, where there is
/// an output folder, every exporter. Nothing is written. Once, and then no run.
enum bw_status bw_chain_check(struct bw_chain *c, struct bw_diag *d);
/// Before bw_chain_run: go on from that checkpoint, `changed` as in the options. The path must outlive the run.
void bw_chain_resume(struct bw_chain *c, const char *path, bool changed);
/// Before bw_chain_run: rename no output before all files of the first frame are complete. A run that ends earlier
/// leaves none.
void bw_chain_hold_outputs(struct bw_chain *c);
/// Before bw_chain_run: end with that frame, and keep no checkpoints.
void bw_chain_until(struct bw_chain *c, int64_t frame);
/// Before bw_chain_run: it is one of several processes that make the frames together. The transport outlives the chain.
void bw_chain_ranks(struct bw_chain *c, struct bw_transport *ranks);
/// Make all frames. Answers the exit status; the sentence is in `d`. Frames that were whole stay.
enum bw_status bw_chain_run(struct bw_chain *c, struct bw_diag *d);
/// Every uninit, of what was initialised; by the thread that ran it. What is wrong is in `d`.
enum bw_status bw_chain_end(struct bw_chain *c, struct bw_diag *d);
/// With bw_chain_end, if that was not yet.
void bw_chain_free(struct bw_chain *c);
/// Before the run: set the output folder. `out` is borrowed for the chain's life.
void bw_chain_set_folder(struct bw_chain *c, const char *out);
/// All names below `out` that a run is known to write, those of sequences in their first and last frame.
void bw_chain_outputs(struct bw_chain *c, void (*name)(const char *name, void *user), void *user);

/// Names of a frame's files, and of those of no frame, as far as exporters say them beforehand.
void bw_chain_frame_outputs(struct bw_chain *c, int64_t frame, void (*name)(const char *name, void *user), void *user);

/* live.c */

/// May the values of a running chain be exchanged for those of `next`, which never runs? Neither may be changed
/// meanwhile. BW_ERR_USAGE, with a sentence in `d`: something differs that a running chain can't change.
enum bw_status bw_chain_may_exchange(const struct bw_chain *c, const struct bw_chain *next, struct bw_diag *d);
/// Exchange them, from before_step. BW_ERR_PRESET, with a sentence: one is out of its range at this time, and nothing
/// was changed.
enum bw_status bw_chain_exchange(struct bw_chain *c, struct bw_chain *next, struct bw_diag *d);

/* facts.c, resolved.c, ranks/collective.c */

/// Wiring as text for --dry-run: stages in order, ports with the fields they are bound to, who makes what. New memory.
char *bw_chain_describe(const struct bw_chain *c);
/// The stages that every rank would run on all tiles, for a message, new memory. NULL: all stages are distributed.
char *bw_chain_replicated_stages(const struct bw_chain *c);
/// Bytes a full box would need in memory, and bytes a frame on disk at most (estimates).
double bw_chain_memory_estimate(const struct bw_chain *c);
/// Bytes of a checkpoint of a full box, particles apart, nothing compressed away.
double bw_chain_state_estimate(const struct bw_chain *c);
/// All values, defaults included, as a preset that reproduces the run.
struct bw_node *bw_chain_resolved(const struct bw_chain *c);
/// 16 hex digits over the resolved preset and the files it names.
const char *bw_chain_hash(const struct bw_chain *c);
/// What that is made of: the flow (CORE) and each exporter; and each file that is read (INPUT), by its name alone.
enum chain_part_kind { CHAIN_CORE, CHAIN_EXPORT, CHAIN_INPUT };
struct chain_part {
    enum chain_part_kind kind;
    char *name; ///< an exporter's id, a file's name
    char hash[17];
};
void bw_chain_parts(const struct bw_chain *c, void (*part)(const struct chain_part *p, void *user), void *user);

/* writer/obstacles_at.c */

/// Of a chain that will not run: the obstacles of a frame in a snapshot's frame.shapes. Those that parameters alone do
/// not place (BW_OBSTACLE_PLACED) are unknown there. Free it with snapshot_free. NULL: an error, in `d`.
struct chain_snapshot *bw_chain_obstacles_at(struct bw_chain *c, int64_t frame, struct bw_diag *d);

/* For tests and tools: look at fields between runs. */
/// A field by name ("density", "domain.density"), or NULL.
struct bw_field *bw_chain_field(const struct bw_chain *c, const char *name);
/// The particles called `name`, or NULL; bw_particles_table reads them.
struct bw_particles *bw_chain_particles(const struct bw_chain *c, const char *name);
/// Component c of a field on a box of cells as doubles, x fastest (sides' rules outside).
void bw_chain_read(const struct bw_chain *c, const struct bw_field *f, uint32_t comp, const int32_t lo[3],
                   const int32_t n[3], double *out);
/// The last value of a metric "stage.metric", NAN when absent.
double bw_chain_metric(const struct bw_chain *c, const char *name);
/// Where it is, for who waits and for signal handlers (base/thread/where.h).
struct where_bake *bw_chain_where(struct bw_chain *c);
/// Active tiles, all domains.
int64_t bw_chain_tiles(const struct bw_chain *c);
/// The state between two steps, from the thread that runs the chain (snapshot.h). NULL: out of memory.
struct chain_snapshot *snapshot_take(const struct bw_chain *c, int64_t number);

#endif
