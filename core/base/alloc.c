// SPDX-License-Identifier: Apache-2.0
/* Counted memory: the counters are atomic, the memory is the C library's. Every call asks the failure switch
 * first, so that a test can walk through all allocations of a run one by one. */
#include "alloc.h"
#include "memory/account.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 };
#define MOST (SIZE_MAX / 4)
#define ALIGNED (MOST + 1) ///< in a head's bytes
#define HUGE_PAGE ((uintptr_t)2 << 20)

static _Atomic int64_t live, made, fail_at = -1;

bool bw_alloc_should_fail(void)
{
    int64_t number = atomic_fetch_add(&made, 1);
    return number == atomic_load(&fail_at);
}

/* Before each block: where it counts, and what is taken in all. */
struct head {
    struct bw_account *account;
    size_t bytes;
};
_Static_assert(sizeof(struct head) == 16, "what follows it is aligned as malloc does");

/* Of a block of nothing too: an address at the very end of what was taken is, to those who look for leaks, nobody's. */
static size_t some(size_t bytes) { return bytes ? bytes : 1; }

static struct head *head_of(void *memory) { return (struct head *)memory - 1; }

/* `taken` is what was to be had for `bytes`, which count already; the block begins `before` bytes in. */
static void *block_begin(char *taken, size_t before, size_t bytes)
{
    struct bw_account *account = bw_account_used();
    if (!taken) {
        bw_account_credit(account, bytes);
        return NULL;
    }
    *head_of(taken + before) = (struct head){account, bytes};
    atomic_fetch_add(&live, 1);
    return taken + before;
}

void *bw_calloc(size_t bytes)
{
    const size_t all = some(bytes) + sizeof(struct head);
    if (bw_alloc_should_fail() || bytes > MOST / 2 || !bw_account_charge(bw_account_used(), all)) return NULL;
    return block_begin(calloc(1, all), sizeof(struct head), all);
}

void *bw_alloc_aligned(size_t bytes)
{
    if (bw_alloc_should_fail() || bytes > MOST / 2) return NULL;
    const size_t all = ALIGNMENT + (some(bytes) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!bw_account_charge(bw_account_used(), all)) return NULL;
    void *memory = block_begin(aligned_alloc(ALIGNMENT, all), ALIGNMENT, all);
    if (memory) head_of(memory)->bytes |= ALIGNED;
    return memory;
}

void *bw_realloc(void *memory, size_t bytes)
{
    if (!memory) return bw_calloc(bytes);
    struct head *head = head_of(memory);
    struct bw_account *account = head->account;
    const size_t all = some(bytes) + sizeof *head, had = head->bytes, more = all > had ? all - had : 0;
    if (bw_alloc_should_fail() || bytes > MOST / 2 || !bw_account_charge(account, more)) return NULL;
    head = realloc(head, all);
    bw_account_credit(account, head ? had + more - all : more);
    if (!head) return NULL;
    head->bytes = all;
    return head + 1;
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
    const struct head head = *head_of(memory);
    atomic_fetch_sub(&live, 1);
    free((char *)memory - (head.bytes & ALIGNED ? ALIGNMENT : sizeof head));
    bw_account_credit(head.account, head.bytes & ~ALIGNED);
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
