// SPDX-License-Identifier: Apache-2.0
/* Which connected parts of a mesh can be felt in the box that is asked about: those whose bounds come near it. A part
 * is left out whole or not at all, for half a house has no inside. What is left out changes no distance in the box: a
 * place there that is nearer than the band to a part is nearer than the margin to its bounds, and so is all that the
 * voxelising goes through on its way from the surface to that place. */
#include "mesh.h"

#include <math.h>
#include <string.h>

static void box_take(struct box3 *box, const double x[3])
{
    for (int a = 0; a < 3; a++) {
        box->lo[a] = fmin(box->lo[a], x[a]);
        box->hi[a] = fmax(box->hi[a], x[a]);
    }
}

static double boxes_apart(const struct box3 *p, const struct box3 *q)
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double gap = fmax(fmax(p->lo[a] - q->hi[a], q->lo[a] - p->hi[a]), 0);
        square += gap * gap;
    }
    return sqrt(square);
}

enum bw_status mesh_near(struct bw_stage *s, const struct mesh_file *f, const struct box3 *asked, double margin,
                         struct mesh_health *health)
{
    const int anywhere = !(asked->hi[0] > asked->lo[0]);
    struct box3 *part = s->host->scratch(s, (size_t)f->n_points * sizeof *part); // by the point that names the part
    health->near = s->host->scratch(s, (size_t)f->n_triangles);
    health->left_out = 0;
    if (!part || !health->near) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < f->n_points; i++)
        part[i] = (struct box3){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t t = 0; t < f->n_triangles; t++)
        for (int c = 0; c < 3; c++) box_take(&part[health->part[t]], f->point[f->triangle[t][c]]);
    for (int64_t t = 0; t < f->n_triangles; t++) {
        health->near[t] = anywhere || boxes_apart(&part[health->part[t]], asked) <= margin;
        health->left_out += !health->near[t];
    }
    return BW_OK;
}
