// SPDX-License-Identifier: Apache-2.0
/* Before each step: which tiles are active. */
#ifndef ACTIVATION_H
#define ACTIVATION_H

#include "chain.h"

/// Tiles that are alive, what the flow can reach from them, and what stages ask for; all others go.
enum bw_status activation_run(struct bw_chain *c);

#endif
