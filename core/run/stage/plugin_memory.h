// SPDX-License-Identifier: Apache-2.0
/* Memory that a plugin allocates through the host. The host keeps a list for each plugin instance, and frees what is
 * left of it. Thread-safe. */
#ifndef PLUGIN_MEMORY_H
#define PLUGIN_MEMORY_H

#include <stddef.h>

struct plugin_memory;

/// Zeroed memory, 64-byte aligned, added to `list` (NULL at first). NULL: out of memory.
void *plugin_memory_alloc(struct plugin_memory **list, size_t bytes);
/// Free what plugin_memory_alloc returned; NULL is allowed.
void plugin_memory_release(struct plugin_memory **list, void *memory);
/// Free all that is left in the list.
void plugin_memory_free(struct plugin_memory **list);

#endif
