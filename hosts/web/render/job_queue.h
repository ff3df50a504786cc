// SPDX-License-Identifier: Apache-2.0
/* The job queue: requests that wait for a worker, and the worker threads, one a priority (query.h). Workers below
 * PRIORITY_INTERACTIVE run at a lower scheduling priority. Of one page and kind only the newest job is kept. While a
 * bake runs here that is no preview, the worker for PRIORITY_REST is rate-limited to a tenth of the processor's time.
 * */
#ifndef WEB_JOB_QUEUE_H
#define WEB_JOB_QUEUE_H

#include "picture.h"
#include "save/save_media.h"
#include <microhttpd.h>

/// JOB_SAVE and enum save_kind, added: what is saved.
enum job_kind { JOB_PICTURE, JOB_SCENE, JOB_PROBE, JOB_OVERLAY, JOB_SAVE };

/// A request that waits for a worker: its connection is suspended until it is done. Before that, an upload.
struct job {
    struct MHD_Connection *connection;
    struct job *next;
    struct query query;
    int kind;   ///< enum job_kind
    int queued; ///< 0: the body is still being received
    int done;   ///< `response` is ready
    char *body; ///< of a POST, as far as it has come; else NULL
    size_t body_size, body_capacity;
    char client[CLIENT + 1]; ///< the page that sent it
    struct response response;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct sources *sources;
    struct view_cache *views;
    struct recorder *recorder;
    struct job *waiting[PRIORITIES]; ///< first come, first served
    int32_t n_waiting, n_urgent;     ///< n_urgent: jobs above PRIORITY_IDLE that run
    double throttled_until;          ///< monotonic s: PRIORITY_REST has used up its share of the processor until then
    int32_t gentle, stop;            ///< gentle: all workers run at the lowest scheduling priority
    struct worker {
        struct queue *queue;
        int priority;
        pthread_t thread;
    } worker[PRIORITIES];
    int n_workers;
};

/// Start the workers. 0: out of memory.
int queue_start(struct queue *q, struct sources *s, struct view_cache *v, struct recorder *r, int gentle);
/// Answer all jobs that wait with 503, and join the workers.
void queue_stop(struct queue *q);
/// Suspend the connection of a new job and queue it. 0: too many wait, and nothing has changed.
int queue_add(struct queue *q, struct job *job);
void job_free(struct job *job);

#endif
