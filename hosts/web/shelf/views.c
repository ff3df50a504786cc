// SPDX-License-Identifier: Apache-2.0
#include "views.h"

#include <stdlib.h>
#include <string.h>

static const int64_t BYTES = INT64_C(768) << 20; ///< that all of them may take, but one is always kept

void views_init(struct views *v)
{
    *v = (struct views){0};
    pthread_mutex_init(&v->lock, NULL);
}

static void open_close(struct open_view *o)
{
    bw_view_close(o->view);
    json_decref(o->fields);
    *o = (struct open_view){0};
}

void views_free(struct views *v)
{
    for (int i = 0; i < VIEWS; i++) open_close(&v->open[i]);
    pthread_mutex_destroy(&v->lock);
}

/// `domain`: of files of another one; NULL: as the grids say.
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

/// Of a frame's files those of the bake's other domains come last.
static json_t *fields_of(struct source *s, int64_t frame, const struct bw_snapshot_facts *own)
{
    struct other_frame other[OTHERS];
    json_t *fields = json_array();
    fields_add(fields, own, NULL);
    for (int n = domains_count(own) < 2 ? source_others(s, frame, other) : 0; n-- > 0;) {
        struct bw_snapshot_facts f = {.size = sizeof f};
        if (!bw_snapshot_facts(other[n].snapshot, &f)) fields_add(fields, &f, other[n].label);
        bw_snapshot_close(other[n].snapshot);
    }
    return fields;
}

/// A view of its own, not in the list yet.
static enum bw_status frame_open(struct source *s, int64_t frame, struct open_view *o)
{
    struct bw_snapshot *snapshot;
    struct bw_snapshot_facts f = {.size = sizeof f};
    *o = (struct open_view){
        .of = s->id, .frame = frame, .generation = source_generation(s), .facts = {.size = sizeof o->facts}};
    enum bw_status status = source_snapshot(s, frame, &snapshot);
    if (status) return status;
    status = bw_snapshot_facts(snapshot, &f);
    if (!status) {
        o->fields = fields_of(s, frame, &f);
        o->time = f.time;
        o->fps = f.fps;
        status = source_view(s, snapshot, &o->view);
    }
    if (!status) status = bw_view_facts(o->view, &o->facts);
    if (status) json_decref(o->fields); // and the sentence stays: closing a snapshot says nothing
    bw_snapshot_close(snapshot);
    return status;
}

static struct open_view *open_find(struct views *v, int32_t of, int64_t frame, int64_t generation)
{
    for (int i = 0; i < VIEWS; i++) {
        struct open_view *o = &v->open[i];
        if (o->view && o->of == of && o->frame == frame && o->generation == generation) return o;
    }
    return NULL;
}

/// The one that nobody has used for longest, or NULL.
static struct open_view *open_oldest(struct views *v)
{
    struct open_view *oldest = NULL;
    for (int i = 0; i < VIEWS; i++)
        if (v->open[i].view && !v->open[i].users && (!oldest || v->open[i].used < oldest->used)) oldest = &v->open[i];
    return oldest;
}

/// Room for a view of so many bytes.
static struct open_view *open_room(struct views *v, int64_t bytes)
{
    struct open_view *o;
    for (;;) {
        struct open_view *room = NULL;
        int64_t sum = bytes;
        for (int i = 0; i < VIEWS; i++)
            if (v->open[i].view) sum += v->open[i].facts.bytes;
            else room = &v->open[i];
        if (room && sum <= BYTES) return room;
        if (!(o = open_oldest(v))) return room;
        open_close(o);
    }
}

static struct open_view *open_use(struct views *v, struct open_view *o)
{
    o->users++;
    o->used = ++v->uses;
    return o;
}

/// Where it is open, in use; else NULL.
static struct open_view *views_find(struct views *v, struct source *s, int64_t frame)
{
    pthread_mutex_lock(&v->lock);
    struct open_view *o = open_find(v, s->id, frame, source_generation(s));
    if (o) open_use(v, o);
    pthread_mutex_unlock(&v->lock);
    return o;
}

struct open_view *views_pass(struct views *v, struct source *s, int64_t frame)
{
    struct open_view *o = views_find(v, s, frame), *own = o ? NULL : malloc(sizeof *own);
    if (!own) return o;
    if (frame_open(s, frame, own)) {
        free(own);
        return NULL;
    }
    own->passing = 1;
    return own;
}

struct open_view *views_take(struct views *v, struct source *s, int64_t frame)
{
    struct open_view fresh, *o = views_find(v, s, frame);
    if (o || frame_open(s, frame, &fresh)) return o;
    pthread_mutex_lock(&v->lock);
    o = open_find(v, s->id, frame, fresh.generation); // another thread was quicker
    if (o) open_close(&fresh);
    else if ((o = open_room(v, fresh.facts.bytes))) *o = fresh;
    else open_close(&fresh); // as many pictures at once as there are places: never, with fewer workers
    if (o) open_use(v, o);
    pthread_mutex_unlock(&v->lock);
    return o;
}

void views_give(struct views *v, struct open_view *o)
{
    if (o->passing) {
        open_close(o);
        free(o);
        return;
    }
    pthread_mutex_lock(&v->lock);
    o->users--;
    pthread_mutex_unlock(&v->lock);
}
