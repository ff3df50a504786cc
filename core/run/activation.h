// SPDX-License-Identifier: Apache-2.0
/* Before each step: which tiles are active. */
#ifndef ACTIVATION_H
#define ACTIVATION_H

#include "chain.h"

/// Activate the tiles that are alive, those the flow can reach from them, and those that stages request; deactivate all
/// others.
enum bw_status activation_run(struct bw_chain *c);

#endif
