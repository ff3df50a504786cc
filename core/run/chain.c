// SPDX-License-Identifier: Apache-2.0
/* Building a chain from a preset and taking it down again. */
#include "chain.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int32_t chain_domain_index(struct bw_chain *c, const char *name, const struct bw_place *at, const char *who)
{
    if (!name) return 0;
    const char *known[BW_MAX_DOMAINS];
    for (int32_t i = 0; i < c->preset->n_domains; i++) {
        known[i] = c->preset->domain[i].name;
        if (!strcmp(name, known[i])) return i;
    }
    const char *near = bw_did_you_mean(name, known, (uint32_t)c->preset->n_domains);
    chain_fail(c, at, BW_ERR_PRESET, "%s: there is no domain \"%s\"%s%s%s", who, name, near ? "; did you mean \"" : "",
               near ? near : "", near ? "\"?" : "");
    return -1;
}

static enum bw_status unknown_type(struct bw_chain *c, const char *what, const char *type, const struct bw_place *at,
                                   bool stage)
{
    const char *known[512];
    uint32_t n = 0;
    for (int32_t i = 0; i < c->registry->n_entries && n < 512; i++)
        if ((c->registry->entry[i].stage != NULL) == stage) known[n++] = c->registry->entry[i].id;
    const char *near = bw_did_you_mean(type, known, n);
    return chain_fail(c, at, BW_ERR_PRESET, "unknown %s \"%s\"%s%s%s", what, type, near ? "; did you mean \"" : "",
                      near ? near : "", near ? "\"?" : "");
}

static struct bw_params_context params_context(const struct bw_chain *c, const char *owner, bool stage)
{
    return (struct bw_params_context){.owner = owner,
                                      .fps = c->preset->time.fps,
                                      .first = c->preset->time.first,
                                      .seed = c->preset->time.seed,
                                      .common = stage ? bw_stage_rows : bw_export_rows,
                                      .n_common = stage ? bw_stage_n_rows : bw_export_n_rows};
}

static enum bw_status stage_build(struct bw_chain *c, const struct bw_preset_stage *p)
{
    struct chain_stage *s = &c->stage[c->n_stages];
    const struct bw_entry *e = bw_registry_stage(c->registry, p->type);
    if (!e) return unknown_type(c, "stage", p->type, &p->place, true);
    s->chain = c;
    s->entry = e;
    s->preset = p;
    s->domain = chain_domain_index(c, p->domain, &p->place, p->id);
    if (s->domain < 0) return BW_ERR_PRESET;
    struct bw_params_context ctx = params_context(c, p->id, true);
    s->params = bw_params_compile(e->stage->params, e->stage->n_params, e->param_stride, e->stage->params_size, p->node,
                                  &ctx, c->diag);
    if (!s->params) return c->diag->status != BW_OK ? c->diag->status : BW_ERR_MEMORY;
    c->n_stages++; /* from here on chain_free takes care of it */
    for (int i = 0; i < 4; i++)
        if (!(s->param_mem[i] = bw_calloc(e->stage->params_size + 8))) return BW_ERR_MEMORY;
    s->scratch = bw_arena_create();
    uint64_t seed = c->preset->time.seed;
    for (const char *q = p->id; *q; q++) seed = bw_rng(seed, (unsigned char)*q);
    s->pub = (struct bw_stage){.host = &c->host,
                               .desc = e->stage,
                               .id = p->id,
                               .params = s->param_mem[0],
                               .state = bw_calloc(e->stage->state_size + 8),
                               .domain = c->domain[s->domain],
                               .grid = &c->domain[s->domain]->info,
                               .fps = c->preset->time.fps,
                               .seed = seed,
                               .host_data = s};
    if (!s->scratch || !s->pub.state) return BW_ERR_MEMORY;
    s->next_slot = 1;
    return chain_stage_params(s, 0);
}

static enum bw_status exporter_build(struct bw_chain *c, const struct bw_preset_export *p)
{
    struct chain_exporter *x = &c->exporter[c->n_exporters];
    const struct bw_entry *e = bw_registry_exporter(c->registry, p->type);
    if (!e) return unknown_type(c, "exporter", p->type, &p->place, false);
    x->chain = c;
    x->entry = e;
    x->preset = p;
    x->domain = chain_domain_index(c, p->domain, &p->place, p->id);
    if (x->domain < 0) return BW_ERR_PRESET;
    struct bw_params_context ctx = params_context(c, p->id, false);
    x->params = bw_params_compile(e->exporter->params, e->exporter->n_params, e->param_stride, e->exporter->params_size,
                                  p->node, &ctx, c->diag);
    if (!x->params) return c->diag->status != BW_OK ? c->diag->status : BW_ERR_MEMORY;
    c->n_exporters++;
    x->param_mem = bw_calloc(e->exporter->params_size + 8);
    x->pub = (struct bw_exporter){.host = &c->exporter_host,
                                  .desc = e->exporter,
                                  .id = p->id,
                                  .params = x->param_mem,
                                  .state = bw_calloc(e->exporter->state_size + 8),
                                  .bake = &c->bake,
                                  .host_data = x,
                                  .n_domains = (uint32_t)c->preset->n_domains,
                                  .domain = (uint32_t)x->domain,
                                  .domains = c->grid};
    return x->param_mem && x->pub.state ? chain_params(c, x->params, 0, 0, x->param_mem) : BW_ERR_MEMORY;
}

