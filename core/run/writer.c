// SPDX-License-Identifier: Apache-2.0
/* Exporters, and the thread that runs them: the simulation hands over snapshots (references to tiles, copied on
 * write) and goes on; at most one waits while one is being written. */
#include "chain.h"
#include "snapshot.h"
#include "base/alloc.h"
#include <string.h>

static struct chain_exporter *exporter_of(struct bw_exporter *e) { return e->host_data; }

static enum bw_status exporter_fail(struct bw_exporter *e, enum bw_status st, const char *format, ...)
{
    struct chain_exporter *x = exporter_of(e);
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    if (x->failed == BW_OK) x->failed = st < 0 ? st : BW_ERR_PLUGIN;
    return chain_fail(x->chain, &x->preset->place, st, "%s: %s", e->id, text);
}

/* Status of a callback, with a sentence in every case. */
static enum bw_status exporter_status(struct chain_exporter *x, enum bw_status st, const char *what)
{
    enum bw_status said = x->failed;
    x->failed = BW_OK;
    if (said != BW_OK && st != BW_ERR_CANCELLED) return said; /* nobody may shrug a failure off */
    if (st == BW_OK || st == BW_ERR_CANCELLED) return st;
    if (st > 0 || st < BW_ERR_CANCELLED)
        return chain_fail(x->chain, &x->preset->place, BW_ERR_PLUGIN, "%s: %s returned %d, which is no status",
                          x->pub.id, what, (int)st);
    if (st == BW_ERR_MEMORY) return chain_fail(x->chain, &x->preset->place, st, "%s: out of memory", x->pub.id);
    return chain_fail(x->chain, &x->preset->place, st, "%s: %s failed without saying why", x->pub.id, what);
}

static void exporter_log(struct bw_exporter *e, uint32_t level, const char *format, ...)
{
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    chain_log(exporter_of(e)->chain, (int)level, e->id, text);
}

static void *exporter_alloc(struct bw_exporter *e, size_t bytes)
{
    return chain_memory_take(&exporter_of(e)->memory, bytes);
}
static void exporter_release(struct bw_exporter *e, void *memory)
{
    chain_memory_give(&exporter_of(e)->memory, memory);
}

static const char *exporter_output_begin(struct bw_exporter *e, const char *name)
{
    struct chain_exporter *x = exporter_of(e);
    const char *path = chain_output_begin(x->chain, &x->outputs, chain_owner_of_exporter(x), name, 1);
    if (!path && x->failed == BW_OK) x->failed = chain_status_said(x->chain);
    return path;
}

static enum bw_status exporter_output_commit(struct bw_exporter *e, const char *path)
{
    struct chain_exporter *x = exporter_of(e);
    enum bw_status st = chain_output_commit(x->chain, &x->outputs, path, NULL);
    if (x->failed == BW_OK) x->failed = st;
    return st;
}

static void exporter_output_discard(struct bw_exporter *e, const char *path)
{
    chain_output_discard(&exporter_of(e)->outputs, path);
}

static void exporter_announce(struct bw_exporter *e, const char *what, const char *name)
{
    struct bw_chain *c = exporter_of(e)->chain;
    char *path = bw_printf("%s/%s", c->opt.out, name);
    bool known = false;
    pthread_mutex_lock(&c->lock);
    for (int32_t i = 0; path && i < c->n_said; i++) known |= !strcmp(c->said[i].path, path);
    struct chain_announcement *list =
        known || !path ? NULL : bw_realloc(c->said, (size_t)(c->n_said + 1) * sizeof *list);
    if (list) {
        c->said = list;
        list[c->n_said++] = (struct chain_announcement){bw_strdup(what), path};
        path = NULL;
    }
    pthread_mutex_unlock(&c->lock);
    bw_free(path);
}

struct each {
    void (*fn)(int64_t, void *);
    void *user;
};

static void each_call(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    struct each *e = user;
    e->fn(i, e->user);
}

static void exporter_parallel_for(struct bw_exporter *e, int64_t n, void (*fn)(int64_t, void *), void *user)
{
    struct bw_chain *c = exporter_of(e)->chain;
    struct each each = {fn, user};
    if (c->writer_workers) bw_workers_for(c->writer_workers, n, each_call, &each);
    else
        for (int64_t i = 0; i < n; i++) fn(i, user);
}

static int exporter_cancelled(struct bw_exporter *e)
{
    const struct bw_chain *c = exporter_of(e)->chain;
    return c->opt.cancel && *c->opt.cancel;
}

void chain_exporter_host_init(struct bw_chain *c)
{
    c->exporter_host = (struct bw_exporter_host){
        .size = sizeof c->exporter_host,
        .fail = exporter_fail,
        .log = exporter_log,
        .alloc = exporter_alloc,
        .release = exporter_release,
        .output_begin = exporter_output_begin,
        .output_commit = exporter_output_commit,
        .output_discard = exporter_output_discard,
        .announce = exporter_announce,
        .read_box = snapshot_read,
        .parallel_for = exporter_parallel_for,
        .cancelled = exporter_cancelled,
    };
}

/* ---- snapshots ---- */

