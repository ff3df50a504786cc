// SPDX-License-Identifier: Apache-2.0
#include "shelf.h"

#include "machine.h"

#include <stdlib.h>
#include <string.h>

void shelf_init(struct shelf *s, struct bw_session *session)
{
    *s = (struct shelf){.session = session, .cores = machine_cores(session)};
    pthread_mutex_init(&s->lock, NULL);
}

void shelf_free(struct shelf *s)
{
    for (int i = 0; i < SHELF && s->source[i]; i++) {
        source_free(s->source[i]);
        free(s->source[i]);
    }
    pthread_mutex_destroy(&s->lock);
}

static int place_of(const struct shelf *s, const struct source *source)
{
    int i = 0;
    while (i < SHELF && s->source[i] != source) i++;
    return i;
}

struct source *shelf_add(struct shelf *s, const char *kind)
{
    struct source *source = calloc(1, sizeof *source);
    if (!source) return NULL;
    source_init(source, s->session);
    source->kind = kind;
    source->users = 1;
    pthread_mutex_lock(&s->lock);
    const int i = place_of(s, NULL), room = i < SHELF;
    if (room) {
        s->source[i] = source;
        source->id = s->current = ++s->last;
        s->seq++;
    }
    pthread_mutex_unlock(&s->lock);
    if (room) return source;
    source_free(source);
    free(source);
    return NULL;
}

struct source *shelf_take(struct shelf *s, int32_t id)
{
    struct source *found = NULL;
    pthread_mutex_lock(&s->lock);
    if (!id) id = s->current;
    for (int i = 0; i < SHELF && s->source[i]; i++)
        if (s->source[i]->id == id) found = s->source[i];
    if (found) found->users++;
    pthread_mutex_unlock(&s->lock);
    return found;
}

void shelf_give(struct shelf *s, struct source *source)
{
    if (!source) return;
    pthread_mutex_lock(&s->lock);
    const int over = !--source->users && source->dropped;
    pthread_mutex_unlock(&s->lock);
    if (!over) return;
    source_free(source);
    free(source);
}

void shelf_drop(struct shelf *s, struct source *source)
{
    pthread_mutex_lock(&s->lock);
    const int i = place_of(s, source);
    if (i < SHELF) {
        memmove(&s->source[i], &s->source[i + 1], (size_t)(SHELF - 1 - i) * sizeof *s->source);
        s->source[SHELF - 1] = NULL;
    }
    source->dropped = 1;
    source->users++;
    s->seq += 1 + source_seq(source); // the sum never falls back to what it was
    if (s->current == source->id) {
        const int n = place_of(s, NULL);
        s->current = n ? s->source[n - 1]->id : 0;
    }
    pthread_mutex_unlock(&s->lock);
    shelf_give(s, source);
}

void shelf_show(struct shelf *s, int32_t id)
{
    pthread_mutex_lock(&s->lock);
    s->seq += s->current != id;
    s->current = id;
    pthread_mutex_unlock(&s->lock);
}

/// All that are there now, in use; their number.
static int all_take(struct shelf *s, struct source *all[SHELF])
{
    int n = 0;
    pthread_mutex_lock(&s->lock);
    for (; n < SHELF && s->source[n]; n++) {
        all[n] = s->source[n];
        all[n]->users++;
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

void shelf_refresh(struct shelf *s)
{
    struct source *all[SHELF];
    const int n = all_take(s, all);
    for (int i = 0; i < n; i++) {
        source_refresh(all[i]);
        shelf_give(s, all[i]);
    }
}

int64_t shelf_seq(struct shelf *s)
{
    struct source *all[SHELF];
    const int n = all_take(s, all);
    pthread_mutex_lock(&s->lock);
    int64_t seq = s->seq;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n; i++) {
        seq += source_seq(all[i]);
        shelf_give(s, all[i]);
    }
    return seq;
}

int shelf_runs(struct shelf *s)
{
    struct source *all[SHELF];
    const int n = all_take(s, all);
    int runs = 0;
    for (int i = 0; i < n; i++) {
        runs |= source_runs(all[i]);
        shelf_give(s, all[i]);
    }
    return runs;
}

json_t *shelf_state(struct shelf *s)
{
    struct source *all[SHELF];
    const int n = all_take(s, all);
    json_t *list = json_array();
    pthread_mutex_lock(&s->lock);
    const int32_t current = s->current;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n; i++) {
        json_array_append_new(list, source_state(all[i], all[i]->id == current));
        shelf_give(s, all[i]);
    }
    return json_pack("{s:i, s:o, s:o}", "current", (int)current, "shelf", list, "machine", machine_tell(s->cores));
}
