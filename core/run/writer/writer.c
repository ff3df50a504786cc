// SPDX-License-Identifier: Apache-2.0
#include "writer.h"
#include "base/memory/account.h"
#include "base/alloc.h"
#include "run/checkpoint/checkpoint.h"

/// One of the two.
struct writer_job {
    struct writer_job *next;
    struct chain_snapshot *frame;
    struct checkpoint *checkpoint;
};

void writer_init(struct writer *w, struct exporter_list *exporters, writer_checkpoint_fn checkpoint, void *user)
{
    w->exporters = exporters;
    w->checkpoint = checkpoint;
    w->user = user;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
}

void writer_free(struct writer *w)
{
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
}

/* ---- its thread ---- */

static enum bw_status job_do(struct writer *w, struct writer_job *j, enum bw_status status)
{
    if (j->checkpoint) return status == BW_OK ? w->checkpoint(j->checkpoint, w->user) : status;
    return status == BW_OK ? exporters_write(w->exporters, j->frame) : status;
}

static void job_free(struct writer_job *j)
{
    snapshot_free(j->frame);
    checkpoint_free(j->checkpoint);
    bw_free(j);
}

static void *writer_main(void *arg)
{
    struct writer *w = arg;
    struct where_signal_stack ground;
    where_signal_stack(&ground);
    bw_thread_begin();
    bw_account_use(w->account);
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->first && !w->stop) pthread_cond_wait(&w->wake, &w->lock);
        struct writer_job *j = w->first;
        if (!j) break;
        w->first = j->next;
        w->frames -= j->frame != NULL;
        pthread_cond_broadcast(&w->wake);
        enum bw_status status = w->status;
        bool checkpoint = j->checkpoint != NULL;
        int64_t frame = checkpoint ? 0 : j->frame->frame.number;
        pthread_mutex_unlock(&w->lock);
        status = job_do(w, j, status);
        job_free(j);
        if (w->done) status = w->done(status, frame, checkpoint, w->user);
        pthread_mutex_lock(&w->lock);
        w->checkpoints -= checkpoint;
        w->status = status;
        if (status == BW_OK && !checkpoint) w->written = frame, w->any = true;
        pthread_cond_broadcast(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    where_signal_stack_end(&ground);
    return NULL;
}

enum bw_status writer_prepare(struct writer *w, double time, uint32_t workers)
{
    enum bw_status status = exporters_start(w->exporters, time);
    if (status != BW_OK) return status;
    w->exporters->workers = bw_workers_create(workers);
    return w->exporters->workers
               ? BW_OK
               : log_fail(w->exporters->log, NULL, BW_ERR_MEMORY, "cannot start the writer's workers");
}

enum bw_status writer_start(struct writer *w)
{
    w->account = bw_account_used();
    if (pthread_create(&w->thread, NULL, writer_main, w))
        return log_fail(w->exporters->log, NULL, BW_ERR_MEMORY, "cannot start the writer thread");
    w->runs = true;
    return BW_OK;
}

/* ---- from the run's thread ---- */

bool writer_needs_frames(const struct writer *w) { return w->runs && w->exporters->n; }

bool writer_has_checkpoint(struct writer *w)
{
    pthread_mutex_lock(&w->lock);
    bool has = w->checkpoints > 0;
    pthread_mutex_unlock(&w->lock);
    return has;
}

static enum bw_status job_add(struct writer *w, struct chain_snapshot *frame, struct checkpoint *checkpoint)
{
    struct writer_job *j = bw_calloc(sizeof *j), only = {NULL, frame, checkpoint};
    pthread_mutex_lock(&w->lock);
    while (j && frame && w->frames && w->status == BW_OK) pthread_cond_wait(&w->wake, &w->lock);
    enum bw_status status = w->status;
    if (j && status == BW_OK) {
        struct writer_job **last = &w->first;
        while (*last) last = &(*last)->next;
        *j = only;
        *last = j;
        w->frames += frame != NULL;
        w->checkpoints += checkpoint != NULL;
        pthread_cond_broadcast(&w->wake);
        j = NULL;
        frame = NULL;
        checkpoint = NULL;
    }
    pthread_mutex_unlock(&w->lock);
    snapshot_free(frame);
    checkpoint_free(checkpoint);
    bool lost = !j && status == BW_OK && (frame || checkpoint);
    bw_free(j);
    return lost ? log_fail(w->exporters->log, NULL, BW_ERR_MEMORY, "out of memory for the writer") : status;
}

enum bw_status writer_frame(struct writer *w, struct chain_snapshot *s) { return job_add(w, s, NULL); }
enum bw_status writer_checkpoint(struct writer *w, struct checkpoint *p) { return job_add(w, NULL, p); }

int64_t writer_written(struct writer *w, int64_t none)
{
    pthread_mutex_lock(&w->lock);
    int64_t frame = w->any ? w->written : none;
    pthread_mutex_unlock(&w->lock);
    return frame;
}

enum bw_status writer_finish(struct writer *w, bool complete)
{
    enum bw_status first = BW_OK;
    if (w->runs) {
        pthread_mutex_lock(&w->lock);
        w->stop = true;
        pthread_cond_broadcast(&w->wake);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
        w->runs = false;
        first = w->status;
    }
    enum bw_status status = exporters_finish(w->exporters, complete && first == BW_OK);
    bw_workers_destroy(w->exporters->workers);
    w->exporters->workers = NULL;
    return first == BW_OK ? status : first;
}
