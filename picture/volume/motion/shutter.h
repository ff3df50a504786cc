// SPDX-License-Identifier: Apache-2.0
/* Motion blur: what moves while the shutter is open. */
#ifndef BW_SHUTTER_H
#define BW_SHUTTER_H

#include <picture/volume/light/medium.h>

/// Blur the lit medium along its motion, over `seconds` about the frame's time. Errors: BW_ERR_MEMORY.
enum bw_status bw_shutter_open(const struct bw_tools *tools, const struct bw_volume *v, double seconds,
                               struct bw_medium *m);

#endif
