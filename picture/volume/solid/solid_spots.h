// SPDX-License-Identifier: Apache-2.0
/* What a pixel shows of obstacles that stand, kept from picture to picture while the camera does, too: surfaces, what
 * they are made of there, and what of each lamp they hide from one another. Light is another one in each picture. */
#ifndef BW_SOLID_SPOTS_H
#define BW_SOLID_SPOTS_H

#include <picture/tools.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/shape/pixel.h>

/// A place of a surface before light falls on it.
struct bw_solid_finish {
    struct bw_finish finish;
    int32_t found;
    uint32_t asked;        ///< of each lamp a bit: …
    float open[BW_LIGHTS]; ///< … what other obstacles leave of it is known
};

struct bw_solid_spot {
    struct bw_shapes_part part;
    struct bw_solid_finish finish;
    int32_t found; ///< 0: not yet looked at, as all parts of its pixel
};

/// Of a pixel: how many parts, as counted in the picture before; and where they are, or NULL: they are counted only.
struct bw_solid_pixel {
    uint8_t *n; ///< NULL: nothing is kept
    struct bw_solid_spot *spot;
};

struct bw_solid_spots; ///< of a picture's pixels

/// Before a picture of that size in which a pixel has one ray. Parts are counted in the first picture of a view, and
/// kept from the second one on, some 300 bytes each; nothing is kept where they are many, or where memory lacks. *s is
/// NULL before the first.
void bw_solid_spots_begin(const struct bw_tools *tools, const struct bw_scene *scene, const struct bw_shapes *shapes,
                          const int32_t size[2], struct bw_solid_spots **s);
struct bw_solid_pixel bw_solid_spots_at(const struct bw_solid_spots *s, int x, int y);
/// NULL is no error.
void bw_solid_spots_free(const struct bw_tools *tools, struct bw_solid_spots *s);

#endif
