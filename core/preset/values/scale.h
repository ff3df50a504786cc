// SPDX-License-Identifier: Apache-2.0
/* `scale: 2`, one value that makes a whole preset larger, and slower to match. */
#ifndef PRESET_SCALE_H
#define PRESET_SCALE_H

#include "preset/tree/node.h"

/// What is left to be said to exporters.
struct bw_scaled {
    double scale;  ///< how many times as large files show it; 0: nothing was said …
    double played; ///< … then frames a second that movies have: time.fps is another
};

/// Apply a preset's `scale` to the values of its tree, and remove the key. Errors: BW_ERR_PRESET, BW_ERR_MEMORY.
enum bw_status bw_scale_apply(struct bw_node *root, struct bw_scaled *out, struct bw_diag *d);

#endif
