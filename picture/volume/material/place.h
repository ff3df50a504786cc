// SPDX-License-Identifier: Apache-2.0
/* What a material is asked, and what it answers. */
#ifndef BW_PLACE_H
#define BW_PLACE_H

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
    BW_MATERIAL_PAINTED,
    BW_MATERIAL_CLOTH,
    BW_MATERIAL_FACADE,
    BW_MATERIAL_SCALES,
};
#define BW_MATERIAL_CHOICES "plain|wood|bark|stone|brick|concrete|rubber|metal|wax|painted|cloth|facade|scales"

/// Of the whole obstacle: its mean colour, and how large its pattern is, times what is usual.
struct bw_material_wish {
    int32_t kind; ///< enum bw_material
    float colour[3], roughness;
    float gloss;   ///< of the flames' light that it mirrors where it is smooth
    float glow[3]; ///< radiance of its own
    double scale;
};

/// Where it is asked for, as the obstacle has it: its own axes and middle, m. Wood and bark grow along z, bricks lie
/// level.
struct bw_material_place {
    double p[3], n[3];   ///< n: the shape's normal there, a unit vector, not its relief
    double footprint;    ///< m that a pixel sees: what is finer is left out, so that none flickers
    double lo[3], hi[3]; ///< of the piece that it belongs to: a house of a town
    uint32_t piece;      ///< which, of many
    float scorch;        ///< 0 … 1: how much fire there was
    float ember[3];      ///< radiance of what smoulders
    const float *colour; ///< bw_material_at fills it in
};

/// A place of it as a pixel sees it.
struct bw_finish {
    float albedo[3], roughness;
    float gloss;      ///< as in the wish
    float metal;      ///< 1: it mirrors in its colour and scatters nothing
    float soft;       ///< 0 … 1: light gets round and through it as through wax
    double deep;      ///< m: how deep red light gets into it, where it is soft
    double normal[3]; ///< a unit vector, with its relief
    float glow[3];    ///< radiance of its own
};

#endif
