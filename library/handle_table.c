// SPDX-License-Identifier: Apache-2.0
#include "handle_table.h"

#include <pthread.h>
#include <stdlib.h>

/* A handle is generation · 2³² + slot · 2⁸ + kind · 2⁴: aligned as a pointer is, and never NULL. */
enum { KIND_SHIFT = 4, SLOT_SHIFT = 8, GENERATION_SHIFT = 32, BLOCK = 1024, BLOCKS = 16384 };
_Static_assert((int64_t)BLOCK *BLOCKS <= INT64_C(1) << (GENERATION_SHIFT - SLOT_SHIFT), "a slot's number fits");

struct slot {
    struct object *object; ///< NULL: free
    uintptr_t generation;  ///< counts the handles that used this slot
    uint32_t kind, holds;
    uint32_t number;    ///< of the slot itself
    uint32_t next_free; ///< slot + 1; 0: none
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *block[BLOCKS];  ///< allocated on demand and never freed, so that closed handles are detected
static uint32_t first_free, n_used; ///< slots from n_used on have never been used

void object_init(struct object *o, void (*destroy)(struct object *o))
{
    atomic_init(&o->refs, 1);
    o->destroy = destroy;
}

void *object_ref(struct object *o)
{
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    return o;
}

void object_unref(struct object *o)
{
    if (o && atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1) o->destroy(o);
}

static struct slot *slot_at(uintptr_t i) { return &block[i / BLOCK][i % BLOCK]; }

static void *handle_of(const struct slot *s)
{
    return (void *)(s->generation << GENERATION_SHIFT | (uintptr_t)s->number << SLOT_SHIFT |
                    (uintptr_t)s->kind << KIND_SHIFT);
}

/* The slot of a handle that is open, or NULL with an error in `d`. */
static struct slot *slot_find(const void *handle, enum handle_kind kind, struct bw_diag *d)
{
    static const char *const name[] = {"handle", "session", "bake", "snapshot", "cache", "view", "film"};
    uintptr_t value = (uintptr_t)handle, i = (value >> SLOT_SHIFT) & 0xffffff, is = (value >> KIND_SHIFT) & 0xf;
    struct slot *s = i < n_used ? slot_at(i) : NULL;
    if (s && s->object && s->kind == kind && handle_of(s) == handle) return s;
    const char *what = !handle                                            ? "NULL"
                       : s && s->object && handle_of(s) == handle         ? "a handle of another kind"
                       : is == kind && s && value >> GENERATION_SHIFT > 0 ? "one that was closed"
                                                                          : "no handle of this library";
    if (d) bw_diag_error(d, NULL, BW_ERR_USAGE, "a %s is wanted, this is %s", name[kind], what);
    return NULL;
}

static void lock_acquire(void) { pthread_mutex_lock(&lock); }
static void lock_release(void) { pthread_mutex_unlock(&lock); }

static struct slot *slot_new(void)
{
    if (first_free) {
        struct slot *s = slot_at(first_free - 1);
        first_free = s->next_free;
        return s;
    }
    uint32_t b = n_used / BLOCK;
    // a forked child finds the table consistent, whichever thread holds the lock here
    if (!block[0] && pthread_atfork(lock_acquire, lock_release, lock_release)) return NULL;
    if (b == BLOCKS || (!block[b] && !(block[b] = calloc(BLOCK, sizeof **block)))) return NULL;
    slot_at(n_used)->number = n_used;
    return slot_at(n_used++);
}

void *handle_new(enum handle_kind kind, struct object *o)
{
    pthread_mutex_lock(&lock);
    struct slot *s = slot_new();
    if (s)
        *s = (struct slot){.object = o, .generation = s->generation + 1, .kind = kind, .holds = 1, .number = s->number};
    void *handle = s ? handle_of(s) : NULL;
    pthread_mutex_unlock(&lock);
    return handle;
}

void *handle_acquire(const void *handle, enum handle_kind kind, struct bw_diag *d)
{
    pthread_mutex_lock(&lock);
    struct slot *s = slot_find(handle, kind, d);
    void *o = s ? object_ref(s->object) : NULL;
    pthread_mutex_unlock(&lock);
    return o;
}

int handle_retain(const void *handle, enum handle_kind kind, struct bw_diag *d)
{
    pthread_mutex_lock(&lock);
    struct slot *s = slot_find(handle, kind, d);
    if (s) s->holds++;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

void *handle_close(const void *handle, enum handle_kind kind, struct bw_diag *d)
{
    void *o = NULL;
    pthread_mutex_lock(&lock);
    struct slot *s = slot_find(handle, kind, d);
    if (s && --s->holds == 0) {
        o = s->object;
        s->object = NULL;
        s->next_free = first_free;
        first_free = s->number + 1;
    }
    pthread_mutex_unlock(&lock);
    return o;
}