static enum bw_status workers_build(struct bw_chain *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = c->opt.threads ? c->opt.threads : cores > 0 ? (uint32_t)cores : 1;
    c->workers = bw_workers_create(n > 256 ? 256 : n);
    if (!c->workers) return BW_ERR_MEMORY;
    n = bw_workers_count(c->workers);
    c->arena = bw_calloc(n * sizeof *c->arena);
    if (!c->arena) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        if (!(c->arena[i] = bw_arena_create())) return BW_ERR_MEMORY;
    return BW_OK;
}

static enum bw_status parts_build(struct bw_chain *c)
{
    const struct bw_preset *p = c->preset;
    enum bw_status first = workers_build(c);
    for (int32_t i = 0; i < p->n_domains && first == BW_OK; i++)
        if (!(c->domain[i] = bw_domain_create(&p->domain[i].info, p->domain[i].margin))) first = BW_ERR_MEMORY;
        else c->grid[i] = &c->domain[i]->info;
    if (first != BW_OK) return first;
    chain_host_init(c);
    chain_exporter_host_init(c);
    c->stage = bw_calloc((size_t)(p->n_stages + 1) * sizeof *c->stage);
    c->exporter = bw_calloc((size_t)(p->n_exports + 1) * sizeof *c->exporter);
    if (!c->stage || !c->exporter) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < p->n_stages; i++) { /* go on after a mistake: all of them are worth knowing */
        enum bw_status st = p->stage[i].enabled ? stage_build(c, &p->stage[i]) : BW_OK;
        if (st == BW_ERR_MEMORY) return st;
        if (first == BW_OK) first = st;
    }
    for (int32_t i = 0; i < p->n_exports; i++) {
        enum bw_status st = p->export[i].enabled ? exporter_build(c, &p->export[i]) : BW_OK;
        if (st == BW_ERR_MEMORY) return st;
        if (first == BW_OK) first = st;
    }
    if (first == BW_OK) first = chain_wire(c);
    return first == BW_OK ? chain_outputs_plan(c) : first;
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
    c->diag = d;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->writer_wake, NULL);
    c->bake = (struct bw_bake_info){.size = sizeof c->bake,
                                    .name = p->name,
                                    .dir = o->out,
                                    .version = "Billow " BW_VERSION,
                                    .preset_hash = c->hash,
                                    .seed = p->time.seed,
                                    .fps = p->time.fps,
                                    .first = p->time.write_first,
                                    .last = p->time.write_last,
                                    .ambient = p->ambient,
                                    .quick = o->quick != 0};
    enum bw_status st = parts_build(c);
    if (st == BW_OK) st = chain_hash(c);
    if (st != BW_OK) {
        if (d->status == BW_OK)
            bw_diag_error(d, NULL, st,
                          st == BW_ERR_MEMORY ? "out of memory for the chain" : "the chain cannot be built");
        bw_chain_free(c);
        return NULL;
    }
    c->bake.simd = c->host.simd;
    c->bake.workers = c->host.workers;
    c->diag = NULL;
    return c;
}

static void stage_free(struct chain_stage *s)
{
    if (s->initialised && s->pub.desc->uninit) s->pub.desc->uninit(&s->pub);
    chain_stage_scratch_end(s);
    bw_free(s->scratch_field);
    bw_arena_destroy(s->scratch);
    chain_outputs_discard(&s->outputs);
    chain_memory_free(&s->memory);
    bw_params_free(s->params);
    for (int i = 0; i < 4; i++) bw_free(s->param_mem[i]);
    for (uint32_t k = 0; s->bound && k < s->pub.desc->n_ports; k++) bw_free((void *)s->bound[k].fields);
    bw_free(s->bound);
    bw_free(s->pub.state);
}

void bw_chain_free(struct bw_chain *c)
{
    if (!c) return;
    c->diag = NULL;
    for (int32_t i = c->n_stages - 1; i >= 0; i--) stage_free(&c->stage[i]);
    bw_free(c->stage);
    chain_exporters_free(c);
    chain_claims_free(c);
    chain_metrics_free(c);
    for (int32_t i = 0; i < c->n_fields; i++) {
        bw_particles_destroy(c->field[i].particles);
        bw_free(c->field[i].name);
    }
    bw_free(c->field);
    for (int32_t i = 0; i < BW_MAX_DOMAINS; i++) bw_domain_destroy(c->domain[i]);
    for (uint32_t i = 0; c->arena && i < bw_workers_count(c->workers); i++) bw_arena_destroy(c->arena[i]);
    bw_free(c->arena);
    bw_workers_destroy(c->workers);
    pthread_cond_destroy(&c->writer_wake);
    pthread_mutex_destroy(&c->lock);
    bw_free(c);
}

int64_t bw_chain_tiles(const struct bw_chain *c)
{
    int64_t n = 0;
    for (int32_t i = 0; i < c->preset->n_domains; i++) n += c->domain[i]->topo->pub.count;
    return n;
}

void bw_chain_read(const struct bw_chain *c, const struct bw_field *f, uint32_t comp, const int32_t lo[3],
                   const int32_t n[3], double *out)
{
    (void)c;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t i = 0; i < n[0]; i++)
                *out++ = bw_fetch(&f->src, comp, (int32_t[3]){lo[0] + i, lo[1] + j, lo[2] + k});
}

double bw_chain_memory_estimate(const struct bw_chain *c)
{
    double bytes = 64e6;
    for (int32_t i = 0; i < c->n_fields; i++) {
        const struct chain_field *f = &c->field[i];
        if (!f->field || !bw_bounded(&f->field->domain->info)) continue;
        const int32_t *n = f->field->domain->info.n;
        bytes += (double)n[0] * n[1] * n[2] * f->field->elem * f->field->info.comps;
        if (f->kind == BW_MAC)
            bytes += (double)n[0] * n[1] * n[2] * 40; /* the passes' scratch and the solver's levels */
    }
    return bytes;
}
