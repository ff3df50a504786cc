// SPDX-License-Identifier: Apache-2.0
#include "lent.h"
#include "base/alloc.h"
#include <pthread.h>
#include <string.h>

/* A header; the memory follows, 64-byte aligned like it. */
struct lent {
    struct lent *prev, *next;
    char pad[48];
};

/* One for all lists: exporters take memory from parallel tasks, but none often enough to wait for another. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *lent_take(struct lent **list, size_t bytes)
{
    struct lent *m = bytes < SIZE_MAX / 2 ? bw_alloc_aligned(sizeof *m + bytes) : NULL;
    if (!m) return NULL;
    pthread_mutex_lock(&lock);
    *m = (struct lent){.next = *list};
    if (*list) (*list)->prev = m;
    *list = m;
    pthread_mutex_unlock(&lock);
    return memset(m + 1, 0, bytes);
}

void lent_give(struct lent **list, void *memory)
{
    if (!memory) return;
    struct lent *m = (struct lent *)memory - 1;
    pthread_mutex_lock(&lock);
    if (m->prev) m->prev->next = m->next;
    else *list = m->next;
    if (m->next) m->next->prev = m->prev;
    pthread_mutex_unlock(&lock);
    bw_free(m);
}

void lent_free(struct lent **list)
{
    while (*list) lent_give(list, *list + 1);
}
