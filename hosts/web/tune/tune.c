// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "tune.h"

#include "clock.h"
#include "folder.h"
#include "json_text.h"
#include "live.h"
#include "save_preset.h"
#include "tuned_bake.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PREVIEWS = 8, POLL_NS = 50000000, MAX_TEXT = 1 << 20 }; ///< POLL_NS: between looks at a running bake
static const double TARGET_S = 2.2; ///< that a preview of the first second of film is to take
static const double MOST_S = 3.3;   ///< beyond which it starts anew in wider voxels, where its first frames say so
static const double PACE_S = 1.5;   ///< s of baking before its pace counts, where MIN_FRAMES frames take longer
enum { MIN_FRAMES = 4, MAX_FRAMES = 12 };
static const double MIN_CELLS = 24e3;   ///< of the full box; with fewer, wider voxels gain little
static const double DEFAULT_RATE = 6e6; ///< cells of the full box times frames, a second and core, until it is measured
static const double MAX_COARSE = 4;
static const double HYSTERESIS = 1.5; ///< of the voxels' width: some 3 times the work

struct tune {
    struct sources *sources;
    char *name, *path, *text;      ///< of the preset as it was opened
    json_t *stage_types;           ///< names
    json_t *allowed, *table_names; ///< see parse_context; stages, exporters and sections that have parameters
    struct save_target target;
    char folder[200]; ///< of previews; "": there is none
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock; ///< of the following
    pthread_cond_t wake;
    struct parsed_preset *preview_request, *full_request; ///< the newest that the thread has not taken, or NULL
    int stop, restart;
    // the thread's own
    struct live *live;                        ///< NULL: changes are shown by previews
    struct tuned_bake *preview[MAX_PREVIEWS]; ///< the newest first; then NULL
    struct tuned_bake *full_bake;
    json_t *shown_values, *first_values; ///< of the last and the first preview
    double rate;
};

/* ---- texts ---- */

static struct parse_context context_of(const struct tune *t)
{
    return (struct parse_context){t->sources->session, t->path, t->allowed};
}

/// A parsed preset, or NULL and the sentence in *error, from malloc.
static struct parsed_preset *parse_or_sentence(struct tune *t, const char *text, char **error)
{
    const struct parse_context c = context_of(t);
    struct parsed_preset *p;
    json_t *answer = preset_parse(&c, text, &p);
    *error = p ? NULL : strdup(json_string_value(json_object_get(answer, "sentence")));
    json_decref(answer);
    return p;
}

/* ---- the thread ---- */

/// The factor of a preview's voxels, in quarters, by which the first second of film takes some TARGET_S. The factor of
/// the preview before is kept while it does nearly as well: only previews in the same voxels can be compared or resumed
/// from each other.
static double coarse_choose(const struct tune *t, const struct parsed_preset *p)
{
    const double k = fmax(pow(p->work / (t->rate * TARGET_S), p->flat ? 1.0 / 2 : 1.0 / 3), 1);
    const double before = t->preview[0] ? t->preview[0]->source->coarse : 0;
    return k < before * HYSTERESIS && before < k * HYSTERESIS ? before : fmin(ceil(4 * k) / 4, MAX_COARSE);
}

static struct plan plan_of(const struct tune *t, const char *folder, double coarse)
{
    return (struct plan){.sources = t->sources, .path = t->path, .folder = folder, .coarse = coarse};
}

/// Make it the newest, and current on the page.
static void preview_to_front(struct tune *t, int i)
{
    struct tuned_bake *b = t->preview[i];
    memmove(&t->preview[1], &t->preview[0], (size_t)i * sizeof *t->preview);
    t->preview[0] = b;
    sources_set_current(t->sources, b->source->id);
}

static void preview_drop(struct tune *t, int i)
{
    tuned_bake_free(t->sources, t->preview[i]);
    memmove(&t->preview[i], &t->preview[i + 1], (size_t)(MAX_PREVIEWS - 1 - i) * sizeof *t->preview);
    t->preview[MAX_PREVIEWS - 1] = NULL;
}

static void previews_drop(struct tune *t, const struct tuned_bake *b)
{
    for (int i = 0; i < MAX_PREVIEWS && t->preview[i]; i++)
        if (t->preview[i] == b) preview_drop(t, i--);
}

