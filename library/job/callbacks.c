// SPDX-License-Identifier: Apache-2.0
/* bake.log and the host's callbacks. Callbacks run on the bake's thread, in the host's floating-point modes and locale.
 * Log lines from other threads are queued until the end of the substep. */
#include "job.h"

#include "snapshot.h"
#include <errno.h>
#include <math.h>
#include <string.h>

struct job_line {
    struct job_line *next;
    int32_t level;
    char *who, *text;
};

static void callback_begin(struct job *j)
{
    callback_job_set(j);
    host_modes_restore(&j->host);
}

static void callback_end(void)
{
    host_modes_save();
    callback_job_set(NULL);
}

/* ---- lines ---- */

static void log_line_add(struct job *j, int level, const char *who, const char *text)
{
    struct job_line *l = bw_calloc(sizeof *l);
    if (!l) return;
    *l = (struct job_line){.level = level, .who = bw_strdup(who), .text = bw_strdup(text)};
    *j->last_line = l;
    j->last_line = &l->next;
}

void job_log(struct job *j, int level, const char *who, const char *text)
{
    static const char *const word[] = {"debug", "info", "warning"};
    if (!who) who = "billow";
    pthread_mutex_lock(&j->lock);
    if (j->log) fprintf(j->log, "%s: %s: %s\n", word[level >= 0 && level <= 2 ? level : 1], who, text);
    if (j->options.on_log) log_line_add(j, level, who, text);
    pthread_mutex_unlock(&j->lock);
}

static void on_run_log(int level, const char *who, const char *text, void *user) { job_log(user, level, who, text); }

static struct job_line *log_lines_take(struct job *j)
{
    pthread_mutex_lock(&j->lock);
    struct job_line *l = j->lines;
    j->lines = NULL;
    j->last_line = &j->lines;
    pthread_mutex_unlock(&j->lock);
    return l;
}

static void log_line_free(struct job_line *l)
{
    bw_free(l->who);
    bw_free(l->text);
    bw_free(l);
}

void log_lines_flush(struct job *j)
{
    for (struct job_line *l = log_lines_take(j), *next; l; l = next) {
        next = l->next;
        callback_begin(j);
        if (l->who && l->text) j->options.on_log(j->handle, l->level, l->who, l->text, j->options.user);
        callback_end();
        log_line_free(l);
    }
}

void log_lines_discard(struct job *j)
{
    for (struct job_line *l = log_lines_take(j), *next; l; l = next) {
        next = l->next;
        log_line_free(l);
    }
}

/* ---- progress ---- */

/* "frame 37/120" counts written frames; "warm-up 3/24" those before them. */
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

#define WAITED 0.5 ///< share of the time above which an exporter is reported

/* "  mp4 74 %" at its end: the exporter that is waited for, and the share of the time in which it works. */
static void frame_line(const struct job *j, const struct bw_progress *f, char out[200])
{
    char name[48], eta[48], cells[48], memory[48], divergence[32] = "", exporter[48] = "";
    frame_name(f, name, sizeof name);
    if (isfinite(f->divergence)) divergence_text(f->divergence, divergence, sizeof divergence);
    if (f->exporter && f->elapsed > 0 && f->exporter_seconds > WAITED * f->elapsed)
        snprintf(exporter, sizeof exporter, "  %.32s %.0f %%", f->exporter,
                 fmin(100 * f->exporter_seconds / f->elapsed, 100));
    snprintf(out, 200, "%s  %.2g s/frame  ETA %s  %s cells%s  %s%s", name, j->frame_seconds,
             bw_number_words(j->frame_seconds * (f->total - f->done), "s", eta),
             bw_number_words((double)f->cells, "", cells), divergence, bw_number_words((double)f->memory, "B", memory),
             exporter);
}

