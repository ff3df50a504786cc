// SPDX-License-Identifier: Apache-2.0
#include "plugin_memory.h"
#include "base/alloc.h"
#include <pthread.h>

enum { LINE = 64 };

/* A header; the memory follows, on a cache line like it. */
struct plugin_memory {
    struct plugin_memory *prev, *next;
    void *taken; ///< from where on it was taken
    char pad[LINE - 3 * sizeof(void *)];
};

/* One for all lists: exporters take memory from parallel tasks, but none often enough to wait for another. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *plugin_memory_alloc(struct plugin_memory **list, size_t bytes)
{
    char *taken = bytes < SIZE_MAX / 2 ? bw_calloc(LINE + sizeof(struct plugin_memory) + bytes) : NULL;
    if (!taken) return NULL; // of much memory what nobody touches is none
    struct plugin_memory *m = (struct plugin_memory *)(void *)(taken + (LINE - (uintptr_t)taken % LINE) % LINE);
    pthread_mutex_lock(&lock);
    *m = (struct plugin_memory){.next = *list, .taken = taken};
    if (*list) (*list)->prev = m;
    *list = m;
    pthread_mutex_unlock(&lock);
    return m + 1;
}

void plugin_memory_release(struct plugin_memory **list, void *memory)
{
    if (!memory) return;
    struct plugin_memory *m = (struct plugin_memory *)memory - 1;
    pthread_mutex_lock(&lock);
    if (m->prev) m->prev->next = m->next;
    else *list = m->next;
    if (m->next) m->next->prev = m->prev;
    pthread_mutex_unlock(&lock);
    bw_free(m->taken);
}

void plugin_memory_free(struct plugin_memory **list)
{
    while (*list) plugin_memory_release(list, *list + 1);
}
