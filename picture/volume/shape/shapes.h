// SPDX-License-Identifier: Apache-2.0
/* A frame's obstacles as they are: meshes, each made once, and where they stand. */
#ifndef BW_SHAPES_H
#define BW_SHAPES_H

#include "mesh.h"

#include <picture/volume/scene/light.h>

/// One that stands.
struct bw_form {
    const struct bw_mesh *mesh;
    double center[3], axis[3][3], scale[3]; ///< as in struct bw_shape
    float thin;                             ///< the least of scale
    int32_t of;                             ///< which of the shapes it is
    int32_t look;                           ///< 0: as all; else one more than which of the look's each
    double vel[3], spin[3];                 ///< as in struct bw_shape
    int32_t moves;                          ///< 0: it stands still
};

struct bw_shapes {
    struct bw_form *form;
    int32_t n;
    struct bw_mesh **mesh;
    int32_t n_meshes;
    double middle[3];  ///< of all
    struct bw_bvh bvh; ///< of the forms, less the middle
    double least;      ///< m: what is less is rounding
    double shutter;    ///< s about the frame's time in which they are met where they are then; 0: none moves
};

/// Make *shapes anew of n shapes, none unknown; meshes that it had are kept where they are wanted still.
/// bw_shapes_free gives it back. Errors: BW_ERR_MEMORY; then it is NULL.
/// `grown`: what the cylinders among them are in the picture; NULL: as round as they are.
enum bw_status bw_shapes_follow(const struct bw_tools *tools, const struct bw_shape *const *shape,
                                const struct bw_form_grown *grown, int32_t n, struct bw_shapes **shapes);
/// The same meshes without a form, for a later bw_shapes_follow; bw_shapes_free gives it back. NULL: of NULL, or out of
/// memory.
struct bw_shapes *bw_shapes_meshes(const struct bw_tools *tools, const struct bw_shapes *shapes);
/// What moves is met all along its way, `seconds` about the frame's time. Errors: BW_ERR_MEMORY; they stand still then.
enum bw_status bw_shapes_shutter(const struct bw_tools *tools, double seconds, struct bw_shapes *s);
void bw_shapes_free(const struct bw_tools *tools, struct bw_shapes *s);
/// What they are and where, as a number; 0: some move, or there are none.
uint64_t bw_shapes_key(const struct bw_shapes *s);

/// Where a ray meets one; normals are unit vectors towards where it came from.
struct bw_shape_hit {
    double depth; ///< in lengths of the ray's direction
    int32_t form;
    double p[3], face[3], normal[3]; ///< the triangle's own normal; the surface's, smooth where it is
    double over[3];                  ///< m: from p to the smooth surface, which a triangle of a round body is under
    double own[3];                   ///< p as the form has it: its own axes and middle, m
    double lo[3], hi[3];             ///< of the piece that was met, likewise
    uint32_t piece;                  ///< which, of all
};
/// Make `own`, lo and hi of a hit whose form, p and piece are given.
void bw_shapes_place(const struct bw_shapes *s, struct bw_shape_hit *hit);
/// The first on a way from o along d (of any length), as far as `far` lengths. 0: none.
int bw_shapes_hit(const struct bw_shapes *s, const double o[3], const double d[3], double far,
                  struct bw_shape_hit *hit);
/// The same `when` seconds after the frame's time, within half of the shutter's; the place is where it is at the
/// frame's time.
int bw_shapes_hit_when(const struct bw_shapes *s, double when, const double o[3], const double d[3], double far,
                       struct bw_shape_hit *hit);
/// 1: something is on it.
int bw_shapes_block(const struct bw_shapes *s, const double o[3], const double d[3], double far);
/// 0: nothing is in the cone round it, `half` a unit of length wide; d is a unit vector.
int bw_shapes_near(const struct bw_shapes *s, const double o[3], const double d[3], double half, double far);
/// 0: nothing comes into that cone that moves while the shutter is open.
int bw_shapes_passes(const struct bw_shapes *s, const double o[3], const double d[3], double half);

#endif
