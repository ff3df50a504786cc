// SPDX-License-Identifier: Apache-2.0
/* Particles in a picture: those that glow as streaks, others as points. */
#ifndef BW_SPARKS_H
#define BW_SPARKS_H

#include <picture/volume/rays/march.h>

/// Add the shot's particles to the linear picture `img` (and to `alpha`, or NULL), dimmed by what is before them.
/// Errors: BW_ERR_MEMORY.
enum bw_status bw_sparks_draw(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img,
                              float *alpha);

#endif
