// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "tune.h"

#include "attempt.h"
#include "save_preset.h"
#include "since.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 8, POLL = 50000000 }; ///< coarse bakes that stay; ns between looks at one that runs
enum { TEXT_MOST = 1 << 20 };       ///< bytes of a preset
static const double SECONDS = 4;    ///< that a second of film is to take
static const double RATE = 6e6;     ///< cells of a full box times frames, a second and core, until it is told better
static const double COARSEST = 4;
static const double NEARLY = 1.5; ///< in cells' width: some 3 times the work

struct tune {
    struct sources *sources;
    char *name, *path, *text; ///< as it was
    json_t *known, *ids;      ///< texts of it; names that have a table
    struct save_place place;
    char folder[200]; ///< of coarse bakes; "": there is none
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock; ///< of the following
    pthread_cond_t wake;
    struct reading *wish, *full; ///< the newest that are waited for, or NULL
    int stop;
    // the thread's own
    struct attempt *attempt[KEPT], *big; ///< attempt: the newest first, then NULL; big: in its own cells
    json_t *shown, *first;               ///< values of what was tried last, and at first
    double rate;
};

/* ---- the thread ---- */

/// Cells so much wider that a second of film takes some seconds, in quarters. Those of the try before are kept while
/// they do nearly as well: only what has the same cells can be compared, or begun late.
static double coarse_of(const struct tune *t, const struct reading *g)
{
    const double k = fmax(pow(g->work / (t->rate * SECONDS), g->flat ? 1.0 / 2 : 1.0 / 3), 1);
    const double before = t->attempt[0] ? t->attempt[0]->source->coarse : 0;
    return k < before * NEARLY && before < k * NEARLY ? before : fmin(ceil(4 * k) / 4, COARSEST);
}

/// It is the newest from now on.
static void attempt_front(struct tune *t, int i)
{
    struct attempt *a = t->attempt[i];
    memmove(&t->attempt[1], &t->attempt[0], (size_t)i * sizeof *t->attempt);
    t->attempt[0] = a;
    sources_set_current(t->sources, a->source->id);
}

static void attempt_drop(struct tune *t, int i)
{
    attempt_free(t->sources, t->attempt[i]);
    memmove(&t->attempt[i], &t->attempt[i + 1], (size_t)(KEPT - 1 - i) * sizeof *t->attempt);
    t->attempt[KEPT - 1] = NULL;
}

/// What still runs is given up, but one.
static void attempts_stop(struct tune *t, int but)
{
    for (int i = 0; i < KEPT && t->attempt[i]; i++)
        if (i != but) attempt_stop(t->attempt[i]);
}

/// What still runs is given up; what has no picture goes.
static void attempts_end(struct tune *t)
{
    attempts_stop(t, -1);
    for (int i = KEPT - 1; i >= 0; i--)
        if (t->attempt[i] && !t->attempt[i]->frames) attempt_drop(t, i);
}

static int attempt_find(const struct tune *t, const char *flow)
{
    for (int i = 0; i < KEPT && t->attempt[i]; i++)
        if (!strcmp(t->attempt[i]->flow, flow)) return i;
    return -1;
}

/// One that was given up comes back, and is gone on with. 0: that can't be, it is baked anew.
static int attempt_resume(struct tune *t, struct reading *g)
{
    const int i = attempt_find(t, g->flow);
    const struct plan plan = {.session = t->sources->session,
                              .sources = t->sources,
                              .path = t->path,
                              .folder = t->folder,
                              .coarse = i < 0 ? 1 : t->attempt[i]->source->coarse};
    if (i < 0) return 0;
    if (attempt_again(t->attempt[i], &plan, g)) return attempt_front(t, i), 1;
    attempt_drop(t, i);
    return 0;
}

/// The one that it differs from latest of all, where that is after the first frame.
static void base_find(const struct tune *t, const struct reading *g, struct plan *plan)
{
    plan->since = INT64_MIN;
    for (int i = 0; i < KEPT && t->attempt[i]; i++) {
        const struct attempt *a = t->attempt[i];
        const int64_t since = a->source->coarse == plan->coarse ? since_frame(a->values, g->values) : INT64_MIN;
        if (since <= plan->since || since == INT64_MAX) continue;
        plan->since = since;
        plan->base = a;
    }
}

