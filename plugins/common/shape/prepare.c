// SPDX-License-Identifier: Apache-2.0
/* Shapes made ready. Where only the domain asks about one, a mesh far larger than it, as a town round a street, costs
 * what is there. */
#include "placed.h"
#include <common/vec3.h>

#include <math.h>

#define ROUND_DOMAIN 2 ///< cells beyond the domain: neighbours of its outermost ones

static enum bw_status file_prepare(struct bw_stage *s, const struct shape *shape, double reach)
{
    struct shape_state *state = s->state;
    if (shape->kind == SHAPE_MESH) return mesh_prepare(s, &shape->mesh, reach, &state->mesh);
    if (shape->kind == SHAPE_VDB) return volume_prepare(s, &shape->vdb, &state->vdb);
    return shape->kind == SHAPE_POINTS ? points_prepare(s, &shape->points, &state->points) : BW_OK;
}

enum bw_status shape_prepare(struct bw_stage *s, const struct shape *shape, double reach)
{
    struct shape_state *state = s->state;
    if (!state->judged && reach != SHAPE_SURFACE) { // before the work that a mesh of the wrong size is
        const enum bw_status status = file_prepare(s, shape, SHAPE_SURFACE);
        if (status) return status;
        state->judged = 1;
        state->amiss = shape_place_tell(s, shape);
    }
    return file_prepare(s, shape, reach);
}

/* The domain and a bit round it in the mesh's frame; its bounds there when the mesh is turned. */
static struct box3 domain_in_mesh(const struct bw_domain_info *d, const struct pose *p)
{
    struct box3 box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int corner = 0; corner < 8; corner++) {
        double from[3];
        for (int a = 0; a < 3; a++)
            from[a] = d->origin[a] + d->h * (corner >> a & 1 ? d->n[a] + ROUND_DOMAIN : -ROUND_DOMAIN) - p->center[a];
        for (int a = 0; a < 3; a++) {
            const double local = vec3_dot(from, p->axis[a]) / p->scale;
            box.lo[a] = fmin(box.lo[a], local);
            box.hi[a] = fmax(box.hi[a], local);
        }
    }
    return box;
}

enum bw_status shape_prepare_inside(struct bw_stage *s, const struct shape *shape, double reach)
{
    struct mesh_source *m = &((struct shape_state *)s->state)->mesh;
    m->asked = (struct box3){{0}, {0}};
    if (shape->kind == SHAPE_MESH && s->grid->n[0] > 0 && shape->mesh.scale > 0) {
        struct pose pose;
        enum bw_status status = shape_pose(s, shape, &pose);
        if (status) return status;
        m->asked = domain_in_mesh(s->grid, &pose);
    }
    return shape_prepare(s, shape, reach);
}
