// SPDX-License-Identifier: Apache-2.0
/* What only the domain asks about: a mesh far larger than it, as a town round a street, costs what is there. */
#include "shape.h"
#include <common/vec3.h>

#include <math.h>

#define ROUND_DOMAIN 2 ///< cells beyond the domain: neighbours of its outermost ones

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
    if (shape->kind == SHAPE_MESH && s->grid->n[0] > 0 && shape->mesh.scale > 0 && !m->whole) {
        struct pose pose;
        enum bw_status status = shape_pose(s, shape, &pose);
        if (status) return status;
        m->asked = domain_in_mesh(s->grid, &pose);
    }
    return shape_prepare(s, shape, reach);
}
