// SPDX-License-Identifier: Apache-2.0
/* The medium, lit cell by cell: what a ray through it sees. */
#ifndef BW_MEDIUM_H
#define BW_MEDIUM_H

#include "ambient.h"
#include <picture/volume/scene/planck.h>
#include <picture/volume/scene/volume.h>

/// Interleaved {j.r, j.g, j.b, s} a cell, 1/m; and flames, which glow between the cells as what they are there, for
/// their light is far from linear in it: {flame, kelvin} a cell, or NULL.
struct bw_lit {
    struct bw_dense box;
    float *rgbs;
    float *fire;
    const struct bw_planck *planck;
    float gain, soot; ///< of a flame of 1: radiance at the white point and extinction, 1/m
};

/// Points into itself: it stays where it was made.
struct bw_medium {
    struct bw_lit lit;
    struct bw_ambient ambient;
    struct bw_planck planck;
    float *memory, *moved; ///< moved: what a shutter's time made of it
};

/// Light `v`; bw_medium_free gives it back, after a failure too. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_medium_light(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                               struct bw_medium *m);
/// Are its cells read by splines? Otherwise linearly.
int bw_lit_cubic(const struct bw_lit *l, const struct bw_look *look);
/// Make up for what splines blur, and smooth flames as the look asks: what is lit is ready to be marched then.
void bw_medium_sharpen(const struct bw_tools *tools, const struct bw_look *look, struct bw_medium *m);
void bw_medium_free(const struct bw_tools *tools, struct bw_medium *m);

#endif
