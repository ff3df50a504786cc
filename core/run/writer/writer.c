// SPDX-License-Identifier: Apache-2.0
#include "writer.h"

void writer_init(struct writer *w, struct exporter_list *exporters)
{
    w->exporters = exporters;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
}

void writer_free(struct writer *w)
{
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
}

static void *writer_main(void *arg)
{
    struct writer *w = arg;
    bw_thread_begin();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->queued && !w->stop) pthread_cond_wait(&w->wake, &w->lock);
        if (!w->queued) break;
        struct chain_snapshot *s = w->queued;
        w->queued = NULL;
        pthread_cond_broadcast(&w->wake);
        enum bw_status status = w->status;
        pthread_mutex_unlock(&w->lock);
        if (status == BW_OK) status = exporters_write(w->exporters, s);
        snapshot_unref(s);
        pthread_mutex_lock(&w->lock);
        w->status = status;
        pthread_cond_broadcast(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

enum bw_status writer_start(struct writer *w, double time, uint32_t workers)
{
    struct exporter_list *list = w->exporters;
    enum bw_status status = exporters_start(list, time);
    if (status != BW_OK) return status;
    list->workers = bw_workers_create(workers);
    if (!list->workers || pthread_create(&w->thread, NULL, writer_main, w))
        return log_fail(list->log, NULL, BW_ERR_MEMORY, "cannot start the writer thread");
    w->runs = true;
    return BW_OK;
}

bool writer_wants(const struct writer *w) { return w->runs && w->exporters->n; }

enum bw_status writer_frame(struct writer *w, struct chain_snapshot *s)
{
    pthread_mutex_lock(&w->lock);
    while (w->queued && w->status == BW_OK) pthread_cond_wait(&w->wake, &w->lock);
    enum bw_status status = w->status;
    if (status == BW_OK) {
        w->queued = s;
        s = NULL;
        pthread_cond_broadcast(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    snapshot_unref(s);
    return status;
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
        snapshot_unref(w->queued);
        w->queued = NULL;
    }
    enum bw_status status = exporters_finish(w->exporters, complete && first == BW_OK);
    bw_workers_destroy(w->exporters->workers);
    w->exporters->workers = NULL;
    return first == BW_OK ? status : first;
}