static void progress_report(struct job *j, const struct bw_progress *f, const char *line, int whole)
{
    struct bw_bake_progress p = {.frame = f->frame,
                                 .first = f->first,
                                 .last = f->last,
                                 .done = f->done,
                                 .total = f->total,
                                 .seconds = f->seconds,
                                 .elapsed = f->elapsed,
                                 .substeps = f->substeps,
                                 .frame_done = whole,
                                 .cells = f->cells,
                                 .divergence = f->divergence,
                                 .residual = f->residual,
                                 .iterations = f->iterations,
                                 .memory = f->memory,
                                 .line = line,
                                 .written = f->written};
    if (!j->options.on_progress) return;
    callback_begin(j);
    j->options.on_progress(j->handle, &p, j->options.user);
    callback_end();
}

static void on_run_substep(const struct bw_progress *f, void *user)
{
    struct job *j = user;
    char line[200];
    at_exit_rearm(false);
    log_lines_flush(j);
    frame_line(j, f, line);
    progress_report(j, f, line, 0);
}

/* The finished frame, for the host's on_frame. */
static void snapshot_report(struct job *j, int64_t frame)
{
    struct bw_snapshot *s = snapshot_of_job(j, frame);
    if (!s) {
        on_run_log(BW_LOG_WARNING, NULL, "out of memory to show a frame", j);
        return;
    }
    callback_begin(j);
    j->options.on_frame(j->handle, s, j->options.user);
    callback_end();
    object_unref(handle_close(s, HANDLE_SNAPSHOT, NULL));
}

static void on_run_frame(const struct bw_progress *f, void *user)
{
    struct job *j = user;
    char line[200];
    log_lines_flush(j);
    j->frame_seconds =
        f->done > 2 ? 0.8 * j->frame_seconds + 0.2 * f->seconds : f->seconds; /* the first frame only sets up */
    frame_line(j, f, line);
    pthread_mutex_lock(&j->lock);
    if (j->log)
        fprintf(j->log, "%s  frame %lld, %d substeps, %.3f s\n", line, (long long)f->frame, f->substeps, f->seconds);
    pthread_mutex_unlock(&j->lock);
    progress_report(j, f, line, 1);
    const int shown = f->frame >= f->first || j->options.warmup;
    if (j->options.on_frame && shown && f->frame <= f->last) snapshot_report(j, f->frame);
}

/* ---- the rest ---- */

/* Take the values of bw_bake_set_values. */
static void before_run_step(void *user)
{
    struct job *j = user;
    struct bw_diag d = {0};
    pthread_mutex_lock(&j->live.lock);
    struct job *v = j->live.next;
    j->live.next = NULL;
    const enum bw_status status = v ? bw_chain_exchange(j->chain, v->chain, &d) : BW_OK;
    pthread_mutex_unlock(&j->live.lock);
    if (status) job_log(j, BW_LOG_WARNING, NULL, d.first ? d.first : "out of memory for new values");
    bw_diag_free(&d);
    if (v) object_unref(&v->o);
}

void start_report(struct job *j)
{
    if (!j->options.on_start) return;
    callback_begin(j);
    j->options.on_start(j->handle, j->options.user);
    callback_end();
}

void output_report(struct job *j, const char *what, const char *path)
{
    if (!j->options.on_output) return;
    callback_begin(j);
    j->options.on_output(j->handle, what, path, j->options.user);
    callback_end();
}

static void on_run_output(const char *what, const char *path, void *user)
{
    struct job *j = user;
    outputs_add(&j->outputs, what, path);
    log_lines_flush(j);
    output_report(j, what, path);
}

static int on_run_file(const char *name, const struct file_facts *whole, void *user)
{
    struct job *j = user;
    if (whole) at_exit_rearm(!atomic_exchange(&j->has_file, true));
    if (j->repair.on) return repair_file(j, name, whole);
    if (whole && !folder_take_over(j)) return ECANCELED;
    return journal_add(&j->journal, name, whole);
}

void callbacks_attach(struct job *j)
{
    j->run.on_frame = on_run_frame;
    j->run.on_substep = on_run_substep;
    j->run.before_step = before_run_step;
    j->run.on_log = on_run_log;
    j->run.on_output = on_run_output;
    j->run.on_file = on_run_file;
    j->run.about = resume_about;
    j->run.on_checkpoint = resume_prune;
    j->run.user = j;
}
