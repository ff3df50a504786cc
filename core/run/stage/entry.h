// SPDX-License-Identifier: Apache-2.0
/* What a preset's stages and exporters have in common: a type to be looked up, a domain by name, parameters. */
#ifndef ENTRY_H
#define ENTRY_H

#include "run/output/log.h"
#include "run/registry/registry.h"
#include "preset/preset.h"
#include <stdbool.h>

/// A stage of that type (or an exporter); NULL, said, when there is none.
const struct bw_entry *entry_find(struct run_log *l, const struct bw_registry *r, const char *type, bool stage,
                                  const struct bw_place *at);
/// Index of a domain by name (NULL: the first); -1, said, when there is none. `who` begins the sentence.
int32_t entry_domain(struct run_log *l, const struct bw_preset *p, const char *name, const char *who,
                     const struct bw_place *at);
/// Parameters of the entry `id`, given by `node`; NULL, said, or out of memory.
struct bw_params *entry_params(struct run_log *l, const struct bw_preset *p, const struct bw_entry *e, const char *id,
                               const struct bw_node *node);

#endif