/// Cancel all that run, but one (-1: none).
static void previews_cancel(struct tune *t, int but)
{
    for (int i = 0; i < MAX_PREVIEWS && t->preview[i]; i++)
        if (i != but) tuned_bake_cancel(t->preview[i]);
}

/// Drop those without a frame.
static void previews_drop_empty(struct tune *t)
{
    for (int i = MAX_PREVIEWS - 1; i >= 0; i--)
        if (t->preview[i] && !t->preview[i]->frames_made) preview_drop(t, i);
}

/// The preview with the same flow; -1: there is none.
static int preview_find(const struct tune *t, const char *flow)
{
    for (int i = 0; i < MAX_PREVIEWS && t->preview[i]; i++)
        if (!strcmp(t->preview[i]->flow, flow)) return i;
    return -1;
}

/// Resume the cancelled preview of the same flow. 0: there is none, or it cannot be resumed.
static int preview_resume(struct tune *t, struct parsed_preset *p)
{
    const int i = preview_find(t, p->flow);
    if (i < 0) return 0;
    const struct plan plan = plan_of(t, t->folder, t->preview[i]->source->coarse);
    if (tuned_bake_resume(t->preview[i], &plan, p)) return preview_to_front(t, i), 1;
    preview_drop(t, i);
    return 0;
}

/// The preview in the same voxels whose flow differs last, where that is after the first frame.
static void base_choose(const struct tune *t, const struct parsed_preset *p, struct plan *plan)
{
    plan->first_changed = INT64_MIN;
    for (int i = 0; i < MAX_PREVIEWS && t->preview[i]; i++) {
        const struct tuned_bake *b = t->preview[i];
        const int64_t first = b->source->coarse == plan->coarse ? first_changed_frame(b->values, p->values) : INT64_MIN;
        if (first <= plan->first_changed || first == INT64_MAX) continue;
        plan->first_changed = first;
        plan->base = b;
    }
}

/// A new preview, in front; takes the preset over.
static void preview_start(struct tune *t, struct parsed_preset *p, double coarse, const json_t *baseline)
{
    if (t->preview[MAX_PREVIEWS - 1]) preview_drop(t, MAX_PREVIEWS - 1);
    struct plan plan = plan_of(t, t->folder, coarse);
    plan.baseline = baseline;
    base_choose(t, p, &plan);
    t->preview[MAX_PREVIEWS - 1] = tuned_bake_start(&plan, p);
    if (t->preview[MAX_PREVIEWS - 1]) preview_to_front(t, MAX_PREVIEWS - 1);
}

/// Show a preset: a preview of the same flow with its look, else a new preview.
static void preset_preview(struct tune *t, struct parsed_preset *p)
{
    if (t->live) {
        live_show(t->live, p);
        return;
    }
    const int i = preview_find(t, p->flow);
    json_t *values = json_incref(p->values);
    const int exists = i >= 0 && (t->preview[i]->bake || t->preview[i]->complete);
    previews_cancel(t, exists ? i : -1);
    if (exists) {
        tuned_bake_set_look(t->preview[i], p);
        preview_to_front(t, i);
    } else if (previews_drop_empty(t), !preview_resume(t, p)) {
        preview_start(t, p, coarse_choose(t, p), json_equal(values, t->first_values) ? NULL : t->shown_values);
    }
    if (!t->first_values) t->first_values = json_incref(values);
    json_decref(t->shown_values);
    t->shown_values = values;
}

static void preset_bake_full(struct tune *t, struct parsed_preset *p)
{
    const struct plan plan = plan_of(t, NULL, 1);
    tuned_bake_free(t->sources, t->full_bake);
    if (t->live) live_pause(t->live, 1); // it would take half of the machine
    t->full_bake = tuned_bake_start(&plan, p);
}

