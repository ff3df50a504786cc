// SPDX-License-Identifier: Apache-2.0
/* The resolved preset: every value, defaults included; and the hash that says whether two bakes are the same. */
#ifndef RESOLVED_H
#define RESOLVED_H

#include "chain.h"

/// Fill c->hash. BW_ERR_MEMORY: half a hash would call two different bakes the same.
enum bw_status resolved_hash(struct bw_chain *c);

#endif
