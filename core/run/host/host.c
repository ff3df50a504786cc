// SPDX-License-Identifier: Apache-2.0
#include "host.h"
#include "base/alloc.h"
#include "base/machine.h"
#include "grid/ranks/ranks.h"
#include "preset/values/expression.h"
#include "run/wire/ports.h"
#include "services.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- words ---- */

static enum bw_status host_fail(struct bw_stage *stage, enum bw_status status, const char *format, ...)
{
    if (where_refuses("fail")) return status;
    struct run_stage *s = stage_of(stage);
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    const struct run_clock *clock = host_of(stage)->clock;
    if (clock->step > 0 || stage->dt > 0)
        status =
            log_fail(s->log, &s->preset->place, status, "frame %lld: %s: %s", (long long)clock->frame, stage->id, text);
    else status = log_fail(s->log, &s->preset->place, status, "%s: %s", stage->id, text);
    s->failed = true;
    s->fail_status = status < 0 ? status : BW_ERR_PLUGIN;
    return status;
}

static void host_log(struct bw_stage *stage, uint32_t level, const char *format, ...)
{
    struct run_stage *s = stage_of(stage);
    if (s->twin && level < BW_LOG_WARNING) return; // its first half says the same
    const struct bw_place *at = level >= BW_LOG_WARNING ? &s->preset->place : NULL;
    char text[1024];
    int n = at && at->file ? snprintf(text, sizeof text, "%s:%d:%d: ", at->file, (int)at->line, (int)at->column) : 0;
    if (n < 0 || n > (int)sizeof text / 2) n = 0;
    va_list a;
    va_start(a, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, a);
    va_end(a);
    if (level >= BW_LOG_WARNING) { /* once per stage and format: numbers in it may differ each step */
        uint64_t h = 1469598103934665603ull;
        for (const char *p = format; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211ull;
        pthread_mutex_lock(&s->log->lock);
        bool seen = s->n_warned == 64;
        for (int32_t i = 0; i < s->n_warned; i++) seen |= s->warned[i] == h;
        if (!seen) s->warned[s->n_warned++] = h;
        pthread_mutex_unlock(&s->log->lock);
        if (seen) return;
    }
    log_line(s->log, (int)level, stage->id, text);
}

static int host_cancelled(struct bw_stage *stage)
{
    const _Atomic int *cancel = host_of(stage)->cancel;
    return cancel && *cancel;
}

/* ---- calls out of place ---- */

/* A [main] call from a body, where it would meet other workers at work; it is told when the body's job is done. Or one
 * after uninit, by somebody who kept the stage. */
static bool refused(struct bw_stage *stage, const char *call)
{
    if (where_refuses(call)) return true;
    if (!stage_of(stage)->ended) return false;
    host_fail(stage, BW_ERR_PLUGIN, "called %s() after its uninit", call);
    return true;
}

static struct where_was bodies_begin(struct bw_stage *stage) { return stage_enter_body(stage_of(stage)); }

static enum bw_status bodies_end(struct bw_stage *stage, const struct where_was *was)
{
    const char *call = where_refused(&stage_of(stage)->where->loop);
    stage_leave(stage_of(stage), was);
    if (!call) return BW_OK;
    return host_fail(stage, BW_ERR_PLUGIN, "a body called %s(), which only the callbacks themselves may", call);
}

static void host_metric(struct bw_stage *stage, const char *name, double value, uint32_t mode)
{
    if (refused(stage, "metric")) return;
    const struct run_host *h = host_of(stage);
    if (mode == BW_METRIC_TIMING) metrics_add(h->timings, stage->id, name, value, BW_METRIC_SUM);
    else metrics_add(h->metrics, stage->id, name, value, mode);
}

/* ---- work ---- */

static const char *field_name(const struct bw_field *f) { return f->info.name ? f->info.name : "scratch"; }

/* Name of a field that the sweep writes though the stage's ports only read it, or NULL. */
static const char *write_to_read_port(const struct bw_stage *stage, const struct bw_sweep *sweep)
{
    const struct run_stage *s = stage_of(stage);
    for (uint32_t i = 0; i < sweep->n_access; i++) {
        const struct bw_field *f = sweep->access[i].field;
        bool reads = false, writes = false;
        if (!f || sweep->access[i].mode == BW_READ) continue;
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++)
            for (uint32_t q = 0; s->bound[k].fields && q < s->bound[k].count; q++) {
                if (s->bound[k].fields[q] != f) continue;
                bool read_only = port_row(s, k).access == BW_READ;
                reads |= read_only;
                writes |= !read_only;
            }
        if (reads && !writes) return f->info.name;
    }
    return NULL;
}

