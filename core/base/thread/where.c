// SPDX-License-Identifier: Apache-2.0
#include "where.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A signal handler may read it: no memory is made for it at its first use. */
static _Thread_local struct where_spot *here __attribute__((tls_model("initial-exec")));

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void where_init(struct where_bake *b, const char *out)
{
    memset(b, 0, sizeof *b);
    b->out = out;
    b->loop.bake = b->writer.bake = b;
    atomic_store(&b->log, -1);
}

/* ---- noting: by one thread a spot ---- */

static struct where_was spot_read(struct where_spot *s)
{
    return (struct where_was){here, {s->id, s->plugin, s->callback, s->frame, s->substep, s->body}, s->began};
}

static void spot_write(struct where_spot *s, const struct where_place *p, int64_t began)
{
    const uint32_t turn = atomic_load_explicit(&s->turn, memory_order_relaxed);
    atomic_store(&s->turn, turn + 1);
    atomic_store_explicit(&s->id, p->id, memory_order_relaxed);
    atomic_store_explicit(&s->plugin, p->plugin, memory_order_relaxed);
    atomic_store_explicit(&s->callback, p->callback, memory_order_relaxed);
    atomic_store_explicit(&s->frame, p->frame, memory_order_relaxed);
    atomic_store_explicit(&s->substep, p->substep, memory_order_relaxed);
    atomic_store_explicit(&s->body, p->body, memory_order_relaxed);
    atomic_store_explicit(&s->began, began, memory_order_relaxed);
    atomic_store(&s->turn, turn + 2);
}

struct where_was where_enter(struct where_spot *s, const struct where_place *p)
{
    const struct where_was was = spot_read(s);
    struct where_place place = *p;
    if (!place.callback) place.callback = was.place.callback; /* a body is still the callback's time */
    spot_write(s, &place, p->body && was.began ? was.began : now());
    here = s;
    return was;
}

void where_leave(struct where_spot *s, const struct where_was *was)
{
    here = was->here;
    spot_write(s, &was->place, was->began);
}

void where_log(struct where_bake *b, int fd, const char *hidden, const char *name)
{
    const size_t room = sizeof *b->log_path;
    if (snprintf(b->log_path[0], room, "%s", hidden) >= (int)room) return;
    if (snprintf(b->log_path[1], room, "%s", name) >= (int)room) return;
    atomic_store(&b->log, fd);
}

void where_log_end(struct where_bake *b) { atomic_store(&b->log, -1); }

void where_checkpoint(struct where_bake *b, const char *name)
{
    const uint32_t n = atomic_load(&b->n_checkpoints) + 1;
    snprintf(b->checkpoint[n % 2], sizeof *b->checkpoint, "%s", name);
    atomic_store(&b->n_checkpoints, n);
}

/* ---- asking ---- */

static int spot_tell(const struct where_spot *s, struct bw_where *w)
{
    const struct where_bake *b = s->bake;
    const int64_t began = s->began;
    *w = (struct bw_where){.id = s->id,
                           .plugin = s->plugin,
                           .callback = s->callback,
                           .out = b ? b->out : NULL,
                           .checkpoint = b ? b->checkpoint[b->n_checkpoints % 2] : "",
                           .frame = s->frame,
                           .substep = s->substep,
                           .body = s->body,
                           .bake = b,
                           .seconds = 1e-9 * (double)(now() - began)};
    return began != 0 && w->callback;
}

/* Of another thread's spot: until nothing changed meanwhile. */
static int spot_watch(const struct where_spot *s, struct bw_where *w)
{
    for (int i = 0; i < 1000; i++) {
        const uint32_t turn = atomic_load(&s->turn);
        const int there = spot_tell(s, w);
        atomic_thread_fence(memory_order_acquire);
        if (turn % 2 == 0 && atomic_load(&s->turn) == turn) return there;
    }
    return 0; /* one that changes that often does not hang */
}

int bw_where_here(struct bw_where *where) { return here ? spot_tell(here, where) : 0; }

void bw_where_log(const struct bw_where *where, const char *text, size_t size)
{
    const struct where_bake *b = where->bake;
    const int fd = b ? atomic_load(&b->log) : -1;
    if (fd < 0) return;
    for (ssize_t done; size && (done = write(fd, text, size)) > 0; size -= (size_t)done) text += done;
    fsync(fd);
    rename(b->log_path[0], b->log_path[1]);
}

int where_longest(const struct where_bake *b, struct bw_where *where)
{
    struct bw_where other;
    const int loops = spot_watch(&b->loop, where), writes = spot_watch(&b->writer, &other);
    if (writes && (!loops || other.seconds > where->seconds)) *where = other;
    return loops || writes;
}

struct where_spot *where_here(void) { return here; }
void where_here_set(struct where_spot *s) { here = s; }

bool where_refuses(const char *call)
{
    const char *none = NULL;
    if (!here || !atomic_load_explicit(&here->body, memory_order_relaxed)) return false;
    atomic_compare_exchange_strong(&here->refused, &none, call);
    return true;
}

const char *where_refused(struct where_spot *s) { return atomic_exchange(&s->refused, NULL); }

/* ---- ground to stand on ---- */

void where_signal_stack(struct where_signal_stack *g)
{
    const stack_t ground = {.ss_sp = g->memory, .ss_size = sizeof g->memory};
    stack_t there;
    if (!sigaltstack(NULL, &there) && (there.ss_flags & SS_DISABLE))
        sigaltstack(&ground, NULL); /* a sanitizer's stays */
}

void where_signal_stack_end(const struct where_signal_stack *g)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t there;
    if (!sigaltstack(NULL, &there) && there.ss_sp == g->memory) sigaltstack(&none, NULL);
}
