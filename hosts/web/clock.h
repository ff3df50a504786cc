// SPDX-License-Identifier: Apache-2.0
/* Clocks: seconds, deadlines, and condition variables that wait by the monotonic clock. */
#ifndef WEB_CLOCK_H
#define WEB_CLOCK_H

#include <pthread.h>
#include <time.h>

/// s, of CLOCK_MONOTONIC or CLOCK_THREAD_CPUTIME_ID.
static inline double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Monotonic time in less than a second from now.
static inline struct timespec deadline_after(long ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ns;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static inline void cond_init_monotonic(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

#endif
