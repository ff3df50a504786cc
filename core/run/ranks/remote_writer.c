// SPDX-License-Identifier: Apache-2.0
#include "base/alloc.h"
#include "base/transport.h"
#include "run/checkpoint/schedule.h"
#include "rotation.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its folder and log ---- */

static int file_request_send(const char *name, const struct file_facts *whole, void *chain)
{
    struct file_request f = {.whole = whole != NULL};
    const size_t bytes = sizeof f + strlen(name) + 1;
    char *data = bw_calloc(bytes);
    if (!data) return ENOMEM;
    if (whole) f.facts = *whole;
    memcpy(data, &f, sizeof f);
    strcpy(data + sizeof f, name);
    const int32_t answer =
        writer_request_send(chain, &(struct writer_request){.kind = REQUEST_FILE, .bytes = bytes, .data = data});
    bw_free(data);
    return answer < 0 ? ECANCELED : answer;
}

/* Under the log's lock. A line that there is no memory for is lost. */
static void log_line_buffer(int level, const char *who, const char *text, void *user)
{
    struct remote_writer *a = user;
    who = who ? who : "";
    const size_t bytes = 1 + strlen(who) + 1 + strlen(text) + 1;
    char *lines = bw_realloc(a->lines, a->lines_bytes + bytes);
    if (!lines) return;
    a->lines = lines;
    lines += a->lines_bytes;
    a->lines_bytes += bytes;
    *lines = (char)level;
    strcpy(lines + 1, who);
    strcpy(lines + 1 + strlen(who) + 1, text);
}

enum bw_status remote_writer_begin(struct bw_chain *c, const char *folder)
{
    struct remote_writer *a = &c->collective.remote;
    if (!(a->folder = bw_strdup(folder)))
        return log_fail(&c->log, NULL, BW_ERR_MEMORY, "out of memory for the folder %s", folder);
    log_init(&a->log, log_line_buffer, a);
    a->log.diag = &a->diag;
    a->outputs = (struct outputs){.folder = a->folder,
                                  .on_file = file_request_send,
                                  .user = c,
                                  .log = &a->log,
                                  .claims = {.log = &a->log},
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    c->bake.dir = a->folder;
    c->exporters.log = &a->log;
    c->exporters.outputs = &a->outputs;
    c->exporters.cancel = &c->collective.cancels;
    c->exporters.parts = SNAPSHOT_TURNS;
    return outputs_open(&a->outputs);
}

void remote_writer_free(struct remote_writer *a)
{
    if (!a->folder) return;
    outputs_close(&a->outputs);
    claims_free(&a->outputs.claims);
    log_free(&a->log);
    bw_diag_free(&a->diag);
    bw_free(a->lines);
    bw_free(a->checkpoint);
    bw_free(a->folder);
    a->folder = NULL;
}

/* ---- the end of a job ---- */

/// What is told of it; then, each with a 0 at its end, the sentence that failed it and the checkpoint's name; then
/// lines, announcements and the exporters' states.
struct job_report {
    int32_t status, checkpoint;
    int64_t frame, checkpoint_frame;
    double checkpoint_seconds;
    size_t lines, announcements, states;
};

static void text_put(const char *text, FILE *f) { fwrite(text ? text : "", strlen(text ? text : "") + 1, 1, f); }

static void announcements_pack(struct bw_chain *c, FILE *f)
{
    struct remote_writer *a = &c->collective.remote;
    for (; a->announced < c->exporters.n_announced; a->announced++) {
        const struct announcement *s = &c->exporters.announced[a->announced];
        if (s->before || !s->what) continue;
        text_put(s->what, f);
        text_put(s->path + strlen(a->folder) + 1, f);
        text_put(s->by, f);
    }
}

static void exporter_states_pack(struct bw_chain *c, FILE *f)
{
    for (int32_t i = 0; i < c->exporters.n; i++) {
        const struct run_exporter *x = &c->exporters.exporter[i];
        if (exporter_part(x) == SNAPSHOT_TURNS) fwrite(x->pub.state, x->pub.desc->state_size, 1, f);
    }
}

static void job_report_pack(struct bw_chain *c, struct job_report *d, FILE *f)
{
    struct remote_writer *a = &c->collective.remote;
    long at;
    fwrite(d, sizeof *d, 1, f);
    text_put(a->folder ? a->diag.first : NULL, f);
    text_put(a->checkpoint, f);
    at = ftell(f);
    if (a->folder) pthread_mutex_lock(&a->log.lock);
    if (a->lines_bytes) fwrite(a->lines, a->lines_bytes, 1, f);
    a->lines_bytes = 0;
    if (a->folder) pthread_mutex_unlock(&a->log.lock);
    d->lines = (size_t)(ftell(f) - at);
    at = ftell(f);
    if (a->folder) announcements_pack(c, f);
    d->announcements = (size_t)(ftell(f) - at);
    at = ftell(f);
    if (!d->checkpoint) exporter_states_pack(c, f);
    d->states = (size_t)(ftell(f) - at);
}

enum bw_status remote_writer_report(enum bw_status status, int64_t frame, bool checkpoint, void *chain)
{
    struct bw_chain *c = chain;
    struct remote_writer *a = &c->collective.remote;
    struct job_report d = {status, checkpoint, frame, a->checkpoint_frame, a->checkpoint_seconds, 0, 0, 0};
    char *data = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&data, &bytes);
    if (f) {
        job_report_pack(c, &d, f);
        if (fclose(f)) bytes = 0;
    }
    if (bytes) memcpy(data, &d, sizeof d);
    bw_free(a->checkpoint);
    a->checkpoint = NULL;
    writer_request_send(c, &(struct writer_request){.kind = REQUEST_DONE, .bytes = bytes, .data = data});
    free(data);
    return bytes || status != BW_OK ? status : BW_ERR_MEMORY;
}

