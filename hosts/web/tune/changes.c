// SPDX-License-Identifier: Apache-2.0
/* What differs between two presets, in a line: "source.density 1 → 0.7, domain.voxel 2 cm → 1 cm". */
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3 }; ///< of them are told

struct changes {
    char words[400];
    int n;
};

static void change_tell(struct changes *c, const char *path, const char *before, const char *after)
{
    const size_t length = strlen(c->words);
    if (++c->n <= MOST)
        snprintf(c->words + length, sizeof c->words - length, "%s%s %.40s%s%.40s", length ? ", " : "", path, before,
                 *before && *after ? " → " : "", after);
    else if (c->n == MOST + 1) snprintf(c->words + length, sizeof c->words - length, " …");
}

/// A value as one would write it, into out.
static const char *value_write(const json_t *v, char out[64])
{
    char *text = !v ? NULL : json_is_string(v) ? strdup(json_string_value(v)) : json_dumps(v, JSON_ENCODE_ANY);
    char *to = out;
    for (const char *at = text; at && *at && to < out + 60; at++)
        if (*at != '"') *to++ = *at;
    while (to > out && (to[-1] & 0xC0) == 0x80) to--; // no half of a letter
    if (to > out && (to[-1] & 0xC0) == 0xC0) to--;
    *to = '\0';
    if (text && json_is_string(v) && strlen(text) < 60) snprintf(out, 64, "%s", text);
    free(text);
    return out;
}

static void values_compare(struct changes *c, const char *path, const json_t *a, const json_t *b);

static void objects_compare(struct changes *c, const char *path, const json_t *a, const json_t *b)
{
    const char *key;
    json_t *v;
    char deeper[200];
    json_object_foreach ((json_t *)(uintptr_t)a, key, v) {
        snprintf(deeper, sizeof deeper, "%s%s%s", path, *path ? "." : "", key);
        values_compare(c, deeper, v, json_object_get(b, key));
    }
    json_object_foreach ((json_t *)(uintptr_t)b, key, v) {
        snprintf(deeper, sizeof deeper, "%s%s%s", path, *path ? "." : "", key);
        if (!json_object_get(a, key)) values_compare(c, deeper, NULL, v);
    }
}

/// The map inside {TYPE: {id: ID, …}}, and its id; NULL: it is none.
static const json_t *entry_of(const json_t *item, const char **id)
{
    void *at = json_object_size(item) == 1 ? json_object_iter((json_t *)(uintptr_t)item) : NULL;
    const json_t *map = at ? json_object_iter_value(at) : NULL;
    *id = json_string_value(json_object_get(map, "id"));
    return *id ? map : NULL;
}

static const json_t *entry_find(const json_t *list, const char *id)
{
    json_t *item;
    size_t i;
    json_array_foreach (list, i, item) {
        const char *own;
        const json_t *map = entry_of(item, &own);
        if (map && !strcmp(own, id)) return map;
    }
    return NULL;
}

/// Stages and exporters, by their ids.
static void entries_compare(struct changes *c, const json_t *a, const json_t *b)
{
    json_t *item;
    size_t i;
    const char *id;
    json_array_foreach (a, i, item) {
        const json_t *map = entry_of(item, &id);
        if (map) values_compare(c, id, map, entry_find(b, id));
    }
    json_array_foreach (b, i, item)
        if (entry_of(item, &id) && !entry_find(a, id)) change_tell(c, id, "", "is new");
}

static void values_compare(struct changes *c, const char *path, const json_t *a, const json_t *b)
{
    char before[64] = "", after[64] = "";
    if (a && b && json_equal(a, b)) return;
    if (!strcmp(path, "look") || !strcmp(path, "camera")) return; // exporters tell what they make of it
    if (!strcmp(path, "stages") || !strcmp(path, "export")) entries_compare(c, a, b);
    else if (json_is_object(a) && json_is_object(b)) objects_compare(c, path, a, b);
    else if (json_is_object(a) && !b) change_tell(c, path, "is gone", "");
    else change_tell(c, path, value_write(a, before), value_write(b, after));
}

char *changes_words(const json_t *before, const json_t *after)
{
    struct changes c = {.n = 0};
    if (before) objects_compare(&c, "", before, after);
    return strdup(c.words);
}
