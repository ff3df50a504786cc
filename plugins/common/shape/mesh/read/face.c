// SPDX-License-Identifier: Apache-2.0
/* Faces as triangles. One of more than three corners is looked at along the axis nearest to its normal (Newell's
 * sum over its edges, which holds for faces that are not quite flat). Convex ones become a fan; of others an ear is cut
 * off again and again: a corner that sticks out, with no other point of the face in its triangle (G. H. Meisters 1975).
 * A face that crosses itself has no ears left at some time; then a corner goes without one. */
#include "build.h"

#include <math.h>

#define EAR_WORK 2e9 ///< points looked at in one file: some seconds

struct polygon {
    const struct mesh_file *file;
    const int64_t *corner;
    int u, v;    ///< axes of the plane looked at
    double turn; ///< +1 or -1: the way round
    int n;
    int *left; ///< corners that are still there, in order
};

static void plane_choose(struct polygon *p)
{
    double normal[3] = {0, 0, 0};
    for (int i = 0; i < p->n; i++) {
        const double *a = p->file->point[p->corner[i]], *b = p->file->point[p->corner[(i + 1) % p->n]];
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += (a[u] - b[u]) * (a[v] + b[v]);
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[axis])) axis = k;
    p->u = (axis + 1) % 3, p->v = (axis + 2) % 3;
    p->turn = normal[axis] < 0 ? -1 : 1;
}

/* Twice the area of three corners, > 0 where they go round as the face does. */
static double area_of(const struct polygon *p, int a, int b, int c)
{
    const double *x = p->file->point[p->corner[a]], *y = p->file->point[p->corner[b]],
                 *z = p->file->point[p->corner[c]];
    return p->turn * ((y[p->u] - x[p->u]) * (z[p->v] - x[p->v]) - (y[p->v] - x[p->v]) * (z[p->u] - x[p->u]));
}

/* The first corner that points inward; -1: none. */
static int reflex_find(const struct polygon *p)
{
    for (int i = 0; i < p->n; i++)
        if (area_of(p, (i + p->n - 1) % p->n, i, (i + 1) % p->n) < 0) return i;
    return -1;
}

static void fan_make(struct mesh_build *b, const struct polygon *p, int first)
{
    for (int i = 1; i + 1 < p->n; i++)
        mesh_build_triangle(b, p->corner[first], p->corner[(first + i) % p->n], p->corner[(first + i + 1) % p->n]);
}

/* Is the i-th corner left an ear? */
static bool ear_is(const struct polygon *p, int i, double *work)
{
    const int a = p->left[(i + p->n - 1) % p->n], b = p->left[i], c = p->left[(i + 1) % p->n];
    if (area_of(p, a, b, c) <= 0) return false;
    *work += p->n;
    for (int k = 0; k < p->n; k++) {
        const int q = p->left[k];
        if (q == a || q == b || q == c) continue;
        if (area_of(p, a, b, q) > 0 && area_of(p, b, c, q) > 0 && area_of(p, c, a, q) > 0) return false;
    }
    return true;
}

static void ears_cut(struct mesh_build *b, struct polygon *p)
{
    int left[MESH_CORNERS];
    p->left = left;
    for (int i = 0; i < p->n; i++) left[i] = i;
    for (int i = 0, missed = 0; p->n > 3 && !b->status;) {
        i %= p->n;
        if (missed < p->n && !ear_is(p, i, &b->ear_work)) {
            i++, missed++;
            if (b->ear_work > EAR_WORK) mesh_build_fail(b, "its faces have too many corners; cut them into triangles");
            continue;
        }
        mesh_build_triangle(b, p->corner[p->left[(i + p->n - 1) % p->n]], p->corner[p->left[i]],
                            p->corner[p->left[(i + 1) % p->n]]);
        p->n--, missed = 0;
        for (int k = i; k < p->n; k++) p->left[k] = p->left[k + 1];
    }
    mesh_build_triangle(b, p->corner[p->left[0]], p->corner[p->left[1]], p->corner[p->left[2]]);
}

static void polygon_cut(struct mesh_build *b, const int64_t *corner, int n)
{
    struct polygon p = {.file = b->out, .corner = corner, .n = n};
    if (n > MESH_CORNERS) {
        mesh_build_fail(b, "a face has %d corners, more than %d", n, MESH_CORNERS);
        return;
    }
    plane_choose(&p);
    const int reflex = reflex_find(&p);
    if (reflex < 0 || n == 4) fan_make(b, &p, reflex < 0 ? 0 : reflex);
    else ears_cut(b, &p);
}

void mesh_build_face(struct mesh_build *b, const int64_t *corner, int n)
{
    const int64_t points = b->out->n_points;
    for (int i = 0; i < n && !b->status; i++)
        if (corner[i] < 0 || corner[i] >= points)
            mesh_build_fail(b, "a face names point %lld, and there are 0 to %lld", (long long)corner[i],
                            (long long)points - 1);
    if (b->status || n < 3) return;
    if (n == 3) mesh_build_triangle(b, corner[0], corner[1], corner[2]);
    else polygon_cut(b, corner, n);
}
