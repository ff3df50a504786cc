// SPDX-License-Identifier: Apache-2.0
/* exit(), or a return from main, in the middle of a bake: destructors of other libraries would run under its threads.
 * So an exit handler first stops all bakes and waits for them. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "job.h"

#include "base/thread/where.h"
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *first; ///< list of running bakes
static pid_t process;     ///< that owns the list: a forked child has a copy of it, and none of the threads
static bool over;
static unsigned long long armed_loads; ///< of libraries by the process, as the newest handler was added

/* A running bake, with a reference; none that waits for the caller's own bake, which would be a deadlock. */
static struct job *running_job_next(void)
{
    pthread_mutex_lock(&lock);
    struct job *j = first;
    while (j && job_waits_for_callback(j)) j = j->next_running;
    if (j) object_ref(&j->o);
    pthread_mutex_unlock(&lock);
    return j;
}

static void bakes_stop_and_wait(void)
{
    if (process != getpid()) return;
    pthread_mutex_lock(&lock);
    over = true;
    for (struct job *j = first; j; j = j->next_running) atomic_store(&j->stop, 1);
    pthread_mutex_unlock(&lock);
    if (where_here()) return; // a plugin called exit: its bake waits for this very thread
    for (struct job *j; (j = running_job_next());) {
        job_wait(j, -1);
        object_unref(&j->o);
    }
}

static int loads_of(struct dl_phdr_info *info, size_t bytes, void *loads)
{
    (void)bytes;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

/* Handlers run last in, first out, each before older statics are destroyed. None can be removed, so their number has a
 * limit: by then all libraries have been loaded. */
static bool handler_add(void)
{
    static int n;
    dl_iterate_phdr(loads_of, &armed_loads);
    return n >= 1000 || (n++, !atexit(bakes_stop_and_wait));
}

void at_exit_rearm(bool anyway)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(loads_of, &loads);
    pthread_mutex_lock(&lock);
    if (anyway || loads != armed_loads) handler_add();
    pthread_mutex_unlock(&lock);
}

bool at_exit_register(struct job *j, struct bw_diag *d)
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

void at_exit_unregister(struct job *j)
{
    pthread_mutex_lock(&lock);
    struct job **at = &first;
    while (*at && *at != j) at = &(*at)->next_running;
    if (*at) *at = j->next_running;
    pthread_mutex_unlock(&lock);
}
