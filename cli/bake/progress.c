// SPDX-License-Identifier: Apache-2.0
/* Progress of a bake: one live line on a terminal, a plain line a frame elsewhere, NDJSON events with --json. Every
 * event carries "billow": 1, the version of the event format. */
#include "bake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double REDRAW_SECONDS = 0.2;
const char *const progress_what[4] = {"movie", "picture", "cache", "particles"};

void progress_init(struct progress *p, int json)
{
    if (json) cli_json_bake_reports(), cli_crash_events();
    p->json = json;
    p->live = !json && isatty(STDERR_FILENO);
}

void progress_free(struct progress *p)
{
    for (int i = 0; i < 4; i++) free(p->output[i]);
    json_decref(p->waiting);
    page_close(&p->page);
}

/* ---- events ---- */

/// A JSON number, or null for NaN and infinities.
static json_t *event_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

void event_print(const struct progress *p, const char *name, json_t *event)
{
    json_t *line = p->json && event ? json_pack("{s:i, s:s}", "billow", 1, "event", name) : NULL;
    if (line) {
        json_object_update(line, event);
        cli_json_print(line, JSON_COMPACT | JSON_REAL_PRECISION(9));
    }
    json_decref(line);
    json_decref(event);
}

static void on_start(struct bw_bake *bake, void *user)
{
    struct bw_bake_facts f = {.size = sizeof f};
    if (bw_bake_facts(bake, &f)) return;
    event_print(user, "start",
                json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:f}", "preset", f.name, "hash", f.hash, "version",
                          bw_version(), "simd", f.simd, "out", f.out, "first", (json_int_t)f.first, "last",
                          (json_int_t)f.last, "fps", f.fps));
}

static json_t *frame_json(const struct bw_bake_progress *f)
{
    return json_pack("{s:I, s:b, s:i, s:i, s:o, s:o, s:i, s:I, s:o, s:o, s:o, s:I}", "frame", (json_int_t)f->frame,
                     "written", 0, "done", f->done, "total", f->total, "seconds", event_number(f->seconds), "elapsed",
                     event_number(f->elapsed), "substeps", f->substeps, "cells", (json_int_t)f->cells, "divergence",
                     event_number(f->divergence), "residual", event_number(f->residual), "iterations",
                     event_number(f->iterations), "memory", (json_int_t)f->memory);
}

/* Frame events are queued until the frame is written: a reader of the event may open its files. */
static void frames_written_report(struct progress *p, int64_t written)
{
    json_t *event;
    while ((event = json_array_get(p->waiting, 0))) {
        if (json_integer_value(json_object_get(event, "frame")) > written) break;
        json_object_set_new(event, "written", json_true());
        event_print(p, "frame", json_incref(event));
        json_array_remove(p->waiting, 0);
    }
}

static void frame_event(struct progress *p, const struct bw_bake_progress *f)
{
    if (!p->json) return;
    if (!p->waiting) p->waiting = json_array();
    if (f->frame_done && f->frame < f->first) event_print(p, "frame", frame_json(f));
    else if (f->frame_done) json_array_append_new(p->waiting, frame_json(f));
    frames_written_report(p, f->written);
}

void progress_end(struct progress *p)
{
    size_t i;
    json_t *event;
    json_array_foreach (p->waiting, i, event) event_print(p, "frame", json_incref(event));
    json_decref(p->waiting);
    p->waiting = NULL;
}

/* ---- lines ---- */

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void line_clear(struct progress *p)
{
    if (p->line_shown) cli_terminal("\r\033[K");
    p->line_shown = 0;
}

static void line_draw(struct progress *p, const char *line)
{
    cli_terminal("\r");
    fprintf(stderr, "%.*s", terminal_width() - 1, line);
    cli_terminal("\033[K");
    fflush(stderr);
    p->line_shown = 1;
    p->last_drawn = cli_clock_seconds();
}

void progress_break(struct progress *p)
{
    if (p->line_shown) fputc('\n', stderr);
    p->line_shown = 0;
}

static void on_progress(struct bw_bake *bake, const struct bw_bake_progress *f, void *user)
{
    struct progress *p = user;
    (void)bake;
    page_progress(&p->page, f);
    if (p->live && (f->frame_done || cli_clock_seconds() - p->last_drawn > REDRAW_SECONDS)) line_draw(p, f->line);
    else if (!p->live && !p->json && f->frame_done) fprintf(stderr, "%s\n", f->line);
    frame_event(p, f);
}

static void on_log(struct bw_bake *bake, int32_t level, const char *who, const char *text, void *user)
{
    static const char *const word[] = {"debug", "info", "warning"};
    struct progress *p = user;
    (void)bake;
    page_log(&p->page, level, who, text);
    if (level > 0 && !p->json) {
        line_clear(p);
        fprintf(stderr, "%s%s: %s\n", level == 2 ? "warning: " : "", who, text);
    }
    event_print(
        p, "log",
        json_pack("{s:s, s:s, s:s}", "level", word[level >= 0 && level <= 2 ? level : 1], "from", who, "text", text));
}

static void on_output(struct bw_bake *bake, const char *what, const char *path, void *user)
{
    struct progress *p = user;
    (void)bake;
    for (int i = 0; i < 4; i++) {
        if (strcmp(what, progress_what[i])) continue;
        free(p->output[i]);
        p->output[i] = strdup(path);
    }
    event_print(p, "output", json_pack("{s:s, s:s}", "what", what, "path", path));
}

static void on_frame(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    const struct progress *p = user;
    (void)bake;
    page_frame(&p->page, snapshot);
}

void progress_attach(struct progress *p, struct bw_bake_options *o)
{
    o->on_start = on_start;
    o->on_progress = on_progress;
    o->on_log = on_log;
    o->on_output = on_output;
    if (p->wants_page) o->on_frame = on_frame;
    o->user = p;
}
