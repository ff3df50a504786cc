// SPDX-License-Identifier: Apache-2.0
/* Particles of a finished cache, from the files beside it. */
#ifndef BAKE_POINTS_H
#define BAKE_POINTS_H

#include "snapshot.h"

/// Those of a frame of the cache whose files are `pattern` (absolute) and begin with `cache`: metres, z up. Without any
/// n_points is 0. NULL with an error in `d`.
struct snapshot *points_open(const char *pattern, const char *cache, int64_t frame, struct bw_diag *d);

#endif
