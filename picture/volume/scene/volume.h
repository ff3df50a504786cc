// SPDX-License-Identifier: Apache-2.0
/* What is to be seen: smoke, flames and obstacles on dense boxes. */
#ifndef BW_VOLUME_H
#define BW_VOLUME_H

#include "dense.h"

struct bw_shapes;
struct bw_spread;
/// A particle.
struct bw_spark {
    double at[3];
    float vel[3], kelvin; ///< kelvin: absolute; what is too cold to glow is seen as `rgb`
    float turn[3];        ///< m/s²: its way is as curved as that makes it
    float size, rgb[3];   ///< m, its diameter, 0: a pixel; linear, what it sends back of the light it meets
    uint32_t kind;        ///< those alike stand for one cloud
};

/// Arrays are n[0]·n[1]·n[2] floats owned by the caller, NULL: absent.
struct bw_volume {
    struct bw_dense box;
    float *density;         ///< smoke, 1
    float *flame;           ///< burning, 1: emits
    float *temperature;     ///< K above ambient: glows where it is hot enough
    float *fuel;            ///< left to burn, 1; asked for by `roots`
    float *dye[3];          ///< linear colour of the smoke; all or none
    int32_t moves;          ///< asked of whoever fills it: BW_MOVES: vel, BW_AGES: age, too
    int32_t roots;          ///< likewise: fuel
    float *vel[3];          ///< m/s, in the cells' middles; all or none
    float *age;             ///< s since the smoke was emitted, mean by mass
    struct bw_spark *spark; ///< n_sparks of them, by themselves
    int64_t n_sparks;
    const struct bw_spread *spread; ///< of each, over the look's `smooth` neighbours; NULL: not known yet
    const struct bw_shapes *shapes; ///< obstacles as they are, NULL: as their distances say; not with the box's cuts
    struct bw_dense solid_box;
    float *solid;   ///< signed distance, m, < 0 inside, on solid_box
    float *normals; ///< NULL, or of each of its cells {distance in cells, normal}: edges are sharp then …
    uint8_t *edged; ///< … where this is 1
    int32_t stands; ///< 1: below `stand` obstacles are as they are there: what stands on a floor has no lower edge
    double stand;
};

enum { BW_MOVES = 1, BW_AGES = 2 };

/// Of a volume's arrays on its box: all of them, and those before the flow, which add up where volumes overlap.
enum { BW_VOLUME_ARRAYS = 11, BW_VOLUME_STILL = 7 };
static inline void bw_volume_arrays(struct bw_volume *v, float **out[BW_VOLUME_ARRAYS])
{
    out[0] = &v->density, out[1] = &v->flame, out[2] = &v->temperature, out[3] = &v->fuel;
    out[BW_VOLUME_STILL + 3] = &v->age;
    for (int a = 0; a < 3; a++) out[4 + a] = &v->dye[a], out[BW_VOLUME_STILL + a] = &v->vel[a];
}

#endif