/* Exporters see the fields of their own domain first, and those of the others apart. */
static enum bw_status snapshot_export(struct bw_chain *c, struct chain_exporter *x, const struct chain_snapshot *s)
{
    struct bw_frame frame = s->frame;
    struct bw_snapshot_field *own = bw_calloc((frame.n_fields + 1) * sizeof *own);
    if (!own)
        return chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for the export of frame %lld",
                          (long long)frame.number);
    uint32_t n = 0;
    for (int others = 0; others < 2; others++)
        for (uint32_t i = 0; i < s->frame.n_fields; i++)
            if ((s->field[i].info->domain != c->grid[x->domain]) == others) {
                own[n++] = s->field[i];
                frame.n_others += (uint32_t)others;
            }
    frame.fields = own;
    frame.n_fields = n - frame.n_others;
    frame.others = own + frame.n_fields;
    enum bw_status st = chain_params(c, x->params, frame.time, 0, x->param_mem);
    if (st == BW_OK) st = exporter_status(x, x->pub.desc->frame(&x->pub, &frame), "frame");
    bw_free(own);
    return st;
}

/* ---- the thread ---- */

static void *writer_main(void *arg)
{
    struct bw_chain *c = arg;
    bw_thread_begin();
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!c->queued && !c->writer_stop) pthread_cond_wait(&c->writer_wake, &c->lock);
        if (!c->queued) break;
        struct chain_snapshot *s = c->queued;
        c->queued = NULL;
        c->writer_busy = true;
        pthread_cond_broadcast(&c->writer_wake);
        enum bw_status st = c->writer_status;
        pthread_mutex_unlock(&c->lock);
        for (int32_t i = 0; i < c->n_exporters && st == BW_OK; i++) st = snapshot_export(c, &c->exporter[i], s);
        snapshot_unref(s);
        pthread_mutex_lock(&c->lock);
        c->writer_status = st;
        c->writer_busy = false;
        pthread_cond_broadcast(&c->writer_wake);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

enum bw_status chain_exporters_start(struct bw_chain *c)
{
    if (!c->opt.out) return BW_OK;
    for (int32_t i = 0; i < c->n_exporters; i++) {
        struct chain_exporter *x = &c->exporter[i];
        enum bw_status st = chain_params(c, x->params, c->time, 0, x->param_mem);
        if (st != BW_OK) return st;
        x->initialised = true;
        if (x->pub.desc->init) st = exporter_status(x, x->pub.desc->init(&x->pub), "init");
        if (st != BW_OK) return st;
        x->ready = true;
    }
    c->writer_status = BW_OK;
    c->writer_stop = false;
    c->writer_workers = bw_workers_create(c->bake.workers);
    if (!c->writer_workers || pthread_create(&c->writer, NULL, writer_main, c))
        return chain_fail(c, NULL, BW_ERR_MEMORY, "cannot start the writer thread");
    c->writer_runs = true;
    return BW_OK;
}

enum bw_status chain_write_frame(struct bw_chain *c, int64_t frame)
{
    if (!c->writer_runs || !c->n_exporters) return BW_OK;
    struct chain_snapshot *s = snapshot_take(c, frame);
    if (!s) return chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for the snapshot of frame %lld", (long long)frame);
    pthread_mutex_lock(&c->lock);
    while (c->queued && c->writer_status == BW_OK) pthread_cond_wait(&c->writer_wake, &c->lock);
    enum bw_status st = c->writer_status;
    if (st == BW_OK) {
        c->queued = s;
        s = NULL;
        pthread_cond_broadcast(&c->writer_wake);
    }
    pthread_mutex_unlock(&c->lock);
    snapshot_unref(s);
    return st;
}

enum bw_status chain_exporters_finish(struct bw_chain *c, int complete)
{
    enum bw_status st = BW_OK;
    if (c->writer_runs) {
        pthread_mutex_lock(&c->lock);
        c->writer_stop = true;
        pthread_cond_broadcast(&c->writer_wake);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->writer, NULL);
        c->writer_runs = false;
        st = c->writer_status;
        snapshot_unref(c->queued);
        c->queued = NULL;
    }
    for (int32_t i = 0; i < c->n_exporters; i++) {
        struct chain_exporter *x = &c->exporter[i];
        if (x->ready && x->pub.desc->finish) {
            enum bw_status one = exporter_status(x, x->pub.desc->finish(&x->pub, complete && st == BW_OK), "finish");
            if (st == BW_OK) st = one;
        }
        chain_outputs_discard(&x->outputs);
    }
    bw_workers_destroy(c->writer_workers);
    c->writer_workers = NULL;
    for (int32_t i = 0; i < c->n_said && c->opt.on_output; i++)
        if (c->said[i].what) c->opt.on_output(c->said[i].what, c->said[i].path, c->opt.user);
    return st;
}

void chain_exporters_free(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->n_exporters; i++) {
        struct chain_exporter *x = &c->exporter[i];
        if (x->initialised && x->pub.desc->uninit) x->pub.desc->uninit(&x->pub);
        chain_outputs_discard(&x->outputs);
        chain_memory_free(&x->memory);
        bw_params_free(x->params);
        bw_free(x->param_mem);
        bw_free(x->pub.state);
    }
    for (int32_t i = 0; i < c->n_said; i++) {
        bw_free(c->said[i].what);
        bw_free(c->said[i].path);
    }
    bw_free(c->said);
    bw_free(c->exporter);
}
