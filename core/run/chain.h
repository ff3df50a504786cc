// SPDX-License-Identifier: Apache-2.0
/* Inside of a chain: stages with their memory, fields by name, exporters with the writer thread, metrics. */
#ifndef BW_CHAIN_H
#define BW_CHAIN_H

#include "grid/grid.h"
#include "preset/values/params.h"
#include "run.h"
#include <pthread.h>
#include <stdarg.h>

struct chain_memory { /* header of what alloc() hands out; the payload follows, 64-byte aligned */
    struct chain_memory *prev, *next;
    size_t bytes;
    char pad[40];
};

struct chain_field {
    char *name;
    int32_t domain;
    struct bw_field *field;         /* grid field, or … */
    struct bw_particles *particles; /* … particles */
    uint32_t kind, precision, lifetime, advected;
    const char *unit;
    double background[3], alive;
    double speed;            /* largest component, as activation found it; negative: unknown */
    int32_t creator, writer; /* stage indices, -1: none (declared by the preset) */
    int32_t updater;         /* first stage that updates it, -1: none */
    bool settled;            /* kind and precision are known */
    bool typed;              /* a port made it that knows background, precision and lifetime: no list */
};

struct chain_owner { /* of an output */
    const char *id;
    const struct bw_place *place; /* tells owners apart; NULL: the bake itself */
};

struct chain_output { /* a file under its temporary name */
    struct chain_output *next;
    char *temporary, *final;
    int keep;
};

struct chain_stage {
    struct bw_stage pub; /* first: the handle that plugins hold */
    struct bw_chain *chain;
    const struct bw_entry *entry;
    const struct bw_preset_stage *preset;
    struct bw_params *params;
    void *param_mem[4]; /* slots: now, and what params_at hands out */
    int next_slot;
    struct bw_bound *bound;
    struct chain_memory *memory;
    struct bw_arena *scratch;
    struct bw_field **scratch_field;
    int32_t n_scratch_fields;
    struct chain_output *outputs;
    uint64_t warned[64]; /* hashes of warnings shown */
    int32_t n_warned;
    int32_t domain;
    bool initialised, failed, activating;
    double seconds; /* this frame, for metrics.csv */
    enum bw_status fail_status;
};

struct chain_announcement {
    char *what, *path;
};

struct chain_exporter {
    struct bw_exporter pub;
    struct bw_chain *chain;
    const struct bw_entry *entry;
    const struct bw_preset_export *preset;
    struct bw_params *params;
    void *param_mem;
    struct chain_memory *memory;
    struct chain_output *outputs;
    int32_t domain;
    bool initialised, ready; /* init was called; it went well */
    enum bw_status failed;   /* first failure reported in this callback */
};

struct chain_metric {
    char *name;
    double value; /* this frame so far */
    uint32_t mode;
    bool set;    /* in this frame */
    double last; /* of the last frame or substep */
};

struct bw_chain {
    const struct bw_preset *preset;
    const struct bw_domain_info *grid[BW_MAX_DOMAINS]; /* of `domain` */
    const struct bw_registry *registry;
    struct bw_run_options opt;
    struct bw_host host;
    struct bw_exporter_host exporter_host;
    struct bw_bake_info bake;
    char hash[17];
    struct bw_diag *diag; /* of the call in progress */
    pthread_mutex_t lock; /* diag, log, announcements: used by workers and the writer too */
    struct bw_domain *domain[BW_MAX_DOMAINS];
    struct bw_workers *workers;
    struct bw_arena **arena;
    struct chain_field *field;
    int32_t n_fields;
    struct chain_stage *stage;
    int32_t n_stages;
    struct chain_exporter *exporter;
    int32_t n_exporters;
    struct chain_metric *metric;
    int32_t n_metrics;
    char *csv; /* rows of metrics.csv so far, without the heading */
    size_t csv_size;
    FILE *csv_file;
    struct chain_announcement *said;
    int32_t n_said;
    struct chain_claim *claim[1024]; /* names of outputs by their hash */
    double time;                     /* s */
    int64_t step, frame;
    double dt_last;
    struct bw_progress progress;
    /* writer */
    pthread_t writer;
    pthread_cond_t writer_wake;
    struct chain_snapshot *queued; /* at most one waits, one is being written */
    struct bw_workers *writer_workers;
    bool writer_runs, writer_busy, writer_stop;
    bool ran; /* bw_chain_run was called */
    enum bw_status writer_status;
};

