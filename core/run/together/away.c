// SPDX-License-Identifier: Apache-2.0
#include "base/alloc.h"
#include "base/transport.h"
#include "run/checkpoint/keep.h"
#include "turns.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its folder and log ---- */

static int file_ask(const char *name, const struct file_facts *whole, void *chain)
{
    struct told_file f = {.whole = whole != NULL};
    const size_t bytes = sizeof f + strlen(name) + 1;
    char *data = bw_calloc(bytes);
    if (!data) return ENOMEM;
    if (whole) f.facts = *whole;
    memcpy(data, &f, sizeof f);
    strcpy(data + sizeof f, name);
    const int32_t answer = turns_ask(chain, &(struct together_ask){.kind = ASK_FILE, .bytes = bytes, .data = data});
    bw_free(data);
    return answer < 0 ? ECANCELED : answer;
}

/* Under the log's lock. A line that there is no memory for is lost. */
static void line_keep(int level, const char *who, const char *text, void *user)
{
    struct run_away *a = user;
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

enum bw_status away_begin(struct bw_chain *c, const char *folder)
{
    struct run_away *a = &c->together.away;
    if (!(a->folder = bw_strdup(folder)))
        return log_fail(&c->log, NULL, BW_ERR_MEMORY, "out of memory for the folder %s", folder);
    log_init(&a->log, line_keep, a);
    a->log.diag = &a->diag;
    a->outputs = (struct outputs){.folder = a->folder,
                                  .on_file = file_ask,
                                  .user = c,
                                  .log = &a->log,
                                  .claims = {.log = &a->log},
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    c->bake.dir = a->folder;
    c->exporters.log = &a->log;
    c->exporters.outputs = &a->outputs;
    c->exporters.cancel = &c->together.cancels;
    c->exporters.parts = SNAPSHOT_TURNS;
    return outputs_open(&a->outputs);
}

void away_free(struct run_away *a)
{
    if (!a->folder) return;
    outputs_close(&a->outputs);
    claims_free(&a->outputs.claims);
    log_free(&a->log);
    bw_diag_free(&a->diag);
    bw_free(a->lines);
    bw_free(a->kept);
    bw_free(a->folder);
    a->folder = NULL;
}

/* ---- the end of a job ---- */

/// What is told of it; then, each with a 0 at its end, the sentence that failed it and the checkpoint's name; then
/// lines, announcements and the exporters' states.
struct done {
    int32_t status, checkpoint;
    int64_t frame, kept_frame;
    double kept_seconds;
    size_t lines, said, states;
};

static void text_put(const char *text, FILE *f) { fwrite(text ? text : "", strlen(text ? text : "") + 1, 1, f); }

static void said_put(struct bw_chain *c, FILE *f)
{
    struct run_away *a = &c->together.away;
    for (; a->told < c->exporters.n_said; a->told++) {
        const struct announcement *s = &c->exporters.said[a->told];
        if (s->before || !s->what) continue;
        text_put(s->what, f);
        text_put(s->path + strlen(a->folder) + 1, f);
        text_put(s->by, f);
    }
}

static void states_put(struct bw_chain *c, FILE *f)
{
    for (int32_t i = 0; i < c->exporters.n; i++) {
        const struct run_exporter *x = &c->exporters.exporter[i];
        if (exporter_part(x) == SNAPSHOT_TURNS) fwrite(x->pub.state, x->pub.desc->state_size, 1, f);
    }
}

static void done_put(struct bw_chain *c, struct done *d, FILE *f)
{
    struct run_away *a = &c->together.away;
    long at;
    fwrite(d, sizeof *d, 1, f);
    text_put(a->folder ? a->diag.first : NULL, f);
    text_put(a->kept, f);
    at = ftell(f);
    if (a->folder) pthread_mutex_lock(&a->log.lock);
    if (a->lines_bytes) fwrite(a->lines, a->lines_bytes, 1, f);
    a->lines_bytes = 0;
    if (a->folder) pthread_mutex_unlock(&a->log.lock);
    d->lines = (size_t)(ftell(f) - at);
    at = ftell(f);
    if (a->folder) said_put(c, f);
    d->said = (size_t)(ftell(f) - at);
    at = ftell(f);
    if (!d->checkpoint) states_put(c, f);
    d->states = (size_t)(ftell(f) - at);
}

enum bw_status away_tell(enum bw_status status, int64_t frame, bool checkpoint, void *chain)
{
    struct bw_chain *c = chain;
    struct run_away *a = &c->together.away;
    struct done d = {status, checkpoint, frame, a->kept_frame, a->kept_seconds, 0, 0, 0};
    char *data = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&data, &bytes);
    if (f) {
        done_put(c, &d, f);
        if (fclose(f)) bytes = 0;
    }
    if (bytes) memcpy(data, &d, sizeof d);
    bw_free(a->kept);
    a->kept = NULL;
    turns_ask(c, &(struct together_ask){.kind = ASK_DONE, .bytes = bytes, .data = data});
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
static void words_take(struct bw_chain *c, const struct done *d, const char *kept, const char *at)
{
    for (const char *end = at + d->lines; at < end;) {
        const int level = *at++;
        const char *who = text_next(&at);
        log_say(&c->log, level, *who ? who : NULL, text_next(&at));
    }
    for (const char *end = at + d->said; at < end;) {
        const char *what = text_next(&at), *name = text_next(&at);
        exporters_say(&c->exporters, what, name, text_next(&at));
    }
    if (*kept) keeper_kept(c, kept, d->kept_frame, d->kept_seconds);
}

static void states_take(struct bw_chain *c, const char *at)
{
    for (int32_t i = 0; i < c->exporters.n; i++) {
        const struct run_exporter *x = &c->exporters.exporter[i];
        if (exporter_part(x) != SNAPSHOT_TURNS) continue;
        memcpy(x->pub.state, at, x->pub.desc->state_size);
        at += x->pub.desc->state_size;
    }
}

enum bw_status away_done(struct bw_chain *c, int32_t rank, const char *data, size_t bytes)
{
    struct run_together *t = &c->together;
    struct done d;
    const char *at = data + sizeof d;
    if (!bytes)
        return log_fail(&c->log, NULL, BW_ERR_MEMORY, "rank %d is out of memory for what it has to tell", (int)rank);
    memcpy(&d, data, sizeof d);
    const char *sentence = text_next(&at), *kept = text_next(&at);
    if (!c->ranks->rank && rank) words_take(c, &d, kept, at);
    if (c->ranks->rank != rank && d.states) states_take(c, at + d.lines + d.said);
    if (!d.checkpoint && --t->awaited == 0 && d.status == BW_OK) t->written = t->frame, t->any = true;
    if (d.status != BW_OK && *sentence) log_fail(&c->log, NULL, (enum bw_status)d.status, "%s", sentence);
    return (enum bw_status)d.status;
}