/// The newest preview, where its first frames are too slow, once more in wider voxels. What cells cost differs by a
/// hundred times between presets, and steps get longer with the voxels: work goes by the fourth power of their width.
static void pace_check(struct tune *t)
{
    struct tuned_bake *b = t->preview[0];
    const double seconds = b->foretold_s, before = b->source->coarse;
    const int n = b->frames_done, known = n >= MIN_FRAMES ? n <= MAX_FRAMES : b->elapsed_s > PACE_S;
    if (!b->bake || b->resumed || !known || !(seconds > MOST_S) || before >= MAX_COARSE || b->cells < MIN_CELLS) return;
    char *text = source_text(b->source), *error = NULL;
    struct parsed_preset *p = text ? parse_or_sentence(t, text, &error) : NULL;
    json_t *baseline = json_incref(b->baseline);
    if (p) {
        const double k = before * pow(seconds / TARGET_S, p->flat ? 1.0 / 3 : 1.0 / 4);
        const double coarse = fmin(ceil(4 * k) / 4, MAX_COARSE);
        t->rate = p->work / (TARGET_S * (p->flat ? coarse * coarse : coarse * coarse * coarse));
        tuned_bake_cancel(b);
        preview_start(t, p, coarse, baseline);
        previews_drop(t, b);
    }
    json_decref(baseline);
    free(error);
    free(text);
}

/// Notice ended bakes, and measure the machine. 1: a bake runs.
static int bakes_poll(struct tune *t)
{
    int runs = t->full_bake && !tuned_bake_poll(t->full_bake);
    struct tuned_bake *b = t->preview[0];
    if (t->live) return live_poll(t->live) || runs;
    if (!b) return runs;
    if (!runs) pace_check(t), b = t->preview[0];
    if (!b) return runs;
    const double seconds = b->measured_s;
    if (seconds > 0 && !runs) { // it ran alone, and measures the machine with this preset
        // seldom another rate: previews are to be compared in the same voxels
        const int slow = seconds > 3 * TARGET_S && b->cells >= MIN_CELLS;
        if (slow || seconds < TARGET_S / 16) t->rate = b->work / seconds;
        b->measured_s = 0;
    }
    return (b->bake && !tuned_bake_poll(b)) || runs;
}

/// Wait for requests, or, where a bake runs, for POLL_NS. 0: the preset is being closed.
static int request_wait(struct tune *t, int runs, struct parsed_preset **preview, struct parsed_preset **full,
                        int *restart)
{
    const struct timespec until = deadline_after(POLL_NS);
    pthread_mutex_lock(&t->lock);
    while (!t->stop && !t->preview_request && !t->full_request && !t->restart)
        if (runs ? pthread_cond_timedwait(&t->wake, &t->lock, &until) : pthread_cond_wait(&t->wake, &t->lock)) break;
    *preview = t->preview_request;
    *full = t->full_request;
    t->preview_request = t->full_request = NULL;
    *restart = t->restart;
    t->restart = 0;
    const int open = !t->stop;
    pthread_mutex_unlock(&t->lock);
    return open;
}

static void *tune_run(void *tune)
{
    struct tune *t = tune;
    struct parsed_preset *preview, *full;
    int runs = 0, restart;
    while (request_wait(t, runs, &preview, &full, &restart)) {
        if (preview) preset_preview(t, preview);
        if (restart) live_restart(t->live);
        if (full) preset_bake_full(t, full);
        runs = bakes_poll(t);
    }
    parsed_preset_free(preview);
    parsed_preset_free(full);
    return NULL;
}

/// Pass a request to the thread, in place of one that it has not taken.
static void request_put(struct tune *t, struct parsed_preset **place, struct parsed_preset *p)
{
    pthread_mutex_lock(&t->lock);
    struct parsed_preset *before = *place;
    *place = p;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    parsed_preset_free(before);
}

/* ---- requests of the page ---- */

json_t *tune_preset(struct tune *t)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:O}", "name", t->name, "path", t->path, "text", t->text, "folder",
                     t->target.folder, "live", t->live != NULL, "stage_types", t->stage_types);
}

char *tune_parameters(struct tune *t, const char *name)
{
    return json_object_get(t->table_names, name) ? bw_session_describe(t->sources->session, name) : NULL;
}

json_t *tune_try(struct tune *t, const char *text)
{
    const struct parse_context c = context_of(t);
    struct parsed_preset *p;
    json_t *answer = preset_parse(&c, text, &p);
    if (p) request_put(t, &t->preview_request, p);
    return answer;
}

