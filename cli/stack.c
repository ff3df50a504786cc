// SPDX-License-Identifier: Apache-2.0
/* Small `ulimit -s`: threads get stacks of the usual size, and so does the program itself, on a thread of its own if
 * the limit can't be raised. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "cli.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { USUAL = 8 << 20, LEAST = 1 << 20 };

struct work {
    int (*run)(int argc, char **argv);
    int argc, code;
    char **argv;
};

static void *work_run(void *work)
{
    struct work *w = work;
    w->code = w->run(w->argc, w->argv);
    return NULL;
}

static int work_on_thread(struct work *w)
{
    pthread_t thread;
    const int bad = pthread_create(&thread, NULL, work_run, w);
    if (!bad) pthread_join(thread, NULL);
    else fprintf(stderr, "billow: out of memory for a stack, of which `ulimit -s` allows little: %s\n", strerror(bad));
    return bad ? 7 : w->code;
}

int cli_stack_run(int (*run)(int argc, char **argv), int argc, char **argv)
{
    struct work work = {run, argc, 0, argv};
    struct rlimit most;
    pthread_attr_t threads;
    if (getrlimit(RLIMIT_STACK, &most) || most.rlim_cur >= USUAL) return run(argc, argv);
    most.rlim_cur = most.rlim_max < USUAL ? most.rlim_max : USUAL;
    setrlimit(RLIMIT_STACK, &most);
    pthread_attr_init(&threads);
    pthread_attr_setstacksize(&threads, USUAL);
    pthread_setattr_default_np(&threads);
    pthread_attr_destroy(&threads);
    return most.rlim_cur < LEAST ? work_on_thread(&work) : run(argc, argv);
}
