// SPDX-License-Identifier: Apache-2.0
/* Shapes of a preset's stages, as JSON, read from their parameters: every variant whose chosen form has a "center",
 * with all numbers of that form. No stage runs for it, so it works during and after a bake. */
#include "job/job.h"
#include "preset/preset.h"
#include "preset/sections.h"
#include "preset/values/params.h"

#include <string.h>

/// A stage whose rows are searched.
struct shape_search {
    const struct bw_preset_stage *stage;
    int on;
    json_t *shapes;
};

static json_t *triple(const double x[3]) { return json_pack("[f, f, f]", x[0], x[1], x[2]); }

/// The numbers of a form.
static void numbers_put(json_t *o, const struct bw_param *rows, uint32_t n, const char *values)
{
    for (uint32_t i = 0; i < n; i++) {
        const void *at = values + rows[i].offset;
        if (rows[i].type == BW_PARAM_VEC3) json_object_set_new(o, rows[i].key, triple(at));
        if (rows[i].type == BW_PARAM_F64) json_object_set_new(o, rows[i].key, json_real(*(const double *)at));
    }
}

static int has_center(const struct bw_param *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].type == BW_PARAM_VEC3 && !strcmp(rows[i].key, "center")) return 1;
    return 0;
}

static void rows_collect(const struct shape_search *t, const struct bw_param *rows, uint32_t n, const char *values);

static void variant_collect(const struct shape_search *t, const struct bw_param *row, const char *values)
{
    const int32_t kind = *(const int32_t *)values;
    if (kind < 0 || (uint32_t)kind >= row->n_sub) return;
    const struct bw_param *form = &row->sub[kind];
    const char *own = values + form->offset;
    if (form->type != BW_PARAM_GROUP) return;
    rows_collect(t, form->sub, form->n_sub, own);
    if (!has_center(form->sub, form->n_sub)) return;
    json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "stage", t->stage->id, "type", t->stage->type, "kind", form->key,
                          "on", t->on);
    numbers_put(o, form->sub, form->n_sub, own);
    json_array_append_new(t->shapes, o);
}

static void rows_collect(const struct shape_search *t, const struct bw_param *rows, uint32_t n, const char *values)
{
    for (uint32_t i = 0; i < n; i++) {
        if (rows[i].type == BW_PARAM_VARIANT) variant_collect(t, &rows[i], values + rows[i].offset);
        if (rows[i].type == BW_PARAM_GROUP && rows[i].n_sub)
            rows_collect(t, rows[i].sub, rows[i].n_sub, values + rows[i].offset);
    }
}

static void stage_collect(const struct job *j, const struct bw_preset_stage *stage, int64_t frame, json_t *shapes,
                          struct bw_diag *d)
{
    const struct bw_preset *p = j->preset;
    const struct bw_entry *e = stage->enabled ? bw_registry_stage(j->session->registry, stage->type) : NULL;
    const struct bw_stage_desc *desc = e ? e->stage : NULL;
    struct bw_params_context ctx = {.owner = stage->id, .fps = p->time.fps, .first = p->time.first};
    ctx.seed = p->time.seed;
    ctx.ambient = p->ambient;
    ctx.common = bw_stage_rows;
    ctx.n_common = bw_stage_n_rows;
    if (!desc || !desc->n_params) return;
    char *values = bw_calloc(desc->params_size + 8);
    struct bw_params *params =
        values ? bw_params_compile(desc->params, desc->n_params, desc->params_size, stage->node, &ctx, d) : NULL;
    const struct shape_search t = {stage, (double)frame > stage->frame_from && (double)frame <= stage->frame_to,
                                   shapes};
    const double time = (double)(frame - p->time.first) / p->time.fps;
    if (params && bw_params_eval(params, time, 0, values, d) == BW_OK)
        rows_collect(&t, desc->params, desc->n_params, values);
    bw_params_free(params);
    bw_free(values);
}

/// One without limits has no box.
static json_t *domain_json(const struct bw_preset_domain *p)
{
    const struct bw_domain_info *d = &p->info;
    double hi[3];
    for (int a = 0; a < 3; a++) hi[a] = d->origin[a] + d->n[a] * d->h;
    json_t *o = json_pack("{s:s, s:f}", "name", p->name, "voxel", d->h);
    if (d->n[0] <= 0) return o;
    json_object_set_new(o, "lo", triple(d->origin));
    json_object_set_new(o, "hi", triple(hi));
    return o;
}

char *bw_bake_outlines(struct bw_bake *bake, int64_t frame)
{
    struct api_call api;
    struct bw_diag ignored = {0}; // stages with errors are left out
    char *text = NULL;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j) {
        json_t *domains = json_array(), *shapes = json_array();
        for (int32_t i = 0; i < j->preset->n_domains; i++)
            json_array_append_new(domains, domain_json(&j->preset->domain[i]));
        for (int32_t i = 0; i < j->preset->n_stages; i++)
            stage_collect(j, &j->preset->stage[i], frame, shapes, &ignored);
        text = json_text(json_pack("{s:o, s:o}", "domains", domains, "shapes", shapes),
                         JSON_COMPACT | JSON_REAL_PRECISION(12), &api.d);
        object_unref(&j->o);
    }
    bw_diag_free(&ignored);
    api_leave(&api);
    return text;
}
