// SPDX-License-Identifier: Apache-2.0
/* What a shot is exposed for: the temperature of its hottest flames. */
#ifndef FLAME_METER_H
#define FLAME_METER_H

#include "chain.h"

/// Find c->flame_kelvin, once stages have had init. Errors: BW_ERR_MEMORY.
enum bw_status flame_meter(struct bw_chain *c);

#endif
