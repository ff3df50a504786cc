// SPDX-License-Identifier: Apache-2.0
#include "sources.h"

#include "json_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- load of the machine ---- */

/// Bytes of a row of /proc/meminfo; 0: there is none.
static double meminfo_read(const char *row)
{
    FILE *f = fopen("/proc/meminfo", "re");
    char line[128], form[64];
    double kilobytes = 0;
    snprintf(form, sizeof form, "%s: %%lf", row);
    while (f && !(kilobytes > 0) && fgets(line, sizeof line, f))
        if (sscanf(line, form, &kilobytes) != 1) kilobytes = 0;
    if (f) fclose(f);
    return 1024 * kilobytes;
}

/// Cores that this process may use.
static int64_t machine_cores(struct bw_session *session)
{
    json_t *facts = json_from_text(bw_session_machine(session, NULL));
    const int64_t n = json_integer_value(json_object_get(facts, "cores"));
    json_decref(facts);
    return n > 0 ? n : 1;
}

/// Load average of the last minute and memory; 0: unknown.
static json_t *machine_json(int64_t cores)
{
    double load = 0;
    if (getloadavg(&load, 1) != 1) load = 0;
    const double all = meminfo_read("MemTotal"), left = meminfo_read("MemAvailable");
    return json_pack("{s:I, s:f, s:f, s:f}", "cores", (json_int_t)cores, "load", load, "memory", all, "used",
                     all - left);
}

/* ---- the list ---- */

void sources_init(struct sources *s, struct bw_session *session)
{
    *s = (struct sources){.session = session, .cores = machine_cores(session)};
    pthread_mutex_init(&s->lock, NULL);
}

void sources_free(struct sources *s)
{
    for (int i = 0; i < MAX_SOURCES && s->source[i]; i++) {
        source_free(s->source[i]);
        free(s->source[i]);
    }
    pthread_mutex_destroy(&s->lock);
}

static int index_of(const struct sources *s, const struct source *source)
{
    int i = 0;
    while (i < MAX_SOURCES && s->source[i] != source) i++;
    return i;
}

struct source *sources_add(struct sources *s, const char *kind)
{
    struct source *source = calloc(1, sizeof *source);
    if (!source) return NULL;
    source_init(source, s->session);
    source->kind = kind;
    source->users = 1;
    pthread_mutex_lock(&s->lock);
    const int i = index_of(s, NULL), free_slot = i < MAX_SOURCES;
    if (free_slot) {
        s->source[i] = source;
        source->id = s->current = ++s->last_id;
        s->revision++;
    }
    pthread_mutex_unlock(&s->lock);
    if (free_slot) return source;
    source_free(source);
    free(source);
    return NULL;
}

struct source *sources_acquire(struct sources *s, int32_t id)
{
    struct source *found = NULL;
    pthread_mutex_lock(&s->lock);
    if (!id) id = s->current;
    for (int i = 0; i < MAX_SOURCES && s->source[i]; i++)
        if (s->source[i]->id == id) found = s->source[i];
    if (found) found->users++;
    pthread_mutex_unlock(&s->lock);
    return found;
}

void sources_release(struct sources *s, struct source *source)
{
    if (!source) return;
    pthread_mutex_lock(&s->lock);
    const int unused = !--source->users && source->removed;
    pthread_mutex_unlock(&s->lock);
    if (!unused) return;
    source_free(source);
    free(source);
}

void sources_remove(struct sources *s, struct source *source)
{
    pthread_mutex_lock(&s->lock);
    const int i = index_of(s, source);
    if (i < MAX_SOURCES) {
        memmove(&s->source[i], &s->source[i + 1], (size_t)(MAX_SOURCES - 1 - i) * sizeof *s->source);
        s->source[MAX_SOURCES - 1] = NULL;
    }
    source->removed = 1;
    source->users++;
    s->revision += 1 + source_revision(source); // so that the sum never decreases
    if (s->current == source->id) {
        const int n = index_of(s, NULL);
        s->current = n ? s->source[n - 1]->id : 0;
    }
    pthread_mutex_unlock(&s->lock);
    sources_release(s, source);
}

void sources_set_current(struct sources *s, int32_t id)
{
    pthread_mutex_lock(&s->lock);
    s->revision += s->current != id;
    s->current = id;
    pthread_mutex_unlock(&s->lock);
}

/// Acquire all sources; their number.
static int acquire_all(struct sources *s, struct source *all[MAX_SOURCES])
{
    int n = 0;
    pthread_mutex_lock(&s->lock);
    for (; n < MAX_SOURCES && s->source[n]; n++) {
        all[n] = s->source[n];
        all[n]->users++;
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

void sources_refresh(struct sources *s)
{
    struct source *all[MAX_SOURCES];
    const int n = acquire_all(s, all);
    for (int i = 0; i < n; i++) {
        source_refresh(all[i]);
        sources_release(s, all[i]);
    }
}

int64_t sources_revision(struct sources *s)
{
    struct source *all[MAX_SOURCES];
    const int n = acquire_all(s, all);
    pthread_mutex_lock(&s->lock);
    int64_t revision = s->revision;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n; i++) {
        revision += source_revision(all[i]);
        sources_release(s, all[i]);
    }
    return revision;
}

int sources_baking(struct sources *s)
{
    struct source *all[MAX_SOURCES];
    const int n = acquire_all(s, all);
    int baking = 0;
    for (int i = 0; i < n; i++) {
        baking |= source_is_baking(all[i]);
        sources_release(s, all[i]);
    }
    return baking;
}

json_t *sources_json(struct sources *s)
{
    struct source *all[MAX_SOURCES];
    const int n = acquire_all(s, all);
    json_t *list = json_array();
    pthread_mutex_lock(&s->lock);
    const int32_t current = s->current;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n; i++) {
        json_array_append_new(list, source_json(all[i], all[i]->id == current));
        sources_release(s, all[i]);
    }
    return json_pack("{s:i, s:o, s:o}", "current", (int)current, "sources", list, "machine", machine_json(s->cores));
}
