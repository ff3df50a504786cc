// SPDX-License-Identifier: Apache-2.0
/* Progress of a bake: one live line on a terminal, a plain line a frame elsewhere, NDJSON events with --json; and
 * the same lines in bake.log. Every event carries "billow": 1, the version of the event format. */
#include "bake.h"

#include "base/alloc.h"
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double REDRAW_SECONDS = 0.2;

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_init(struct bake_progress *p, int json)
{
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->json = json;
    p->live = !json && isatty(STDERR_FILENO);
}

void progress_free(struct bake_progress *p)
{
    for (int32_t i = 0; i < p->n_outputs; i++) {
        bw_free(p->output[i].what);
        bw_free(p->output[i].path);
    }
    bw_free(p->output);
    if (p->log) fclose(p->log);
    journal_end(&p->journal, NULL);
    pthread_mutex_destroy(&p->lock);
}

/* ---- events ---- */

/// A JSON number, or null for NaN and infinities.
static json_t *event_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

void event_print(const struct bake_progress *p, const char *name, json_t *event)
{
    json_t *line = p->json && event ? json_pack("{s:i, s:s}", "billow", 1, "event", name) : NULL;
    if (line) {
        json_object_update(line, event);
        json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', stdout);
        fflush(stdout);
    }
    json_decref(line);
    json_decref(event);
}

static void frame_event(const struct bake_progress *p, const struct bw_progress *f)
{
    if (!p->json) return;
    event_print(p, "frame",
                json_pack("{s:I, s:b, s:i, s:i, s:o, s:o, s:i, s:I, s:o, s:o, s:o, s:I}", "frame", (json_int_t)f->frame,
                          "written", f->frame >= f->first, "done", f->done, "total", f->total, "seconds",
                          event_number(f->seconds), "elapsed", event_number(f->elapsed), "substeps", f->substeps,
                          "cells", (json_int_t)f->cells, "divergence", event_number(f->divergence), "residual",
                          event_number(f->residual), "iterations", event_number(f->iterations), "memory",
                          (json_int_t)f->memory));
}

/* ---- lines ---- */

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void line_clear(struct bake_progress *p)
{
    if (p->line_shown) fputs("\r\033[K", stderr);
    p->line_shown = 0;
}

/* "frame 37/120" counts what is written; what comes before is the warm-up. */
static void frame_name(const struct bw_progress *f, char *out, size_t size)
{
    long long written = f->last - f->first + 1, before = f->total - written, n = f->done;
    if (before > 0 && n <= before) snprintf(out, size, "warm-up %lld/%lld", n, before);
    else snprintf(out, size, "frame %lld/%lld", before > 0 ? n - before : n, written);
}

/* "  div 3e-4": one digit and its power of ten. */
static void divergence_text(double value, char *out, size_t size)
{
    int power = value > 0 ? (int)floor(log10(value)) : 0;
    double digit = value > 0 ? round(value / pow(10, power)) : 0;
    snprintf(out, size, "  div %.0fe%d", digit > 9 ? 1 : digit, digit > 9 ? power + 1 : power);
}

static void frame_line(const struct bake_progress *p, const struct bw_progress *f, char out[200])
{
    char name[48], eta[24], cells[24], memory[24], divergence[32] = "";
    frame_name(f, name, sizeof name);
    if (isfinite(f->divergence)) divergence_text(f->divergence, divergence, sizeof divergence);
    snprintf(out, 200, "%s  %.2g s/frame  ETA %s  %s cells%s  %s", name, p->pace,
             cli_duration(p->pace * (f->total - f->done), eta), cli_count((double)f->cells, cells), divergence,
             cli_bytes((double)f->memory, memory));
}

static void line_draw(struct bake_progress *p, const char *line)
{
    fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    fflush(stderr);
    p->line_shown = 1;
    p->last_drawn = clock_seconds();
}

static void progress_frame(const struct bw_progress *f, void *user)
{
    struct bake_progress *p = user;
    char line[200];
    pthread_mutex_lock(&p->lock);
    p->pace = f->done > 2 ? 0.8 * p->pace + 0.2 * f->seconds : f->seconds; /* the first frame only sets up */
    frame_line(p, f, line);
    if (p->log)
        fprintf(p->log, "%s  frame %lld, %d substeps, %.3f s\n", line, (long long)f->frame, f->substeps, f->seconds);
    if (p->live) line_draw(p, line);
    else if (!p->json) fprintf(stderr, "%s\n", line);
    frame_event(p, f);
    pthread_mutex_unlock(&p->lock);
}

static void progress_substep(const struct bw_progress *f, void *user)
{
    struct bake_progress *p = user;
    char line[200];
    pthread_mutex_lock(&p->lock);
    if (p->live && clock_seconds() - p->last_drawn > REDRAW_SECONDS) {
        frame_line(p, f, line);
        line_draw(p, line);
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_break(struct bake_progress *p)
{
    pthread_mutex_lock(&p->lock);
    if (p->line_shown) fputc('\n', stderr);
    p->line_shown = 0;
    pthread_mutex_unlock(&p->lock);
}

/* ---- what the core and the exporters say ---- */

static void progress_log(int level, const char *who, const char *text, void *user)
{
    static const char *const word[] = {"debug", "info", "warning"};
    struct bake_progress *p = user;
    const char *name = level >= 0 && level <= 2 ? word[level] : "info";
    pthread_mutex_lock(&p->lock);
    if (p->log) fprintf(p->log, "%s: %s: %s\n", name, who ? who : "billow", text);
    if (level >= BW_LOG_INFO && !p->json) {
        line_clear(p);
        fprintf(stderr, "%s%s: %s\n", level == BW_LOG_WARNING ? "warning: " : "", who ? who : "billow", text);
    }
    event_print(p, "log", json_pack("{s:s, s:s, s:s}", "level", name, "from", who ? who : "billow", "text", text));
    pthread_mutex_unlock(&p->lock);
}

static void progress_output_add(const char *what, const char *path, void *user)
{
    struct bake_progress *p = user;
    pthread_mutex_lock(&p->lock);
    struct bake_output *grown = bw_realloc(p->output, (size_t)(p->n_outputs + 1) * sizeof *grown);
    if (grown) {
        p->output = grown;
        p->output[p->n_outputs++] = (struct bake_output){bw_strdup(what), bw_strdup(path)};
    }
    event_print(p, "output", json_pack("{s:s, s:s}", "what", what, "path", path));
    pthread_mutex_unlock(&p->lock);
}

const char *progress_output(const struct bake_progress *p, const char *what)
{
    for (int32_t i = p->n_outputs - 1; i >= 0; i--) {
        if (p->output[i].what && !strcmp(p->output[i].what, what)) return p->output[i].path;
    }
    return NULL;
}

static int progress_file(const char *name, int whole, void *user)
{
    struct bake_progress *p = user;
    return journal_add(&p->journal, name, whole);
}

void progress_attach(struct bake_progress *p, struct bw_run_options *o)
{
    o->on_frame = progress_frame;
    o->on_substep = progress_substep;
    o->on_log = progress_log;
    o->on_output = progress_output_add;
    o->on_file = progress_file;
    o->user = p;
}
