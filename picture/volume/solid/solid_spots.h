// SPDX-License-Identifier: Apache-2.0
/* What a pixel shows of obstacles that stand, kept from picture to picture while the camera does, too: surfaces, what
 * they are made of there, and what of each lamp they hide from one another. Light is another one in each picture.
 * Directions are rounded as they are kept, also where nothing is: pictures do not depend on those made before. */
#ifndef BW_SOLID_SPOTS_H
#define BW_SOLID_SPOTS_H

#include <picture/tools.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/shape/pixel.h>

/// A place of a surface before light falls on it; members as in struct bw_finish.
struct bw_solid_finish {
    float albedo[3], normal[3], glow[3], roughness, gloss, metal, soft, deep;
    float open[BW_LIGHTS]; ///< of each lamp, what other obstacles leave …
    uint8_t asked, found;  ///< … where its bit is set
};

/// Of a struct bw_shapes_part what light on it takes.
struct bw_solid_spot {
    double depth, p[3];
    float face[3], normal[3], over[3], share;
    int32_t form;
    uint32_t piece;
    struct bw_solid_finish finish;
    uint8_t found; ///< 0: not yet looked at, as all parts of its pixel
};

/// Of a pixel: how many parts, as counted in the picture before; and where they are, or NULL: they are counted only.
struct bw_solid_pixel {
    uint8_t *n; ///< NULL: nothing is kept
    struct bw_solid_spot *spot;
};

struct bw_solid_spots; ///< of a picture's pixels

/// Before a picture of that size in which a pixel has one ray. Parts are counted in the first picture of a view, and
/// kept from the second one on, 180 bytes each; nothing is kept where they are many, or where memory lacks. *s is
/// NULL before the first.
void bw_solid_spots_begin(const struct bw_tools *tools, const struct bw_scene *scene, const struct bw_shapes *shapes,
                          const int32_t size[2], struct bw_solid_spots **s);
struct bw_solid_pixel bw_solid_spots_at(const struct bw_solid_spots *s, int x, int y);
void bw_solid_spot_keep(const struct bw_shapes_part *part, struct bw_solid_spot *spot);
void bw_solid_spot_read(const struct bw_shapes *shapes, const struct bw_solid_spot *spot, struct bw_shapes_part *part);
void bw_solid_finish_keep(const struct bw_finish *f, struct bw_solid_finish *kept);
void bw_solid_finish_read(const struct bw_solid_finish *kept, struct bw_finish *f);
/// NULL is no error.
void bw_solid_spots_free(const struct bw_tools *tools, struct bw_solid_spots *s);

#endif
