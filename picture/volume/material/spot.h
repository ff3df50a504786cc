// SPDX-License-Identifier: Apache-2.0
/* What each material says of a shading point, and what they share. */
#ifndef BW_SPOT_H
#define BW_SPOT_H

#include "grain.h"
#include "place.h"

#include <math.h>

/// What a place is before light falls on it.
struct bw_spot {
    float tone[3]; ///< of the mean colour, by channel
    float rough;   ///< of the roughness
    float metal;   ///< 1: bare metal
    float glow;    ///< of the glow that is asked for; …
    float ember;   ///< … of the scorch's
    double height; ///< m
};

static inline float bw_spot_smooth(float from, float to, float x)
{
    const float t = fminf(fmaxf((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

static inline void bw_spot_tone(struct bw_spot *s, float light, float warm)
{
    s->tone[0] = light * (1 + warm), s->tone[1] = light, s->tone[2] = light * (1 - warm);
}

/// Towards a colour of its own, whatever the mean colour is.
static inline void bw_spot_paint(const struct bw_material_place *at, struct bw_spot *s, const float rgb[3], float share)
{
    for (int c = 0; c < 3; c++) s->tone[c] += share * (rgb[c] / fmaxf(at->colour[c], 0.01f) - s->tone[c]);
}

/// Of what is `width` wide how much a pixel that is `footprint` wide still shows.
static inline float bw_spot_shown(double width, double footprint)
{
    return (float)fmin(fmax(2 * width / footprint - 1, 0), 1);
}

// wood.c
void bw_spot_wood(const struct bw_material_place *at, struct bw_spot *s);
void bw_spot_bark(const struct bw_material_place *at, struct bw_spot *s);
/// What fire has done to what burns, by at->scorch.
void bw_spot_char(const struct bw_material_place *at, struct bw_spot *s);
// wall.c
void bw_spot_brick(const struct bw_material_place *at, struct bw_spot *s);
void bw_spot_concrete(const struct bw_material_place *at, struct bw_spot *s);
void bw_spot_facade(const struct bw_material_place *at, struct bw_spot *s);
// metal.c
void bw_spot_metal(const struct bw_material_place *at, struct bw_spot *s);
void bw_spot_painted(const struct bw_material_place *at, struct bw_spot *s);
/// What fire has done to what does not burn.
void bw_spot_soot(const struct bw_material_place *at, struct bw_spot *s);

#endif
