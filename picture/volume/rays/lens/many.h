// SPDX-License-Identifier: Apache-2.0
/* Pixels of many rays, spent where they are needed. */
#ifndef BW_MANY_H
#define BW_MANY_H

#include <picture/volume/rays/sight.h>

/// March all pixels of what is blurred by a wide lens. Errors: BW_ERR_MEMORY.
enum bw_status bw_many_march(const struct bw_tools *tools, const struct bw_take *m);

#endif
