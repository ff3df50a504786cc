// SPDX-License-Identifier: Apache-2.0
/* Counted memory: everything that the core takes, so that a run can check at its end that all came back, and a
 * test can make each allocation fail in turn. It counts as the bake's that the thread works for (account.h), which may
 * have a limit. Thread-safe. */
#ifndef BW_ALLOC_H
#define BW_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// `bytes` of zeroed memory, or NULL. Give back with bw_free.
void *bw_calloc(size_t bytes);
/// 64-byte aligned, not zeroed, or NULL. Give back with bw_free.
void *bw_alloc_aligned(size_t bytes);
/// Grow or shrink what bw_calloc gave (new bytes not zeroed), which counts where it did; NULL leaves the old one alone.
void *bw_realloc(void *memory, size_t bytes);
/// Copy of a string, or NULL (also for NULL).
char *bw_strdup(const char *text);
/// printf into new memory, or NULL.
char *bw_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bw_free(void *memory);
/// `memory`, of which soon all will be written: what is fresh from the system costs a fault for each page of 4 KiB, for
/// each of 2 MiB where the system grants this wish.
void *bw_alloc_all_written(void *memory, size_t bytes);
/// Allocations not yet given back.
int64_t bw_alloc_live(void);
/// Allocations made so far.
int64_t bw_alloc_made(void);
/// For tests: the allocation after the next `after` ones fails, once; negative: none. Setting restarts the count.
void bw_alloc_fail(int64_t after);
/// Ask the failure switch only: whether this allocation, made by other means (mmap), has to fail.
bool bw_alloc_should_fail(void);

#endif
