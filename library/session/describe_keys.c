// SPDX-License-Identifier: Apache-2.0
/* Search for a parameter key in all stages and exporters ("wind", "emit.shape"), and for the stages that use a field
 * ("density"). */
#include "describe.h"

#include "base/alloc.h"
#include <string.h>

enum { FOUND_MOST = 24, DEEP = 6 }; ///< keys that are shown; tables within tables

struct search {
    const char *word;
    const struct bw_param *row[FOUND_MOST];
    json_t *keys;
};

/* Is it, or does it end with, "wind", "kind.wind"? */
static bool path_matches(const char *path, const char *word)
{
    const size_t n = strlen(path), m = strlen(word);
    return n >= m && !strcmp(path + n - m, word) && (n == m || path[n - m - 1] == '.');
}

/* Tables that several stages share, such as shapes, are shown once. */
static bool rows_equal(const struct bw_param *a, const struct bw_param *b)
{
    return !strcmp(a->doc, b->doc) && a->type == b->type && a->n_sub == b->n_sub;
}

static void match_add(struct search *q, const char *path, const struct bw_param *row)
{
    const size_t n = json_array_size(q->keys);
    for (size_t i = 0; i < n; i++)
        if (rows_equal(q->row[i], row)) {
            json_array_append_new(json_object_get(json_array_get(q->keys, i), "also"), json_string(path));
            return;
        }
    if (n == FOUND_MOST) return;
    json_t *rows = params_json(row, 1);
    q->row[n] = row;
    json_array_append_new(q->keys,
                          json_pack("{s:s, s:[], s:O}", "in", path, "also", "parameter", json_array_get(rows, 0)));
    json_decref(rows);
}

static void rows_search(struct search *q, const char *owner, const struct bw_param *rows, uint32_t n, int deep)
{
    for (uint32_t i = 0; i < n && deep < DEEP; i++) {
        if (rows[i].type == BW_PARAM_AMOUNTS) continue;
        char *path = rows[i].key ? bw_printf("%s.%s", owner, rows[i].key) : bw_strdup(owner);
        if (path && rows[i].key && path_matches(path, q->word)) match_add(q, path, &rows[i]);
        else if (path) rows_search(q, path, rows[i].sub, rows[i].n_sub, deep + 1);
        bw_free(path);
    }
}

json_t *keys_json(const struct session *s, const char *word)
{
    struct search q = {.word = word, .keys = json_array()};
    for (int32_t i = 0; i < s->registry->n_entries; i++) {
        const struct bw_entry *e = &s->registry->entry[i];
        if (e->stage) rows_search(&q, e->id, e->stage->params, e->stage->n_params, 0);
        if (e->exporter) rows_search(&q, e->id, e->exporter->params, e->exporter->n_params, 0);
    }
    return q.keys;
}

json_t *field_users_json(const struct session *s, const char *field)
{
    json_t *users = json_array();
    for (int32_t i = 0; i < s->registry->n_entries; i++) {
        const struct bw_stage_desc *stage = s->registry->entry[i].stage;
        for (uint32_t k = 0; stage && k < stage->n_ports; k++)
            if (!strcmp(stage->ports[k].name, field))
                json_array_append_new(
                    users, json_pack("{s:s, s:o}", "stage", stage->id, "field", port_json(&stage->ports[k])));
    }
    return users;
}

/* The keys of `look` are those of exporters of pictures, and their `camera` is the preset's. */
const struct bw_exporter_desc *picture_exporter_find(const struct session *s)
{
    const struct bw_exporter_desc *found = NULL;
    for (int32_t i = 0; i < s->registry->n_entries; i++) {
        const struct bw_exporter_desc *x = s->registry->entry[i].exporter;
        if (x && bw_preset_camera_row(x->params, x->n_params) && (!found || x->n_params > found->n_params)) found = x;
    }
    return found;
}
