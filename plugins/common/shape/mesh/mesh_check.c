// SPDX-License-Identifier: Apache-2.0
/* Is a mesh closed, and is it plain what is inside? Points at the same place are made one first (formats repeat them at
 * seams of normals and materials), connected parts are found by union-find; a part is open when one of its edges has an
 * odd number of faces. Parts that cross each other are ordinary, a table's top and legs, and so is one that crosses
 * itself, a sleeve that meets its coat: they are one solid. Not plain is where a closed one is turned inside out by
 * crossing itself: outside of both faces it goes round a place the wrong way (its winding number is below 0), and other
 * programs have a hole there. Crossings are edges that run through another face, found by sweeping along the longest
 * axis. */
#include "mesh.h"
#include <common/vec3.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PLACE 1e-6        ///< of the mesh's size …
#define SAME_DIGITS 1e-14      ///< … and of its largest coordinate
#define CROSSING_WORK 40000000 ///< pairs of boxes compared at most; what is not seen by then is not said
#define WINDING_WORK 3e7       ///< faces looked at to tell what is inside out
enum { CROSSINGS = 32 };

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
    int32_t a, b, triangle;
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
            edge[n++] = (struct edge){a < b ? a : b, a < b ? b : a, (int32_t)t};
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

/* Triangles on both sides of an edge are of one shell; where more meet, shells touch. `shell`: per triangle, by
 * union-find. */
static void shells_join(const struct edge *edge, int64_t n, int32_t *shell)
{
    for (int64_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && !edge_order(&edge[i], &edge[i + run]); run++)
            ;
        if (run == 2) shell[root_find(shell, edge[i].triangle)] = root_find(shell, edge[i + 1].triangle);
    }
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

/* Does the segment pq run through the inside of triangle t? *x gets where. */
static int segment_crosses(const double *p, const double *q, const double *const t[3], double x[3])
{
    const double from = volume6(t[0], t[1], t[2], p), to = volume6(t[0], t[1], t[2], q);
    if (from * to >= 0) return 0;
    double a = volume6(p, q, t[0], t[1]), b = volume6(p, q, t[1], t[2]), c = volume6(p, q, t[2], t[0]);
    for (int i = 0; i < 3; i++) x[i] = p[i] + from / (from - to) * (q[i] - p[i]);
    return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

/* *x gets the middle of the line along which they do. */
static int triangles_cross(const struct mesh_file *f, const int32_t a[3], const int32_t b[3], double x[3])
{
    const double *p[3], *q[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j]) return 0;
        p[i] = f->point[a[i]];
        q[i] = f->point[b[i]];
    }
    double sum[3] = {0, 0, 0};
    int n = 0;
    for (int i = 0; i < 6; i++) {
        const int k = i / 2, next = (k + 1) % 3;
        if (!(i & 1 ? segment_crosses(q[k], q[next], p, x) : segment_crosses(p[k], p[next], q, x))) continue;
        for (int axis = 0; axis < 3; axis++) sum[axis] += x[axis];
        n++;
    }
    for (int i = 0; i < 3; i++) x[i] = sum[i] / (n ? n : 1);
    return n > 0;
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

/* Some of the crossings of shells with themselves, spread evenly over all that are found. */
struct crossings {
    int64_t found, stride;
    int n;
    struct crossing {
        int64_t triangle[2];
        double at[3];
    } kept[CROSSINGS];
};

static void crossing_keep(struct crossings *c, const struct crossing *one)
{
    if (c->found++ % c->stride) return;
    if (c->n == CROSSINGS) {
        for (int i = 0; i < CROSSINGS / 2; i++) c->kept[i] = c->kept[2 * i];
        c->n = CROSSINGS / 2, c->stride *= 2;
    }
    c->kept[c->n++] = *one;
}

/* What is nowhere near the domain does no harm. */
static int is_asked(const struct box3 *asked, const double x[3])
{
    int inside = 1;
    for (int a = 0; a < 3; a++) inside &= x[a] >= asked->lo[a] && x[a] <= asked->hi[a];
    return inside || !(asked->hi[0] > asked->lo[0]);
}

static void crossings_find(struct bw_stage *s, const struct mesh_file *f, const int32_t (*corner)[3],
                           const int32_t *shell, const uint8_t *open, const struct box3 *asked, struct crossings *c)
{
    struct extent *e = s->host->scratch(s, (size_t)f->n_triangles * sizeof *e);
    int first = 0;
    for (int a = 1; a < 3; a++)
        if (f->box.hi[a] - f->box.lo[a] > f->box.hi[first] - f->box.lo[first]) first = a;
    int64_t work = 0, n = e ? extents_list(f, corner, first, e) : 0;
    for (int64_t i = 0; i < n && work < CROSSING_WORK; i++)
        for (int64_t j = i + 1; j < n && e[j].lo[0] <= e[i].hi[0]; j++, work++) {
            struct crossing one = {{e[i].triangle, e[j].triangle}, {0}};
            if (e[j].lo[1] > e[i].hi[1] || e[j].hi[1] < e[i].lo[1]) continue;
            if (e[j].lo[2] > e[i].hi[2] || e[j].hi[2] < e[i].lo[2]) continue;
            if (shell[one.triangle[0]] != shell[one.triangle[1]] || open[one.triangle[0]]) continue;
            if (triangles_cross(f, corner[one.triangle[0]], corner[one.triangle[1]], one.at) && is_asked(asked, one.at))
                crossing_keep(c, &one);
        }
}

/* ---- which way round ---- */

