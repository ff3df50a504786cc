// SPDX-License-Identifier: Apache-2.0
/* A mesh that reaches far beyond the box which is asked about, cut to it. Triangles are clipped (I. Sutherland, G.
 * Hodgman 1974). What they enclose is closed again at the box's sides: flooding finds inside and outside as before.
 * Where a side lies inside is found line by line, a voxel apart, by the parity of crossings along the line, each
 * connected part for itself, so that parts that overlap unite. Strips reach a voxel further than that: no gap is left,
 * and what is too much lies beyond the band of all places that are asked about. */
#include "mesh.h"
#include <common/vec3.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPPED = 9 }; ///< corners of a triangle cut by six planes
#define WORTH 3       ///< times the work of the box, that the whole may take

/* ---- clipping ---- */

static int plane_clip(double in[CLIPPED][3], int n, int axis, double at, int above, double out[CLIPPED][3])
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        const double *p = in[i], *q = in[(i + 1) % n];
        const double d = above ? p[axis] - at : at - p[axis], e = above ? q[axis] - at : at - q[axis];
        if (d >= 0 && m < CLIPPED) memcpy(out[m++], p, sizeof *out);
        if ((d >= 0) == (e >= 0) || m == CLIPPED) continue;
        for (int a = 0; a < 3; a++) out[m][a] = p[a] + (q[a] - p[a]) * (d / (d - e));
        out[m++][axis] = at;
    }
    return m;
}

/* The corners of what of a triangle is in the box. */
static int triangle_clip(const struct mesh_file *f, const int32_t t[3], const struct box3 *box, double out[CLIPPED][3])
{
    double other[CLIPPED][3];
    int n = 3;
    for (int c = 0; c < 3; c++) memcpy(out[c], f->point[t[c]], sizeof *out);
    for (int a = 0; a < 3; a++) {
        n = plane_clip(out, n, a, box->lo[a], 1, other);
        n = plane_clip(other, n, a, box->hi[a], 0, out);
    }
    return n;
}

static double triangle_area(const double *a, const double *b, const double *c)
{
    double u[3], v[3], n[3];
    vec3_sub(b, a, u);
    vec3_sub(c, a, v);
    vec3_cross(u, v, n);
    return 0.5 * vec3_length(n);
}

double mesh_area(const double (*point)[3], const int32_t (*triangle)[3], int64_t n)
{
    double area = 0;
    for (int64_t t = 0; t < n; t++)
        area += triangle_area(point[triangle[t][0]], point[triangle[t][1]], point[triangle[t][2]]);
    return area;
}

struct box3 mesh_bounds(const double (*point)[3], const int32_t (*triangle)[3], int64_t n)
{
    struct box3 box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t t = 0; t < n; t++)
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++) {
                double x = point[triangle[t][c]][a];
                box.lo[a] = fmin(box.lo[a], x);
                box.hi[a] = fmax(box.hi[a], x);
            }
    return box;
}

/* ---- what comes out ---- */

struct cutting {
    struct bw_stage *stage;
    const struct mesh_plan *plan;
    struct mesh_pieces *out;
    int64_t room_points, room_triangles;
    int failed; ///< there is no memory
};

static void *room_make(struct cutting *c, void *array, size_t width, int64_t n, int64_t more, int64_t *room)
{
    if (n + more <= *room || c->failed) return array;
    const int64_t wanted = 2 * (n + more) + 256;
    void *grown = c->stage->host->alloc(c->stage, (size_t)wanted * width);
    if (!grown) {
        c->failed = 1;
        return array;
    }
    if (n) memcpy(grown, array, (size_t)n * width);
    c->stage->host->release(c->stage, array);
    *room = wanted;
    return grown;
}

/* A convex polygon as triangles that come from `source`. */
static void polygon_add(struct cutting *c, double corner[][3], int n, int32_t source)
{
    struct mesh_pieces *o = c->out;
    int64_t room = c->room_triangles;
    if (n < 3) return;
    o->point = room_make(c, o->point, sizeof *o->point, o->n_points, n, &c->room_points);
    o->triangle = room_make(c, o->triangle, sizeof *o->triangle, o->n_triangles, n, &c->room_triangles);
    o->source = room_make(c, o->source, sizeof *o->source, o->n_triangles, n, &room);
    if (c->failed) return;
    for (int i = 2; i < n; i++) {
        const int32_t at = (int32_t)o->n_points, t[3] = {at, at + i - 1, at + i};
        memcpy(o->triangle[o->n_triangles], t, sizeof t);
        o->source[o->n_triangles++] = source;
    }
    memcpy(o->point[o->n_points], corner, (size_t)n * sizeof *o->point);
    o->n_points += n;
}

/* ---- the sides ---- */

/* A place where a line across a side, line `row`, goes through a part's surface. */
struct crossing {
    int32_t row, part;
    double u;
};

/* A side of the box: axis `a` at `at`; lines run along u, one after another along v. */
struct side {
    int a, u, v;
    double at, step;
    int32_t rows;
    struct crossing *crossing;
    int64_t n, room;
};

static int crossing_order(const void *x, const void *y)
{
    const struct crossing *p = x, *q = y;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    if (p->part != q->part) return p->part < q->part ? -1 : 1;
    return (p->u > q->u) - (p->u < q->u);
}

/* Where the edge pq goes through x[axis] = at; from the end below, so that both faces of an edge find the same. */
static void edge_meet(const double *p, const double *q, int axis, double at, double out[3])
{
    if (p[axis] > at) {
        const double *swap = p;
        p = q, q = swap;
    }
    for (int i = 0; i < 3; i++) out[i] = p[i] + (q[i] - p[i]) * ((at - p[axis]) / (q[axis] - p[axis]));
}

