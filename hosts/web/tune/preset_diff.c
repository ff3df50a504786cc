// SPDX-License-Identifier: Apache-2.0
/* What differs between the values of two presets: in words, and from which frame on their flows differ. */
#include "preset_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- in words: "source.density 1 → 0.7, domain.voxel 2 cm → 1 cm" ---- */

enum { MAX_CHANGES = 3 }; ///< the others are "…"

struct changes {
    char text[400];
    int n;
};

/// Append one change, or "…" after MAX_CHANGES.
static void diff_add(struct changes *c, const char *path, const char *before, const char *after)
{
    const size_t length = strlen(c->text);
    if (++c->n <= MAX_CHANGES)
        snprintf(c->text + length, sizeof c->text - length, "%s%s %.40s%s%.40s", length ? ", " : "", path, before,
                 *before && *after ? " → " : "", after);
    else if (c->n == MAX_CHANGES + 1) snprintf(c->text + length, sizeof c->text - length, " …");
}

/// A value as one would write it, into out.
static const char *value_write(const json_t *v, char out[64])
{
    char *text = !v ? NULL : json_is_string(v) ? strdup(json_string_value(v)) : json_dumps(v, JSON_ENCODE_ANY);
    char *to = out;
    for (const char *at = text; at && *at && to < out + 60; at++)
        if (*at != '"') *to++ = *at;
    while (to > out && (to[-1] & 0xC0) == 0x80) to--; // no half of a UTF-8 character
    if (to > out && (to[-1] & 0xC0) == 0xC0) to--;
    *to = '\0';
    if (text && json_is_string(v) && strlen(text) < 60) snprintf(out, 64, "%s", text);
    free(text);
    return out;
}

static void values_diff(struct changes *c, const char *path, const json_t *a, const json_t *b);

static void objects_diff(struct changes *c, const char *path, const json_t *a, const json_t *b)
{
    const char *key;
    json_t *v;
    char deeper[200];
    json_object_foreach ((json_t *)(uintptr_t)a, key, v) {
        snprintf(deeper, sizeof deeper, "%s%s%s", path, *path ? "." : "", key);
        values_diff(c, deeper, v, json_object_get(b, key));
    }
    json_object_foreach ((json_t *)(uintptr_t)b, key, v) {
        snprintf(deeper, sizeof deeper, "%s%s%s", path, *path ? "." : "", key);
        if (!json_object_get(a, key)) values_diff(c, deeper, NULL, v);
    }
}

/// The map inside {TYPE: {id: ID, …}}, and its id; NULL: it is none.
static const json_t *item_map(const json_t *item, const char **id)
{
    void *at = json_object_size(item) == 1 ? json_object_iter((json_t *)(uintptr_t)item) : NULL;
    const json_t *map = at ? json_object_iter_value(at) : NULL;
    *id = json_string_value(json_object_get(map, "id"));
    return *id ? map : NULL;
}

static const json_t *item_find(const json_t *list, const char *id)
{
    json_t *item;
    size_t i;
    json_array_foreach (list, i, item) {
        const char *own;
        const json_t *map = item_map(item, &own);
        if (map && !strcmp(own, id)) return map;
    }
    return NULL;
}

/// Stages and exporters, by their ids.
static void items_diff(struct changes *c, const json_t *a, const json_t *b)
{
    json_t *item;
    size_t i;
    const char *id;
    json_array_foreach (a, i, item) {
        const json_t *map = item_map(item, &id);
        if (map) values_diff(c, id, map, item_find(b, id));
    }
    json_array_foreach (b, i, item)
        if (item_map(item, &id) && !item_find(a, id)) diff_add(c, id, "", "is new");
}

static void values_diff(struct changes *c, const char *path, const json_t *a, const json_t *b)
{
    char before[64] = "", after[64] = "";
    if (a && b && json_equal(a, b)) return;
    if (!strcmp(path, "look") || !strcmp(path, "camera")) return; // they are compared as values of the exporters
    if (!strcmp(path, "stages") || !strcmp(path, "export")) items_diff(c, a, b);
    else if (json_is_object(a) && json_is_object(b)) objects_diff(c, path, a, b);
    else if (json_is_object(a) && !b) diff_add(c, path, "is gone", "");
    else diff_add(c, path, value_write(a, before), value_write(b, after));
}

char *preset_diff(const json_t *before, const json_t *after)
{
    struct changes c = {.n = 0};
    if (before) objects_diff(&c, "", before, after);
    return strdup(c.text);
}

/* ---- from which frame on ---- */

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/// "A-B" or "A"; 0: it is neither.
static int range_parse(const json_t *v, int64_t out[2])
{
    const char *text = json_string_value(v);
    char *end;
    if (!text) return 0;
    out[0] = out[1] = strtoll(text, &end, 10);
    if (end == text) return 0;
    if (*end == '-') out[1] = strtoll(text = end + 1, &end, 10);
    return end != text && !*end;
}

/// `frames:` of a stage or of the bake: the same until the earlier of both ends, if they begin alike.
static int64_t range_first_change(const json_t *a, const json_t *b)
{
    int64_t x[2], y[2];
    if (!range_parse(a, x) || !range_parse(b, y) || x[0] != y[0]) return INT64_MIN;
    return earlier(x[1], y[1]);
}

