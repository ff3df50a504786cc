// SPDX-License-Identifier: Apache-2.0
/* Faces as triangles. A quad, flat or not, is cut at the corner that points inward, else from its first one. A face of
 * more corners is looked at along the axis nearest to its normal (Newell's sum over its edges, which holds for faces
 * that are not quite flat). Convex ones become a fan; of others an ear is cut off again and again: a corner that sticks
 * out, with no other point of the face in its triangle (G. H. Meisters 1975). A face that crosses itself has no ears
 * left at some time; then a corner goes without one. */
#include "build.h"

#include <common/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EAR_WORK 2e9 ///< points looked at in one file: some seconds

struct polygon {
    const double (*point)[3];
    const int64_t *corner;
    int u, v;    ///< axes of the plane looked at
    double turn; ///< +1 or -1: the way round
    int64_t n;
    int64_t *left; ///< corners that are still there, in order
};

static void plane_choose(struct polygon *p)
{
    const double *at = p->point[p->corner[0]]; // far from the origin its coordinates are all alike
    double normal[3] = {0, 0, 0};
    for (int64_t i = 0; i < p->n; i++) {
        const double *a = p->point[p->corner[i]], *b = p->point[p->corner[(i + 1) % p->n]];
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += (a[u] - b[u]) * (a[v] - at[v] + (b[v] - at[v]));
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[axis])) axis = k;
    p->u = (axis + 1) % 3, p->v = (axis + 2) % 3;
    p->turn = normal[axis] < 0 ? -1 : 1;
}

/* Twice the area of three corners, > 0 where they go round as the face does. */
static double area_of(const struct polygon *p, int64_t a, int64_t b, int64_t c)
{
    const double *x = p->point[p->corner[a]], *y = p->point[p->corner[b]], *z = p->point[p->corner[c]];
    return p->turn * ((y[p->u] - x[p->u]) * (z[p->v] - x[p->v]) - (y[p->v] - x[p->v]) * (z[p->u] - x[p->u]));
}

static bool is_convex(const struct polygon *p)
{
    for (int64_t i = 0; i < p->n; i++)
        if (area_of(p, (i + p->n - 1) % p->n, i, (i + 1) % p->n) < 0) return false;
    return true;
}

static void fan_make(struct mesh_build *b, const struct polygon *p, int64_t first)
{
    for (int64_t i = 1; i + 1 < p->n; i++)
        mesh_build_triangle(b, p->corner[first], p->corner[(first + i) % p->n], p->corner[(first + i + 1) % p->n]);
}

/* Is the i-th corner left an ear? */
static bool ear_is(const struct polygon *p, int64_t i, double *work)
{
    const int64_t a = p->left[(i + p->n - 1) % p->n], b = p->left[i], c = p->left[(i + 1) % p->n];
    if (area_of(p, a, b, c) <= 0) return false;
    *work += (double)p->n;
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t q = p->left[k];
        if (q == a || q == b || q == c) continue;
        if (area_of(p, a, b, q) > 0 && area_of(p, b, c, q) > 0 && area_of(p, c, a, q) > 0) return false;
    }
    return true;
}

/* false: it takes too long; some triangles may have been made. */
static bool ears_cut(struct mesh_build *b, struct polygon *p)
{
    for (int64_t i = 0; i < p->n; i++) p->left[i] = i;
    for (int64_t i = 0, missed = 0; p->n > 3 && !b->status;) {
        i %= p->n;
        if (missed < p->n && !ear_is(p, i, &b->ear_work)) {
            i++, missed++;
            if (b->ear_work > EAR_WORK) return false;
            continue;
        }
        mesh_build_triangle(b, p->corner[p->left[(i + p->n - 1) % p->n]], p->corner[p->left[i]],
                            p->corner[p->left[(i + 1) % p->n]]);
        p->n--, missed = 0;
        memmove(p->left + i, p->left + i + 1, (size_t)(p->n - i) * sizeof *p->left);
        b->ear_work += (double)(p->n - i) / 8;
    }
    mesh_build_triangle(b, p->corner[p->left[0]], p->corner[p->left[1]], p->corner[p->left[2]]);
    return true;
}

static double angle_of(const double u[3], const double v[3])
{
    const double lengths = vec3_length(u) * vec3_length(v);
    return lengths > 0 ? acos(fmax(-1, fmin(1, vec3_dot(u, v) / lengths))) : 0;
}

/* The corner of a quad where the ways to its neighbours and the diagonal open over half a turn; else the first. */
static int quad_first(const struct polygon *p)
{
    for (int i = 0; i < 4; i++) {
        const double *at = p->point[p->corner[i]];
        double way[3][3]; // to the corner before, the one across, the one after
        for (int k = 0; k < 3; k++) vec3_sub(p->point[p->corner[(i + 3 - k) % 4]], at, way[k]);
        if (angle_of(way[0], way[1]) + angle_of(way[2], way[1]) > M_PI) return i;
    }
    return 0;
}

/* A face that is neither a quad nor convex. */
static void concave_cut(struct mesh_build *b, struct polygon *p)
{
    const int64_t before = b->n_triangles;
    p->left = mesh_build_grow(b, NULL, 0, (size_t)p->n * sizeof *p->left);
    if (p->left && !ears_cut(b, p)) {
        b->n_triangles = before;
        mesh_build_leave(b, "the corners of faces like this one are too many; cut them into triangles");
    }
    free(p->left);
}

static void polygon_cut(struct mesh_build *b, const int64_t *corner, int64_t n)
{
    struct polygon p = {.point = (const double(*)[3])b->point, .corner = corner, .n = n};
    if (n == 4) {
        fan_make(b, &p, quad_first(&p));
        return;
    }
    plane_choose(&p);
    if (is_convex(&p)) fan_make(b, &p, 0);
    else concave_cut(b, &p);
}

/* Are all corners points? What is wrong is said. */
static bool corners_good(struct mesh_build *b, const int64_t *corner, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const bool there = corner[i] >= 0 && corner[i] < b->n_points;
        if (there && isfinite(b->point[corner[i]][0])) continue;
        if (there)
            mesh_build_leave(b, "point %lld is not a number, or too large for one of 32 bits",
                             (long long)corner[i] + 1);
        else if (!b->n_points) mesh_build_leave(b, "a face names point %lld, and there are none", (long long)corner[i]);
        else
            mesh_build_leave(b, "a face names point %lld, and there are 0 to %lld", (long long)corner[i],
                             (long long)b->n_points - 1);
        return false;
    }
    return true;
}

void mesh_build_face(struct mesh_build *b, const int64_t *corner, int64_t n)
{
    if (b->status || n < 3 || !corners_good(b, corner, n)) return;
    if (n == 3) mesh_build_triangle(b, corner[0], corner[1], corner[2]);
    else polygon_cut(b, corner, n);
}

void mesh_build_strip(struct mesh_build *b, const int64_t *corner, int64_t n)
{
    for (int64_t i = 0, first = 0; i < n && !b->status; i++) {
        if (corner[i] == -1) first = i + 1;
        if (i - first < 2) continue;
        const int64_t odd = (i - first) % 2, c[3] = {corner[i - 2 + odd], corner[i - 1 - odd], corner[i]};
        if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]) mesh_build_face(b, c, 3); // else it turns a corner
    }
}
