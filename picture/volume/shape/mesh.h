// SPDX-License-Identifier: Apache-2.0
/* Triangles that rays are asked about: to both sides, whichever way round they are, and whether they close or not. */
#ifndef BW_MESH_H
#define BW_MESH_H

#include "forms.h"
#include "bvh.h"

#include <billow/services.h>

/// A triangle's corners, less the mesh's middle; and their normals, unit vectors.
struct bw_triangle {
    float corner[3][3];
};

struct bw_mesh {
    _Atomic int32_t users; ///< who have it: each gives it back, and the last frees it
    uint64_t key;          ///< of what it was made of
    double middle[3];
    struct bw_bounds box; ///< less its middle
    struct bw_bvh bvh;
    struct bw_triangle *triangle, *normal;
    int32_t *piece; ///< of each triangle: which of the pieces that hang together
    struct bw_bounds *pieces;
};

/// Faces that meet at less than this are one smooth surface, as a modeller's auto smooth has it.
#define BW_CREASE 0.82f ///< cosine of 35 degrees

/// A number for `bytes` of data that follow what made `key`.
uint64_t bw_mesh_mixed(uint64_t key, const void *data, size_t bytes);
/// What it would be made of, as a number.
uint64_t bw_mesh_key(const struct bw_shape *s, struct bw_form_grown grown);
/// Of a shape's own points (m, or of a radius 1); bw_mesh_free gives it back. NULL: out of memory.
struct bw_mesh *bw_mesh_make(const struct bw_tools *tools, const struct bw_shape *s, struct bw_form_grown grown);
/// One user more; it does not change any more.
struct bw_mesh *bw_mesh_hold(struct bw_mesh *m);
void bw_mesh_free(const struct bw_tools *tools, struct bw_mesh *m);

/// Where a ray meets a mesh.
struct bw_mesh_hit {
    int32_t triangle; ///< -1: nowhere
    float share[3];   ///< of its corners
};
/// A ray from o along d, of any length, as far as `far` lengths, less the mesh's middle.
struct bw_probe bw_mesh_probe(const struct bw_mesh *m, const double o[3], const double d[3], float far);
/// The first triangle that it meets; p->far is where.
void bw_mesh_intersect(const struct bw_mesh *m, struct bw_probe *p, struct bw_mesh_hit *hit);
/// 1: it meets one.
int bw_mesh_blocks(const struct bw_mesh *m, struct bw_probe *p);
/// 0: nothing of the mesh is in the cone round the ray that is p->wide · t wide.
int bw_mesh_near(const struct bw_mesh *m, struct bw_probe *p);
/// At a hit, of no certain sign: the face's normal, of any length, and the surface's, smooth where faces are.
void bw_mesh_normals(const struct bw_mesh *m, const struct bw_mesh_hit *hit, double face[3], double smooth[3]);
/// At a hit: for each corner the way from there, and the surface's normal there, a unit vector of no certain sign.
void bw_mesh_corners(const struct bw_mesh *m, const struct bw_mesh_hit *hit, double from[3][3], double normal[3][3]);

#endif
