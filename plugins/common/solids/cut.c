// SPDX-License-Identifier: Apache-2.0
/* Open area fractions of faces for cut cells (Batty, Bertails, Bridson 2007; fractions as in Ng, Min, Gibou 2009).
 *
 * The distance at a cell's corner is the mean of the eight cells around it; a face is split into four triangles round
 * its middle, on which the distance is linear: the open area is exact for a plane, second order for a smooth surface,
 * and the same from either side of a tile border.
 *
 * A wall about one cell thick has corners on its surface, and their rounding would open it. Such a wall shows along a
 * face's axis: gas, solid, gas in three cells, gas, solid, solid, gas in four, or distances that fall towards the face
 * from both sides to less than a cell in sum. Its faces are closed, and so are those between cells whose middles lie in
 * it: gas would leak along the inside of a slanted one, cell by cell, and out on the other side. */
#include "cut.h"
#include <billow/rng.h>
#include <math.h>
#include <string.h>

#define LEAST 0.01f ///< smaller fractions are closed: they would only make the equations ill-conditioned
#define KNOWN 4     ///< cells: larger distances mean "far" or "unknown beyond a side"

int cut_touches(const struct bw_block *b, const struct bw_view *solid)
{
    const float near = (float)b->grid->h;
    for (int k = -1; k <= b->n[2]; k++)
        for (int j = -1; j <= b->n[1]; j++) {
            const float *row = bw_f32(solid, 0) + j * solid->sy + k * solid->sz;
            int any = 0;
            for (int i = -1; i <= b->n[0]; i++) any |= row[i] < near;
            if (any) return 1;
        }
    return 0;
}

uint64_t cut_mark(const struct bw_block *b, const struct bw_view *solid)
{
    uint64_t mark = 0;
    for (int k = -CUT_HALO; k < b->n[2] + CUT_HALO; k++)
        for (int j = -CUT_HALO; j < b->n[1] + CUT_HALO; j++) {
            uint32_t bits[64 + 2 * CUT_HALO], sum = 0;
            const size_t n = (size_t)(b->n[0] + 2 * CUT_HALO);
            memcpy(bits, bw_f32(solid, 0) + j * solid->sy + k * solid->sz - CUT_HALO, n * sizeof *bits);
            for (size_t i = 0; i < n; i++) sum += bits[i] * (uint32_t)(2 * i + 0x9e3779b1u);
            mark = bw_mix64(mark ^ sum);
        }
    return mark;
}

/// Distances at the low corners of a row of cells, in cells.
static void corners_fill(const struct bw_view *v, const float *cell, float per_h, int n, float *restrict out)
{
    for (int i = 0; i < n; i++) {
        float sum = 0, known = 0;
        for (int e = 0; e < 8; e++) {
            const float d = cell[i - (e & 1) - (e >> 1 & 1) * v->sy - (e >> 2) * v->sz] * per_h;
            sum += d < KNOWN ? d : 0;
            known += d < KNOWN ? 1 : 0;
        }
        out[i] = known > 0 ? sum / known : KNOWN;
    }
}

/// Share of a triangle where a linear function is positive.
static float triangle_fraction(float a, float b, float c)
{
    const float v[3] = {a, b, c};
    int positive = (a > 0) + (b > 0) + (c > 0);
    if (positive == 0 || positive == 3) return positive ? 1 : 0;
    int odd = 0; // the one whose sign differs from the other two
    while ((v[odd] > 0) != (positive == 1)) odd++;
    const float o = v[odd], p = v[(odd + 1) % 3], q = v[(odd + 2) % 3];
    const float corner = o / (o - p) * (o / (o - q));
    return positive == 1 ? corner : 1 - corner;
}

