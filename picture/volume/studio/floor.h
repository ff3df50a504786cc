// SPDX-License-Identifier: Apache-2.0
/* Light that reaches the floor. */
#ifndef BW_FLOOR_H
#define BW_FLOOR_H

#include "studio_spots.h"
#include "room.h"

/// Make s->map of all else, and s->far. Errors: BW_ERR_MEMORY.
enum bw_status bw_floor_make(const struct bw_tools *tools, struct bw_studio *s);

/// A place of the floor, and 0 … 1, how rays to lamps are turned there.
struct bw_floor_place {
    double p[3];
    float turn;
};
/// What comes to it, as a level white surface sends it back: by the sky, by fire, by each lamp.
struct bw_floor_light {
    double p[3];
    float sky[3], fire[3], lamp[BW_LIGHTS][3];
};
void bw_floor_gather(const struct bw_studio *s, const struct bw_floor_place *at, struct bw_floor_light *l);
/// Something small there: earth, or a stone.
struct bw_floor_grain {
    double p[3];
    const float *tilt;          ///< slopes of its surface
    double footprint;           ///< m, of a pixel; 0: no stone throws a shadow on it
    float open;                 ///< of the sky
    float turn[2];              ///< 0 … 1: which part of the fire, wide and high, is the one seen from it
    uint32_t lamps;             ///< a bit each: no stone is before it
    struct bw_floor_part *part; ///< keeps from which ways fire is seen; NULL: nothing throws a shadow
};
/// Lamps that no stone hides from it, a bit each.
uint32_t bw_floor_grain_lamps(const struct bw_studio *s, const struct bw_floor_grain *grain);
/// What it sends back, were it white.
void bw_floor_grain_light(const struct bw_studio *s, const struct bw_floor_light *l, const struct bw_floor_grain *grain,
                          float rgb[3]);
/// What a level white floor sends back.
void bw_floor_level(const struct bw_studio *s, const struct bw_floor_place *at, float rgb[3]);

#endif