static void segment_add(struct cutting *c, struct side *s, const double p[3], const double q[3], int32_t part)
{
    const double *below = p[s->v] <= q[s->v] ? p : q, *above = below == p ? q : p;
    const double low = c->plan->box.lo[s->v], first = (below[s->v] - low) / s->step - 0.5,
                 last = (above[s->v] - low) / s->step - 0.5;
    for (double row = fmax(ceil(first), 0); row < last && row < s->rows; row++) {
        s->crossing = room_make(c, s->crossing, sizeof *s->crossing, s->n, 1, &s->room);
        if (c->failed) return;
        double at[3];
        edge_meet(p, q, s->v, low + (row + 0.5) * s->step, at);
        s->crossing[s->n++] = (struct crossing){(int32_t)row, part, at[s->u]};
    }
}

static void triangle_cross(struct cutting *c, struct side *s, int64_t t)
{
    const struct mesh_plan *plan = c->plan;
    double met[2][3];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const double *p = plan->file->point[plan->triangle[t][i]],
                     *q = plan->file->point[plan->triangle[t][(i + 1) % 3]];
        if ((p[s->a] > s->at) != (q[s->a] > s->at) && n < 2) edge_meet(p, q, s->a, s->at, met[n++]);
    }
    if (n == 2) segment_add(c, s, met[0], met[1], plan->part[t]);
}

/* A strip of the side along a row, from u0 to u1, a voxel wider all round. */
static void strip_add(struct cutting *c, const struct side *s, int32_t row, double u0, double u1)
{
    const struct box3 *b = &c->plan->box;
    const double v0 = fmax(b->lo[s->v], b->lo[s->v] + (row - 1) * s->step);
    const double v1 = fmin(b->hi[s->v], b->lo[s->v] + (row + 2) * s->step);
    double corner[4][3];
    u0 = fmax(b->lo[s->u], u0 - c->plan->voxel), u1 = fmin(b->hi[s->u], u1 + c->plan->voxel);
    if (!(u0 < u1)) return;
    for (int i = 0; i < 4; i++) {
        corner[i][s->a] = s->at;
        corner[i][s->u] = i == 1 || i == 2 ? u1 : u0;
        corner[i][s->v] = i < 2 ? v0 : v1;
    }
    polygon_add(c, corner, 4, -1);
}

static void side_close(struct cutting *c, int a, double at)
{
    const struct mesh_plan *plan = c->plan;
    struct side s = {.a = a, .u = (a + 1) % 3, .v = (a + 2) % 3, .at = at};
    const double width = plan->box.hi[s.v] - plan->box.lo[s.v];
    s.rows = (int32_t)ceil(width / plan->voxel);
    s.step = width / s.rows;
    for (int64_t t = 0; t < plan->n_triangles && !c->failed; t++) triangle_cross(c, &s, t);
    if (s.n) qsort(s.crossing, (size_t)s.n, sizeof *s.crossing, crossing_order);
    for (int64_t i = 0; i + 1 < s.n && !c->failed; i++) {
        const struct crossing *p = &s.crossing[i], *q = p + 1;
        if (p->row != q->row || p->part != q->part) continue; // an odd one: the part is not quite closed
        strip_add(c, &s, p->row, p->u, q->u);
        i++;
    }
    c->stage->host->release(c->stage, s.crossing);
}

/* ---- the whole ---- */

/* What voxelising takes, in m³: bricks fill the bounds, and voxels the bands. */
static double work_of(const struct box3 *b, double area, double band)
{
    const double x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
    return (x + 2 * band) * (y + 2 * band) * (z + 2 * band) + 2 * band * area;
}

/* Cutting closes the box's sides, which takes work, too. */
static int is_worth_it(const struct mesh_plan *plan)
{
    const double(*point)[3] = (const double(*)[3])plan->file->point;
    const struct box3 *b = &plan->box, whole = mesh_bounds(point, plan->triangle, plan->n_triangles);
    const double x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
    return x > 0 && work_of(&whole, mesh_area(point, plan->triangle, plan->n_triangles), plan->band) >
                        WORTH * work_of(b, 2 * (x * y + y * z + z * x), plan->band);
}

enum bw_status mesh_cut(struct bw_stage *s, const struct mesh_plan *plan, struct mesh_pieces *out)
{
    struct cutting c = {.stage = s, .plan = plan, .out = out};
    *out = (struct mesh_pieces){.point = plan->file->point,
                                .triangle = (int32_t(*)[3])plan->triangle,
                                .n_points = plan->file->n_points,
                                .n_triangles = plan->n_triangles};
    if (!is_worth_it(plan)) return BW_OK;
    *out = (struct mesh_pieces){.is_cut = 1};
    for (int64_t t = 0; t < plan->n_triangles && !c.failed; t++) {
        double corner[CLIPPED][3];
        polygon_add(&c, corner, triangle_clip(plan->file, plan->triangle[t], &plan->box, corner), (int32_t)t);
    }
    for (int a = 0; a < 3 && !plan->sheet; a++) {
        side_close(&c, a, plan->box.lo[a]);
        side_close(&c, a, plan->box.hi[a]);
    }
    if (c.failed) mesh_pieces_free(s, out);
    return c.failed ? BW_ERR_MEMORY : BW_OK;
}

void mesh_pieces_free(struct bw_stage *s, struct mesh_pieces *p)
{
    if (!p->is_cut) return; // the file's own
    s->host->release(s, p->point);
    s->host->release(s, p->triangle);
    s->host->release(s, p->source);
    *p = (struct mesh_pieces){0};
}