static float square_fraction(float a, float b, float c, float d)
{
    if (a > 0 && b > 0 && c > 0 && d > 0) return 1;
    if (!(a > 0 || b > 0 || c > 0 || d > 0)) return 0;
    const float middle = 0.25f * ((a + c) + (b + d));
    const float fraction = 0.25f * ((triangle_fraction(a, b, middle) + triangle_fraction(c, d, middle)) +
                                    (triangle_fraction(b, c, middle) + triangle_fraction(d, a, middle)));
    return fraction < LEAST ? 0 : fraction > 1 - LEAST ? 1 : fraction;
}

int cut_is_thin_wall(const float *high, ptrdiff_t step, float h)
{
    const float b = high[-2 * step], l = high[-step], r = high[0], a = high[step];
    if (l > 0 && r <= 0 && a > 0) return 1;
    if (r > 0 && l <= 0 && b > 0) return 1;
    if (l <= 0 && r <= 0 && b > 0 && a > 0) return 1;
    return l > 0 && r > 0 && l + r < h && b - l > 0.5f * h && a - r > 0.5f * h;
}

int cut_is_wall(const float *cell, const ptrdiff_t step[3], int thin, float h)
{
    int wall = 0;
    for (int a = 0; a < 3 && cell[0] <= 0; a++)
        wall |= a != thin && (cut_is_thin_wall(cell, step[a], h) || cut_is_thin_wall(cell + step[a], step[a], h));
    return wall;
}

/// Is the face below this cell along an axis shut by a wall about one cell thick? Most lie in gas, which says enough.
static int face_is_wall(const float *high, const ptrdiff_t step[3], int axis, int thin, float h)
{
    if (high[-step[axis]] > 0 && high[0] > 0 && high[-step[axis]] + high[0] >= h) return 0;
    return cut_is_thin_wall(high, step[axis], h) ||
           (cut_is_wall(high, step, thin, h) && cut_is_wall(high - step[axis], step, thin, h));
}

static void faces_fill(const struct bw_block *b, const struct bw_view *solid, int pad, const float *corner, int axis,
                       struct cut *c)
{
    const ptrdiff_t step[3] = {1, solid->sy, solid->sz}, *s = c->stride;
    const ptrdiff_t u = s[(axis + 1) % 3], v = s[(axis + 2) % 3];
    const float h = (float)b->grid->h;
    for (int k = -pad; k < b->n[2] + pad + (axis == 2); k++)
        for (int j = -pad; j < b->n[1] + pad + (axis == 1); j++)
            for (int i = -pad; i < b->n[0] + pad + (axis == 0); i++) {
                const ptrdiff_t at = i + j * s[1] + k * s[2];
                const float *high = bw_f32(solid, 0) + i + j * step[1] + k * step[2];
                const float *p = corner + at;
                const float fraction = square_fraction(p[0], p[u], p[u + v], p[v]); // most are 0, and need no test
                c->w[axis][at] = fraction > 0 && face_is_wall(high, step, axis, b->grid->thin, h) ? 0 : fraction;
            }
}

int cut_make(const struct bw_block *b, const struct bw_view *solid, int pad, struct cut *c)
{
    const ptrdiff_t sy = b->n[0] + 2 * pad + 2, sz = sy * (b->n[1] + 2 * pad + 2), size = sz * (b->n[2] + 2 * pad + 2);
    float *memory = b->stage->host->body_scratch(b, 4 * (size_t)size * sizeof *memory);
    if (!memory) return 0;
    memory += pad * (1 + sy + sz);
    *c = (struct cut){{memory, memory + size, memory + 2 * size}, {1, sy, sz}};
    float *corner = memory + 3 * size;
    const float per_h = (float)(1 / b->grid->h);
    for (int k = -pad; k <= b->n[2] + pad; k++)
        for (int j = -pad; j <= b->n[1] + pad; j++)
            corners_fill(solid, bw_f32(solid, 0) - pad + j * solid->sy + k * solid->sz, per_h, b->n[0] + 2 * pad + 1,
                         corner - pad + j * sy + k * sz);
    for (int axis = 0; axis < 3; axis++)
        if (axis != b->grid->thin) faces_fill(b, solid, pad, corner, axis, c);
    return 1;
}
