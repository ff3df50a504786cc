// SPDX-License-Identifier: Apache-2.0
/* probe: values of fields at named points as metrics NAME_FIELD (vectors: NAME_FIELD_x, _y, _z), trilinear, after each
 * step. Points may lie in any tile, active or not. */
#include "stages.h"
#include <common/ranks.h>

#include <stdio.h>

#define NAME_MAX_BYTES 128

struct name {
    const char *text;
};

struct point {
    const char *name;
    bw_vec3 at;
    struct bw_list fields;
};

struct probe {
    struct bw_list fields, points;
};

static const struct bw_param field_rows[] = {
    {.type = BW_PARAM_FIELD,
     .offset = BW_OFFSET(struct name, text, const char *),
     .doc = "A field.",
     .flags = BW_PARAM_STATIC},
};
static const struct bw_param point_rows[] = {
    BW_STRING(struct point, name, "name", NULL, "The metric's first word.", BW_PARAM_REQUIRED),
    BW_VEC3(struct point, at, "at", NULL, "m", "Where.", BW_PARAM_REQUIRED),
    BW_LIST(struct point, fields, struct name, "fields", field_rows, "Fields to read here; default: the stage's."),
};
static const struct bw_param params[] = {
    BW_LIST(struct probe, fields, struct name, "fields", field_rows, "Fields to read at every point that names none."),
    {.key = "points",
     .type = BW_PARAM_LIST,
     .offset = BW_OFFSET(struct probe, points, struct bw_list),
     .doc = "The points.",
     .flags = BW_PARAM_STATIC | BW_PARAM_REQUIRED,
     .n_sub = BW_COUNT(point_rows),
     .sub = point_rows,
     .sub_size = sizeof(struct point)},
};

/* Points name their fields deep in a list, where no port row reaches: they are looked up by name instead, so a probe
 * may also read fields of other domains ("low.density"). */
static const struct bw_list *point_fields(const struct probe *p, const struct point *point)
{
    return point->fields.count ? &point->fields : &p->fields;
}

static const char *list_name(const struct bw_list *list, int64_t i)
{
    return ((const struct name *)list->items)[i].text;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct probe *p = s->params;
    const struct point *point = p->points.items;
    for (int64_t i = 0; i < p->points.count; i++) {
        const struct bw_list *list = point_fields(p, &point[i]);
        if (!list->count)
            return s->host->fail(s, BW_ERR_PRESET, "point \"%s\" names no fields, and neither does the stage",
                                 point[i].name);
        for (int64_t k = 0; k < list->count; k++)
            if (!s->host->find_field(s, list_name(list, k)))
                return s->host->fail(s, BW_ERR_PRESET, "point \"%s\" names field \"%s\"; no stage makes it",
                                     point[i].name, list_name(list, k));
        for (int64_t k = 0; k < i; k++)
            for (const char *a = point[i].name, *b = point[k].name; *a == *b; a++, b++)
                if (!*a) return s->host->fail(s, BW_ERR_PRESET, "two points are named \"%s\"", point[i].name);
    }
    return BW_OK;
}

static enum bw_status point_read(struct bw_stage *s, const struct point *point, const char *field)
{
    static const char *const suffix[] = {"_x", "_y", "_z"};
    struct bw_field *f = s->host->find_field(s, field);
    if (!f) return s->host->fail(s, BW_ERR_PRESET, "field \"%s\" has gone", field);
    uint32_t comps = s->host->field_info(f)->comps;
    double value[3];
    enum bw_status status = ranks_sample(s, f, 1, (const bw_vec3 *)&point->at, value);
    if (status) return status;
    for (uint32_t c = 0; c < comps; c++) {
        char name[NAME_MAX_BYTES];
        snprintf(name, sizeof name, "%s_%s%s", point->name, field, comps > 1 ? suffix[c] : "");
        s->host->metric(s, name, value[c], BW_METRIC_LAST);
    }
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct probe *p = s->params;
    const struct point *point = p->points.items;
    enum bw_status status = BW_OK;
    for (int64_t i = 0; i < p->points.count && !status; i++) {
        const struct bw_list *list = point_fields(p, &point[i]);
        for (int64_t k = 0; k < list->count && !status; k++) status = point_read(s, &point[i], list_name(list, k));
    }
    return status;
}

const struct bw_stage_desc measure_probe_desc = {
    .id = "probe",
    .version = "1.0",
    .brief = "Values of fields at points as metrics.",
    .params_size = sizeof(struct probe),
    BW_PARAMS(params),
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP, // the initial state is read too
    .init = init,
    .step = step,
};