struct keyframe {
    double frame;
    const json_t *value;
};

static int keyframe_compare(const void *x, const void *y)
{
    const struct keyframe *a = x, *b = y;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/// The keyframes of a curve, sorted, then one without a value; from malloc.
static struct keyframe *keyframes_sorted(const json_t *curve)
{
    json_t *keys = json_object_get(curve, "keys"), *v;
    const char *name;
    size_t n = 0;
    struct keyframe *out = calloc(json_object_size(keys) + 1, sizeof *out);
    if (out)
        json_object_foreach (keys, name, v) out[n++] = (struct keyframe){strtod(name, NULL), v};
    if (out) qsort(out, n, sizeof *out, keyframe_compare);
    return out;
}

/// A curve depends on the two keyframes around a frame: it changes after the last one that both curves have. Rounded
/// down, for what moves has a velocity, too.
static int64_t keyframes_first_change(const struct keyframe *a, const struct keyframe *b)
{
    int i = 0;
    while (a[i].value && b[i].value && a[i].frame == b[i].frame && json_equal(a[i].value, b[i].value)) i++;
    if (!a[i].value && !b[i].value) return INT64_MAX;
    return i ? (int64_t)floor(a[i - 1].frame) : INT64_MIN;
}

static int64_t curve_first_change(const json_t *a, const json_t *b)
{
    struct keyframe *x = keyframes_sorted(a), *y = keyframes_sorted(b);
    const int alike =
        x && y && json_object_size(a) == json_object_size(b) &&
        (!json_object_get(a, "ease") || json_equal(json_object_get(a, "ease"), json_object_get(b, "ease")));
    const int64_t frame = alike ? keyframes_first_change(x, y) : INT64_MIN;
    free(x);
    free(y);
    return frame;
}

static int64_t values_first_change(const char *key, const json_t *a, const json_t *b);

static int64_t objects_first_change(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *v;
    int64_t frame = INT64_MAX;
    if (json_object_get(a, "keys") && json_object_get(b, "keys")) return curve_first_change(a, b);
    if (json_object_size(a) != json_object_size(b)) return INT64_MIN;
    json_object_foreach ((json_t *)(uintptr_t)a, key, v)
        frame = earlier(frame, values_first_change(key, v, json_object_get(b, key)));
    return frame;
}

/// The first frame of a stage; INT64_MIN: it acts from the beginning.
static int64_t stage_start(const json_t *stage)
{
    int64_t frames[2];
    return range_parse(json_object_get(stage, "frames"), frames) ? frames[0] : INT64_MIN;
}

static size_t item_index(const json_t *list, const json_t *map)
{
    const char *id;
    size_t i = 0;
    while (i < json_array_size(list) && item_map(json_array_get(list, i), &id) != map) i++;
    return i;
}

/// Of the stages of `list` that `other` lacks, the earliest start.
static int64_t stages_only_here(const json_t *list, const json_t *other)
{
    json_t *item;
    size_t i;
    int64_t frame = INT64_MAX;
    json_array_foreach (list, i, item) {
        const char *id;
        const json_t *map = item_map(item, &id);
        if (!map) return INT64_MIN;
        if (!item_find(other, id)) frame = earlier(frame, stage_start(map));
    }
    return frame;
}

/// A stage does nothing before its first frame: so nothing differs by one that only one of them has, or that differs.
static int64_t stages_first_change(const json_t *a, const json_t *b)
{
    json_t *item;
    size_t i, last = 0;
    int64_t frame = earlier(stages_only_here(a, b), stages_only_here(b, a));
    json_array_foreach (a, i, item) {
        const char *id;
        const json_t *map = item_map(item, &id), *other = map ? item_find(b, id) : NULL;
        if (!other) continue;
        const size_t at = item_index(b, other);
        const char *type = json_object_iter_key(json_object_iter(item));
        if (at < last || !json_object_get(json_array_get(b, at), type)) return INT64_MIN; // another order, another type
        last = at;
        const int64_t first = json_equal(map, other) ? INT64_MAX : objects_first_change(map, other);
        const int64_t start = earlier(stage_start(map), stage_start(other));
        frame = earlier(frame, first > start ? first : start);
    }
    return frame;
}

/// The first frame at which two values of a key may differ; INT64_MAX: none; INT64_MIN: all.
static int64_t values_first_change(const char *key, const json_t *a, const json_t *b)
{
    int64_t frame = INT64_MAX;
    if (a && b && json_equal(a, b)) return INT64_MAX;
    if (json_is_object(a) && json_is_object(b)) return objects_first_change(a, b);
    if (!strcmp(key, "frames")) return range_first_change(a, b);
    if (!strcmp(key, "stages")) return stages_first_change(a, b);
    if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b)) return INT64_MIN;
    for (size_t i = 0; i < json_array_size(a); i++)
        frame = earlier(frame, values_first_change("", json_array_get(a, i), json_array_get(b, i)));
    return frame;
}

int64_t first_changed_frame(const json_t *before, const json_t *after)
{
    json_t *a = flow_values(before), *b = flow_values(after);
    const int64_t frame = a && b ? objects_first_change(a, b) : INT64_MIN;
    json_decref(a);
    json_decref(b);
    return frame;
}
