// SPDX-License-Identifier: Apache-2.0
/* A preset whose flow has wider cells than what it carries (domain.flow): in which of the two domains a stage works. */
#ifndef HALVES_H
#define HALVES_H

#include <billow/plugin.h>

enum { LEVEL_AMOUNTS = 0, LEVEL_FLOW = 1 }; ///< domains of such a preset

/// Where it works; of a stage that splits, its first half; -1: it changes fields of both.
int32_t level_of(const struct bw_stage_desc *stage);

#endif