/* ---- on all ranks ---- */

static const char *text_next(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

/* What the first rank says and keeps for another one. */
static void messages_replay(struct bw_chain *c, const struct job_report *d, const char *kept, const char *at)
{
    for (const char *end = at + d->lines; at < end;) {
        const int level = *at++;
        const char *who = text_next(&at);
        log_line(&c->log, level, *who ? who : NULL, text_next(&at));
    }
    for (const char *end = at + d->announcements; at < end;) {
        const char *what = text_next(&at), *name = text_next(&at);
        exporters_announce(&c->exporters, what, name, text_next(&at));
    }
    if (*kept) schedule_completed(c, kept, d->checkpoint_frame, d->checkpoint_seconds);
}

static void exporter_states_unpack(struct bw_chain *c, const char *at)
{
    for (int32_t i = 0; i < c->exporters.n; i++) {
        const struct run_exporter *x = &c->exporters.exporter[i];
        if (exporter_part(x) != SNAPSHOT_TURNS) continue;
        memcpy(x->pub.state, at, x->pub.desc->state_size);
        at += x->pub.desc->state_size;
    }
}

enum bw_status remote_writer_merge(struct bw_chain *c, int32_t rank, const char *data, size_t bytes)
{
    struct run_collective *t = &c->collective;
    struct job_report d;
    const char *at = data + sizeof d;
    if (!bytes)
        return log_fail(&c->log, NULL, BW_ERR_MEMORY, "rank %d is out of memory for what it has to tell", (int)rank);
    memcpy(&d, data, sizeof d);
    const char *sentence = text_next(&at), *kept = text_next(&at);
    if (!c->ranks->rank && rank) messages_replay(c, &d, kept, at);
    if (c->ranks->rank != rank && d.states) exporter_states_unpack(c, at + d.lines + d.announcements);
    if (!d.checkpoint && --t->awaited == 0 && d.status == BW_OK) t->written = t->frame, t->any = true;
    if (d.status != BW_OK && *sentence) log_fail(&c->log, NULL, (enum bw_status)d.status, "%s", sentence);
    return (enum bw_status)d.status;
}
