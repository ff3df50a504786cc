// SPDX-License-Identifier: Apache-2.0
/* Each is a net of AROUND by `rows` points, rows joined to the next one: the profile of a round shape, turned. */
#include "forms.h"
#include <picture/volume/material/uneven.h>

#include <math.h>

enum { AROUND = 192, ARC = 96, TUBE = 96, EDGE = 12, ALONG = 80, CAP = 24 };
#define WORN 0.05 ///< radii: a grown cylinder has no sharp edge
#define TURN 6.283185307179586

/// A profile: distance from the axis, height.
struct profile {
    double r, z;
};

/// A cylinder's: from the middle of its bottom over two edges, with `along` rows between them, to that of its top, with
/// CAP rows on that where it has grown.
static struct profile drum_at(const struct bw_shape *s, int row, int along)
{
    const int up = row - EDGE - 1 - along, top = up > 0, at = top ? up - 1 : row - 1;
    const double round = s->tube > 0 ? s->tube : WORN * s->scale[0];
    const double edge[2] = {round / s->scale[0], round / s->scale[2]}, a = 0.25 * TURN * at / EDGE;
    const int cap = along ? CAP : 0, inward = row - (2 * EDGE + 2 + along);
    if (row == 0) return (struct profile){0, -1};
    if (inward > 0) return (struct profile){(1 - edge[0]) * (cap + 1 - inward) / (cap + 1), 1};
    if (row > EDGE + 1 && !top) return (struct profile){1, (2.0 * (row - EDGE - 1) / (along + 1) - 1) * (1 - edge[1])};
    return top ? (struct profile){1 - edge[0] * (1 - cos(a)), 1 - edge[1] * (1 - sin(a))}
               : (struct profile){1 - edge[0] * (1 - sin(a)), -1 + edge[1] * (1 - cos(a))};
}

static struct profile profile_at(const struct bw_shape *s, int row, int along)
{
    static const struct profile drum[4] = {{0, -1}, {1, -1}, {1, 1}, {0, 1}};
    if (s->kind == BW_SHAPE_CYLINDER) return s->tube > 0 || along ? drum_at(s, row, along) : drum[row];
    if (s->kind == BW_SHAPE_BALL) {
        const double a = 0.5 * TURN * row / ARC;
        return (struct profile){row == 0 || row == ARC ? 0 : sin(a), -cos(a)};
    }
    const double a = TURN * (row % TUBE) / TUBE;
    return (struct profile){1 + s->tube * cos(a), s->tube * sin(a)};
}

static void box_fill(double (*point)[3], int32_t (*triangle)[3])
{
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 3; a++) point[i][a] = i >> a & 1 ? 1 : -1;
    for (int f = 0; f < 6; f++) {
        const int u = 1 << (f / 2 + 1) % 3, v = 1 << (f / 2 + 2) % 3, at = f & 1 ? 1 << f / 2 : 0;
        const int32_t two[2][3] = {{at, at + u, at + u + v}, {at, at + u + v, at + v}};
        for (int q = 0; q < 2; q++)
            for (int c = 0; c < 3; c++) triangle[2 * f + q][c] = two[q][c];
    }
}

static void net_fill(const struct bw_shape *s, int rows, struct bw_form_grown grown, double (*point)[3],
                     int32_t (*triangle)[3])
{
    for (int i = 0; i < rows; i++) {
        const struct profile p = profile_at(s, i, grown.uneven ? ALONG : 0);
        for (int j = 0; j < AROUND; j++) {
            double *at = point[i * AROUND + j];
            at[0] = p.r * cos(TURN * j / AROUND), at[1] = p.r * sin(TURN * j / AROUND), at[2] = p.z;
            if (grown.uneven) bw_uneven_move((enum bw_uneven)grown.uneven, grown.lot, s->scale[0] / s->scale[2], at);
        }
    }
    for (int i = 0; i + 1 < rows; i++)
        for (int j = 0; j < AROUND; j++) {
            const int32_t a = i * AROUND + j, b = i * AROUND + (j + 1) % AROUND;
            int32_t(*two)[3] = triangle + 2 * a;
            two[0][0] = a, two[0][1] = b, two[0][2] = b + AROUND;
            two[1][0] = a, two[1][1] = b + AROUND, two[1][2] = a + AROUND;
        }
}

enum bw_status bw_form_make(const struct bw_tools *tools, const struct bw_shape *s, struct bw_form_grown grown,
                            struct bw_shape *out, void **memory)
{
    const int box = s->kind == BW_SHAPE_BOX,
              round = grown.uneven  ? 2 * EDGE + 4 + ALONG + CAP
                      : s->tube > 0 ? 2 * EDGE + 4
                                    : 4,
              rows = s->kind == BW_SHAPE_CYLINDER ? round
                     : s->kind == BW_SHAPE_BALL   ? ARC + 1
                                                  : TUBE + 1;
    const size_t points = box ? 8 : (size_t)rows * AROUND, triangles = box ? 12 : 2 * (size_t)(rows - 1) * AROUND;
    double(*point)[3] = tools->alloc(tools->ctx, points * sizeof *point + triangles * 3 * sizeof(int32_t));
    int32_t(*triangle)[3] = (int32_t(*)[3])(point + points);
    *memory = point;
    if (!point) return BW_ERR_MEMORY;
    if (box) box_fill(point, triangle);
    else net_fill(s, rows, grown, point, triangle);
    *out = *s;
    out->point = (const double(*)[3])point, out->n_points = (int64_t)points;
    out->triangle = (const int32_t(*)[3])triangle, out->n_triangles = (int64_t)triangles;
    return BW_OK;
}
