// SPDX-License-Identifier: Apache-2.0
/* The participating medium, lit cell by cell: extinction, emission, single and multiple scattering. */
#ifndef BW_MEDIUM_H
#define BW_MEDIUM_H

#include "ambient.h"
#include "lit.h"
#include <picture/volume/scene/volume.h>

/// Points into itself: it stays where it was made.
struct bw_medium {
    struct bw_lit lit;
    struct bw_ambient ambient;
    struct bw_blackbody blackbody;
    float *memory, *moved; ///< moved: what a shutter's time made of it
    float *wide;           ///< of flames, for their sheets
    float *roots;          ///< their roots' light
};

/// Light `v`; bw_medium_free gives it back, after a failure too. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_medium_light(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                               struct bw_medium *m);
/// Are its cells read by splines? Otherwise linearly.
int bw_lit_cubic(const struct bw_lit *l, const struct bw_look *look);
/// Make up for what splines blur, and make flames crisp or smooth as the look asks: what is lit is ready to be marched
/// then. Errors: BW_ERR_MEMORY.
enum bw_status bw_medium_sharpen(const struct bw_tools *tools, const struct bw_look *look, struct bw_medium *m);
void bw_medium_free(const struct bw_tools *tools, struct bw_medium *m);

#endif
