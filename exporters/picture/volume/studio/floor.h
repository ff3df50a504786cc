// SPDX-License-Identifier: Apache-2.0
/* Light that reaches the floor. */
#ifndef BW_FLOOR_H
#define BW_FLOOR_H

#include "room.h"

/// Make s->map of all else, and s->far. Errors: BW_ERR_MEMORY.
enum bw_status bw_floor_make(const struct bw_tools *tools, struct bw_studio *s);

/// On the floor: its slopes, or NULL: none; and 0 … 1, how rays to lamps are turned there.
struct bw_floor_place {
    double p[3];
    const float *tilt;
    float turn;
};
/// What a white floor sends back there.
void bw_floor_light(const struct bw_studio *s, const struct bw_floor_place *at, float rgb[3]);

#endif