char *tune_live(struct tune *t, const char *what)
{
    const int restart = !strcmp(what, "restart"), pause = !strcmp(what, "pause");
    if (!t->live) return strdup("no simulation runs on here: that is `billow tune --live`");
    if (!restart && !pause && strcmp(what, "run") != 0) return strdup("it can restart, pause or run");
    if (!restart) return live_pause(t->live, pause), NULL;
    pthread_mutex_lock(&t->lock);
    t->restart = 1;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

char *tune_bake(struct tune *t, const char *text, int *good)
{
    char *error;
    struct parsed_preset *p = parse_or_sentence(t, text, &error);
    *good = p != NULL;
    if (!p) return error;
    request_put(t, &t->full_request, p);
    return strdup("it is baked at full resolution, into out/");
}

char *tune_save(struct tune *t, const char *name, const char *text, int *good)
{
    char *error = save_name_check(name);
    *good = 0;
    if (error) return error;
    struct parsed_preset *p = parse_or_sentence(t, text, &error);
    parsed_preset_free(p);
    return p ? save_preset(&t->target, t->sources->session, name, text, good) : error;
}

/* ---- open and close ---- */

/// The names that tune_parameters answers: sections, stages, exporters.
static void table_names_read(struct tune *t)
{
    static const char *const sections[] = {"preset", "stages", "export"}, *const kinds[] = {"stages", "exporters"};
    json_t *list = json_from_text(bw_session_list(t->sources->session)), *e;
    size_t i;
    t->table_names = json_object();
    t->stage_types = json_array();
    for (size_t k = 0; k < 3; k++) json_object_set_new(t->table_names, sections[k], json_true());
    for (size_t k = 0; k < 2; k++)
        json_array_foreach (json_object_get(list, kinds[k]), i, e)
            json_object_set_new(t->table_names, json_string_value(json_object_get(e, "id")), json_true());
    json_array_foreach (json_object_get(list, "stages"), i, e)
        json_array_append(t->stage_types, json_object_get(e, "id"));
    json_decref(list);
}

static void preview_folder_make(struct tune *t)
{
    const char *base = getenv("TMPDIR");
    const int n = snprintf(t->folder, sizeof t->folder, "%s/billow-tune-XXXXXX", base && *base ? base : "/tmp");
    if (n < 0 || (size_t)n >= sizeof t->folder || !mkdtemp(t->folder)) t->folder[0] = '\0';
}

static int tune_start(struct tune *t)
{
    cond_init_monotonic(&t->wake);
    pthread_mutex_init(&t->lock, NULL);
    t->allowed = json_object();
    preset_allow_texts(t->text, t->allowed);
    table_names_read(t);
    save_target_find(&t->target, t->sources->session, t->path);
    preview_folder_make(t);
    t->has_thread = *t->folder && !pthread_create(&t->thread, NULL, tune_run, t);
    return t->has_thread;
}

struct tune *tune_open(struct sources *sources, struct events *events, const char *preset, int live)
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
                       .rate = DEFAULT_RATE * fmin((double)sources->cores, 16)};
    t->text = file_read(path, MAX_TEXT, NULL); // the file itself, no link
    t->live = live ? live_open(sources, events, path) : NULL;
    if (t->text && t->name && !live == !t->live && tune_start(t)) return t;
    tune_close(t);
    return NULL;
}

void tune_stop(struct tune *t)
{
    if (t && t->has_thread) {
        pthread_mutex_lock(&t->lock);
        t->stop = 1;
        pthread_cond_broadcast(&t->wake);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
        t->has_thread = 0;
        live_stop(t->live);
    }
}

void tune_close(struct tune *t)
{
    if (!t) return;
    tune_stop(t);
    parsed_preset_free(t->preview_request);
    parsed_preset_free(t->full_request);
    for (int i = 0; i < MAX_PREVIEWS; i++) tuned_bake_free(t->sources, t->preview[i]);
    live_free(t->live);
    tuned_bake_free(t->sources, t->full_bake);
    if (*t->folder) folder_remove(t->folder);
    json_decref(t->shown_values);
    json_decref(t->first_values);
    json_decref(t->allowed);
    json_decref(t->table_names);
    json_decref(t->stage_types);
    free(t->text);
    free(t->name);
    free(t->path);
    free(t);
}