/// Show a reading: as a look of what is baked, or as a new bake.
static void reading_show(struct tune *t, struct reading *g)
{
    const int i = attempt_find(t, g->flow);
    json_t *values = json_incref(g->values);
    if (i >= 0 && (t->attempt[i]->bake || t->attempt[i]->whole)) {
        attempts_stop(t, i); // another try, that was gone back from, would bake on unseen
        attempt_look(t->attempt[i], g);
        attempt_front(t, i);
    } else if (attempts_end(t), !attempt_resume(t, g)) {
        if (t->attempt[KEPT - 1]) attempt_drop(t, KEPT - 1);
        struct plan plan = {.session = t->sources->session,
                            .sources = t->sources,
                            .path = t->path,
                            .folder = t->folder,
                            .coarse = coarse_of(t, g),
                            .before = json_equal(values, t->first) ? NULL : t->shown};
        base_find(t, g, &plan);
        struct attempt *a = attempt_begin(&plan, g);
        if (a) {
            memmove(&t->attempt[1], &t->attempt[0], (KEPT - 1) * sizeof *t->attempt);
            t->attempt[0] = a;
        }
    }
    if (!t->first) t->first = json_incref(values);
    json_decref(t->shown);
    t->shown = values;
}

static void reading_bake(struct tune *t, struct reading *g)
{
    const struct plan plan = {.session = t->sources->session, .sources = t->sources, .path = t->path, .coarse = 1};
    attempt_free(t->sources, t->big);
    t->big = attempt_begin(&plan, g);
}

/// 1: something still runs.
static int attempts_look(struct tune *t)
{
    int runs = t->big && !attempt_over(t->big);
    struct attempt *a = t->attempt[0];
    if (!a) return runs;
    const double seconds = a->seconds;
    if (seconds > 0 && !runs) { // alone, it tells how fast this machine is with this preset
        // seldom another one: what differs only by a knob is to be compared cell by cell
        if (seconds > 3 * SECONDS || seconds < SECONDS / 16) t->rate = a->work / seconds;
        a->seconds = 0;
    }
    return (a->bake && !attempt_over(a)) || runs;
}

/// What is to be done next; 0: the end.
static int wish_wait(struct tune *t, int runs, struct reading **wish, struct reading **full)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&t->lock);
    while (!t->stop && !t->wish && !t->full)
        if (runs ? pthread_cond_timedwait(&t->wake, &t->lock, &until) : pthread_cond_wait(&t->wake, &t->lock)) break;
    *wish = t->wish;
    *full = t->full;
    t->wish = t->full = NULL;
    const int goes_on = !t->stop;
    pthread_mutex_unlock(&t->lock);
    return goes_on;
}

static void *tune_run(void *tune)
{
    struct tune *t = tune;
    struct reading *wish, *full;
    int runs = 0;
    while (wish_wait(t, runs, &wish, &full)) {
        if (wish) reading_show(t, wish);
        if (full) reading_bake(t, full);
        runs = attempts_look(t);
    }
    reading_free(wish);
    reading_free(full);
    return NULL;
}

/// The newest wish takes the place of one that still waits.
static void wish_put(struct tune *t, struct reading **place, struct reading *g)
{
    pthread_mutex_lock(&t->lock);
    struct reading *before = *place;
    *place = g;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    reading_free(before);
}

/* ---- what is asked of it ---- */

static struct reader reader_of(const struct tune *t) { return (struct reader){t->sources->session, t->path, t->known}; }

json_t *tune_preset(struct tune *t)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "name", t->name, "path", t->path, "text", t->text, "folder",
                     t->place.folder);
}

char *tune_table(struct tune *t, const char *name)
{
    return json_object_get(t->ids, name) ? bw_session_describe(t->sources->session, name) : NULL;
}

