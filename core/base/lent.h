// SPDX-License-Identifier: Apache-2.0
/* Memory that is lent to a plugin: whoever lent it can take all of it back. Thread-safe. */
#ifndef BW_LENT_H
#define BW_LENT_H

#include <stddef.h>

struct bw_lent;

/// Zeroed memory, 64-byte aligned, entered in `list` (NULL at first). NULL: out of memory.
void *bw_lent_take(struct bw_lent **list, size_t bytes);
/// Give back what bw_lent_take gave; NULL is allowed.
void bw_lent_give(struct bw_lent **list, void *memory);
/// Take back all that is left.
void bw_lent_free(struct bw_lent **list);

#endif
