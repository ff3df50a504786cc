// SPDX-License-Identifier: Apache-2.0
/* The distance to a mesh in bricks of 8³ voxels. A brick holds the first voxels of its neighbours too, so a trilinear
 * lookup is one table access and eight values of one array. Where all of a brick lies beyond the band it is only told
 * apart: outside or inside. Interpolating a distance is exact up to the curvature of its level sets: half a voxel at
 * worst beside an edge of the mesh, an eighth of h²/r beside a surface of radius r. */
#include "mesh.h"

#include <common/openvdb/bwvdb.h>
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define VOXELS_MOST 4e8 ///< in the bands of a mesh: some 3 GB
#define BRICKS_MOST 2e8 ///< in the box of a mesh

/* ---- making ---- */

struct making {
    const struct mesh_plan *plan;
    const struct mesh_pieces *pieces;
    const struct bwvdb_distance *distance;
    struct mesh_volume *volume;
};

static const int32_t brick_size[3] = {BRICK + 1, BRICK + 1, BRICK + 1};

/* Is there anything to keep in a brick? 0 is the answer where there is. */
static void brick_sort(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    const struct making *m = user;
    float value[BRICK_VALUES], band = (float)m->plan->band;
    int32_t first[3], inside = 0, outside = 0;
    brick_first(m->volume, i, first);
    bwvdb_distance_read(m->distance, first, brick_size, value, NULL);
    for (int q = 0; q < BRICK_VALUES; q++) {
        inside += value[q] <= -band;
        outside += value[q] >= band;
    }
    m->volume->map[i] = inside == BRICK_VALUES ? BRICK_INSIDE : outside == BRICK_VALUES ? BRICK_OUTSIDE : 0;
}

static double unit_clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* Weights of the corners at the point of triangle p that is nearest to x: inside the face, or on the nearest edge. */
static void nearest_weights(const double *const p[3], const double x[3], double w[3])
{
    double u[3], v[3], d[3], best = HUGE_VAL;
    for (int a = 0; a < 3; a++) u[a] = p[1][a] - p[0][a], v[a] = p[2][a] - p[0][a], d[a] = x[a] - p[0][a];
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), du = vec3_dot(d, u), dv = vec3_dot(d, v),
           det = uu * vv - uv * uv;
    if (det > 0) {
        w[1] = (vv * du - uv * dv) / det;
        w[2] = (uu * dv - uv * du) / det;
        w[0] = 1 - w[1] - w[2];
        if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0) return;
    }
    for (int i = 0; i < 3; i++) {
        const double *a = p[i], *b = p[(i + 1) % 3];
        double e[3], f[3], square = 0;
        for (int c = 0; c < 3; c++) e[c] = b[c] - a[c], f[c] = x[c] - a[c];
        double t = vec3_dot(e, e) > 0 ? unit_clamp(vec3_dot(f, e) / vec3_dot(e, e)) : 0;
        for (int c = 0; c < 3; c++) square += (f[c] - t * e[c]) * (f[c] - t * e[c]);
        if (square >= best) continue;
        best = square;
        w[i] = 1 - t, w[(i + 1) % 3] = t, w[(i + 2) % 3] = 0;
    }
}

static void voxel_flow(const struct making *m, const int32_t voxel[3], int32_t triangle, float out[3])
{
    const struct mesh_plan *plan = m->plan;
    for (int a = 0; a < 3; a++) out[a] = (float)m->volume->drift[a];
    if (triangle >= 0 && m->pieces->is_cut) triangle = m->pieces->source[triangle];
    if (triangle < 0) return;
    const int32_t *corner = plan->triangle[triangle];
    const double *p[3] = {plan->file->point[corner[0]], plan->file->point[corner[1]], plan->file->point[corner[2]]};
    double x[3], w[3] = {1, 0, 0};
    for (int a = 0; a < 3; a++) x[a] = m->volume->origin[a] + voxel[a] * plan->voxel;
    nearest_weights(p, x, w);
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) sum += w[c] * plan->velocity[corner[c]][a];
        out[a] = (float)sum;
    }
}

