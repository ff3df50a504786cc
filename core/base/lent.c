// SPDX-License-Identifier: Apache-2.0
#include "lent.h"
#include "alloc.h"
#include <pthread.h>
#include <string.h>

/* A header; the memory follows, 64-byte aligned like it. */
struct bw_lent {
    struct bw_lent *prev, *next;
    char pad[48];
};

/* One for all lists: exporters take memory from parallel tasks, but none often enough to wait for another. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *bw_lent_take(struct bw_lent **list, size_t bytes)
{
    struct bw_lent *m = bytes < SIZE_MAX / 2 ? bw_alloc_aligned(sizeof *m + bytes) : NULL;
    if (!m) return NULL;
    pthread_mutex_lock(&lock);
    *m = (struct bw_lent){.next = *list};
    if (*list) (*list)->prev = m;
    *list = m;
    pthread_mutex_unlock(&lock);
    return memset(m + 1, 0, bytes);
}

void bw_lent_give(struct bw_lent **list, void *memory)
{
    if (!memory) return;
    struct bw_lent *m = (struct bw_lent *)memory - 1;
    pthread_mutex_lock(&lock);
    if (m->prev) m->prev->next = m->next;
    else *list = m->next;
    if (m->next) m->next->prev = m->prev;
    pthread_mutex_unlock(&lock);
    bw_free(m);
}

void bw_lent_free(struct bw_lent **list)
{
    while (*list) bw_lent_give(list, *list + 1);
}
