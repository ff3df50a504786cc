// SPDX-License-Identifier: Apache-2.0
/* What rays meet of a floor of earth, kept from picture to picture while the camera stands still: its stones, and which
 * lamps they hide from one another. Their light is another one in each picture. Numbers are rounded as they are kept,
 * also where nothing is: pictures do not depend on those made before. */
#ifndef BW_STUDIO_SPOTS_H
#define BW_STUDIO_SPOTS_H

#include "ground.h"
#include <picture/tools.h>
#include <picture/volume/scene/scene.h>

enum { BW_GRAINS = 2 }; ///< parts of a pixel, squared, at most

/// A part of a pixel of earth: soil or a stone.
struct bw_floor_part {
    float depth;     ///< m along its ray
    int16_t tilt[2]; ///< slopes, in parts of BW_TILT
    uint8_t open;    ///< of the sky, 0 … 255
    uint8_t which;   ///< of all stones, 1 … 255; 0: soil
    uint8_t lamps;   ///< a bit each: no stone is before it
    uint8_t found;
    uint8_t azimuth;       ///< from where fire shone last, in 256 parts of the circle …
    uint16_t asked, clear; ///< … and of slopes upwards a bit each: looked at; no stone is before it
};
#define BW_TILT (1 / 2048.0f)

struct bw_floor_spot {
    struct bw_ground_share soil;
    int32_t found; ///< 0: the soil is not known yet
    struct bw_floor_part part[BW_GRAINS * BW_GRAINS];
};

struct bw_studio_spots; ///< of a picture's pixels

/// Before a picture of that size in which rays of a pixel have that many grains: spots of the one before are kept if
/// it saw the studio alike, and there are some from the second such picture on, 100 bytes a pixel. Nothing is kept of
/// large pictures, or where memory lacks. *s is NULL before the first.
void bw_studio_spots_begin(const struct bw_tools *tools, const struct bw_scene *scene, const int32_t size[2],
                           int32_t grains, struct bw_studio_spots **s);
/// A pixel's; NULL: none are kept.
struct bw_floor_spot *bw_studio_spots_floor(const struct bw_studio_spots *s, int x, int y);
/// NULL is no error.
void bw_studio_spots_free(const struct bw_tools *tools, struct bw_studio_spots *s);

int16_t bw_tilt_keep(float tilt);

#endif
