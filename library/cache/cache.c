// SPDX-License-Identifier: Apache-2.0
/* Finished caches: opened by name, described, and their frames as snapshots. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

/* The last digits of a file's name become #. */
static char *pattern_of(const char *file)
{
    char *real = realpath(file, NULL), *pattern = real ? bw_strdup(real) : NULL;
    free(real);
    char *slash = pattern ? strrchr(pattern, '/') : NULL, *end = slash ? strrchr(slash, '.') : NULL;
    if (!end) return pattern;
    while (end > slash && (end[-1] < '0' || end[-1] > '9')) end--;
    for (; end > slash + 1 && end[-1] >= '0' && end[-1] <= '9'; end--) end[-1] = '#';
    return pattern;
}

static void cache_destroy(struct object *o)
{
    struct cache *c = (struct cache *)o;
    cache_bounds_free(c);
    cache_obstacles_free(c);
    pthread_mutex_destroy(&c->lock);
    bw_sequence_free(&c->files);
    object_unref(&c->session->o);
    bw_free(c->pattern);
    bw_free(c);
}

static struct bw_cache *cache_make(struct session *s, const char *what, struct bw_diag *d)
{
    struct cache *c = bw_calloc(sizeof *c);
    struct bw_cache *handle = NULL;
    char why[1024];
    if (!c) return out_of_memory(d), NULL;
    object_init(&c->o, cache_destroy);
    pthread_mutex_init(&c->lock, NULL);
    c->session = object_ref(&s->o);
    enum bw_status status = bw_sequence_find(&c->files, what, INT64_MIN, INT64_MAX, why, sizeof why);
    if (status) {
        memset(&c->files, 0, sizeof c->files);
        bw_diag_error(d, NULL, status, "%s", why);
    } else if (!(c->pattern = pattern_of(c->files.path[0])) || !(handle = handle_new(HANDLE_CACHE, &c->o))) {
        out_of_memory(d);
    }
    if (!handle) object_unref(&c->o);
    return handle;
}

enum bw_status bw_cache_open(struct bw_session *session, const char *what, struct bw_cache **cache)
{
    struct api_call api;
    api_enter(&api);
    if (cache) *cache = NULL;
    struct session *s = session_acquire(session, &api.d);
    if (s && (!what || !cache)) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_open wants a name and a place");
    else if (s) *cache = cache_make(s, what, &api.d);
    if (s) object_unref(&s->o);
    return api_leave(&api);
}

void bw_cache_close(struct bw_cache *cache)
{
    struct api_call api;
    api_enter(&api);
    if (cache) object_unref(handle_close(cache, HANDLE_CACHE, NULL));
    api_leave_silent(&api);
}

struct cache *cache_acquire(struct bw_cache *handle, struct bw_diag *d)
{
    return handle_acquire(handle, HANDLE_CACHE, d);
}

/* ---- description ---- */

/* The first thousand: a gap may be of any length. */
static json_t *missing_json(const struct bw_sequence *s)
{
    json_t *missing = json_array();
    for (int32_t i = 1; i < s->count; i++)
        for (int64_t f = s->frame[i - 1] + 1; f < s->frame[i] && json_array_size(missing) < 1000; f++)
            json_array_append_new(missing, json_integer(f));
    return missing;
}

/* All that are there, as [first, last] of those without a gap. */
static json_t *ranges_json(const struct bw_sequence *s)
{
    json_t *ranges = json_array();
    for (int32_t i = 0, from = 0; i < s->count; i++) {
        if (i + 1 < s->count && s->frame[i + 1] == s->frame[i] + 1) continue;
        json_array_append_new(ranges, json_pack("[I, I]", (json_int_t)s->frame[from], (json_int_t)s->frame[i]));
        from = i + 1;
    }
    return ranges;
}

static json_t *names_json(const struct cache *c)
{
    const struct bw_sequence *s = &c->files;
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:i, s:o, s:o}", "name", json_bytes(s->name), "pattern",
                     json_bytes(c->pattern), "file", json_bytes(s->path[0]), "first", (json_int_t)s->frame[0], "last",
                     (json_int_t)s->frame[s->count - 1], "count", (int)s->count, "ranges", ranges_json(s), "missing",
                     missing_json(s));
}

static char *describe(struct bw_cache *cache, int32_t inside, const char *flow)
{
    struct api_call api;
    char *text = NULL;
    api_enter(&api);
    struct cache *c = cache_acquire(cache, &api.d);
    if (c && inside && !strchr(c->pattern, '#'))
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "a sequence of numbered files is wanted, not a single one");
    else if (c) {
        json_t *o = names_json(c);
        if (o && inside && !cache_statistics(c, flow, o, &api)) json_decref(o);
        else text = json_text(o, JSON_INDENT(1), &api.d);
    }
    if (c) object_unref(&c->o);
    api_leave(&api);
    return text;
}

char *bw_cache_describe(struct bw_cache *cache, int32_t inside) { return describe(cache, inside, NULL); }

char *bw_cache_survey(struct bw_cache *cache, const char *flow) { return describe(cache, 1, flow); }
