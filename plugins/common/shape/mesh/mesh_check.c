// SPDX-License-Identifier: Apache-2.0
/* Is a mesh closed, and does it cross itself? Points at the same place are made one first (formats repeat them at seams
 * of normals and materials), connected parts are found by union-find; a part is open when one of its edges has an odd
 * number of faces. Crossings are edges that run through another face, found by sweeping along the longest axis. */
#include "mesh.h"
#include <common/vec3.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PLACE 1e-6        ///< of the mesh's size …
#define SAME_DIGITS 1e-14      ///< … and of its largest coordinate
#define CROSSING_WORK 40000000 ///< pairs of boxes compared at most; what is not seen by then is not said

/* ---- one number for each place, by open addressing ---- */

struct table {
    int64_t *slot; ///< -1: free
    uint64_t mask;
    double tolerance; ///< m, of coordinates that count as equal
};

static int table_make(struct bw_stage *s, const struct mesh_file *f, struct table *t)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)f->n_points) size *= 2;
    t->tolerance = 1e-300;
    for (int a = 0; a < 3; a++)
        t->tolerance = fmax(t->tolerance, fmax(SAME_PLACE * (f->box.hi[a] - f->box.lo[a]),
                                               SAME_DIGITS * fmax(fabs(f->box.lo[a]), fabs(f->box.hi[a]))));
    t->mask = size - 1;
    t->slot = s->host->scratch(s, size * sizeof *t->slot);
    if (t->slot) memset(t->slot, 0xff, size * sizeof *t->slot);
    return t->slot != NULL;
}

/* Cells of four times the tolerance: a place and all that counts as the same lie in at most two along each axis. */
static uint64_t cell_hash(const int64_t cell[3])
{
    return bw_mix64(bw_mix64(bw_mix64((uint64_t)cell[0]) ^ (uint64_t)cell[1]) ^ (uint64_t)cell[2]);
}

static int64_t cell_of(double x, double tolerance) { return (int64_t)floor(x / (4 * tolerance)); }

static int places_equal(const double a[3], const double b[3], double tolerance)
{
    return fabs(a[0] - b[0]) <= tolerance && fabs(a[1] - b[1]) <= tolerance && fabs(a[2] - b[2]) <= tolerance;
}

/* A point listed in a cell that lies at the place p; -1: none. *free gets the first free slot behind. */
static int64_t cell_find(const struct table *t, const struct mesh_file *f, const int64_t cell[3], const double p[3],
                         uint64_t *free)
{
    uint64_t at = cell_hash(cell) & t->mask;
    for (; t->slot[at] >= 0; at = (at + 1) & t->mask)
        if (places_equal(f->point[t->slot[at]], p, t->tolerance)) return t->slot[at];
    *free = at;
    return -1;
}

/* The first point at the same place as point i. */
static int32_t place_first(struct table *t, const struct mesh_file *f, int32_t i)
{
    const double *p = f->point[i];
    uint64_t place = 0;
    int64_t lo[3], hi[3], own[3], c[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = cell_of(p[a] - t->tolerance, t->tolerance);
        hi[a] = cell_of(p[a] + t->tolerance, t->tolerance);
        own[a] = cell_of(p[a], t->tolerance);
    }
    for (c[2] = lo[2]; c[2] <= hi[2]; c[2]++)
        for (c[1] = lo[1]; c[1] <= hi[1]; c[1]++)
            for (c[0] = lo[0]; c[0] <= hi[0]; c[0]++) {
                int64_t found = cell_find(t, f, c, p, &place);
                if (found >= 0) return (int32_t)found;
            }
    cell_find(t, f, own, p, &place);
    t->slot[place] = i;
    return i;
}

/* ---- parts and edges ---- */

