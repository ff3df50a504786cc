// SPDX-License-Identifier: Apache-2.0
#include "shape.h"
#include <common/vec3.h>

#include <math.h>
#include <string.h>

/* Two axes across the third, which is a round shape's own. */
static void axes_fill(double axis[3][3])
{
    const double *z = axis[2];
    const int low = fabs(z[1]) < fabs(z[0]), least = fabs(z[2]) < fabs(z[low]) ? 2 : low;
    const double e[3] = {least == 0, least == 1, least == 2};
    vec3_cross(e, z, axis[0]);
    const double length = vec3_length(axis[0]);
    for (int a = 0; a < 3; a++) axis[0][a] /= length;
    vec3_cross(z, axis[0], axis[1]);
}

static void scale_set(struct bw_shape *s, double x, double y, double z)
{
    s->scale[0] = x, s->scale[1] = y, s->scale[2] = z;
}

static int mesh_shape(const struct pose *p, struct bw_shape *s)
{
    const struct mesh_file *f = &p->mesh->file[1];
    if (p->mesh->blank || !(p->scale > 0) || !f->n_triangles) return 0;
    scale_set(s, p->scale, p->scale, p->scale);
    s->point = (const double(*)[3])f->point, s->n_points = f->n_points;
    s->triangle = (const int32_t(*)[3])f->triangle, s->n_triangles = f->n_triangles;
    return 1;
}

int pose_shape(const struct pose *p, struct bw_shape *s)
{
    static const uint32_t kinds[SHAPE_KINDS] = {
        [SHAPE_SPHERE] = BW_SHAPE_BALL, [SHAPE_BOX] = BW_SHAPE_BOX,   [SHAPE_CYLINDER] = BW_SHAPE_CYLINDER,
        [SHAPE_TORUS] = BW_SHAPE_TORUS, [SHAPE_MESH] = BW_SHAPE_MESH,
    };
    memset(s, 0, sizeof *s);
    s->kind = p->kind < SHAPE_KINDS ? kinds[p->kind] : BW_SHAPE_UNKNOWN;
    memcpy(s->center, p->center, sizeof s->center);
    memcpy(s->axis, p->axis, sizeof s->axis);
    switch (p->kind) {
    case SHAPE_SPHERE:
        if (vec3_length(s->axis[0]) < 0.5)
            for (int a = 0; a < 3; a++) s->axis[a][a] = 1;
        scale_set(s, p->radius, p->radius, p->radius);
        return p->radius > 0;
    case SHAPE_BOX: scale_set(s, p->half[0], p->half[1], p->half[2]); return 1;
    case SHAPE_CYLINDER:
        axes_fill(s->axis);
        scale_set(s, p->radius, p->radius, p->half[2]);
        s->tube = p->minor;
        return p->radius > 0;
    case SHAPE_TORUS:
        axes_fill(s->axis);
        scale_set(s, p->radius, p->radius, p->radius);
        s->tube = p->minor / fmax(p->radius, 1e-30);
        if (!(p->radius > 0)) s->kind = BW_SHAPE_UNKNOWN;
        return p->minor > 0;
    case SHAPE_MESH: return mesh_shape(p, s);
    case SHAPE_VDB: return !p->vdb->blank;
    default: return 1;
    }
}

/* By the axes that there are: ω = ½ Σ a × da/dt of three, z × dz/dt of a round shape's one. */
void pose_shape_moves(const struct pose *before, const struct pose *now, double seconds, struct bw_shape *out)
{
    const int round = now->kind == SHAPE_CYLINDER || now->kind == SHAPE_TORUS;
    for (int a = 0; a < 3; a++) out->vel[a] = (now->center[a] - before->center[a]) / seconds, out->spin[a] = 0;
    for (int i = round ? 2 : 0; i < 3; i++) {
        double rate[3], turn[3];
        for (int a = 0; a < 3; a++) rate[a] = (now->axis[i][a] - before->axis[i][a]) / seconds;
        vec3_cross(now->axis[i], rate, turn);
        for (int a = 0; a < 3; a++) out->spin[a] += (round ? 1 : 0.5) * turn[a];
    }
}
