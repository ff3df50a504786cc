// SPDX-License-Identifier: Apache-2.0
#include "threads.h"
#include "base/memory/account.h"
#include "base/alloc.h"
#include "where.h"
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#define SPINS                                                                                                          \
    4000 /* about 80 µs: a sweep follows the last one faster than a sleeper wakes. Who waits longer sleeps: \
                      where others use the machine too, spinning takes the time that a worker needs */

struct bw_workers {
    uint32_t n;
    pthread_t *thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, changed;
    _Atomic uint64_t ticket;  /* number of the current job; odd bits do not matter, only change does */
    _Atomic uint32_t running; /* helpers still in the current job */
    _Atomic uint32_t next_rank;
    _Atomic int stop;
    _Atomic uint32_t sleepers; /* at `changed` */
    /* the job */
    void (*each)(int64_t, uint32_t, void *);
    void (*team)(struct bw_team *, void *);
    void *user;
    int64_t count;
    struct where_spot *here;    /* of who gave it: helpers are where that one is … */
    struct bw_account *account; /* … and take memory for the same bake */
    _Atomic int64_t next;
    /* the team's barrier */
    _Atomic uint32_t arrived;
    _Atomic uint32_t phase;
};

static locale_t plain_locale;
static pthread_once_t plain_once = PTHREAD_ONCE_INIT;

static void plain_make(void) { plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void bw_thread_begin(void)
{
    fesetenv(FE_DFL_ENV); // the thread that made this one may round upwards, or trap
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | 0x8040u); /* FTZ and DAZ */
#endif
    pthread_once(&plain_once, plain_make);
    if (plain_locale) uselocale(plain_locale);
}

static void pause_cpu(void)
{
#if defined(__SSE__)
    _mm_pause();
#endif
}

/* Until *value is not `old` any more. */
static void wait_change(struct bw_workers *w, _Atomic uint32_t *value, uint32_t old)
{
    for (uint32_t spin = 0; spin < SPINS; spin++) {
        if (atomic_load_explicit(value, memory_order_acquire) != old) return;
        pause_cpu();
    }
    pthread_mutex_lock(&w->lock);
    atomic_fetch_add(&w->sleepers, 1);
    while (atomic_load(value) == old) pthread_cond_wait(&w->changed, &w->lock);
    atomic_fetch_sub(&w->sleepers, 1);
    pthread_mutex_unlock(&w->lock);
}

/* After a value has changed, by an operation in sequential order: either we see the sleeper or it sees the value. */
static void wake_sleepers(struct bw_workers *w)
{
    if (!atomic_load(&w->sleepers)) return;
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void barrier_wait(struct bw_team *t)
{
    struct bw_workers *w = t->host_data;
    if (t->size == 1) return;
    uint32_t phase = atomic_load_explicit(&w->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&w->arrived, 1, memory_order_acq_rel) + 1 == t->size) {
        atomic_store_explicit(&w->arrived, 0, memory_order_relaxed);
        atomic_store(&w->phase, phase + 1);
        wake_sleepers(w);
        return;
    }
    wait_change(w, &w->phase, phase);
}

static void job_run(struct bw_workers *w, uint32_t rank)
{
    if (w->team) {
        struct bw_team t = {rank, w->n, w, barrier_wait};
        w->team(&t, w->user);
        return;
    }
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);
        if (i >= w->count) return;
        w->each(i, rank, w->user);
    }
}

static void *worker_main(void *arg)
{
    struct bw_workers *w = arg;
    uint32_t rank = atomic_fetch_add(&w->next_rank, 1) + 1;
    uint64_t seen = 0;
    struct where_signal_stack ground;
    where_signal_stack(&ground);
    bw_thread_begin();
    for (;;) {
        uint32_t spin = 0;
        while (atomic_load_explicit(&w->ticket, memory_order_acquire) == seen && spin++ < SPINS) pause_cpu();
        if (atomic_load_explicit(&w->ticket, memory_order_acquire) == seen) {
            pthread_mutex_lock(&w->lock);
            while (atomic_load_explicit(&w->ticket, memory_order_acquire) == seen)
                pthread_cond_wait(&w->wake, &w->lock);
            pthread_mutex_unlock(&w->lock);
        }
        seen++;
        if (atomic_load(&w->stop)) break;
        where_here_set(w->here);
        bw_account_use(w->account);
        job_run(w, rank);
        bw_account_use(NULL);
        where_here_set(NULL);
        atomic_fetch_sub(&w->running, 1);
        wake_sleepers(w);
    }
    where_signal_stack_end(&ground);
    return NULL;
}

static void job_start(struct bw_workers *w)
{
    atomic_store_explicit(&w->running, w->n - 1, memory_order_relaxed);
    pthread_mutex_lock(&w->lock);
    atomic_fetch_add_explicit(&w->ticket, 1, memory_order_release);
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

static void job_finish(struct bw_workers *w)
{
    for (uint32_t left; (left = atomic_load_explicit(&w->running, memory_order_acquire));)
        wait_change(w, &w->running, left);
}

static void job_do(struct bw_workers *w)
{
    w->here = where_here();
    w->account = bw_account_used();
    if (w->n > 1) job_start(w);
    job_run(w, 0);
    if (w->n > 1) job_finish(w);
}

struct bw_workers *bw_workers_create(uint32_t n)
{
    struct bw_workers *w = bw_calloc(sizeof *w);
    if (!w) return NULL;
    w->n = n ? n : 1;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->thread = bw_calloc(w->n * sizeof *w->thread);
    bw_thread_begin();
    for (uint32_t i = 1; w->thread && i < w->n; i++)
        if (pthread_create(&w->thread[i], NULL, worker_main, w)) {
            w->n = i;
            break;
        }
    if (w->thread) return w;
    w->n = 1;
    bw_workers_destroy(w);
    return NULL;
}

void bw_workers_destroy(struct bw_workers *w)
{
    if (!w) return;
    atomic_store(&w->stop, 1);
    if (w->n > 1) job_start(w);
    for (uint32_t i = 1; i < w->n; i++) pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    bw_free(w->thread);
    bw_free(w);
}

uint32_t bw_workers_count(const struct bw_workers *w) { return w->n; }

void bw_workers_for(struct bw_workers *w, int64_t n, void (*fn)(int64_t, uint32_t, void *), void *user)
{
    w->team = NULL;
    w->each = fn;
    w->user = user;
    w->count = n;
    atomic_store_explicit(&w->next, 0, memory_order_relaxed);
    if (n == 1) job_run(w, 0);
    else if (n > 1) job_do(w);
}

void bw_workers_team(struct bw_workers *w, void (*fn)(struct bw_team *, void *), void *user)
{
    w->team = fn;
    w->user = user;
    job_do(w);
}