static int32_t root_find(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static int triangle_flat(const int32_t c[3]) { return c[0] == c[1] || c[1] == c[2] || c[2] == c[0]; }

struct edge {
    int32_t a, b;
};

static int edge_order(const void *x, const void *y)
{
    const struct edge *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static int64_t edges_list(const struct mesh_file *f, const int32_t (*corner)[3], struct edge *edge)
{
    int64_t n = 0;
    for (int64_t t = 0; t < f->n_triangles; t++)
        for (int i = 0; i < 3 && !triangle_flat(corner[t]); i++) {
            int32_t a = corner[t][i], b = corner[t][(i + 1) % 3];
            edge[n++] = (struct edge){a < b ? a : b, a < b ? b : a};
        }
    qsort(edge, (size_t)n, sizeof *edge, edge_order);
    return n;
}

/* Edges with an odd number of faces; the part that each belongs to is flagged in `open` (per root). */
static int64_t edges_open(const struct edge *edge, int64_t n, int32_t *parent, uint8_t *open)
{
    int64_t count = 0;
    for (int64_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && !edge_order(&edge[i], &edge[i + run]); run++)
            ;
        if (run % 2 == 0) continue;
        count++;
        open[root_find(parent, edge[i].a)] = 1;
    }
    return count;
}

/* ---- crossings ---- */

/* Six times the volume of the tetrahedron abcd. */
static double volume6(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    vec3_sub(b, a, u);
    vec3_sub(c, a, v);
    vec3_sub(d, a, w);
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Does the segment pq run through the inside of triangle t? */
static int segment_crosses(const double *p, const double *q, const double *const t[3])
{
    if (volume6(t[0], t[1], t[2], p) * volume6(t[0], t[1], t[2], q) >= 0) return 0;
    double a = volume6(p, q, t[0], t[1]), b = volume6(p, q, t[1], t[2]), c = volume6(p, q, t[2], t[0]);
    return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

static int triangles_cross(const struct mesh_file *f, const int32_t a[3], const int32_t b[3])
{
    const double *p[3], *q[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j]) return 0;
        p[i] = f->point[a[i]];
        q[i] = f->point[b[i]];
    }
    for (int i = 0; i < 3; i++)
        if (segment_crosses(p[i], p[(i + 1) % 3], q) || segment_crosses(q[i], q[(i + 1) % 3], p)) return 1;
    return 0;
}

struct extent {
    double lo[3], hi[3];
    int64_t triangle;
};

static int extent_order(const void *x, const void *y)
{
    const struct extent *p = x, *q = y;
    return p->lo[0] != q->lo[0] ? (p->lo[0] > q->lo[0]) - (p->lo[0] < q->lo[0])
                                : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

/* Axis `first` of the mesh is the extents' axis 0: the one they are sorted along. */
static int64_t extents_list(const struct mesh_file *f, const int32_t (*corner)[3], int first, struct extent *e)
{
    int64_t n = 0;
    for (int64_t t = 0; t < f->n_triangles; t++) {
        if (triangle_flat(corner[t])) continue;
        e[n].triangle = t;
        for (int i = 0; i < 3; i++) {
            int a = (first + i) % 3;
            double x = f->point[corner[t][0]][a], y = f->point[corner[t][1]][a], z = f->point[corner[t][2]][a];
            e[n].lo[i] = fmin(x, fmin(y, z));
            e[n].hi[i] = fmax(x, fmax(y, z));
        }
        n++;
    }
    qsort(e, (size_t)n, sizeof *e, extent_order);
    return n;
}

static int64_t crossings_count(struct bw_stage *s, const struct mesh_file *f, const int32_t (*corner)[3])
{
    struct extent *e = s->host->scratch(s, (size_t)f->n_triangles * sizeof *e);
    int first = 0;
    for (int a = 1; a < 3; a++)
        if (f->box.hi[a] - f->box.lo[a] > f->box.hi[first] - f->box.lo[first]) first = a;
    int64_t count = 0, work = 0, n = e ? extents_list(f, corner, first, e) : 0;
    for (int64_t i = 0; i < n && work < CROSSING_WORK; i++)
        for (int64_t j = i + 1; j < n && e[j].lo[0] <= e[i].hi[0]; j++, work++) {
            if (e[j].lo[1] > e[i].hi[1] || e[j].hi[1] < e[i].lo[1]) continue;
            if (e[j].lo[2] > e[i].hi[2] || e[j].hi[2] < e[i].lo[2]) continue;
            count += triangles_cross(f, corner[e[i].triangle], corner[e[j].triangle]);
        }
    return count;
}

enum bw_status mesh_examine(struct bw_stage *s, const struct mesh_file *f, int cross, struct mesh_health *health)
{
    size_t points = (size_t)f->n_points, triangles = (size_t)f->n_triangles;
    struct table table;
    int32_t(*corner)[3] = s->host->scratch(s, triangles * sizeof *corner);
    int32_t *parent = s->host->scratch(s, points * sizeof *parent);
    uint8_t *open = s->host->scratch(s, points);
    struct edge *edge = s->host->scratch(s, 3 * triangles * sizeof *edge);
    health->open = s->host->scratch(s, triangles);
    health->part = s->host->scratch(s, triangles * sizeof *health->part);
    if (!corner || !parent || !open || !edge || !health->open || !health->part || !table_make(s, f, &table))
        return BW_ERR_MEMORY;
    for (size_t i = 0; i < points; i++) parent[i] = (int32_t)i;
    memset(open, 0, points);
    for (size_t t = 0; t < triangles; t++) {
        for (int c = 0; c < 3; c++) corner[t][c] = place_first(&table, f, f->triangle[t][c]);
        for (int c = 1; c < 3; c++) parent[root_find(parent, corner[t][c])] = root_find(parent, corner[t][0]);
    }
    health->open_edges = edges_open(edge, edges_list(f, (const int32_t(*)[3])corner, edge), parent, open);
    for (size_t t = 0; t < triangles; t++) {
        health->part[t] = root_find(parent, corner[t][0]);
        health->open[t] = open[health->part[t]];
    }
    health->crossings = cross ? crossings_count(s, f, (const int32_t(*)[3])corner) : 0;
    return BW_OK;
}
