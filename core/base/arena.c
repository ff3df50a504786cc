// SPDX-License-Identifier: Apache-2.0
/* Per-worker memory: bump allocation, reset for each block of a sweep. */
#include "arena.h"
#include "alloc.h"

struct bw_arena {
    struct slab {
        struct slab *next;
        size_t size;
    } * slab;
    char *at, *end;
    size_t wanted, most; /* what this round has taken so far; most that any round took: one slab holds it next time */
    bool failed;
};

struct bw_arena *bw_arena_create(void) { return bw_calloc(sizeof(struct bw_arena)); }

static void slabs_free(struct bw_arena *a)
{
    while (a->slab) {
        struct slab *s = a->slab;
        a->slab = s->next;
        bw_free(s);
    }
    a->at = a->end = NULL;
}

void bw_arena_destroy(struct bw_arena *a)
{
    if (!a) return;
    slabs_free(a);
    bw_free(a);
}

void bw_arena_reset(struct bw_arena *a)
{
    if (a->wanted > a->most) a->most = a->wanted;
    if (a->slab && a->slab->next) slabs_free(a);
    a->wanted = 0;
    a->failed = false;
    if (a->slab) a->at = (char *)a->slab + 64;
}

void *bw_arena_alloc(struct bw_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 8) {
        a->failed = true;
        return NULL;
    }
    bytes = (bytes + 127) & ~(size_t)63; /* a cache line apart, and rows of power-of-two size off each other's sets */
    a->wanted += bytes;
    if (bytes > (size_t)(a->end - a->at)) {
        size_t size = (a->slab ? 2 * a->wanted : a->wanted > a->most ? a->wanted : a->most) + 65536;
        struct slab *s = bw_alloc_aligned(size + 64);
        if (!s) {
            a->failed = true;
            return NULL;
        }
        *s = (struct slab){a->slab, size};
        a->slab = s;
        a->at = (char *)s + 64;
        a->end = a->at + size;
    }
    void *p = a->at;
    a->at += bytes;
    return p;
}

bool bw_arena_failed(const struct bw_arena *a) { return a->failed; }
