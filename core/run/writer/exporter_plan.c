// SPDX-License-Identifier: Apache-2.0
/* Exporters before a bake: the files that they will write, and whether what they name is there. */
#include "exporter.h"
#include "base/alloc.h"
#include <stdio.h>
#include <string.h>

/* ---- a frame without values ---- */

static void particles_plan(const struct run_field *f, struct bw_snapshot_particles *p)
{
    const uint32_t n = bw_particles_attributes(f->particles, NULL);
    struct bw_attribute *rows = bw_calloc(((size_t)n + 1) * sizeof *rows);
    *p = (struct bw_snapshot_particles){.name = f->name, .attributes = rows, .n_attributes = rows ? n : 0};
    if (rows) bw_particles_attributes(f->particles, rows);
}

enum bw_status planned_frame_make(const struct run_exporter *x, int64_t number, struct bw_frame *frame)
{
    const struct exporter_list *list = x->list;
    const struct field_table *t = list->fields;
    const size_t most = (size_t)t->n + 1;
    struct bw_snapshot_field *fields = bw_calloc(most * sizeof *fields), *others = bw_calloc(most * sizeof *others);
    struct bw_snapshot_particles *particles = bw_calloc(most * sizeof *particles);
    *frame = (struct bw_frame){.size = sizeof *frame,
                               .number = number,
                               .first = list->bake->first,
                               .last = list->bake->last,
                               .time = (double)(number - list->preset->time.first) / list->bake->fps,
                               .fps = list->bake->fps,
                               .fields = fields,
                               .others = others,
                               .particles = particles};
    bool well = fields && others && particles;
    for (int32_t i = 0; i < t->n && well; i++) {
        const struct run_field *f = &t->field[i];
        if (f->particles) {
            particles_plan(f, &particles[frame->n_particles]);
            well = particles[frame->n_particles++].attributes;
        }
        if (!f->field) continue;
        if (f->domain == x->domain) fields[frame->n_fields++].info = &f->field->info;
        else others[frame->n_others++].info = &f->field->info;
    }
    if (well) return BW_OK;
    planned_frame_free(frame);
    return log_fail(list->log, &x->preset->place, BW_ERR_MEMORY, "%s: out of memory", x->pub.id);
}

void planned_frame_free(struct bw_frame *frame)
{
    for (uint32_t i = 0; i < frame->n_particles; i++) bw_free((void *)(intptr_t)frame->particles[i].attributes);
    bw_free((void *)(intptr_t)frame->fields);
    bw_free((void *)(intptr_t)frame->others);
    bw_free((void *)(intptr_t)frame->particles);
}

static enum bw_status names_each(struct run_exporter *x, int64_t number, bw_output_name_fn name, void *user)
{
    struct bw_frame frame;
    if (!x->pub.desc->outputs) return BW_OK;
    const enum bw_status status = planned_frame_make(x, number, &frame);
    if (status != BW_OK) return status;
    const struct where_was was = exporter_enter(x, "outputs", number);
    x->pub.desc->outputs(&x->pub, &frame, name, user);
    exporter_leave(x, &was);
    planned_frame_free(&frame);
    return BW_OK;
}

void exporters_names(struct exporter_list *list, int64_t number, bw_output_name_fn name, void *user)
{
    for (int32_t i = 0; i < list->n; i++) names_each(&list->exporter[i], number, name, user);
}

/* ---- who writes what ---- */

struct plan {
    struct run_exporter *x;
    enum bw_status status;
};

static void name_take(const char *name, void *user)
{
    struct plan *p = user;
    if (p->status == BW_OK) p->status = claims_take(&p->x->list->outputs->claims, exporter_owner(p->x), name);
}

/* Names of sequences with as many digits as each other meet in the first frame, others, if at all, in the last. */
static enum bw_status names_claim(struct run_exporter *x)
{
    const struct bw_bake_info *bake = x->list->bake;
    struct plan p = {x, BW_OK};
    enum bw_status status = names_each(x, bake->first, name_take, &p);
    if (status == BW_OK) status = names_each(x, bake->last, name_take, &p);
    return status == BW_OK ? p.status : status;
}

/* ---- what parameters name ---- */

/* A field that an exporter names is there, or it is said now and not when the first frame is written; so are particles.
 * They belong to no domain: every exporter has all. */
static enum bw_status name_check(const struct run_exporter *x, const char *name, bool particles)
{
    enum { MOST = 64 };
    const struct field_table *fields = x->list->fields;
    const char *words[MOST] = {NULL};
    char have[400] = "none";
    size_t used = 0;
    uint32_t n = 0;
    if (!name || !*name) return BW_OK;
    for (int32_t i = 0; i < fields->n; i++) {
        const struct run_field *f = &fields->field[i];
        if (particles != (f->particles != NULL) || (!particles && f->domain != x->domain)) continue;
        if (!strcmp(f->name, name)) return BW_OK;
        if (n < MOST) words[n++] = f->name;
        if (used + strlen(f->name) + 3 > sizeof have) continue;
        used += (size_t)snprintf(have + used, sizeof have - used, "%s%s", used ? ", " : "", f->name);
    }
    const char *near = bw_did_you_mean(name, words, n);
    return log_fail(x->list->log, &x->preset->place, BW_ERR_PRESET, "%s: there %s \"%s\"%s%s%s; the %s are %s",
                    x->pub.id, particles ? "are no particles" : "is no field", name,
                    near ? particles ? ", but some by the name \"" : ", but one by the name \"" : "", near ? near : "",
                    near ? "\"" : "", particles ? "particles" : "fields", have);
}

static enum bw_status rows_check(const struct run_exporter *x, const struct bw_param *row, uint32_t n,
                                 const char *values)
{
    enum bw_status status = BW_OK;
    for (uint32_t i = 0; i < n && status == BW_OK; i++) {
        const char *at = values + row[i].offset;
        const struct bw_list *list = (const void *)at;
        const struct bw_amount *amount = row[i].type == BW_PARAM_AMOUNTS ? list->items : NULL;
        if (row[i].type == BW_PARAM_FIELD)
            status = name_check(x, *(const char *const *)(const void *)at, row[i].flags & BW_PARAM_PARTICLES);
        if (row[i].type == BW_PARAM_GROUP) status = rows_check(x, row[i].sub, row[i].n_sub, at);
        for (int64_t k = 0; row[i].type == BW_PARAM_LIST && k < list->count && status == BW_OK; k++)
            status = rows_check(x, row[i].sub, row[i].n_sub, (const char *)list->items + k * row[i].sub_size);
        for (int64_t k = 0; amount && k < list->count && status == BW_OK; k++)
            status = name_check(x, amount[k].field, false);
    }
    return status;
}

enum bw_status exporters_plan(struct exporter_list *list, const struct field_table *fields)
{
    enum bw_status first = BW_OK;
    list->fields = fields;
    for (int32_t i = 0; i < list->n; i++) {
        struct run_exporter *x = &list->exporter[i];
        enum bw_status status = names_claim(x);
        if (status == BW_OK) status = rows_check(x, x->pub.desc->params, x->pub.desc->n_params, x->param_mem);
        if (first == BW_OK) first = status;
    }
    return first;
}