static enum bw_status sweep_status(struct bw_stage *stage, enum bw_status status, const struct bw_sweep_fault *fault)
{
    if (status == BW_ERR_DIVERGED && fault->field)
        return host_fail(stage, status, "field \"%s\" is not a number at cell (%d, %d, %d)", fault->field->info.name,
                         fault->cell[0], fault->cell[1], fault->cell[2]);
    if (status == BW_ERR_PLUGIN && fault->field && fault->far)
        return host_fail(stage, status,
                         "writes \"%s\" in place and reads farther than its halo, which it can't on "
                         "several ranks",
                         field_name(fault->field));
    if (status == BW_ERR_PLUGIN && fault->field)
        return host_fail(stage, status, "a body wrote to \"%s\", which its sweep only reads", field_name(fault->field));
    if (status == BW_ERR_PLUGIN)
        return host_fail(stage, status, "asked for a sweep whose access rows contradict each other");
    if (status != BW_OK)
        stage_of(stage)->fail_status =
            status; /* out of memory or cancelled: the run ends even when the stage goes on */
    return status;
}

static enum bw_status host_sweep(struct bw_stage *stage, const struct bw_sweep *sweep)
{
    if (refused(stage, "sweep")) return BW_ERR_PLUGIN;
    const struct run_host *h = host_of(stage);
    const char *only_read = write_to_read_port(stage, sweep);
    if (only_read)
        return host_fail(stage, BW_ERR_PLUGIN, "asked to write \"%s\", which its ports only read", only_read);
    struct bw_sweep_env env = {h->workers,           h->arena, stage,         h->cancel, h->domains,
                               h->preset->n_domains, h->guard, h->distributed};
    struct bw_sweep_fault fault = {0};
    const struct where_was was = bodies_begin(stage);
    enum bw_status status = bw_sweep_run(&env, sweep, &fault);
    for (uint32_t i = 0; i < sweep->n_access; i++)
        if (sweep->access[i].field && sweep->access[i].mode != BW_READ && sweep->access[i].mode != BW_READ_LAST)
            sweep->access[i].field->writer = stage, sweep->access[i].field->changes++;
    const enum bw_status called = bodies_end(stage, &was);
    return called != BW_OK ? called : sweep_status(stage, status, &fault);
}

static void *host_body_scratch(const struct bw_block *block, size_t bytes)
{
    return bw_arena_alloc(host_of(block->stage)->arena[block->worker], bytes);
}

static void host_parallel_for(struct bw_stage *stage, int64_t n, void (*fn)(int64_t, uint32_t, void *), void *user)
{
    if (refused(stage, "parallel_for")) return;
    const struct where_was was = bodies_begin(stage);
    bw_workers_for(host_of(stage)->workers, n, fn, user);
    bodies_end(stage, &was);
}

static void host_team(struct bw_stage *stage, void (*fn)(struct bw_team *, void *), void *user)
{
    if (refused(stage, "team")) return;
    const struct where_was was = bodies_begin(stage);
    bw_workers_team(host_of(stage)->workers, fn, user);
    bodies_end(stage, &was);
}

/* ---- memory ---- */

static void *host_alloc(struct bw_stage *stage, size_t bytes)
{
    if (refused(stage, "alloc")) return NULL;
    void *memory = plugin_memory_alloc(&stage_of(stage)->memory, bytes);
    stage_of(stage)->held += memory != NULL;
    return memory;
}

static void host_release(struct bw_stage *stage, void *memory)
{
    if (refused(stage, "release")) return;
    stage_of(stage)->held -= memory != NULL;
    plugin_memory_release(&stage_of(stage)->memory, memory);
}

static void *host_scratch(struct bw_stage *stage, size_t bytes)
{
    if (refused(stage, "scratch")) return NULL;
    return bw_arena_alloc(stage_of(stage)->scratch, bytes);
}

static struct bw_field *host_scratch_field(struct bw_stage *stage, uint32_t kind, uint32_t precision)
{
    if (refused(stage, "scratch_field")) return NULL;
    struct run_stage *s = stage_of(stage);
    if (kind > BW_MAC || precision > BW_F64P) {
        host_fail(stage, BW_ERR_PLUGIN, "asked for a scratch field that is no grid field of f32 or f64");
        return NULL;
    }
    struct bw_field **list = bw_realloc(s->scratch_field, (size_t)(s->n_scratch_fields + 1) * sizeof *list);
    if (!list) return NULL;
    s->scratch_field = list;
    struct bw_field *f = bw_field_create(stage->domain, NULL, kind, precision, NULL);
    if (!f) return NULL;
    return list[s->n_scratch_fields++] = f;
}

static enum bw_status host_swap_fields(struct bw_stage *stage, struct bw_field *a, struct bw_field *b)
{
    if (refused(stage, "swap_fields")) return BW_ERR_PLUGIN;
    enum bw_status status = bw_field_swap(a, b);
    a->writer = b->writer = stage;
    return status == BW_OK ? status : host_fail(stage, BW_ERR_PLUGIN, "exchanged two fields that do not match");
}

