// SPDX-License-Identifier: Apache-2.0
/* Running exporters, and the services that they call. */
#ifndef RUN_EXPORTER_H
#define RUN_EXPORTER_H

#include "run/stage/plugin_memory.h"
#include "base/thread/threads.h"
#include "base/thread/where.h"
#include "run/checkpoint/archive.h"
#include "run/output/output.h"
#include "run/snapshot.h"
#include "run/stage/entry.h"

struct run_exporter {
    struct bw_exporter pub; ///< first: the handle that plugins hold
    struct exporter_list *list;
    const struct bw_entry *entry;
    const struct bw_preset_export *preset;
    struct bw_params *params;
    void *param_mem;
    struct plugin_memory *memory;
    struct output *outputs;
    int32_t domain;
    bool initialised, ready;         ///< init was called; it went well
    _Atomic double seconds;          ///< that its frames took
    double seconds_told;             ///< … by the last row of timings.csv
    const int64_t *frame;            ///< that it writes now; NULL: none …
    struct chain_snapshot *snapshot; ///< … and of what
    enum bw_status failed;           ///< first failure reported in this callback
};

/// A committed output worth naming at the end.
struct announcement {
    char *what, *path, *by; ///< by: an exporter's id
    bool before;            ///< in the run that this one goes on from
};

struct exporter_list {
    struct run_exporter *exporter;
    int32_t n;
    struct bw_exporter_host host;
    const struct bw_preset *preset;
    const struct bw_registry *registry;
    const struct bw_bake_info *bake;
    const struct bw_domain_info *const *grid; ///< of the preset's domains
    const _Atomic int *cancel;                ///< may be NULL
    struct run_log *log;
    struct where_bake *where;
    struct outputs *outputs;
    struct bw_workers *workers;       ///< while the writer runs
    const struct field_table *fields; ///< once planned
    struct announcement *announced;   ///< under the log's lock
    int32_t n_announced;
    uint32_t parts; ///< enum snapshot_part: whose exporters this process runs
    bool motion;    ///< someone wants velocities as of the frame
    bool outlines;  ///< … obstacles where no gas is
};

/// Fill the table of services.
void exporters_init(struct exporter_list *list);
/// Add one of the preset's, for which there is room. After a failure, said unless memory ran out, exporters_free takes
/// care of what there is.
enum bw_status exporter_add(struct exporter_list *list, const struct bw_preset_export *preset);
/// Claim the names that exporters say beforehand, and see that the fields and particles that they name are there.
/// exporter_plan.c, as the three below.
enum bw_status exporters_plan(struct exporter_list *list, const struct field_table *fields);
/// The names that exporters say beforehand of a frame's files, and of those that are no frame's.
void exporters_names(struct exporter_list *list, int64_t number, bw_output_name_fn name, void *user);
/// What is known of a frame before there is one (bw_exporter.planned). Errors: BW_ERR_MEMORY, said.
enum bw_status planned_frame_make(const struct run_exporter *x, int64_t number, struct bw_frame *frame);
void planned_frame_free(struct bw_frame *frame);
/// The calling thread is in that callback from now on, about that frame; exporter_leave ends it.
static inline struct where_was exporter_enter(const struct run_exporter *x, const char *callback, int64_t frame)
{
    const struct where_place place = {x->pub.id, x->entry->path, callback, .frame = frame};
    return where_enter(&x->list->where->writer, &place);
}
static inline void exporter_leave(const struct run_exporter *x, const struct where_was *was)
{
    where_leave(&x->list->where->writer, was);
}
/// For whom it begins outputs.
static inline struct output_owner exporter_owner(const struct run_exporter *x)
{
    return (struct output_owner){x->pub.id, &x->preset->place, x->frame};
}
/// The part of a frame that an exporter writes.
static inline uint32_t exporter_part(const struct run_exporter *x)
{
    return x->pub.desc->flags & BW_EXPORTER_TURNS ? SNAPSHOT_TURNS : SNAPSHOT_FIRST;
}
/// Is there one of them?
bool exporters_have(const struct exporter_list *list, enum snapshot_part part);
/// Announce a committed output in the closing lines of the run. announcements.c.
void exporters_announce(struct exporter_list *list, const char *what, const char *name, const char *by);
/// Save announcements, or restore those of the run before. Errors are said. announcements.c.
enum bw_status announcements_checkpoint(struct exporter_list *list, struct archive *a);
void announcements_free(struct exporter_list *list); ///< announcements.c
/// Every exporter's init, with the parameters of that time.
enum bw_status exporters_start(struct exporter_list *list, double time);
/// Every exporter's frame. Errors are said.
enum bw_status exporters_write(struct exporter_list *list, struct chain_snapshot *s);
/// Save or restore what every exporter keeps, after a frame or before the first. Errors are said.
enum bw_status exporters_checkpoint(struct exporter_list *list, struct archive *a);
/// Every ready exporter's finish. `complete`: the bake reached its end.
enum bw_status exporters_finish(struct exporter_list *list, bool complete);
/// Uninit those that are initialised.
void exporters_end(struct exporter_list *list);
void exporters_free(struct exporter_list *list);

#endif
