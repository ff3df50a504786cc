// SPDX-License-Identifier: Apache-2.0
#include "view_cache.h"

#include <stdlib.h>
#include <string.h>

static const int64_t MAX_BYTES = INT64_C(768) << 20; ///< of all of them; one is always kept

void view_cache_init(struct view_cache *v)
{
    *v = (struct view_cache){0};
    pthread_mutex_init(&v->lock, NULL);
}

static void view_close(struct cached_view *o)
{
    bw_view_close(o->view);
    json_decref(o->fields);
    free(o->look);
    *o = (struct cached_view){0};
}

void view_cache_free(struct view_cache *v)
{
    for (int i = 0; i < MAX_VIEWS; i++) view_close(&v->open[i]);
    pthread_mutex_destroy(&v->lock);
}

/// `domain`: the name of all of the grids; NULL: the grids have it.
static void fields_add(json_t *fields, const struct bw_snapshot_facts *f, const char *domain)
{
    static const char *const kind[] = {"scalar", "vector", "mac"};
    for (uint32_t i = 0; i < f->n_grids; i++) {
        const struct bw_snapshot_grid *g = &f->grids[i];
        json_array_append_new(fields, json_pack("{s:s, s:s, s:s, s:s?}", "name", g->name, "unit",
                                                g->kelvin > 0 ? "K" : g->unit, "kind", kind[g->kind < 3 ? g->kind : 0],
                                                "domain", domain ? domain : g->domain));
    }
}

/// The fields of a frame; those of the bake's other domains come last.
static json_t *fields_of(struct source *s, int64_t frame, const struct bw_snapshot_facts *own)
{
    struct other_domain_frame other[MAX_OTHER_DOMAINS];
    json_t *fields = json_array();
    fields_add(fields, own, NULL);
    for (int n = domains_count(own) < 2 ? source_other_domains(s, frame, other) : 0; n-- > 0;) {
        struct bw_snapshot_facts f = {.size = sizeof f};
        if (!bw_snapshot_facts(other[n].snapshot, &f)) fields_add(fields, &f, other[n].name);
        bw_snapshot_close(other[n].snapshot);
    }
    return fields;
}

/// Open the view of a frame, not in the cache yet.
static enum bw_status view_open(struct source *s, int64_t frame, const char *look, struct cached_view *o)
{
    struct bw_snapshot *snapshot;
    struct bw_snapshot_facts f = {.size = sizeof f};
    *o = (struct cached_view){
        .source = s->id, .frame = frame, .generation = source_generation(s), .facts = {.size = sizeof o->facts}};
    enum bw_status status = source_snapshot(s, frame, &snapshot);
    if (status) return status;
    status = bw_snapshot_facts(snapshot, &f);
    if (!status) {
        o->fields = fields_of(s, frame, &f);
        o->time = f.time;
        o->fps = f.fps;
        status = source_view(s, snapshot, look, &o->view);
    }
    if (!status) status = bw_view_facts(o->view, &o->facts);
    if (!status && !(o->look = strdup(look))) status = BW_ERR_MEMORY;
    if (status) { // and the sentence stays: closing a snapshot says nothing
        bw_view_close(o->view);
        json_decref(o->fields);
    }
    bw_snapshot_close(snapshot);
    return status;
}

static struct cached_view *entry_find(struct view_cache *v, int32_t source, int64_t frame, int64_t generation,
                                      const char *look)
{
    for (int i = 0; i < MAX_VIEWS; i++) {
        struct cached_view *o = &v->open[i];
        if (o->view && o->source == source && o->frame == frame && o->generation == generation &&
            !strcmp(o->look, look))
            return o;
    }
    return NULL;
}

/// The least recently used entry without references, or NULL.
static struct cached_view *entry_oldest(struct view_cache *v)
{
    struct cached_view *oldest = NULL;
    for (int i = 0; i < MAX_VIEWS; i++)
        if (v->open[i].view && !v->open[i].users && (!oldest || v->open[i].last_use < oldest->last_use))
            oldest = &v->open[i];
    return oldest;
}

/// A free entry for a view of so many bytes; others are evicted for it. NULL: all are referenced.
static struct cached_view *entry_evict(struct view_cache *v, int64_t bytes)
{
    struct cached_view *o;
    for (;;) {
        struct cached_view *unused = NULL;
        int64_t sum = bytes;
        for (int i = 0; i < MAX_VIEWS; i++)
            if (v->open[i].view) sum += v->open[i].facts.bytes;
            else unused = &v->open[i];
        if (unused && sum <= MAX_BYTES) return unused;
        if (!(o = entry_oldest(v))) return unused;
        view_close(o);
    }
}

static struct cached_view *entry_acquire(struct view_cache *v, struct cached_view *o)
{
    o->users++;
    o->last_use = ++v->use_counter;
    return o;
}

/// The cached view, with a reference more, or NULL.
static struct cached_view *cache_lookup(struct view_cache *v, struct source *s, int64_t frame, const char *look)
{
    pthread_mutex_lock(&v->lock);
    struct cached_view *o = entry_find(v, s->id, frame, source_generation(s), look);
    if (o) entry_acquire(v, o);
    pthread_mutex_unlock(&v->lock);
    return o;
}

struct cached_view *view_cache_acquire_transient(struct view_cache *v, struct source *s, int64_t frame,
                                                 const char *look)
{
    struct cached_view *o = cache_lookup(v, s, frame, look), *own = o ? NULL : malloc(sizeof *own);
    if (!own) return o;
    if (view_open(s, frame, look, own)) {
        free(own);
        return NULL;
    }
    own->transient = 1;
    return own;
}

struct cached_view *view_cache_acquire(struct view_cache *v, struct source *s, int64_t frame, const char *look)
{
    struct cached_view fresh, *o = cache_lookup(v, s, frame, look);
    if (o || view_open(s, frame, look, &fresh)) return o;
    pthread_mutex_lock(&v->lock);
    o = entry_find(v, s->id, frame, fresh.generation, look); // another thread was quicker
    if (o) view_close(&fresh);
    else if ((o = entry_evict(v, fresh.facts.bytes))) *o = fresh;
    else view_close(&fresh); // all entries are referenced: never, with fewer workers
    if (o) entry_acquire(v, o);
    pthread_mutex_unlock(&v->lock);
    return o;
}

void view_cache_release(struct view_cache *v, struct cached_view *o)
{
    if (o->transient) {
        view_close(o);
        free(o);
        return;
    }
    pthread_mutex_lock(&v->lock);
    o->users--;
    pthread_mutex_unlock(&v->lock);
}
