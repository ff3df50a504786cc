// SPDX-License-Identifier: Apache-2.0
/* What a preset's `scale` makes of an exporter's numbers: lengths so many times as large, shown by another number of
 * frames a second than was computed. The exporter's own `scale`, units a metre, comes on top. */
#ifndef LARGER_H
#define LARGER_H

#include <billow/plugin.h>

/// The rows of the members `larger` and `fps`.
#define LARGER_ROWS(S)                                                                                                 \
    BW_F64(S, larger, "larger", "1", 1e-4, 1e4, NULL, "As many times as large as computed, in the same units.",        \
           BW_PARAM_STATIC),                                                                                           \
        BW_F64(S, fps, "fps", "0", 0, 1e6, NULL,                                                                       \
               "Frames a second it is to be shown at, which speeds and times then fit; 0: the bake's.",                \
               BW_PARAM_STATIC)

/// What seconds of the bake are multiplied by.
static inline double larger_slower(double fps, double bake_fps) { return fps > 0 ? bake_fps / fps : 1; }

#endif
