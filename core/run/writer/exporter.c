// SPDX-License-Identifier: Apache-2.0
#include "exporter.h"
#include "base/alloc.h"
#include "base/machine.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct run_exporter *exporter_of(struct bw_exporter *e) { return e->host_data; }

/* ---- services ---- */

static enum bw_status exporter_fail(struct bw_exporter *e, enum bw_status status, const char *format, ...)
{
    struct run_exporter *x = exporter_of(e);
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    status = log_fail(x->list->log, &x->preset->place, status, "%s: %s", e->id, text);
    if (x->failed == BW_OK) x->failed = status < 0 ? status : BW_ERR_PLUGIN;
    return status;
}

/* Status of a callback, with a sentence in every case. */
static enum bw_status exporter_status(struct run_exporter *x, enum bw_status status, const char *what)
{
    enum bw_status said = x->failed;
    x->failed = BW_OK;
    if (said != BW_OK && status != BW_ERR_CANCELLED) return said; /* nobody may shrug a failure off */
    if (status == BW_OK || status == BW_ERR_CANCELLED) return status;
    if (status > 0 || status < BW_ERR_CANCELLED)
        return log_fail(x->list->log, &x->preset->place, BW_ERR_PLUGIN, "%s: %s returned %d, which is no status",
                        x->pub.id, what, (int)status);
    if (status == BW_ERR_MEMORY && x->frame)
        return log_fail(x->list->log, &x->preset->place, status, "frame %lld: %s: out of memory", (long long)*x->frame,
                        x->pub.id);
    if (status == BW_ERR_MEMORY)
        return log_fail(x->list->log, &x->preset->place, status, "%s: out of memory in its %s", x->pub.id, what);
    return log_fail(x->list->log, &x->preset->place, status, "%s: %s failed without saying why", x->pub.id, what);
}

static void exporter_log(struct bw_exporter *e, uint32_t level, const char *format, ...)
{
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    log_line(exporter_of(e)->list->log, (int)level, e->id, text);
}

static void *exporter_alloc(struct bw_exporter *e, size_t bytes)
{
    return bw_alloc_all_written(plugin_memory_alloc(&exporter_of(e)->memory, bytes), bytes);
}
static void exporter_release(struct bw_exporter *e, void *memory)
{
    plugin_memory_release(&exporter_of(e)->memory, memory);
}

static const char *exporter_output_begin(struct bw_exporter *e, const char *name)
{
    struct run_exporter *x = exporter_of(e);
    const char *path = output_begin(x->list->outputs, &x->outputs, exporter_owner(x), name, true);
    if (!path && x->failed == BW_OK) x->failed = log_status(x->list->log);
    return path;
}

static enum bw_status exporter_output_commit(struct bw_exporter *e, const char *path)
{
    struct run_exporter *x = exporter_of(e);
    enum bw_status status = output_commit(x->list->outputs, &x->outputs, path);
    if (x->failed == BW_OK) x->failed = status;
    return status;
}

static void exporter_output_discard(struct bw_exporter *e, const char *path)
{
    output_discard(&exporter_of(e)->outputs, path);
}

static void exporter_announce(struct bw_exporter *e, const char *what, const char *name)
{
    exporters_announce(exporter_of(e)->list, what, name, e->id);
}

struct each {
    void (*fn)(int64_t, void *);
    void *user;
};

static void each_call(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    struct each *e = user;
    e->fn(i, e->user);
}

static void exporter_parallel_for(struct bw_exporter *e, int64_t n, void (*fn)(int64_t, void *), void *user)
{
    struct bw_workers *workers = exporter_of(e)->list->workers;
    struct each each = {fn, user};
    if (workers) bw_workers_for(workers, n, each_call, &each);
    else
        for (int64_t i = 0; i < n; i++) fn(i, user);
}

static int exporter_cancelled(struct bw_exporter *e)
{
    const _Atomic int *cancel = exporter_of(e)->list->cancel;
    return cancel && *cancel;
}

static enum bw_status exporter_lend(struct bw_exporter *e, const struct bw_snapshot_field *f, const int32_t (*cell)[3],
                                    int64_t n)
{
    struct run_exporter *x = exporter_of(e);
    struct chain_snapshot *s = x->snapshot;
    if (!s || !s->fetcher) return BW_OK;
    const struct run_exporter *last = NULL;
    for (int32_t i = 0; i < x->list->n; i++)
        if (exporter_part(&x->list->exporter[i]) & s->parts) last = &x->list->exporter[i];
    for (uint32_t k = 0; f && k < s->frame.n_fields; k++)
        if (f->host_data == &s->source[k])
            return cell ? snapshot_fetch_cells(s, k, cell, n, true) : snapshot_fetch(s, k, false);
    if (!f && x == last) snapshot_fetch_end(s);
    return BW_OK;
}

