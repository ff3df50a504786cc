// SPDX-License-Identifier: Apache-2.0
/* What obstacles are made of: colour, gloss and relief finer than their shape, that stand still on what moves. */
#ifndef BW_MATERIAL_H
#define BW_MATERIAL_H

#include <stdint.h>

enum bw_material {
    BW_MATERIAL_PLAIN,
    BW_MATERIAL_WOOD,
    BW_MATERIAL_BARK,
    BW_MATERIAL_STONE,
    BW_MATERIAL_BRICK,
    BW_MATERIAL_CONCRETE,
    BW_MATERIAL_RUBBER,
    BW_MATERIAL_METAL,
    BW_MATERIAL_WAX,
};
#define BW_MATERIAL_CHOICES "plain|wood|bark|stone|brick|concrete|rubber|metal|wax"

/// Of the whole obstacle: its mean colour, and how large its pattern is, times what is usual.
struct bw_material_wish {
    int32_t kind; ///< enum bw_material
    float colour[3], roughness;
    float glow[3]; ///< radiance of its own
    double scale;
};

/// A place of it as a pixel sees it.
struct bw_finish {
    float albedo[3], roughness;
    float metal;      ///< 1: it mirrors in its colour and scatters nothing
    float soft;       ///< 0 … 1: light gets round and through it as through wax
    double deep;      ///< m: how deep red light gets into it, where it is soft
    double normal[3]; ///< a unit vector, with its relief
};

/// At p (m) where the normal, a unit vector, is n, both as the obstacle has them: wood and bark grow along its z,
/// bricks lie level. What is finer than a pixel's `footprint` (m) is left out, so that none flickers.
void bw_material_at(const struct bw_material_wish *wish, const double p[3], const double n[3], double footprint,
                    struct bw_finish *out);

#endif
