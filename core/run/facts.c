// SPDX-License-Identifier: Apache-2.0
/* A chain's fields, metrics and wiring as text and numbers, for --dry-run, tests and tools. */
#include "chain.h"
#include "base/alloc.h"
#include "run/wire/ports.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bw_field *bw_chain_field(const struct bw_chain *c, const char *name)
{
    const struct run_field *f = fields_find(&c->fields, name, 0);
    return f ? f->field : NULL;
}

struct bw_particles *bw_chain_particles(const struct bw_chain *c, const char *name)
{
    const struct run_field *f = fields_find(&c->fields, name, 0);
    return f ? f->particles : NULL;
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

static double field_cells(const struct run_field *f)
{
    const struct bw_domain_info *d = f->field ? &f->field->domain->info : NULL;
    return d && bw_bounded(d) ? (double)d->n[0] * d->n[1] * d->n[2] : 0;
}

static double field_bytes(const struct run_field *f)
{
    return f->field ? field_cells(f) * f->field->elem * f->field->info.comps : 0;
}

double bw_chain_memory_estimate(const struct bw_chain *c)
{
    double bytes = 64e6;
    for (int32_t i = 0; i < c->fields.n; i++) {
        const struct run_field *f = &c->fields.field[i];
        bytes += field_bytes(f);
        if (f->kind == BW_MAC) bytes += field_cells(f) * 40; /* the passes' scratch and the solver's levels */
    }
    return bytes;
}

double bw_chain_state_estimate(const struct bw_chain *c)
{
    double bytes = 0;
    for (int32_t i = 0; i < c->fields.n; i++)
        if (c->fields.field[i].lifetime != BW_STEP) bytes += field_bytes(&c->fields.field[i]);
    return bytes;
}

double bw_chain_metric(const struct bw_chain *c, const char *name)
{
    double value = metrics_last(&c->metrics, name);
    return isnan(value) ? metrics_last(&c->timings, name) : value;
}

struct chain_snapshot *snapshot_take(const struct bw_chain *c, int64_t number)
{
    return snapshot_make(&c->fields, &(struct bw_frame){.size = sizeof(struct bw_frame),
                                                        .number = number,
                                                        .first = c->bake.first,
                                                        .last = c->bake.last,
                                                        .time = c->clock.time,
                                                        .fps = c->bake.fps,
                                                        .flame_kelvin = c->flame_kelvin});
}

static void describe_field(const struct bw_chain *c, FILE *f, const struct bw_field *field)
{
    bool several = c->preset->n_domains > 1;
    fprintf(f, " %s:%s%s%s", port_kind_word[field->info.kind], several ? field->info.domain->name : "",
            several ? "." : "", field->name);
}

char *bw_chain_describe(const struct bw_chain *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct run_stage *s = &c->stages.stage[i];
        bool named = strcmp(s->pub.id, s->pub.desc->id) != 0, several = c->preset->n_domains > 1;
        fprintf(f, "%2d. %s%s%s%s%s%s\n", i + 1, s->pub.id, named ? " (" : "", named ? s->pub.desc->id : "",
                named ? ")" : "", several ? " in " : "", several ? s->pub.grid->name : "");
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++) {
            struct bw_port p = port_row(s, k);
            fprintf(f, "      %-7s %-12s",
                    p.access == BW_READ || p.access == BW_READ_LAST ? "reads"
                    : p.access == BW_UPDATE                         ? "updates"
                                                                    : "writes",
                    p.name);
            for (uint32_t q = 0; q < s->bound[k].count && s->bound[k].fields; q++)
                describe_field(c, f, s->bound[k].fields[q]);
            fputs(s->bound[k].count ? "\n" : " (none)\n", f);
        }
    }
    fclose(f);
    char *copy = bw_strdup(text);
    free(text);
    return copy;
}

struct where_bake *bw_chain_where(struct bw_chain *c) { return &c->where; }
