// SPDX-License-Identifier: Apache-2.0
/* Building a chain from a preset and taking it down again. */
#include "chain.h"
#include "checkpoint/schedule.h"
#include "base/memory/account.h"
#include "base/alloc.h"
#include "base/machine.h"
#include "base/transport.h"
#include "resolved.h"
#include "run/ranks/rotation.h"
#include "run/wire/wire.h"

static enum bw_status workers_build(struct bw_chain *c)
{
    uint32_t n = c->opt.threads ? c->opt.threads : bw_threads_usual();
    c->workers = bw_workers_create(n > 256 ? 256 : n);
    if (!c->workers) return BW_ERR_MEMORY;
    n = bw_workers_count(c->workers);
    c->arena = bw_calloc(n * sizeof *c->arena);
    if (!c->arena) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        if (!(c->arena[i] = bw_arena_create())) return BW_ERR_MEMORY;
    c->host.workers = c->workers;
    c->host.arena = c->arena;
    return BW_OK;
}

/* Connect the parts: each gets pointers to those below it. */
static void parts_join(struct bw_chain *c)
{
    const struct bw_preset *p = c->preset;
    where_init(&c->where, c->opt.out);
    c->outputs = (struct outputs){.folder = c->opt.out,
                                  .on_file = c->opt.on_file,
                                  .user = c->opt.user,
                                  .log = &c->log,
                                  .claims = {.log = &c->log},
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    c->metrics =
        (struct metrics){.outputs = &c->outputs, .file = "metrics.csv", .heading = "frame,time,substeps,cells"};
    c->timings =
        (struct metrics){.outputs = &c->outputs, .file = "timings.csv", .heading = "frame,seconds,resident_bytes"};
    c->fields = (struct field_table){.preset = p, .log = &c->log};
    c->exporters = (struct exporter_list){.preset = p,
                                          .registry = c->registry,
                                          .bake = &c->bake,
                                          .grid = c->grid,
                                          .cancel = c->opt.cancel,
                                          .log = &c->log,
                                          .where = &c->where,
                                          .outputs = &c->outputs,
                                          .parts = SNAPSHOT_FIRST | SNAPSHOT_TURNS};
    exporters_init(&c->exporters);
    writer_init(&c->writer, &c->exporters, schedule_write, c);
    c->host = (struct run_host){.preset = p,
                                .clock = &c->clock,
                                .cancel = c->opt.cancel,
                                .guard = c->opt.guard,
                                .log = &c->log,
                                .metrics = &c->metrics,
                                .timings = &c->timings,
                                .outputs = &c->outputs,
                                .fields = &c->fields,
                                .stages = &c->stages,
                                .domains = c->domain};
}

static enum bw_status domains_build(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->preset->n_domains; i++) {
        const struct bw_preset_domain *p = &c->preset->domain[i];
        if (!(c->domain[i] = bw_domain_create(&p->info, p->margin))) return BW_ERR_MEMORY;
        c->grid[i] = &c->domain[i]->info;
    }
    for (int32_t i = 0; i + 1 < c->preset->n_domains; i++)
        if ((c->domain[i]->flow_cells = c->preset->domain[i].flow) > 1) c->domain[i]->flow = c->domain[i + 1];
    return BW_OK;
}

/* Of a stage that splits the half on amounts is the first: the flow carries them as the step finds it. */
static enum bw_status halves_add(struct bw_chain *c, const struct stage_parts *parts,
                                 const struct bw_preset_stage *preset)
{
    enum bw_status status = stage_add(&c->stages, parts, preset, false);
    if (status != BW_OK || !c->domain[0]->flow || preset->domain) return status;
    const struct run_stage *first = &c->stages.stage[c->stages.n - 1];
    return first->pub.desc->flags & BW_STAGE_SPLITS ? stage_add(&c->stages, parts, preset, true) : BW_OK;
}

/* After a mistake they go on: all of them are worth knowing. */
static enum bw_status entries_build(struct bw_chain *c)
{
    const struct bw_preset *p = c->preset;
    const struct stage_parts parts = {&c->log, p, c->registry, c->domain, &c->host.pub, &c->where};
    enum bw_status first = BW_OK;
    c->stages.stage = bw_calloc((size_t)(2 * p->n_stages + 1) * sizeof *c->stages.stage);
    c->exporters.exporter = bw_calloc((size_t)(p->n_exports + 1) * sizeof *c->exporters.exporter);
    if (!c->stages.stage || !c->exporters.exporter) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < p->n_stages; i++) {
        enum bw_status status = p->stage[i].enabled ? halves_add(c, &parts, &p->stage[i]) : BW_OK;
        if (status == BW_ERR_MEMORY) return status;
        if (first == BW_OK) first = status;
    }
    for (int32_t i = 0; i < p->n_exports; i++) {
        enum bw_status status = p->export[i].enabled ? exporter_add(&c->exporters, &p->export[i]) : BW_OK;
        if (status == BW_ERR_MEMORY) return status;
        if (first == BW_OK) first = status;
    }
    return first;
}

/* What all pictures share is known to one of their exporters. */
static enum bw_status shared_check(struct bw_chain *c)
{
    const struct bw_preset *p = c->preset;
    struct bw_table *table = bw_calloc((size_t)(p->n_exports + 1) * sizeof *table);
    uint32_t n = 0;
    if (!table) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < p->n_exports; i++) {
        const struct bw_entry *e = bw_registry_exporter(c->registry, p->export[i].type);
        if (e && bw_exporter_pictures(e->exporter))
            table[n++] = (struct bw_table){e->exporter->params, e->exporter->n_params, true};
    }
    enum bw_status status = bw_preset_check_look(p, table, n, c->log.diag);
    bw_free(table);
    return status;
}

