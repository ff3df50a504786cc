// SPDX-License-Identifier: Apache-2.0
/* Four rays look whether a pixel shows one surface; where it does not, sixteen. */
#include "pixel.h"

#define SAME 0.95 ///< cosine of normals of one surface
#define FLAT 2    ///< pixels that it may lie off the plane of the rest

enum { FEW = 4, MANY = 16 };

/// Of `n` places in a pixel, 4 on a turned square or 16 of Hammersley's, -½ … ½.
static void place(int i, int n, double at[2])
{
    static const double square[FEW][2] = {{-0.125, -0.375}, {0.375, -0.125}, {0.125, 0.375}, {-0.375, 0.125}};
    if (n == 1) at[0] = at[1] = 0;
    else if (n == FEW) at[0] = square[i][0], at[1] = square[i][1];
    else {
        const int back = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3;
        at[0] = (i + 0.5) / MANY - 0.5, at[1] = (back + 0.5) / MANY - 0.5;
    }
}

/// Is the second one a part of the surface that the first one is on, whose pixel is `wide` there?
static int same_surface(const struct bw_shape_hit *a, const struct bw_shape_hit *b, double wide)
{
    double cosine = 0, off = 0;
    for (int i = 0; i < 3; i++) cosine += a->normal[i] * b->normal[i], off += a->normal[i] * (b->p[i] - a->p[i]);
    return a->form == b->form && cosine > SAME && fabs(off) < FLAT * wide;
}

/// Add a hit to the part that it belongs to, or as a new one while there is room.
static int part_add(struct bw_shapes_part *part, int n, const struct bw_shape_hit *hit, float share, double pixel)
{
    for (int i = 0; i < n; i++) {
        if (!same_surface(&part[i].hit, hit, pixel * hit->depth)) continue;
        part[i].share += share;
        return n;
    }
    if (n == BW_PIXEL_PARTS) {
        part[n - 1].share += share;
        return n;
    }
    int at = n;
    for (; at > 0 && part[at - 1].hit.depth > hit->depth; at--) part[at] = part[at - 1];
    part[at] = (struct bw_shapes_part){*hit, share};
    return n + 1;
}

/// Look along n rays; answers how many surfaces there are.
static int parts_find(const struct bw_shapes *s, const struct bw_shapes_ray *ray, int n, double pixel,
                      struct bw_shapes_part *part)
{
    int parts = 0;
    for (int i = 0; i < n; i++) {
        double at[2], d[3];
        struct bw_shape_hit hit;
        place(i, n, at);
        for (int a = 0; a < 3; a++) d[a] = ray->dir[a] + at[0] * ray->right[a] + at[1] * ray->up[a];
        double far = ray->within;
        if (d[2] < 0) far = fmin(far, (ray->floor - s->least - ray->eye[2]) / d[2]); // a mesh in its plane covers it
        if (far > 0 && bw_shapes_hit_when(s, ray->when, ray->eye, d, far, &hit))
            parts = part_add(part, parts, &hit, 1 / (float)n, pixel);
    }
    return parts;
}

int bw_shapes_pixel(const struct bw_shapes *s, const struct bw_shapes_ray *ray,
                    struct bw_shapes_part part[BW_PIXEL_PARTS])
{
    double pixel = 0;
    for (int a = 0; a < 3; a++) pixel += ray->up[a] * ray->up[a];
    pixel = sqrt(pixel);
    if (!ray->fine) return parts_find(s, ray, 1, pixel, part);
    const int parts = parts_find(s, ray, FEW, pixel, part);
    if (parts == 0 || (parts == 1 && part[0].share > 0.99f)) return parts;
    return parts_find(s, ray, MANY, pixel, part);
}
