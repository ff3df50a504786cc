// SPDX-License-Identifier: Apache-2.0
#include "job_queue.h"

#include "clock.h"
#include "overlay/overlay.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_WAITING = 32 };
enum { NICE_BACKGROUND = 12, NICE_LOWEST = 19 }; // beside a bake at nice 0: a sixteenth and a 69th of a core
static const double CPU_SHARE = 0.1;             ///< of the processor's time, for PRIORITY_REST while a bake runs
static const double CPU_BURST = 0.5;             ///< s of it that may be saved up
static const double POLL_S = 0.25;               ///< between looks at whether the bake still runs

void job_free(struct job *job)
{
    if (job) free(job->response.bytes);
    if (job) free(job->body);
    free(job);
}

/* ---- waiting jobs, under the lock ---- */

/// Resume the connection; from here on the HTTP thread owns the job.
static void job_finish(struct job *job, struct response response)
{
    struct MHD_Connection *c = job->connection;
    job->response = response;
    job->done = 1;
    MHD_resume_connection(c);
}

/// Does a newer job of the same page replace this one?
static int is_superseded(const struct job *job, const struct job *newer)
{
    return newer && job->query.priority == newer->query.priority && job->kind == newer->kind &&
           !job->query.independent && !newer->query.independent && !strcmp(job->client, newer->client);
}

/// Has the client disconnected? libmicrohttpd does not watch a suspended connection.
static int is_disconnected(const struct job *job)
{
    const union MHD_ConnectionInfo *at = MHD_get_connection_info(job->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    char byte;
    return at && recv(at->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/// Drop jobs that nobody waits for any more: 204.
static void stale_drop(struct queue *q, const struct job *newer)
{
    for (int priority = 0; priority < PRIORITIES; priority++)
        for (struct job **at = &q->waiting[priority]; *at;) {
            struct job *job = *at;
            if (!is_superseded(job, newer) && !is_disconnected(job)) {
                at = &job->next;
                continue;
            }
            *at = job->next;
            q->n_waiting--;
            job_finish(job, (struct response){.code = MHD_HTTP_NO_CONTENT});
        }
}

int queue_add(struct queue *q, struct job *job)
{
    pthread_mutex_lock(&q->lock);
    stale_drop(q, job);
    const int accepted = q->n_waiting < MAX_WAITING && !q->stop;
    if (accepted) {
        struct job **at = &q->waiting[job->query.priority];
        while (*at) at = &(*at)->next;
        *at = job;
        q->n_waiting++;
        MHD_suspend_connection(job->connection);
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return accepted;
}

/* ---- rate limit of the processor's time ---- */

/// Seconds until this worker may go on; 0: now. Only PRIORITY_REST is throttled.
static double throttle_delay(struct queue *q, int priority)
{
    const double wait = priority == PRIORITY_REST ? q->throttled_until - clock_seconds(CLOCK_MONOTONIC) : 0;
    return wait > 0 && !q->stop && sources_baking(q->sources) ? wait : 0;
}

static void throttle_wait(struct queue *q, double seconds)
{
    const struct timespec until = deadline_after((long)(1e9 * fmin(seconds, POLL_S)));
    pthread_cond_timedwait(&q->changed, &q->lock, &until);
}

/// Charge a finished job's processor time: a token bucket of CPU_SHARE seconds a second that holds CPU_BURST.
static void throttle_charge(struct queue *q, int priority, double seconds)
{
    const int limited = priority == PRIORITY_REST && sources_baking(q->sources);
    pthread_mutex_lock(&q->lock);
    if (limited)
        q->throttled_until =
            fmax(q->throttled_until, clock_seconds(CLOCK_MONOTONIC) - CPU_BURST / CPU_SHARE) + seconds / CPU_SHARE;
    q->n_urgent -= priority != PRIORITY_IDLE;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/* ---- workers ---- */

/// Is there no job that this worker may begin?
static int must_wait(const struct queue *q, int priority)
{
    const int urgent = q->waiting[PRIORITY_INTERACTIVE] || q->waiting[PRIORITY_REST] || q->n_urgent;
    return !q->stop && (!q->waiting[priority] || (priority == PRIORITY_IDLE && urgent));
}

/// Wait for this worker's next job and take it from the queue. NULL: the queue is stopped.
static struct job *job_pop(struct queue *q, int priority)
{
    double delay;
    pthread_mutex_lock(&q->lock);
    for (;;)
        if (must_wait(q, priority)) pthread_cond_wait(&q->changed, &q->lock);
        else if ((delay = throttle_delay(q, priority)) > 0) throttle_wait(q, delay);
        else break;
    struct job *job = q->stop ? NULL : q->waiting[priority];
    if (job) {
        q->waiting[priority] = job->next;
        q->n_waiting--;
        q->n_urgent += priority != PRIORITY_IDLE;
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

/// Of this thread and those that it starts.
static void nice_set(int by) { setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), by); }

static struct response (*const make[])(struct view_cache *v, struct source *s,
                                       const struct query *q) = {[JOB_PICTURE] = picture_response,
                                                                 [JOB_SCENE] = scene_response,
                                                                 [JOB_PROBE] = probe_response,
                                                                 [JOB_OVERLAY] = overlay_response};

static struct response job_run(struct queue *q, const struct job *job)
{
    if (is_disconnected(job)) return (struct response){.code = MHD_HTTP_NO_CONTENT};
    const struct upload upload = {job->kind - JOB_SAVE, &job->query, job->client, job->body, job->body_size};
    if (job->kind >= JOB_SAVE) return save_response(q->recorder, q->sources, &upload);
    struct source *s = sources_acquire(q->sources, job->query.source);
    struct response response = {.code = MHD_HTTP_NO_CONTENT}; // the source was removed after the page asked
    if (s) response = make[job->kind](q->views, s, &job->query);
    sources_release(q->sources, s);
    return response;
}

static void *worker_run(void *worker)
{
    const struct worker *w = worker;
    struct queue *q = w->queue;
    const int priority = w->priority;
    struct job *job;
    if (priority || q->gentle) nice_set(q->gentle || priority == PRIORITY_IDLE ? NICE_LOWEST : NICE_BACKGROUND);
    while ((job = job_pop(q, priority))) {
        const double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        struct response response = job_run(q, job);
        response.cpu_seconds = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        throttle_charge(q, priority, response.cpu_seconds);
        job_finish(job, response);
    }
    return NULL;
}

int queue_start(struct queue *q, struct sources *s, struct view_cache *v, struct recorder *r, int gentle)
{
    *q = (struct queue){.sources = s, .views = v, .recorder = r, .gentle = gentle};
    pthread_mutex_init(&q->lock, NULL);
    cond_init_monotonic(&q->changed);
    for (int priority = 0; priority < PRIORITIES; priority++, q->n_workers++) {
        struct worker *w = &q->worker[priority];
        *w = (struct worker){.queue = q, .priority = priority};
        if (pthread_create(&w->thread, NULL, worker_run, w)) return 0;
    }
    return 1;
}

void queue_stop(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->stop = 1;
    for (int priority = 0; priority < PRIORITIES; priority++)
        while (q->waiting[priority]) {
            struct job *job = q->waiting[priority];
            q->waiting[priority] = job->next;
            job_finish(job, text_response(MHD_HTTP_SERVICE_UNAVAILABLE, "the page is closing"));
        }
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    while (q->n_workers) pthread_join(q->worker[--q->n_workers].thread, NULL);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
}
