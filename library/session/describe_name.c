// SPDX-License-Identifier: Apache-2.0
/* bw_session_describe: a stage, an exporter, a section of presets, a preset, a file, a key or a field, as JSON. */
#include "describe.h"

#include "base/alloc.h"
#include "base/file.h"
#include <string.h>

/* ---- sections of a preset ---- */

static json_t *rows_json(const char *name, const char *doc, const struct bw_param *rows, uint32_t n)
{
    return json_pack("{s:s, s:s, s:o}", "name", name, "doc", doc, "parameters", params_json(rows, n));
}

/* NULL: there is none of that name. */
static json_t *section_json(const struct session *s, const char *name)
{
    const bool look = !strcmp(name, "look"), camera = !strcmp(name, "camera");
    const struct bw_exporter_desc *pictures = look || camera ? picture_exporter_find(s) : NULL;
    if (look && pictures)
        return rows_json(name, "what all pictures and movies of a preset share", pictures->params, pictures->n_params);
    if (camera && pictures)
        return rows_json(name, "where all of them look from",
                         bw_preset_camera_row(pictures->params, pictures->n_params), 1);
    if (!strcmp(name, "preset"))
        return rows_json(name, "all of it, but for stages and export", bw_preset_rows, bw_preset_n_rows);
    if (!strcmp(name, "stages")) return rows_json(name, "what each takes", bw_stage_rows, bw_stage_n_rows);
    if (!strcmp(name, "export")) return rows_json(name, "what each takes", bw_export_rows, bw_export_n_rows);
    for (uint32_t i = 0; i < bw_preset_n_rows; i++)
        if (!strcmp(bw_preset_rows[i].key, name))
            return rows_json(name, "a section of a preset", &bw_preset_rows[i], 1);
    return NULL;
}

/* NAME.look: the parameters of a stage or exporter that `info` shows apart and that are in no group of their own. */
static json_t *look_json(const struct session *s, const char *name)
{
    const size_t n = strlen(name), tail = strlen(".look");
    char *id = n > tail && !strcmp(name + n - tail, ".look") ? bw_printf("%.*s", (int)(n - tail), name) : NULL;
    const struct bw_entry *stage = id ? bw_registry_stage(s->registry, id) : NULL,
                          *exporter = id ? bw_registry_exporter(s->registry, id) : NULL;
    const struct bw_param *rows = stage ? stage->stage->params : exporter ? exporter->exporter->params : NULL;
    const uint32_t n_rows = stage ? stage->stage->n_params : exporter ? exporter->exporter->n_params : 0;
    json_t *list = json_array();
    for (uint32_t i = 0; i < n_rows; i++) {
        json_t *row = param_group(&rows[i]) && !strcmp(param_group(&rows[i]), "look") ? params_json(&rows[i], 1) : NULL;
        if (row) json_array_extend(list, row);
        json_decref(row);
    }
    bw_free(id);
    json_t *all = json_array_size(list)
                      ? json_pack("{s:s, s:s, s:O}", "name", name, "doc", "how its pictures look", "parameters", list)
                      : NULL;
    json_decref(list);
    return all;
}

/* ---- any name ---- */

/* An unknown name: suggest the nearest known one. */
static void unknown_name_error(const struct session *s, const char *name, const struct bw_diag *why, struct bw_diag *d)
{
    const struct bw_registry *r = s->registry;
    uint32_t n = (uint32_t)r->n_entries;
    const char **names = bw_calloc(((size_t)n + bw_preset_n_rows) * sizeof *names);
    for (uint32_t i = 0; names && i < n; i++) names[i] = r->entry[i].id;
    for (uint32_t i = 0; names && i < bw_preset_n_rows; i++) names[n + i] = bw_preset_rows[i].key;
    const char *near = names ? bw_did_you_mean(name, names, n + bw_preset_n_rows) : NULL;
    if (near)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "there is no stage, exporter or preset \"%s\"; did you mean %s?", name,
                      near);
    else bw_diag_append(d, why);
    bw_free(names);
}

/* Adds the parameters of that key, and the stages that use a field of that name. */
static bool matches_add(const struct session *s, const char *name, json_t *all)
{
    json_t *keys = keys_json(s, name), *users = field_users_json(s, name);
    const bool any = json_array_size(keys) || json_array_size(users);
    if (any) json_object_set(all, "keys", keys), json_object_set(all, "users", users);
    json_decref(keys);
    json_decref(users);
    return any;
}

static json_t *preset_find_json(const struct session *s, const char *name, json_t *all, struct bw_diag *d)
{
    struct bw_diag why = {0};
    char *path = bw_preset_find(name, s->preset_path, s->folders.presets, &why);
    if (!path && !matches_add(s, name, all)) unknown_name_error(s, name, &why, d);
    bw_diag_free(&why);
    struct bw_preset *p = path ? session_preset(s, path, d) : NULL;
    json_t *o = p ? preset_json(p, s->registry) : NULL;
    bw_preset_free(p);
    bw_free(path);
    return o;
}

/* A section is looked for only where no plugin has the name, a preset where no section has it, and then a key. */
static json_t *name_json(const struct session *s, const char *name, struct bw_diag *d)
{
    json_t *all = json_object();
    const struct bw_entry *stage = bw_registry_stage(s->registry, name),
                          *exporter = bw_registry_exporter(s->registry, name);
    json_t *section = stage || exporter ? NULL : section_json(s, name);
    if (!stage && !exporter && !section) section = look_json(s, name);
    if (section) json_object_set_new(all, "section", section);
    else if (bw_file_has_ending(name, ".vdb")) json_object_set_new(all, "file", file_json(name, d));
    else if (!stage && !exporter) {
        json_t *preset = preset_find_json(s, name, all, d);
        if (preset) json_object_set_new(all, "preset", preset);
    }
    if (stage) json_object_set_new(all, "stage", stage_json(stage));
    if (exporter) json_object_set_new(all, "exporter", exporter_json(exporter));
    return all;
}

char *bw_session_describe(struct bw_session *session, const char *name)
{
    struct api_call api;
    char *text = NULL;
    api_enter(&api);
    struct session *s = session_acquire(session, &api.d);
    if (s && (!name || !*name)) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "a name is wanted");
    else if (s) {
        json_t *all = name_json(s, name, &api.d);
        if (api.d.status) json_decref(all);
        else text = json_text(all, JSON_INDENT(1), &api.d);
    }
    if (s) object_unref(&s->o);
    api_leave(&api);
    return text;
}