json_t *tune_try(struct tune *t, const char *text)
{
    const struct reader r = reader_of(t);
    struct reading *g;
    json_t *said = reading_make(&r, text, &g);
    if (g) wish_put(t, &t->wish, g);
    return said;
}

/// A reading, or NULL and its sentence in *said, new memory.
static struct reading *reading_of(struct tune *t, const char *text, char **said)
{
    const struct reader r = reader_of(t);
    struct reading *g;
    json_t *answer = reading_make(&r, text, &g);
    *said = g ? NULL : strdup(json_string_value(json_object_get(answer, "sentence")));
    json_decref(answer);
    return g;
}

char *tune_bake(struct tune *t, const char *text, int *good)
{
    char *said;
    struct reading *g = reading_of(t, text, &said);
    *good = g != NULL;
    if (!g) return said;
    wish_put(t, &t->full, g);
    return strdup("it is baked in its own cells, into out/");
}

char *tune_save(struct tune *t, const char *name, const char *text, int *good)
{
    char *said = save_name_check(name);
    *good = 0;
    if (said) return said;
    struct reading *g = reading_of(t, text, &said);
    reading_free(g);
    return g ? save_preset(&t->place, t->sources->session, name, text, good) : said;
}

/* ---- open and close ---- */

static void ids_read(struct tune *t)
{
    static const char *const sections[] = {"preset", "stages", "export"}, *const kinds[] = {"stages", "exporters"};
    char *said = bw_session_list(t->sources->session);
    json_t *list = said ? json_loads(said, 0, NULL) : NULL, *e;
    size_t i;
    t->ids = json_object();
    bw_text_free(said);
    for (size_t k = 0; k < 3; k++) json_object_set_new(t->ids, sections[k], json_true());
    for (size_t k = 0; k < 2; k++)
        json_array_foreach (json_object_get(list, kinds[k]), i, e)
            json_object_set_new(t->ids, json_string_value(json_object_get(e, "id")), json_true());
    json_decref(list);
}

static void folder_make(struct tune *t)
{
    const char *base = getenv("TMPDIR");
    const int n = snprintf(t->folder, sizeof t->folder, "%s/billow-tune-XXXXXX", base && *base ? base : "/tmp");
    if (n < 0 || (size_t)n >= sizeof t->folder || !mkdtemp(t->folder)) t->folder[0] = '\0';
}

static int tune_start(struct tune *t)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&t->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&t->lock, NULL);
    t->known = json_object();
    reading_know(t->text, t->known);
    ids_read(t);
    save_place_find(&t->place, t->sources->session, t->path);
    folder_make(t);
    t->has_thread = *t->folder && !pthread_create(&t->thread, NULL, tune_run, t);
    return t->has_thread;
}

struct tune *tune_open(struct sources *sources, const char *preset)
{
    struct tune *t = calloc(1, sizeof *t);
    char *found = bw_session_find(sources->session, preset), *path = found ? realpath(found, NULL) : NULL;
    bw_text_free(found);
    if (!t || !path) {
        free(path);
        free(t);
        return NULL;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *t = (struct tune){.sources = sources,
                       .path = path,
                       .name = strndup(name, strcspn(name, ".")),
                       .rate = RATE * fmin((double)sources->cores, 16)};
    t->text = file_read(path, TEXT_MOST, NULL); // the file itself, no link
    if (t->text && t->name && tune_start(t)) return t;
    tune_close(t);
    return NULL;
}

void tune_close(struct tune *t)
{
    if (!t) return;
    if (t->has_thread) {
        pthread_mutex_lock(&t->lock);
        t->stop = 1;
        pthread_cond_broadcast(&t->wake);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
    }
    for (int i = 0; i < KEPT; i++) attempt_free(t->sources, t->attempt[i]);
    attempt_free(t->sources, t->big);
    if (*t->folder) folder_remove(t->folder);
    json_decref(t->shown);
    json_decref(t->first);
    json_decref(t->known);
    json_decref(t->ids);
    free(t->text);
    free(t->name);
    free(t->path);
    free(t);
}
