// SPDX-License-Identifier: Apache-2.0
/* Memory that is lent to a plugin: whoever lent it can take all of it back. Thread-safe. */
#ifndef LENT_H
#define LENT_H

#include <stddef.h>

struct lent;

/// Zeroed memory, 64-byte aligned, entered in `list` (NULL at first). NULL: out of memory.
void *lent_take(struct lent **list, size_t bytes);
/// Give back what lent_take gave; NULL is allowed.
void lent_give(struct lent **list, void *memory);
/// Take back all that is left.
void lent_free(struct lent **list);

#endif
