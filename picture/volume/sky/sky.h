// SPDX-License-Identifier: Apache-2.0
/* Skies that are asked for. */
#ifndef BW_SKY_H
#define BW_SKY_H

#include "sphere.h"
#include <picture/tools.h>

/// Make *sky what is wished for, if it is not yet (NULL for BW_SKY_NONE); one block of the tools' memory.
/// Errors: BW_ERR_MEMORY, BW_ERR_IO, with a sentence in `why`.
enum bw_status bw_sky_follow(const struct bw_tools *tools, const struct bw_sky_wish *wish, struct bw_sky **sky,
                             char *why, size_t why_size);

#endif
