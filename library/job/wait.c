// SPDX-License-Identifier: Apache-2.0
/* Waiting for a bake, from the host or from another bake's callback. A wait that would be a deadlock is refused. */
#include "job.h"

#include <errno.h>
#include <time.h>

static _Thread_local struct job *inside; ///< the bake whose callback this thread is in

void callback_job_set(struct job *j) { inside = j; }

/* A bake's callback may wait for another bake, unless that one, or one that it waits for, waits for this one. */
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;

static bool leads_to(const struct job *j, const struct job *own)
{
    while (j && j != own) j = j->waits_for;
    return j != NULL;
}

bool job_waits_for_callback(const struct job *j)
{
    const struct job *own = inside;
    if (!own) return false;
    pthread_mutex_lock(&waiting);
    bool circle = leads_to(j, own);
    pthread_mutex_unlock(&waiting);
    return circle;
}

bool wait_begin(struct job *j, struct bw_diag *d)
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

void wait_end(void)
{
    struct job *own = inside;
    if (!own) return;
    pthread_mutex_lock(&waiting);
    own->waits_for = NULL;
    pthread_mutex_unlock(&waiting);
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