/* One that does not ask for fields finds them all. */
static enum bw_status fields_fetch(const struct run_exporter *x, struct chain_snapshot *s)
{
    enum bw_status status = BW_OK;
    if (x->pub.desc->flags & BW_EXPORTER_RANKS) return BW_OK;
    for (uint32_t k = 0; k < s->frame.n_fields && status == BW_OK; k++) status = snapshot_fetch(s, k, k > 0);
    return status == BW_ERR_MEMORY ? log_fail(x->list->log, &x->preset->place, status, "%s: out of memory", x->pub.id)
                                   : status;
}

static void exporter_want_motion(struct bw_exporter *e) { exporter_of(e)->list->motion = true; }

static void exporter_want_outlines(struct bw_exporter *e) { exporter_of(e)->list->outlines = true; }

void exporters_init(struct exporter_list *list)
{
    list->host = (struct bw_exporter_host){
        .size = sizeof list->host,
        .fail = exporter_fail,
        .log = exporter_log,
        .alloc = exporter_alloc,
        .release = exporter_release,
        .output_begin = exporter_output_begin,
        .output_commit = exporter_output_commit,
        .output_discard = exporter_output_discard,
        .announce = exporter_announce,
        .read_box = snapshot_read,
        .parallel_for = exporter_parallel_for,
        .cancelled = exporter_cancelled,
        .want_motion = exporter_want_motion,
        .lend = exporter_lend,
        .want_outlines = exporter_want_outlines,
    };
}

/* ---- making and ending them ---- */

enum bw_status exporter_add(struct exporter_list *list, const struct bw_preset_export *preset)
{
    const char *id = preset->id;
    struct run_exporter *x = &list->exporter[list->n];
    const struct bw_entry *e = entry_find(list->log, list->registry, preset->type, false, &preset->place);
    if (!e) return log_status(list->log);
    x->list = list;
    x->entry = e;
    x->preset = preset;
    x->domain = entry_domain(list->log, list->preset, preset->domain, id, &preset->place);
    if (x->domain < 0) return BW_ERR_PRESET;
    x->params = entry_params(list->log, list->preset, e, id, preset->node);
    if (!x->params) return list->log->diag->status != BW_OK ? list->log->diag->status : BW_ERR_MEMORY;
    list->n++;
    x->param_mem = bw_calloc(e->exporter->params_size + 8);
    x->pub = (struct bw_exporter){.host = &list->host,
                                  .desc = e->exporter,
                                  .id = id,
                                  .params = x->param_mem,
                                  .state = bw_calloc(e->exporter->state_size + 8),
                                  .bake = list->bake,
                                  .host_data = x,
                                  .n_domains = (uint32_t)list->preset->n_domains,
                                  .domain = (uint32_t)x->domain,
                                  .domains = list->grid};
    return x->param_mem && x->pub.state ? log_params(list->log, x->params, 0, 0, x->param_mem) : BW_ERR_MEMORY;
}

static void exporter_uninit(struct run_exporter *x)
{
    if (!x->initialised || !x->pub.desc->uninit) return;
    const struct where_was was = exporter_enter(x, "uninit", x->list->bake->last);
    x->pub.desc->uninit(&x->pub);
    exporter_leave(x, &was);
    x->initialised = false;
}

void exporters_end(struct exporter_list *list)
{
    for (int32_t i = 0; i < list->n; i++) exporter_uninit(&list->exporter[i]);
}

void exporters_free(struct exporter_list *list)
{
    exporters_end(list);
    for (int32_t i = 0; i < list->n; i++) {
        struct run_exporter *x = &list->exporter[i];
        outputs_discard(&x->outputs);
        plugin_memory_free(&x->memory);
        bw_params_free(x->params);
        bw_free(x->param_mem);
        bw_free(x->pub.state);
    }
    announcements_free(list);
    bw_free(list->exporter);
}

/* ---- a bake's callbacks ---- */