/* ---- facts ---- */

static const struct bw_field_info *host_field_info(const struct bw_field *f) { return &f->info; }

static const void *host_params_at(struct bw_stage *stage, double time)
{
    if (refused(stage, "params_at")) return NULL;
    struct run_stage *s = stage_of(stage);
    int slot = s->next_slot;
    s->next_slot = slot == 3 ? 1 : slot + 1; /* slot 0 is `params` itself */
    enum bw_status status = log_params(s->log, s->params, time, (uint32_t)slot, s->param_mem[slot]);
    return status == BW_OK ? s->param_mem[slot] : NULL;
}

static enum bw_status host_activate(struct bw_stage *stage, const double lo[3], const double hi[3])
{
    if (refused(stage, "activate")) return BW_ERR_PLUGIN;
    struct run_stage *s = stage_of(stage);
    if (!s->activating) return host_fail(stage, BW_ERR_PLUGIN, "called activate outside its activate callback");
    const struct bw_domain_info *d = stage->grid;
    int64_t a[3], b[3];
    for (int i = 0; i < 3; i++) {
        double l = floor((lo[i] - d->origin[i]) / d->h), h = floor((hi[i] - d->origin[i]) / d->h);
        if (!(l <= h)) return BW_OK;
        a[i] = (int64_t)fmin(fmax(l, -1e9), 1e9);
        b[i] = (int64_t)fmin(fmax(h, -1e9), 1e9);
    }
    bw_domain_request_cells(stage->domain, a, b);
    if (!stage->domain->full) return BW_OK;
    return host_fail(stage, BW_ERR_MEMORY, "no memory for the tiles of a box of %.3g x %.3g x %.3g m", hi[0] - lo[0],
                     hi[1] - lo[1], hi[2] - lo[2]);
}

static struct bw_stage *host_find_stage(struct bw_stage *stage, const char *id, uint32_t k, const void **table)
{
    if (refused(stage, "find_stage")) return NULL;
    const struct stage_list *stages = host_of(stage)->stages;
    for (int32_t i = 0; i < stages->n; i++) {
        struct run_stage *s = &stages->stage[i];
        const void *t = s->ended ? NULL : stage_extension(s, id);
        if (!t || k--) continue;
        *table = t;
        return &s->pub;
    }
    return NULL;
}

static struct bw_field *host_find_field(struct bw_stage *stage, const char *name)
{
    if (refused(stage, "find_field")) return NULL;
    const struct run_field *f = fields_find(host_of(stage)->fields, name, stage_of(stage)->domain);
    return f ? f->field : NULL;
}

static const char *host_output(struct bw_stage *stage, const char *name, int keep)
{
    if (refused(stage, "output")) return NULL;
    struct run_stage *s = stage_of(stage);
    struct outputs *outputs = host_of(stage)->outputs;
    if (!outputs->folder) return NULL;
    const char *path = output_begin(outputs, &s->outputs, stage_owner(s), name, keep != 0);
    if (!path) {
        s->failed = true;
        s->fail_status = log_status(s->log);
    }
    return path;
}

/* ---- services by id ---- */

static int frames_range(const struct bw_stage *s, int64_t *first, int64_t *last)
{
    const struct bw_preset *p = host_of(s)->preset;
    *first = p->files_first;
    *last = p->files_last;
    return p->frames_from != NULL;
}

static int frames_path(const struct bw_stage *s, int64_t number, char *out, size_t size)
{
    return bw_preset_frame_path(host_of(s)->preset, number, out, size);
}

static const struct bw_frames_api frames_table = {sizeof frames_table, frames_range, frames_path};

static enum bw_status expression_open(struct bw_stage *s, const char *text, struct bw_expression **e)
{
    if (refused(s, "expression open")) return BW_ERR_PLUGIN;
    const struct bw_preset *p = host_of(s)->preset;
    const struct bw_expression_constants constants = {p->time.fps, (double)p->time.seed, p->ambient};
    char why[200];
    enum bw_status status = bw_expression_open(text, &constants, s->host->workers, e, why, sizeof why);
    return status ? s->host->fail(s, status, "expression \"%s\": %s", text, why) : BW_OK;
}

static void expression_close(struct bw_expression *e)
{
    if (!where_refuses("expression close")) bw_expression_close(e);
}

static const struct bw_expression_api expression_table = {sizeof expression_table, expression_open, expression_close,
                                                          bw_expression_eval};

static enum bw_status service_share(struct bw_stage *stage, struct bw_domain *d, void *rows, const int32_t *slot,
                                    size_t bytes)
{
    return host_of(stage)->distributed ? bw_ranks_all_gather_rows(d, rows, slot, bytes) : BW_OK;
}

