// SPDX-License-Identifier: Apache-2.0
/* Waiting for a bake: who waits for whom, and the end of the process, which waits for all. */
#include "job.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static _Thread_local struct job *inside; ///< the bake whose callback this thread is in

void job_inside_set(struct job *j) { inside = j; }

/* A bake's callback may wait for another bake, unless that one, or one that it waits for, waits for this one. */
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;

static bool leads_to(const struct job *j, const struct job *own)
{
    while (j && j != own) j = j->waits_for;
    return j != NULL;
}

static bool waits_for_caller(const struct job *j)
{
    const struct job *own = inside;
    if (!own) return false;
    pthread_mutex_lock(&waiting);
    bool circle = leads_to(j, own);
    pthread_mutex_unlock(&waiting);
    return circle;
}

bool job_wait_begin(struct job *j, struct bw_diag *d)
{
    struct job *own = inside;
    if (!own) return true;
    pthread_mutex_lock(&waiting);
    bool circle = leads_to(j, own);
    if (!circle) own->waits_for = j;
    pthread_mutex_unlock(&waiting);
    if (circle)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "a callback of %s can't wait for the bake that it belongs to",
                      j->facts.name);
    return !circle;
}

void job_wait_end(void)
{
    struct job *own = inside;
    if (!own) return;
    pthread_mutex_lock(&waiting);
    own->waits_for = NULL;
    pthread_mutex_unlock(&waiting);
}

enum job_state job_state(struct job *j)
{
    pthread_mutex_lock(&j->lock);
    enum job_state state = j->state;
    pthread_mutex_unlock(&j->lock);
    return state;
}

enum job_state job_wait(struct job *j, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = seconds > 0 ? (seconds < 1e9 ? seconds : 1e9) : 0;
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)((whole - (double)(time_t)whole) * 1e9);
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    int late = 0;
    pthread_mutex_lock(&j->lock);
    while (j->state == JOB_RUNNING && !late) {
        if (seconds < 0) pthread_cond_wait(&j->changed, &j->lock);
        else late = pthread_cond_timedwait(&j->changed, &j->lock, &until) == ETIMEDOUT;
    }
    enum job_state state = j->state;
    pthread_mutex_unlock(&j->lock);
    return state;
}

/* ---- the end of the process ---- */

/* exit, or a return from main, in the middle of a bake: other libraries' destructors would pull what it stands on from
 * under its threads. So the process first asks all bakes to stop and waits for them. */
static pthread_mutex_t listed = PTHREAD_MUTEX_INITIALIZER;
static struct job *first; ///< those that run
static pid_t process;     ///< whose they are: a forked child has a copy of the list, and none of the threads
static bool over;

/* One that runs, with a reference. Of those that wait for the caller's own bake there is no end to wait for. */
static struct job *next_of_running(void)
{
    pthread_mutex_lock(&listed);
    struct job *j = first;
    while (j && waits_for_caller(j)) j = j->next_running;
    if (j) object_ref(&j->o);
    pthread_mutex_unlock(&listed);
    return j;
}

static void bakes_end(void)
{
    if (process != getpid()) return;
    pthread_mutex_lock(&listed);
    over = true;
    for (struct job *j = first; j; j = j->next_running) atomic_store(&j->cancel, 1);
    pthread_mutex_unlock(&listed);
    for (struct job *j; (j = next_of_running());) {
        job_wait(j, -1);
        object_unref(&j->o);
    }
}

/* Handlers run last in, first out, each before the statics that are older than it; one is never taken back, so a
 * process that bakes without end has no more than some, when all libraries have long been used. */
static bool handler_add(void)
{
    static int n;
    return n >= 1000 || (n++, !atexit(bakes_end));
}

void ending_renew(bool *moment)
{
    pthread_mutex_lock(&listed);
    if (!*moment) *moment = handler_add();
    pthread_mutex_unlock(&listed);
}

bool ending_watch(struct job *j, struct bw_diag *d)
{
    pthread_mutex_lock(&listed);
    bool good = !over && handler_add();
    if (good && process != getpid()) first = NULL;
    if (good) process = getpid();
    if (good) j->next_running = first, first = j;
    bool ends = over;
    pthread_mutex_unlock(&listed);
    if (!good && ends) bw_diag_error(d, NULL, BW_ERR_USAGE, "the process is about to end: no bake starts");
    else if (!good) out_of_memory(d);
    return good;
}

void ending_forget(struct job *j)
{
    pthread_mutex_lock(&listed);
    struct job **at = &first;
    while (*at && *at != j) at = &(*at)->next_running;
    if (*at) *at = j->next_running;
    pthread_mutex_unlock(&listed);
}