/* Claim the names that the bake itself writes, then those of exporters: no two write the same file. */
static enum bw_status outputs_plan(struct bw_chain *c)
{
    static const char *const own[] = {"metrics.csv", "timings.csv", "resolved.yaml",
                                      "bake.log",    "bake.json",   "bake.journal"};
    enum bw_status status = BW_OK;
    for (uint32_t i = 0; i < BW_COUNT(own) && status == BW_OK; i++)
        status = claims_take(&c->outputs.claims, output_owner_bake, own[i]);
    return status == BW_OK ? exporters_plan(&c->exporters, &c->fields) : status;
}

static enum bw_status parts_build(struct bw_chain *c)
{
    parts_join(c);
    enum bw_status status = workers_build(c);
    if (status == BW_OK) status = domains_build(c);
    if (status != BW_OK) return status;
    host_init(&c->host, c->opt.simd);
    status = entries_build(c);
    if (status == BW_OK) status = shared_check(c);
    if (status == BW_OK) status = wire(&c->fields, &c->stages, c->domain);
    return status == BW_OK ? outputs_plan(c) : status;
}

struct bw_chain *bw_chain_create(const struct bw_preset *p, const struct bw_registry *r, const struct bw_run_options *o,
                                 struct bw_diag *d)
{
    struct bw_chain *c = bw_calloc(sizeof *c);
    if (!c) {
        bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for the chain");
        return NULL;
    }
    c->preset = p;
    c->registry = r;
    c->opt = *o;
    log_init(&c->log, o->on_log, o->user);
    c->log.diag = d;
    c->account = c->log.account = bw_account_open();
    c->bake = (struct bw_bake_info){.size = sizeof c->bake,
                                    .name = p->name,
                                    .dir = o->out,
                                    .version = "Billow " BW_VERSION,
                                    .preset_hash = c->flow,
                                    .seed = p->time.seed,
                                    .fps = p->time.fps,
                                    .first = p->time.write_first,
                                    .last = p->time.write_last,
                                    .ambient = p->ambient,
                                    .quick = o->quick != 0,
                                    .ranks = 1};
    struct bw_account *const before = bw_account_use(c->account);
    enum bw_status status = c->account ? parts_build(c) : BW_ERR_MEMORY;
    if (status == BW_OK) status = resolved_hash(c);
    bw_account_use(before);
    if (status != BW_OK) {
        if (d->status == BW_OK)
            bw_diag_error(d, NULL, status,
                          status == BW_ERR_MEMORY ? "out of memory for the chain" : "the chain cannot be built");
        bw_chain_free(c);
        return NULL;
    }
    c->bake.simd = c->host.pub.simd;
    c->bake.workers = c->host.pub.workers;
    c->log.diag = NULL;
    return c;
}

enum bw_status bw_chain_end(struct bw_chain *c, struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->stages.n; i++) c->stages.stage[i].failed = false; /* of the run, and told */
    c->log.diag = d;
    stages_end(&c->stages);
    exporters_end(&c->exporters);
    c->log.diag = NULL;
    for (int32_t i = 0; i < c->stages.n && status == BW_OK; i++)
        if (c->stages.stage[i].failed) status = c->stages.stage[i].fail_status;
    return status;
}

void bw_chain_ranks(struct bw_chain *c, struct bw_transport *ranks)
{
    c->ranks = ranks;
    c->bake.ranks = ranks ? (uint32_t)ranks->size : 1;
}

void bw_chain_hold_outputs(struct bw_chain *c) { outputs_hold(&c->outputs); }

void bw_chain_set_folder(struct bw_chain *c, const char *out) { c->opt.out = c->outputs.folder = c->bake.dir = out; }

void bw_chain_outputs(struct bw_chain *c, void (*name)(const char *name, void *user), void *user)
{
    claims_each(&c->outputs.claims, name, user);
}

void bw_chain_frame_outputs(struct bw_chain *c, int64_t frame, void (*name)(const char *name, void *user), void *user)
{
    exporters_names(&c->exporters, frame, name, user);
}

void bw_chain_until(struct bw_chain *c, int64_t frame) { c->until = frame, c->partial = true; }

void bw_chain_free(struct bw_chain *c)
{
    if (!c) return;
    c->log.diag = NULL;
    stages_free(&c->stages);
    exporters_free(&c->exporters);
    remote_writer_free(&c->collective.remote);
    outputs_close(&c->outputs);
    claims_free(&c->outputs.claims);
    metrics_free(&c->metrics);
    metrics_free(&c->timings);
    fields_free(&c->fields);
    for (int32_t i = 0; i < BW_MAX_DOMAINS; i++) bw_domain_destroy(c->domain[i]);
    for (uint32_t i = 0; c->arena && i < bw_workers_count(c->workers); i++) bw_arena_destroy(c->arena[i]);
    bw_free(c->arena);
    bw_workers_destroy(c->workers);
    writer_free(&c->writer);
    for (int32_t i = 0; i < c->n_parts; i++) bw_free(c->part[i].name);
    bw_free(c->part);
    log_free(&c->log);
    bw_account_close(c->account);
    bw_free(c);
}