static void brick_fill(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    const struct making *m = user;
    struct mesh_volume *v = m->volume;
    int32_t first[3], nearest[BRICK_VALUES], at = v->map[i];
    if (at < 0) return;
    brick_first(v, i, first);
    bwvdb_distance_read(m->distance, first, brick_size, v->distance + (size_t)at * BRICK_VALUES,
                        v->flow ? nearest : NULL);
    if (!v->flow) return;
    float *out = v->flow + (size_t)at * 3 * BRICK_VALUES;
    for (int q = 0; q < BRICK_VALUES; q++) {
        const int32_t voxel[3] = {first[0] + q % (BRICK + 1), first[1] + q / (BRICK + 1) % (BRICK + 1),
                                  first[2] + q / (BRICK + 1) / (BRICK + 1)};
        voxel_flow(m, voxel, nearest[q], out + 3 * q);
    }
}

static int32_t floor_brick(int32_t voxel) { return voxel >= 0 ? voxel / BRICK : -((BRICK - 1 - voxel) / BRICK); }

/* Bricks round the band, one voxel more for the interpolation. */
static void bricks_place(const struct bwvdb_distance *d, struct mesh_volume *v)
{
    int32_t lo[3], n[3];
    bwvdb_distance_box(d, lo, n);
    for (int a = 0; a < 3; a++) {
        v->lo[a] = floor_brick(lo[a] - 1);
        v->n[a] = n[a] ? floor_brick(lo[a] + n[a]) - v->lo[a] + 1 : 0;
    }
}

static void drift_find(const struct mesh_plan *plan, double drift[3])
{
    for (int a = 0; a < 3; a++) {
        drift[a] = 0;
        for (int64_t i = 0; plan->velocity && i < plan->file->n_points; i++)
            drift[a] += plan->velocity[i][a] / (double)plan->file->n_points;
    }
}

static enum bw_status bricks_make(struct bw_stage *s, struct making *m)
{
    struct mesh_volume *v = m->volume;
    size_t used = 0;
    bricks_place(m->distance, v);
    if (!brick_count(v)) return BW_OK;
    v->map = s->host->alloc(s, (size_t)brick_count(v) * sizeof *v->map);
    if (!v->map) return BW_ERR_MEMORY;
    s->host->parallel_for(s, brick_count(v), brick_sort, m);
    for (int64_t i = 0; i < brick_count(v); i++)
        if (v->map[i] == 0) v->map[i] = (int32_t)used++;
    v->distance = s->host->alloc(s, used * BRICK_VALUES * sizeof *v->distance);
    if (m->plan->velocity) v->flow = s->host->alloc(s, used * 3 * BRICK_VALUES * sizeof *v->flow);
    if (!v->distance || (m->plan->velocity && !v->flow)) return BW_ERR_MEMORY;
    s->host->parallel_for(s, brick_count(v), brick_fill, m);
    return BW_OK;
}

#define NEAR_VOXELS 4096. ///< as far from the origin the mesh's own is good enough: a float is a two-thousandth there

/* A brick's corner beside the middle of what is voxelised. */
static void origin_find(const struct box3 *box, double voxel, double origin[3])
{
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (box->lo[a] + box->hi[a]);
        origin[a] = fabs(middle) < NEAR_VOXELS * voxel ? 0 : BRICK * voxel * round(middle / (BRICK * voxel));
    }
}

/* Is what is voxelised one that memory can hold? */
static enum bw_status size_check(struct bw_stage *s, const struct bwvdb_mesh *mesh, const struct box3 *box,
                                 const char *path)
{
    const double v = mesh->voxel, area = mesh_area(mesh->points, mesh->triangles, (int64_t)mesh->n_triangles);
    double bricks = 1;
    for (int a = 0; a < 3; a++) bricks *= (box->hi[a] - box->lo[a] + 2 * mesh->band) / (BRICK * v) + 2;
    if (area / (v * v) * (2 * mesh->band / v) < VOXELS_MOST && bricks < BRICKS_MOST) return BW_OK;
    return s->host->fail(
        s, BW_ERR_LIMIT,
        "%s is %.3g x %.3g x %.3g in its own unit, too much to know its distance to %.3g of it; is its "
        "scale right? else lower `detail` or make it coarser",
        path, box->hi[0] - box->lo[0], box->hi[1] - box->lo[1], box->hi[2] - box->lo[2], v);
}

