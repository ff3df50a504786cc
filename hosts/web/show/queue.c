// SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include "marks/marks.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MOST = 32, HAND = 0, REST = 1, IDLE = 2 };
enum { NICE_REST = 12, NICE_GENTLE = 19 }; // a bake at 0 keeps 15 of 16 parts of a core; gentle: 68 of 69
enum { STALE = 204, BUSY = 503 };
static const double SHARE = 0.1, ALLOWANCE = 0.5; ///< of a running bake's time; s that may be saved up
static const double LOOK = 0.25;                  ///< s: does it still run?

void request_free(struct request *r)
{
    if (r) free(r->answer.bytes);
    if (r) free(r->body);
    if (r) free(r->sent);
    free(r);
}

/// The connection goes on; from here on the request belongs to it.
static void request_answer(struct request *r, struct drawn answer)
{
    struct MHD_Connection *c = r->connection;
    r->answer = answer;
    r->done = 1;
    MHD_resume_connection(c);
}

/// Older ones of the same page and kind are stale.
static void stale_drop(struct queue *q, const struct request *newer)
{
    struct request **at = &q->waiting[newer->wish.rest];
    while (*at) {
        struct request *r = *at;
        if (r->kind != newer->kind || r->wish.thumb || newer->wish.thumb || strcmp(r->client, newer->client)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        q->n_waiting--;
        request_answer(r, (struct drawn){.code = STALE});
    }
}

/// Has who asked gone? MHD does not look at a connection that is suspended.
static int request_gone(const struct request *r)
{
    const union MHD_ConnectionInfo *at = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    char byte;
    return at && recv(at->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void gone_drop(struct queue *q)
{
    for (int rest = HAND; rest <= IDLE; rest++)
        for (struct request **at = &q->waiting[rest]; *at;) {
            struct request *r = *at;
            if (!request_gone(r)) {
                at = &r->next;
                continue;
            }
            *at = r->next;
            q->n_waiting--;
            request_answer(r, (struct drawn){.code = STALE});
        }
}

int queue_add(struct queue *q, struct request *r)
{
    pthread_mutex_lock(&q->lock);
    stale_drop(q, r);
    gone_drop(q);
    const int room = q->n_waiting < WAIT_MOST && !q->stop;
    if (room) {
        struct request **at = &q->waiting[r->wish.rest];
        while (*at) at = &(*at)->next;
        *at = r;
        q->n_waiting++;
        MHD_suspend_connection(r->connection);
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return room;
}

/// Is there nothing to be made for that thread now?
static int must_wait(const struct queue *q, int rest)
{
    const int urgent = q->waiting[HAND] || q->waiting[REST] || q->n_urgent;
    return !q->stop && (!q->waiting[rest] || (rest == IDLE && urgent));
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_now(void) { return seconds_of(CLOCK_MONOTONIC); }

/// Until that thread may go on, in s: what it has taken of a running bake's time is more than its share.
static double owed(struct queue *q, int rest)
{
    const double wait = rest == REST ? q->due - seconds_now() : 0;
    return wait > 0 && !q->stop && shelf_runs(q->shelf) ? wait : 0;
}

static void wait_for(struct queue *q, double seconds)
{
    const double until = seconds_now() + fmin(seconds, LOOK);
    const struct timespec t = {(time_t)until, (long)(1e9 * (until - floor(until)))};
    pthread_cond_timedwait(&q->changed, &q->lock, &t);
}

static struct request *request_next(struct queue *q, int rest)
{
    double wait;
    pthread_mutex_lock(&q->lock);
    for (;;)
        if (must_wait(q, rest)) pthread_cond_wait(&q->changed, &q->lock);
        else if ((wait = owed(q, rest)) > 0) wait_for(q, wait);
        else break;
    struct request *r = q->stop ? NULL : q->waiting[rest];
    if (r) {
        q->waiting[rest] = r->next;
        q->n_waiting--;
        q->n_urgent += rest != IDLE;
    }
    pthread_mutex_unlock(&q->lock);
    return r;
}

/// After so many seconds of work. What was not taken for a while may be taken at once.
static void request_made(struct queue *q, int rest, double seconds)
{
    const int shares = rest == REST && shelf_runs(q->shelf);
    pthread_mutex_lock(&q->lock);
    if (shares) q->due = fmax(q->due, seconds_now() - ALLOWANCE / SHARE) + seconds / SHARE;
    q->n_urgent -= rest != IDLE;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/// Threads that are started from this one are as nice.
static void nice_set(int by) { setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), by); }

static struct drawn (*const making[])(struct views *v, struct shelf *s,
                                      const struct wish *w) = {[REQUEST_PICTURE] = draw_picture,
                                                               [REQUEST_SCENE] = draw_scene,
                                                               [REQUEST_PROBE] = draw_probe,
                                                               [REQUEST_MARKS] = draw_marks};

static struct drawn request_make(struct queue *q, const struct request *r)
{
    if (request_gone(r)) return (struct drawn){.code = STALE};
    const struct sent sent = {r->kind - REQUEST_KEEP, &r->wish, r->client, r->sent, r->sent_size};
    if (r->kind >= REQUEST_KEEP) return keep_make(q->keep, q->shelf, &sent);
    return making[r->kind](q->views, q->shelf, &r->wish);
}

static void requests_make(struct queue *q, int rest)
{
    struct request *r;
    if (rest || q->gentle) nice_set(q->gentle || rest == IDLE ? NICE_GENTLE : NICE_REST);
    while ((r = request_next(q, rest))) {
        const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        struct drawn answer = request_make(q, r);
        answer.processor = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
        request_made(q, rest, answer.processor);
        request_answer(r, answer);
    }
}

static void *hand_run(void *q)
{
    requests_make(q, HAND);
    return NULL;
}

static void *rest_run(void *q)
{
    requests_make(q, REST);
    return NULL;
}

static void *idle_run(void *q)
{
    requests_make(q, IDLE);
    return NULL;
}

int queue_start(struct queue *q, struct shelf *s, struct views *v, struct keep *k, int gentle)
{
    *q = (struct queue){.shelf = s, .views = v, .keep = k, .gentle = gentle};
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&q->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    static void *(*const run[QUEUES])(void *) = {hand_run, rest_run, idle_run};
    while (q->n_threads < QUEUES && !pthread_create(&q->thread[q->n_threads], NULL, run[q->n_threads], q))
        q->n_threads++;
    return q->n_threads == QUEUES;
}

void queue_stop(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->stop = 1;
    for (int rest = HAND; rest <= IDLE; rest++)
        while (q->waiting[rest]) {
            struct request *r = q->waiting[rest];
            q->waiting[rest] = r->next;
            request_answer(r, drawn_words(BUSY, "the page is closing"));
        }
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    while (q->n_threads) pthread_join(q->thread[--q->n_threads], NULL);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
}
