// SPDX-License-Identifier: Apache-2.0
/* Counted memory: the counters are atomic, the memory is the C library's. Every call asks the failure switch
 * first, so that a test can walk through all allocations of a run one by one. */
#include "alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 };
#define HUGE_PAGE ((uintptr_t)2 << 20)

static _Atomic int64_t live, made, fail_at = -1;

bool bw_alloc_should_fail(void)
{
    int64_t number = atomic_fetch_add(&made, 1);
    return number == atomic_load(&fail_at);
}

static void *memory_count(void *memory)
{
    if (memory) atomic_fetch_add(&live, 1);
    return memory;
}

void *bw_calloc(size_t bytes)
{
    if (bw_alloc_should_fail()) return NULL;
    return memory_count(calloc(1, bytes ? bytes : 1));
}

void *bw_alloc_aligned(size_t bytes)
{
    if (bw_alloc_should_fail() || bytes > SIZE_MAX - ALIGNMENT) return NULL;
    size_t padded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return memory_count(aligned_alloc(ALIGNMENT, padded ? padded : ALIGNMENT));
}

void *bw_realloc(void *memory, size_t bytes)
{
    if (bw_alloc_should_fail()) return NULL;
    void *grown = realloc(memory, bytes ? bytes : 1);
    return memory ? grown : memory_count(grown);
}

char *bw_strdup(const char *text)
{
    if (!text) return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = bw_calloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *bw_printf(const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : bw_calloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void bw_free(void *memory)
{
    if (!memory) return;
    atomic_fetch_sub(&live, 1);
    free(memory);
}

int64_t bw_alloc_live(void) { return atomic_load(&live); }

int64_t bw_alloc_made(void) { return atomic_load(&made); }

void bw_alloc_fail(int64_t after)
{
    atomic_store(&made, 0);
    atomic_store(&fail_at, after);
}

void *bw_alloc_all_written(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const int before = errno;
    const uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    const uintptr_t last = ((uintptr_t)memory + bytes) & ~(HUGE_PAGE - 1);
    if (memory && bytes >= 2 * HUGE_PAGE) madvise((void *)first, last - first, MADV_HUGEPAGE);
    errno = before;
#endif
    return memory;
}
