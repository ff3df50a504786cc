// SPDX-License-Identifier: Apache-2.0
/* Distance and normal near a surface, with edges where there are some. */
#ifndef BW_SURFACE_H
#define BW_SURFACE_H

#include <picture/volume/scene/dense.h>

struct bw_surface {
    float distance, normal[3]; ///< cells
};
/// At x, cells from the first one's centre; `normals`: {distance, normal} a cell, of a box of 4 cells and more. A
/// distance of 1e9: nothing is near.
struct bw_surface bw_surface_at(const struct bw_dense *b, const float *normals, const float x[3]);

#endif
