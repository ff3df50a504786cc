// SPDX-License-Identifier: Apache-2.0
#include "account.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { ALWAYS = 4096 }; ///< bytes: fewer are granted

struct bw_account {
    _Atomic int64_t bytes; ///< and one of the owner's: the last one that is given back ends it
    _Atomic int64_t limit, refused;
};

static _Thread_local struct bw_account *used;

struct bw_account *bw_account_open(void)
{
    struct bw_account *a = calloc(1, sizeof *a);
    if (a) atomic_init(&a->bytes, 1);
    return a;
}

void bw_account_close(struct bw_account *a) { bw_account_credit(a, 1); }

void bw_account_limit(struct bw_account *a, int64_t bytes) { atomic_store(&a->limit, bytes); }

int64_t bw_account_limited(const struct bw_account *a) { return a ? atomic_load(&a->limit) : 0; }

int64_t bw_account_bytes(const struct bw_account *a) { return a ? atomic_load(&a->bytes) - 1 : 0; }

int64_t bw_account_refused(struct bw_account *a) { return a ? atomic_exchange(&a->refused, 0) : 0; }

struct bw_account *bw_account_use(struct bw_account *a)
{
    struct bw_account *before = used;
    used = a;
    return before;
}

struct bw_account *bw_account_used(void) { return used; }

bool bw_account_charge(struct bw_account *a, size_t bytes)
{
    if (!a) return true;
    const int64_t more = (int64_t)bytes, limit = atomic_load_explicit(&a->limit, memory_order_relaxed);
    const int64_t had = atomic_fetch_add_explicit(&a->bytes, more, memory_order_relaxed);
    if (!limit || more < ALWAYS || (had <= limit && more <= limit - had)) return true;
    atomic_store(&a->refused, more);
    bw_account_credit(a, bytes);
    return false;
}

void bw_account_credit(struct bw_account *a, size_t bytes)
{
    const int64_t all = (int64_t)bytes;
    if (a && atomic_fetch_sub_explicit(&a->bytes, all, memory_order_acq_rel) == all) free(a);
}