enum bw_status mesh_voxelise(struct bw_stage *s, const struct mesh_plan *plan, const struct mesh_pieces *pieces,
                             struct mesh_volume *v)
{
    struct bwvdb_mesh mesh = {.points = (const double(*)[3])pieces->point,
                              .triangles = (const int32_t(*)[3])pieces->triangle,
                              .n_points = (size_t)pieces->n_points,
                              .n_triangles = (size_t)pieces->n_triangles,
                              .voxel = plan->voxel,
                              .band = plan->band,
                              .sheet = (uint32_t)plan->sheet};
    const struct box3 box = mesh_bounds(mesh.points, mesh.triangles, pieces->n_triangles);
    mesh_volume_free(s, v);
    v->voxel = plan->voxel;
    v->band = plan->band;
    v->box = mesh_bounds((const double(*)[3])plan->file->point, plan->triangle, plan->n_triangles);
    drift_find(plan, v->drift);
    if (!pieces->n_triangles) return BW_OK;
    struct bwvdb_error error;
    struct bwvdb_distance *distance;
    enum bw_status status = size_check(s, &mesh, &box, plan->file->path);
    if (status) return status;
    origin_find(&box, plan->voxel, v->origin);
    memcpy(mesh.origin, v->origin, sizeof mesh.origin);
    enum bwvdb_status bad = bwvdb_distance_create(&mesh, &distance, &error);
    if (bad == BWVDB_ERR_MEMORY) return BW_ERR_MEMORY;
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s: %s", plan->file->path, error.text);
    struct making making = {plan, pieces, distance, v};
    status = bricks_make(s, &making);
    bwvdb_distance_free(distance);
    if (status) mesh_volume_free(s, v);
    return status;
}

void mesh_volume_free(struct bw_stage *s, struct mesh_volume *v)
{
    s->host->release(s, v->map);
    s->host->release(s, v->distance);
    s->host->release(s, v->flow);
    *v = (struct mesh_volume){0};
}

/* ---- asking ---- */

/* Where a place lies in its brick: the offset of the first of the eight voxels round it, and their weights' fractions.
 * Answers the brick, or one of the constants. */
static int32_t place_find(const struct mesh_volume *v, const double x[3], int *at, double t[3])
{
    int32_t brick[3];
    const int step[3] = {1, BRICK + 1, (BRICK + 1) * (BRICK + 1)};
    *at = 0;
    for (int a = 0; a < 3; a++) {
        double q = (x[a] - v->origin[a]) / v->voxel - BRICK * (double)v->lo[a];
        if (!(q >= 0 && q < BRICK * (double)v->n[a])) return BRICK_OUTSIDE;
        int32_t whole = (int32_t)q;
        t[a] = q - whole;
        brick[a] = whole / BRICK;
        *at += step[a] * (whole % BRICK);
    }
    return v->map[brick[0] + v->n[0] * (brick[1] + (int64_t)v->n[1] * brick[2])];
}

/* Trilinear; `p` is the first voxel's value, `gap` the distance between values. */
static double blend(const float *p, int gap, const double t[3])
{
    const int y = gap * (BRICK + 1), z = y * (BRICK + 1);
    double row[4];
    for (int i = 0; i < 4; i++) {
        const float *q = p + (i & 1 ? y : 0) + (i & 2 ? z : 0);
        row[i] = (double)q[0] + t[0] * ((double)q[gap] - (double)q[0]);
    }
    double low = row[0] + t[1] * (row[1] - row[0]), high = row[2] + t[1] * (row[3] - row[2]);
    return low + t[2] * (high - low);
}

/// Distance to a box, 0 inside.
static double box_distance_outside(const struct box3 *box, const double x[3])
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double beyond = fmax(fmax(box->lo[a] - x[a], x[a] - box->hi[a]), 0);
        square += beyond * beyond;
    }
    return sqrt(square);
}

double mesh_volume_distance(const struct mesh_volume *v, const double x[3])
{
    int at;
    double t[3];
    int32_t brick = place_find(v, x, &at, t);
    if (brick == BRICK_INSIDE) return -v->band;
    double d = brick < 0 ? v->band : blend(v->distance + (size_t)brick * BRICK_VALUES + at, 1, t);
    return d < v->band ? d : fmax(v->band, box_distance_outside(&v->box, x));
}

void mesh_volume_flow(const struct mesh_volume *v, const double x[3], double out[3])
{
    int at;
    double t[3];
    memcpy(out, v->drift, sizeof v->drift);
    int32_t brick = v->flow ? place_find(v, x, &at, t) : BRICK_OUTSIDE;
    for (int a = 0; a < 3 && brick >= 0; a++)
        out[a] = blend(v->flow + 3 * ((size_t)brick * BRICK_VALUES + (size_t)at) + a, 3, t);
}
