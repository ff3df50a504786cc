// SPDX-License-Identifier: Apache-2.0
#include "handle.h"

#include <pthread.h>

/* A handle is generation · 2²⁴ + slot · 2⁸ + kind · 2⁴: aligned as a pointer is, and never NULL. */
enum { KIND_SHIFT = 4, SLOT_SHIFT = 8, GENERATION_SHIFT = 24, SLOTS = 16384 };

struct slot {
    struct object *object; ///< NULL: free
    uintptr_t generation;  ///< one more for each handle that it was
    uint32_t kind, holds;
    uint32_t next_free; ///< slot + 1; 0: none
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot slots[SLOTS];
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

static void *handle_of(const struct slot *s)
{
    return (void *)(s->generation << GENERATION_SHIFT | (uintptr_t)(s - slots) << SLOT_SHIFT |
                    (uintptr_t)s->kind << KIND_SHIFT);
}

/* The slot of a handle that is open, or NULL after a sentence. */
static struct slot *slot_find(const void *handle, enum handle_kind kind, struct bw_diag *d)
{
    static const char *const name[] = {"handle", "session", "bake", "snapshot", "cache"};
    uintptr_t value = (uintptr_t)handle, i = (value >> SLOT_SHIFT) & 0xffff, is = (value >> KIND_SHIFT) & 0xf;
    struct slot *s = i < n_used ? &slots[i] : NULL;
    if (s && s->object && s->kind == kind && handle_of(s) == handle) return s;
    const char *what = !handle                                            ? "NULL"
                       : s && s->object && handle_of(s) == handle         ? "a handle of another kind"
                       : is == kind && s && value >> GENERATION_SHIFT > 0 ? "one that was closed"
                                                                          : "no handle of this library";
    if (d) bw_diag_error(d, NULL, BW_ERR_USAGE, "a %s is wanted, this is %s", name[kind], what);
    return NULL;
}

void *handle_new(enum handle_kind kind, struct object *o)
{
    struct slot *s = NULL;
    pthread_mutex_lock(&lock);
    if (first_free) {
        s = &slots[first_free - 1];
        first_free = s->next_free;
    } else if (n_used < SLOTS) {
        s = &slots[n_used++];
    }
    if (s) *s = (struct slot){.object = o, .generation = s->generation + 1, .kind = kind, .holds = 1};
    void *handle = s ? handle_of(s) : NULL;
    pthread_mutex_unlock(&lock);
    return handle;
}

void *handle_use(const void *handle, enum handle_kind kind, struct bw_diag *d)
{
    pthread_mutex_lock(&lock);
    struct slot *s = slot_find(handle, kind, d);
    void *o = s ? object_ref(s->object) : NULL;
    pthread_mutex_unlock(&lock);
    return o;
}

int handle_hold(const void *handle, enum handle_kind kind, struct bw_diag *d)
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
        first_free = (uint32_t)(s - slots) + 1;
    }
    pthread_mutex_unlock(&lock);
    return o;
}
