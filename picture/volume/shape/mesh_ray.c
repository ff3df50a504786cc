// SPDX-License-Identifier: Apache-2.0
/* A ray and triangles without cracks between those that share an edge (Woop, Benthin and Wald 2013): the ray is sheared
 * to run along an axis, and which side of each edge it passes is the same number for both triangles. */
#include "mesh.h"

#include <string.h>

struct bw_probe bw_mesh_probe(const struct bw_mesh *m, const double o[3], const double d[3], float far)
{
    struct bw_probe p = {.far = far};
    int last = 0;
    for (int a = 0; a < 3; a++) {
        p.o[a] = (float)(o[a] - m->middle[a]), p.d[a] = (float)d[a];
        p.inv[a] = fabsf(p.d[a]) > 1e-30f ? 1 / p.d[a] : 1e30f;
        if (fabsf(p.d[a]) > fabsf(p.d[last])) last = a;
    }
    p.axis[2] = last, p.axis[0] = (last + 1) % 3, p.axis[1] = (last + 2) % 3;
    p.shear[0] = p.d[p.axis[0]] / p.d[last], p.shear[1] = p.d[p.axis[1]] / p.d[last], p.shear[2] = 1 / p.d[last];
    return p;
}

/// Where the ray meets the triangle, and shares of its corners; INFINITY: it does not, or not before p->far.
static inline float triangle_intersect(const struct bw_triangle *t, const struct bw_probe *p, float share[3])
{
    const int x = p->axis[0], y = p->axis[1], z = p->axis[2];
    float c[3][3];
    for (int q = 0; q < 3; q++) {
        const float deep = t->corner[q][z] - p->o[z];
        c[q][0] = t->corner[q][x] - p->o[x] - p->shear[0] * deep;
        c[q][1] = t->corner[q][y] - p->o[y] - p->shear[1] * deep;
        c[q][2] = p->shear[2] * deep;
    }
    const float u = c[2][0] * c[1][1] - c[2][1] * c[1][0], v = c[0][0] * c[2][1] - c[0][1] * c[2][0],
                w = c[1][0] * c[0][1] - c[1][1] * c[0][0], sum = u + v + w;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return INFINITY;
    if (sum == 0) return INFINITY;
    const float at = (u * c[0][2] + v * c[1][2] + w * c[2][2]) / sum;
    if (!(at > 0) || !(at < p->far)) return INFINITY;
    share[0] = u / sum, share[1] = v / sum, share[2] = w / sum;
    return at;
}

struct meeting {
    const struct bw_mesh *m;
    struct bw_mesh_hit *hit;
    int any;
};

static inline void leaf_intersect(int32_t item, struct bw_probe *p, void *user)
{
    struct meeting *g = user;
    float share[3];
    const float at = triangle_intersect(&g->m->triangle[item], p, share);
    if (!(at < INFINITY)) return;
    p->far = at;
    g->hit->triangle = item;
    memcpy(g->hit->share, share, sizeof share);
}

static inline void leaf_block(int32_t item, struct bw_probe *p, void *user)
{
    struct meeting *g = user;
    float share[3];
    if (triangle_intersect(&g->m->triangle[item], p, share) < INFINITY) g->any = 1, p->far = -1;
}

static inline void leaf_any(int32_t item, struct bw_probe *p, void *user)
{
    (void)item;
    ((struct meeting *)user)->any = 1, p->far = -1;
}

void bw_mesh_intersect(const struct bw_mesh *m, struct bw_probe *p, struct bw_mesh_hit *hit)
{
    struct meeting g = {.m = m, .hit = hit};
    hit->triangle = -1;
    bw_bvh_walk(&m->bvh, p, bw_box_enter, leaf_intersect, &g);
}

int bw_mesh_blocks(const struct bw_mesh *m, struct bw_probe *p)
{
    struct meeting g = {.m = m};
    bw_bvh_walk(&m->bvh, p, bw_box_enter, leaf_block, &g);
    return g.any;
}

int bw_mesh_near(const struct bw_mesh *m, struct bw_probe *p)
{
    struct meeting g = {.m = m};
    bw_bvh_walk(&m->bvh, p, bw_cone_enter, leaf_any, &g);
    return g.any;
}

void bw_mesh_normals(const struct bw_mesh *m, const struct bw_mesh_hit *hit, double face[3], double smooth[3])
{
    const struct bw_triangle *t = &m->triangle[hit->triangle], *n = &m->normal[hit->triangle];
    double u[3], v[3];
    for (int a = 0; a < 3; a++) {
        u[a] = (double)(t->corner[1][a] - t->corner[0][a]), v[a] = (double)(t->corner[2][a] - t->corner[0][a]);
        smooth[a] = 0;
        for (int q = 0; q < 3; q++) smooth[a] += (double)(hit->share[q] * n->corner[q][a]);
    }
    for (int a = 0; a < 3; a++) face[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
}

void bw_mesh_corners(const struct bw_mesh *m, const struct bw_mesh_hit *hit, double from[3][3], double normal[3][3])
{
    const struct bw_triangle *t = &m->triangle[hit->triangle], *n = &m->normal[hit->triangle];
    for (int a = 0; a < 3; a++) {
        double p = 0;
        for (int q = 0; q < 3; q++) p += (double)hit->share[q] * (double)t->corner[q][a];
        for (int q = 0; q < 3; q++) from[q][a] = p - (double)t->corner[q][a], normal[q][a] = (double)n->corner[q][a];
    }
}