/* wire.c: fields by name, ports bound, the chain checked */
enum bw_status chain_wire(struct bw_chain *c);
/// Row i of a stage's port table, with what its parameters say of background and precision.
struct bw_port chain_port(const struct chain_stage *s, uint32_t i);
struct chain_field *chain_find(const struct bw_chain *c, const char *name, int32_t domain);

/* chain.c */
/// Index of a domain by name (NULL: the first); -1, said, when there is none. `who` begins the sentence.
int32_t chain_domain_index(struct bw_chain *c, const char *name, const struct bw_place *at, const char *who);

/* host.c */
void chain_host_init(struct bw_chain *c);
void chain_stage_scratch_end(struct chain_stage *s);
void chain_memory_free(struct chain_memory **list);
void *chain_memory_take(struct chain_memory **list, size_t bytes);
void chain_memory_give(struct chain_memory **list, void *memory);
void chain_log(struct bw_chain *c, int level, const char *who, const char *text);
/// Evaluate parameters from any thread; sentences go to the run's under the lock.
enum bw_status chain_params(struct bw_chain *c, struct bw_params *p, double t, uint32_t slot, void *out);
/// Evaluate a stage's parameters for time t.
enum bw_status chain_stage_params(struct chain_stage *s, double t);

/* claims.c: whose each output is */
extern const struct chain_owner chain_owner_bake;
struct chain_owner chain_owner_of_stage(const struct chain_stage *s);
struct chain_owner chain_owner_of_exporter(const struct chain_exporter *x);
/// From now on `name` is `by`'s. Errors, said: BW_ERR_PRESET when it is another's, for there the cure is.
enum bw_status chain_claim(struct bw_chain *c, struct chain_owner by, const char *name);
/// Claim what is known before a bake.
enum bw_status chain_outputs_plan(struct bw_chain *c);
void chain_claims_free(struct bw_chain *c);

/* output.c: files under temporary names */
const char *chain_output_begin(struct bw_chain *c, struct chain_output **list, struct chain_owner by, const char *name,
                               int keep);
/// Status of the first failure reported in this run; what chain_output_begin's NULL means.
enum bw_status chain_status_said(struct bw_chain *c);
enum bw_status chain_output_commit(struct bw_chain *c, struct chain_output **list, const char *temporary, char **final);
void chain_output_discard(struct chain_output **list, const char *temporary);
enum bw_status chain_outputs_commit(struct bw_chain *c, struct chain_output **list, int all);
void chain_outputs_discard(struct chain_output **list);

/* writer.c: exporters and their thread */
void chain_exporter_host_init(struct bw_chain *c);
enum bw_status chain_exporters_start(struct bw_chain *c);
/// Hand a snapshot of the present state to the writer; waits while one is waiting already.
enum bw_status chain_write_frame(struct bw_chain *c, int64_t frame);
/// Wait for the writer, finish the exporters. `complete`: the bake reached its end.
enum bw_status chain_exporters_finish(struct bw_chain *c, int complete);
void chain_exporters_free(struct bw_chain *c);

/* metrics.c */
void chain_metric(struct bw_chain *c, const char *stage, const char *name, double value, uint32_t mode);
void chain_metrics_frame_begin(struct bw_chain *c);
enum bw_status chain_metrics_frame_end(struct bw_chain *c, int64_t frame);
double chain_metric_largest(const struct bw_chain *c, const char *name);
void chain_metrics_free(struct bw_chain *c);
int64_t chain_resident_bytes(void);
double chain_seconds(void);

/* resolved.c */
enum bw_status chain_hash(struct bw_chain *c);

/// An error in the run, with the stage's place and the frame.
enum bw_status chain_fail(struct bw_chain *c, const struct bw_place *place, enum bw_status st, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
