// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "account.h"
#include "base/alloc.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK ((size_t)2 << 20) /* one huge page */

/* A chunk begins with its header, which takes the place of the first block (or more). */
struct chunk {
    struct bw_pool *pool;
    struct chunk *prev, *next;   /* in the pool's list of chunks with free blocks */
    void *free;                  /* blocks given back, linked through their first word */
    uint32_t fresh, used, total; /* next block never used; blocks in use; blocks in all */
    _Atomic uint32_t refs[];
};

struct bw_pool {
    size_t block;
    struct bw_account *account; /* kept by the pool's own memory, which counts there */
    pthread_mutex_t lock;
    struct chunk *open; /* chunks with at least one free block */
    uint32_t empty;     /* of those, chunks without a used block: kept until a trim, since the next sweep wants them */
    uint32_t chunks, peak; /* chunks held; most that were in use at once since the last trim */
    uint32_t keep;         /* what a trim leaves: up to an eighth over the peak, for fresh pages cost a fault each */
};

static _Atomic int64_t pool_bytes;

int64_t bw_pool_bytes(void) { return atomic_load(&pool_bytes); }

int64_t bw_pool_held(struct bw_pool *p)
{
    pthread_mutex_lock(&p->lock);
    const int64_t bytes = (int64_t)p->chunks * (int64_t)CHUNK;
    pthread_mutex_unlock(&p->lock);
    return bytes;
}

static struct chunk *chunk_of(const void *block) { return (struct chunk *)((uintptr_t)block & ~(CHUNK - 1)); }

static uint32_t index_of(const struct chunk *c, const void *block)
{
    return (uint32_t)(((uintptr_t)block - (uintptr_t)c) / c->pool->block);
}

static void list_add(struct chunk **head, struct chunk *c)
{
    c->prev = NULL;
    c->next = *head;
    if (*head) (*head)->prev = c;
    *head = c;
}

static void list_remove(struct chunk **head, struct chunk *c)
{
    if (c->prev) c->prev->next = c->next;
    else *head = c->next;
    if (c->next) c->next->prev = c->prev;
}

static struct chunk *chunk_map(struct bw_pool *p)
{
    if (bw_alloc_should_fail() || !bw_account_charge(p->account, CHUNK)) return NULL;
    char *raw = mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) {
        bw_account_credit(p->account, CHUNK);
        return NULL;
    }
    char *at = (char *)(((uintptr_t)raw + CHUNK - 1) & ~(CHUNK - 1));
    if (at > raw) munmap(raw, (size_t)(at - raw));
    if (at + CHUNK < raw + 2 * CHUNK) munmap(at + CHUNK, (size_t)(raw + CHUNK - at));
#ifdef MADV_HUGEPAGE
    madvise(at, CHUNK, MADV_HUGEPAGE);
#endif
    struct chunk *c = (struct chunk *)at;
    size_t header = sizeof(struct chunk) + CHUNK / p->block * sizeof(uint32_t);
    c->pool = p;
    c->fresh = (uint32_t)((header + p->block - 1) / p->block);
    c->total = (uint32_t)(CHUNK / p->block) - c->fresh;
    p->chunks++;
    atomic_fetch_add(&pool_bytes, (int64_t)CHUNK);
    return c;
}

struct bw_pool *bw_pool_create(size_t bytes)
{
    struct bw_pool *p = bw_calloc(sizeof *p);
    if (!p) return NULL;
    p->block = bytes;
    p->account = bw_account_used();
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

static void chunk_unmap(struct bw_pool *p, struct chunk *c)
{
    list_remove(&p->open, c);
    munmap(c, CHUNK);
    p->chunks--;
    bw_account_credit(p->account, CHUNK);
    atomic_fetch_sub(&pool_bytes, (int64_t)CHUNK);
}

void bw_pool_destroy(struct bw_pool *p)
{
    if (!p) return;
    while (p->open) {
        assert(p->open->used == 0);
        chunk_unmap(p, p->open);
    }
    pthread_mutex_destroy(&p->lock);
    bw_free(p);
}

void *bw_pool_get(struct bw_pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct chunk *c = p->open;
    if (!c) {
        c = chunk_map(p);
        if (!c) {
            pthread_mutex_unlock(&p->lock);
            return NULL;
        }
        list_add(&p->open, c);
        p->empty++;
    }
    void *block = c->free;
    if (block) memcpy(&c->free, block, sizeof c->free);
    else block = (char *)c + (size_t)c->fresh++ * p->block;
    if (c->used++ == 0) p->empty--;
    if (p->chunks - p->empty > p->peak) p->peak = p->chunks - p->empty;
    if (c->used == c->total) list_remove(&p->open, c);
    pthread_mutex_unlock(&p->lock);
    atomic_store_explicit(&c->refs[index_of(c, block)], 1, memory_order_relaxed);
    return block;
}

void bw_pool_ref(void *block)
{
    struct chunk *c = chunk_of(block);
    atomic_fetch_add_explicit(&c->refs[index_of(c, block)], 1, memory_order_relaxed);
}

bool bw_pool_shared(const void *block)
{
    struct chunk *c = chunk_of(block);
    return atomic_load_explicit(&c->refs[index_of(c, block)], memory_order_acquire) > 1;
}

void bw_pool_unref(void *block)
{
    if (!block) return;
    struct chunk *c = chunk_of(block);
    if (atomic_fetch_sub_explicit(&c->refs[index_of(c, block)], 1, memory_order_acq_rel) != 1) return;
    struct bw_pool *p = c->pool;
    pthread_mutex_lock(&p->lock);
    if (c->used == c->total) list_add(&p->open, c);
    memcpy(block, &c->free, sizeof c->free);
    c->free = block;
    if (--c->used == 0) p->empty++;
    pthread_mutex_unlock(&p->lock);
}

void bw_pool_trim(struct bw_pool *p)
{
    pthread_mutex_lock(&p->lock);
    const uint32_t most = p->peak + p->peak / 8;
    p->keep = p->keep < p->peak ? p->peak : p->keep > most ? most : p->keep;
    for (struct chunk *c = p->open, *next; c && p->chunks > p->keep; c = next) {
        next = c->next;
        if (c->used) continue;
        p->empty--;
        chunk_unmap(p, c);
    }
    p->peak = p->chunks - p->empty;
    pthread_mutex_unlock(&p->lock);
}
