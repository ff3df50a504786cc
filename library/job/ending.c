// SPDX-License-Identifier: Apache-2.0
/* exit, or a return from main, in the middle of a bake: other libraries' destructors would pull what it stands on from
 * under its threads. So the process first asks all bakes to stop and waits for them. */
#include "job.h"

#include "base/thread/where.h"
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *first; ///< those that run
static pid_t process;     ///< whose they are: a forked child has a copy of the list, and none of the threads
static bool over;

/* One that runs, with a reference. Of those that wait for the caller's own bake there is no end to wait for. */
static struct job *next_of_running(void)
{
    pthread_mutex_lock(&lock);
    struct job *j = first;
    while (j && job_waits_for_caller(j)) j = j->next_running;
    if (j) object_ref(&j->o);
    pthread_mutex_unlock(&lock);
    return j;
}

static void bakes_end(void)
{
    if (process != getpid()) return;
    pthread_mutex_lock(&lock);
    over = true;
    for (struct job *j = first; j; j = j->next_running) atomic_store(&j->stop, 1);
    pthread_mutex_unlock(&lock);
    if (where_here()) return; // a plugin called exit: its bake waits for this very thread
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
    pthread_mutex_lock(&lock);
    if (!*moment) *moment = handler_add();
    pthread_mutex_unlock(&lock);
}

bool ending_watch(struct job *j, struct bw_diag *d)
{
    pthread_mutex_lock(&lock);
    bool good = !over && handler_add();
    if (good && process != getpid()) first = NULL;
    if (good) process = getpid();
    if (good) j->next_running = first, first = j;
    bool ends = over;
    pthread_mutex_unlock(&lock);
    if (!good && ends) bw_diag_error(d, NULL, BW_ERR_USAGE, "the process is about to end: no bake starts");
    else if (!good) out_of_memory(d);
    return good;
}

void ending_forget(struct job *j)
{
    pthread_mutex_lock(&lock);
    struct job **at = &first;
    while (*at && *at != j) at = &(*at)->next_running;
    if (*at) *at = j->next_running;
    pthread_mutex_unlock(&lock);
}
