// SPDX-License-Identifier: Apache-2.0
/* A cache's obstacles for scenes in other programs: where they stand at a frame, and their meshes. */
#ifndef CACHE_OBSTACLES_H
#define CACHE_OBSTACLES_H

#include "scene.h"

#include "view/picture_tools.h"
#include <picture/volume/shape/shapes.h>

struct scene_obstacles {
    struct cache *cache;
    const struct scene_facts *facts;
    struct bw_tools tools;
    struct bw_shapes *shapes; ///< NULL: none, or memory ran out; then cells show them
    bool move;                ///< some do, in one frame or another
};

/// At the scene's first frame; scene_obstacles_end gives them back.
void scene_obstacles_begin(struct scene_obstacles *o, const struct scene_facts *f, struct cache *c);
void scene_obstacles_at(struct scene_obstacles *o, int64_t frame);
void scene_obstacles_end(struct scene_obstacles *o);
/// What a form is made of.
const struct bw_material_wish *scene_finish(const struct scene_facts *f, const struct bw_form *form);

/// Each place once, in the form's own axes, scaled; three corners a triangle.
struct scene_mesh {
    double *point;   ///< [n_points][3]
    int32_t *corner; ///< [n_triangles][3], of the points
    int32_t n_points, n_triangles;
};
/// scene_mesh_free gives it back in any case. Errors: BW_ERR_MEMORY; then it is empty.
enum bw_status scene_mesh_make(const struct bw_form *form, struct scene_mesh *mesh);
void scene_mesh_free(struct scene_mesh *mesh);

#endif
