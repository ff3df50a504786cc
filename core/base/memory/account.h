// SPDX-License-Identifier: Apache-2.0
/* Memory accounting for each bake of a process. A thread sets the account that it works for. Its allocations (alloc.h,
 * pool.h) are charged there until any thread frees them. Thread-safe. */
#ifndef BW_ACCOUNT_H
#define BW_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_account;

/// Without a limit. NULL: out of memory.
struct bw_account *bw_account_open(void);
/// Its owner is done; what still counts may be given back later. NULL is allowed.
void bw_account_close(struct bw_account *a);
/// What would pass `bytes` is refused from now on; 0: nothing is.
void bw_account_limit(struct bw_account *a, int64_t bytes);
int64_t bw_account_limited(const struct bw_account *a);
/// Bytes that count now. NULL: 0.
int64_t bw_account_bytes(const struct bw_account *a);
/// Bytes of the request that was refused last, which is forgotten then; 0: none was. NULL is allowed.
int64_t bw_account_refused(struct bw_account *a);
/// What this thread takes counts there from now on; NULL: nowhere. Returns what was before.
struct bw_account *bw_account_use(struct bw_account *a);
/// Where that is.
struct bw_account *bw_account_used(void);

/* For allocators. */

/// Charge bytes; false: over the limit. Less than 4 KiB are never refused, so that the error can be reported. NULL:
/// true.
bool bw_account_charge(struct bw_account *a, size_t bytes);
/// Credit freed bytes. NULL is allowed.
void bw_account_credit(struct bw_account *a, size_t bytes);

#endif