enum bw_status exporters_start(struct exporter_list *list, double time)
{
    for (int32_t i = 0; i < list->n; i++) {
        struct run_exporter *x = &list->exporter[i];
        if (!(exporter_part(x) & list->parts)) continue;
        enum bw_status status = log_params(list->log, x->params, time, 0, x->param_mem);
        if (status != BW_OK) return status;
        x->initialised = true;
        struct bw_frame planned;
        status = planned_frame_make(x, list->bake->first, &planned);
        if (status != BW_OK) return status;
        x->pub.planned = &planned;
        const struct where_was was = exporter_enter(x, "init", list->bake->first);
        if (x->pub.desc->init) status = x->pub.desc->init(&x->pub);
        exporter_leave(x, &was);
        x->pub.planned = NULL;
        planned_frame_free(&planned);
        status = exporter_status(x, status, "init");
        if (status != BW_OK) return status;
        x->ready = true;
    }
    return BW_OK;
}

static enum bw_status exporter_write(struct run_exporter *x, struct chain_snapshot *s)
{
    struct bw_snapshot_field *room = bw_calloc((s->frame.n_fields + 1) * sizeof *room);
    if (!room)
        return log_fail(x->list->log, NULL, BW_ERR_MEMORY, "out of memory for the export of frame %lld",
                        (long long)s->frame.number);
    struct bw_frame frame = snapshot_of_domain(s, x->list->grid[x->domain], room);
    enum bw_status status = log_params(x->list->log, x->params, frame.time, 0, x->param_mem);
    const double began = bw_seconds();
    if (status == BW_OK) status = fields_fetch(x, s);
    if (status == BW_OK) {
        const struct where_was was = exporter_enter(x, "frame", frame.number);
        x->frame = &frame.number;
        x->snapshot = s;
        status = x->pub.desc->frame(&x->pub, &frame);
        exporter_leave(x, &was);
        status = exporter_status(x, status, "frame");
        x->frame = NULL;
        x->snapshot = NULL;
    }
    x->seconds = x->seconds + bw_seconds() - began;
    bw_free(room);
    return status;
}

enum bw_status exporters_write(struct exporter_list *list, struct chain_snapshot *s)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < list->n && status == BW_OK; i++)
        if (exporter_part(&list->exporter[i]) & s->parts) status = exporter_write(&list->exporter[i], s);
    return status == BW_OK && outputs_holding(list->outputs) ? outputs_release(list->outputs) : status;
}

bool exporters_have(const struct exporter_list *list, enum snapshot_part part)
{
    for (int32_t i = 0; i < list->n; i++)
        if (exporter_part(&list->exporter[i]) & part) return true;
    return false;
}

static enum bw_status exporter_save(struct run_exporter *x, struct bw_archive *a)
{
    const struct where_was was = exporter_enter(x, "checkpoint", x->list->where->frame);
    const enum bw_status status = x->pub.desc->checkpoint(&x->pub, a);
    exporter_leave(x, &was);
    return exporter_status(x, status, "checkpoint");
}

static enum bw_status exporter_exchange(struct run_exporter *x, const char *owner, struct archive *a)
{
    const struct bw_exporter_desc *desc = x->pub.desc;
    bool there;
    enum bw_status status = archive_member(a, owner, desc->id, &there);
    if (status != BW_OK || !there) return status;
    archive_owner(a, owner, &x->preset->place);
    if (desc->flags & BW_EXPORTER_PLAIN_STATE) status = a->pub.bytes(&a->pub, "state", x->pub.state, desc->state_size);
    return status == BW_OK && desc->checkpoint ? exporter_save(x, &a->pub) : status;
}

enum bw_status exporters_checkpoint(struct exporter_list *list, struct archive *a)
{
    enum bw_status status = announcements_checkpoint(list, a);
    for (int32_t i = 0; i < list->n && status == BW_OK; i++) {
        char *owner = bw_printf("exporter/%s", list->exporter[i].pub.id);
        if (!owner) return log_fail(list->log, NULL, BW_ERR_MEMORY, "out of memory for a checkpoint");
        status = exporter_exchange(&list->exporter[i], owner, a);
        bw_free(owner);
    }
    return status;
}

enum bw_status exporters_finish(struct exporter_list *list, bool complete)
{
    enum bw_status first = BW_OK;
    for (int32_t i = 0; i < list->n; i++) {
        struct run_exporter *x = &list->exporter[i];
        if (x->ready && x->pub.desc->finish) {
            bool well = complete && first == BW_OK;
            const struct where_was was = exporter_enter(x, "finish", list->bake->last);
            enum bw_status status = x->pub.desc->finish(&x->pub, well);
            exporter_leave(x, &was);
            status = exporter_status(x, status, "finish");
            if (first == BW_OK) first = status;
        }
        outputs_discard(&x->outputs);
    }
    return first;
}