/* Part of the sphere round x that a triangle covers, > 0 seen from behind (van Oosterom, Strackee 1983); of 4π. */
static double angle_covered(const struct mesh_file *f, const int32_t corner[3], const double x[3])
{
    double v[3][3], l[3];
    for (int i = 0; i < 3; i++) {
        vec3_sub(f->point[corner[i]], x, v[i]);
        l[i] = vec3_length(v[i]);
    }
    double n[3];
    vec3_cross(v[1], v[2], n);
    const double over =
        l[0] * l[1] * l[2] + vec3_dot(v[0], v[1]) * l[2] + vec3_dot(v[1], v[2]) * l[0] + vec3_dot(v[2], v[0]) * l[1];
    return 2 * atan2(vec3_dot(v[0], n), over);
}

/* How often a shell goes round x. */
static double winding(const struct mesh_file *f, const int32_t *shell, int32_t one, const double x[3])
{
    double sum = 0;
    for (int64_t t = 0; t < f->n_triangles; t++)
        if (shell[t] == one) sum += angle_covered(f, f->triangle[t], x);
    return sum / (4 * M_PI);
}

/* > 0 where most of a shell's faces look outward. */
static double shell_volume(const struct mesh_file *f, const int32_t *shell, int32_t one)
{
    const double *from = NULL;
    double sum = 0;
    for (int64_t t = 0; t < f->n_triangles; t++) {
        const int32_t *c = f->triangle[t];
        if (shell[t] != one) continue;
        if (!from) from = f->point[c[0]];
        sum += volume6(from, f->point[c[0]], f->point[c[1]], f->point[c[2]]);
    }
    return sum;
}

/* Twice the area. */
static double face_normal(const struct mesh_file *f, int64_t triangle, double n[3])
{
    const int32_t *c = f->triangle[triangle];
    double u[3], v[3];
    vec3_sub(f->point[c[1]], f->point[c[0]], u);
    vec3_sub(f->point[c[2]], f->point[c[0]], v);
    vec3_cross(u, v, n);
    const double area = vec3_length(n);
    for (int a = 0; a < 3; a++) n[a] /= area > 0 ? area : 1;
    return area;
}

/* `beside` from the crossing, outside of both faces: what a part goes round the wrong way is inside out. */
static int inside_out(const struct mesh_file *f, const int32_t *shell, const struct crossing *c, double beside)
{
    const int32_t part = shell[c->triangle[0]];
    double n[2][3], way[3], x[3];
    const double area = fmin(face_normal(f, c->triangle[0], n[0]), face_normal(f, c->triangle[1], n[1])),
                 turn = shell_volume(f, shell, part) < 0 ? -1 : 1;
    for (int a = 0; a < 3; a++) way[a] = turn * (n[0][a] + n[1][a]);
    const double length = vec3_length(way);
    if (!(length > 0.1) || !(area > 0)) return 0; // nearly along each other
    for (int a = 0; a < 3; a++) x[a] = c->at[a] + beside / length * way[a];
    const double times = turn * winding(f, shell, part, x);
    return fabs(times - round(times)) < 0.1 && times < -0.5; // faces that look either way are nobody's fault
}

static void crossings_judge(struct bw_stage *s, const struct mesh_file *f, const int32_t (*corner)[3],
                            const int32_t *shell, const struct box3 *asked, double beside, struct mesh_health *health)
{
    struct crossings c = {.stride = 1};
    crossings_find(s, f, corner, shell, health->open, asked, &c);
    double work = 0;
    for (int i = 0; i < c.n && !health->turned && work < WINDING_WORK; i++, work += (double)f->n_triangles) {
        health->turned = inside_out(f, shell, &c.kept[i], beside);
        memcpy(health->turned_at, c.kept[i].at, sizeof health->turned_at);
    }
}

enum bw_status mesh_examine(struct bw_stage *s, const struct mesh_file *f, const struct box3 *cross, double beside,
                            struct mesh_health *health)
{
    size_t points = (size_t)f->n_points, triangles = (size_t)f->n_triangles;
    struct table table;
    int32_t(*corner)[3] = s->host->scratch(s, triangles * sizeof *corner);
    int32_t *parent = s->host->scratch(s, points * sizeof *parent);
    int32_t *shell = s->host->scratch(s, triangles * sizeof *shell);
    uint8_t *open = s->host->scratch(s, points);
    struct edge *edge = s->host->scratch(s, 3 * triangles * sizeof *edge);
    health->open = s->host->scratch(s, triangles);
    health->part = s->host->scratch(s, triangles * sizeof *health->part);
    if (!corner || !parent || !shell || !open || !edge || !health->open || !health->part || !table_make(s, f, &table))
        return BW_ERR_MEMORY;
    for (size_t i = 0; i < points; i++) parent[i] = (int32_t)i;
    memset(open, 0, points);
    for (size_t t = 0; t < triangles; t++) {
        for (int c = 0; c < 3; c++) corner[t][c] = place_first(&table, f, f->triangle[t][c]);
        for (int c = 1; c < 3; c++) parent[root_find(parent, corner[t][c])] = root_find(parent, corner[t][0]);
    }
    const int64_t edges = edges_list(f, (const int32_t(*)[3])corner, edge);
    health->open_edges = edges_open(edge, edges, parent, open);
    for (size_t t = 0; t < triangles; t++) {
        health->part[t] = root_find(parent, corner[t][0]);
        health->open[t] = open[health->part[t]];
        shell[t] = (int32_t)t;
    }
    health->turned = 0;
    if (!cross) return BW_OK;
    shells_join(edge, edges, shell);
    for (size_t t = 0; t < triangles; t++) shell[t] = root_find(shell, (int32_t)t);
    crossings_judge(s, f, (const int32_t(*)[3])corner, shell, cross, beside, health);
    return BW_OK;
}