static enum bw_status service_bring(struct bw_stage *stage, struct bw_field *f)
{
    if (refused(stage, "ranks bring")) return BW_ERR_PLUGIN;
    return host_of(stage)->distributed ? bw_ranks_fetch(f->domain, &f, 1, BW_FETCH_ALL_RANKS) : BW_OK;
}

static void service_whole(struct bw_stage *stage, int on)
{
    struct run_host *h = (struct run_host *)stage->host;
    if (!refused(stage, "ranks whole")) h->distributed = h->may_distribute && !on;
}

static const int32_t *service_owners(struct bw_stage *stage, struct bw_domain *d, int32_t *rank, int32_t *size)
{
    if (refused(stage, "ranks owners") || !host_of(stage)->distributed || !d->ranks) return NULL;
    *rank = d->ranks->rank;
    *size = d->ranks->size;
    return d->partition->owner;
}

static void service_exchange(struct bw_stage *stage, const struct bw_parcel *send, int32_t n_send,
                             const struct bw_parcel *take, int32_t n_take)
{
    struct bw_transport *t = host_of(stage)->domains[0]->ranks;
    if (t) t->exchange(t, send, n_send, take, n_take);
}

static enum bw_status service_places(struct bw_stage *stage, struct bw_field *f, size_t count, const bw_vec3 *pos,
                                     double *out)
{
    if (refused(stage, "ranks sample")) return BW_ERR_PLUGIN;
    const struct run_host *h = host_of(stage);
    return bw_ranks_sample(f, h->workers, count, pos, out);
}

static int32_t service_rank(const struct bw_stage *stage, int32_t *size)
{
    const struct bw_transport *t = host_of(stage)->domains[0]->ranks;
    *size = t ? t->size : 1;
    return t ? t->rank : 0;
}

static void service_gather(struct bw_stage *stage, void *pieces, const size_t *bytes)
{
    struct bw_transport *t = host_of(stage)->domains[0]->ranks;
    if (t && !refused(stage, "ranks gather")) t->gather(t, NULL, bytes, pieces);
}

static enum bw_status service_bring_round(struct bw_stage *stage, struct bw_field *f, struct bw_domain *d, double reach)
{
    if (refused(stage, "ranks bring_round")) return BW_ERR_PLUGIN;
    return host_of(stage)->distributed ? bw_ranks_fetch_region(f, d, reach) : BW_OK;
}

static const struct bw_ranks_api ranks_table = {sizeof ranks_table, service_share,      service_bring,  service_whole,
                                                service_owners,     service_exchange,   service_places, service_rank,
                                                service_gather,     service_bring_round};

static int span_times(const struct bw_stage *stage, double *from, double *to)
{
    const struct bw_preset_time *t = &host_of(stage)->preset->time;
    const struct bw_preset_stage *s = stage_of((struct bw_stage *)stage)->preset;
    const double first = (double)t->first;
    *from = (fmax(s->frame_from, first - t->warmup) - first) / t->fps;
    *to = (fmin(s->frame_to, (double)t->write_last) - first) / t->fps;
    return *from <= *to;
}

static double span_files(const struct bw_stage *stage) { return host_of(stage)->preset->time.files; }

static const struct bw_span_api span_table = {sizeof span_table, 0, span_times, span_files};

static const struct bw_stage *writer_last(const struct bw_field *field) { return field->writer; }

static const struct bw_writer_api writer_table = {sizeof writer_table, 0, writer_last};

static const void *host_extension(const char *id)
{
    if (!strcmp(id, BW_SPAN)) return &span_table;
    if (!strcmp(id, BW_WRITER)) return &writer_table;
    if (!strcmp(id, BW_RANKS)) return &ranks_table;
    if (!strcmp(id, BW_FRAMES)) return &frames_table;
    return strcmp(id, BW_EXPRESSION) ? service_by_id(id) : &expression_table;
}

void host_init(struct run_host *h, uint32_t simd)
{
    h->pub = (struct bw_host){
        .size = sizeof h->pub,
        .workers = bw_workers_count(h->workers),
        .simd = simd == UINT32_MAX ? bw_simd_best() : simd,
        .sweep = host_sweep,
        .body_scratch = host_body_scratch,
        .parallel_for = host_parallel_for,
        .team = host_team,
        .alloc = host_alloc,
        .release = host_release,
        .scratch = host_scratch,
        .scratch_field = host_scratch_field,
        .swap_fields = host_swap_fields,
        .field_info = host_field_info,
        .params_at = host_params_at,
        .activate = host_activate,
        .fail = host_fail,
        .log = host_log,
        .metric = host_metric,
        .cancelled = host_cancelled,
        .extension = host_extension,
        .find_stage = host_find_stage,
        .find_field = host_find_field,
        .output = host_output,
    };
}
