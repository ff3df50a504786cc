// SPDX-License-Identifier: Apache-2.0
#include "mesh.h"
#include "forms.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- normals ---- */

/// Corners of triangles that are at the same place, by number.
struct corner {
    float at[3];
    int32_t n; ///< 3·triangle + which
};

enum { CROWD = 4096 }; ///< triangles that meet at a place: more are not looked at in pairs

static int compare_corner(const void *a, const void *b)
{
    const struct corner *p = a, *q = b;
    const int place = memcmp(p->at, q->at, sizeof p->at);
    return place ? place : p->n < q->n ? -1 : p->n > q->n;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// A face's normal, a unit vector, or 0 where it has no area.
static void face_normal(const struct bw_triangle *t, float out[3])
{
    float u[3], v[3];
    for (int a = 0; a < 3; a++) u[a] = t->corner[1][a] - t->corner[0][a], v[a] = t->corner[2][a] - t->corner[0][a];
    cross(u, v, out);
    const float length = sqrtf(dot(out, out));
    for (int a = 0; a < 3; a++) out[a] = length > 0 ? out[a] / length : 0;
}

/// The angle of a triangle at a corner: what its normal counts there (Thürmer and Wüthrich 1998).
static float corner_angle(const struct bw_triangle *t, int c)
{
    float u[3], v[3];
    for (int a = 0; a < 3; a++) {
        u[a] = t->corner[(c + 1) % 3][a] - t->corner[c][a];
        v[a] = t->corner[(c + 2) % 3][a] - t->corner[c][a];
    }
    const float cosine = dot(u, v) / (sqrtf(dot(u, u) * dot(v, v)) + 1e-30f);
    return acosf(bw_least(bw_most(cosine, -1), 1));
}

/// Normals of the corners at one place: of each the mean of those faces there that go on from its own without a crease.
static void place_smooth(struct bw_mesh *m, const struct corner *c, int32_t n, const float (*face)[3])
{
    for (int32_t i = 0; i < n; i++) {
        const float *own = face[c[i].n / 3];
        float sum[3] = {0};
        for (int32_t j = 0; j < n && n <= CROWD; j++) {
            const float *other = face[c[j].n / 3], cosine = dot(own, other);
            if (fabsf(cosine) < BW_CREASE) continue;
            const float w = copysignf(corner_angle(&m->triangle[c[j].n / 3], c[j].n % 3), cosine);
            for (int a = 0; a < 3; a++) sum[a] += w * other[a];
        }
        const float length = sqrtf(dot(sum, sum));
        float *out = m->normal[c[i].n / 3].corner[c[i].n % 3];
        for (int a = 0; a < 3; a++) out[a] = length > 0 ? sum[a] / length : own[a];
    }
}

/// All corners by where they are, those at one place behind one another; NULL: out of memory.
static struct corner *corners_sort(const struct bw_tools *tools, const struct bw_mesh *m, int32_t n)
{
    struct corner *c = tools->alloc(tools->ctx, 3 * (size_t)n * sizeof *c);
    for (int32_t i = 0; c && i < 3 * n; i++) {
        for (int a = 0; a < 3; a++) c[i].at[a] = m->triangle[i / 3].corner[i % 3][a] + 0.0f; // -0 is 0
        c[i].n = i;
    }
    if (c) qsort(c, 3 * (size_t)n, sizeof *c, compare_corner);
    return c;
}

static enum bw_status normals_make(const struct bw_tools *tools, struct bw_mesh *m, const struct corner *c, int32_t n)
{
    float(*face)[3] = tools->alloc(tools->ctx, (size_t)n * sizeof *face);
    if (!face) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < n; i++) face_normal(&m->triangle[i], face[i]);
    for (int32_t i = 0, end; i < 3 * n; i = end) {
        for (end = i + 1; end < 3 * n && !memcmp(c[i].at, c[end].at, sizeof c[i].at);) end++;
        place_smooth(m, c + i, end - i, (const float(*)[3])face);
    }
    tools->release(tools->ctx, face);
    return BW_OK;
}

/* ---- pieces ---- */

static struct bw_bounds triangle_box(const struct bw_triangle *t)
{
    struct bw_bounds b = BW_BOX_NONE;
    for (int q = 0; q < 3; q++)
        for (int a = 0; a < 3; a++)
            b.lo[a] = bw_least(b.lo[a], t->corner[q][a]), b.hi[a] = bw_most(b.hi[a], t->corner[q][a]);
    return b;
}

/// The triangle that stands for all that hang together with one.
static int32_t piece_root(int32_t *of, int32_t i)
{
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

/// Triangles that share a place hang together; pieces are numbered as their first triangles come.
static enum bw_status pieces_make(const struct bw_tools *tools, struct bw_mesh *m, const struct corner *c, int32_t n)
{
    int32_t *of = m->piece = tools->alloc(tools->ctx, (size_t)n * sizeof *m->piece), count = 0;
    if (!of) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < n; i++) of[i] = i;
    for (int32_t i = 1; i < 3 * n; i++) {
        if (memcmp(c[i - 1].at, c[i].at, sizeof c[i].at) != 0) continue;
        const int32_t a = piece_root(of, c[i - 1].n / 3), b = piece_root(of, c[i].n / 3);
        of[a > b ? a : b] = a > b ? b : a;
    }
    for (int32_t i = 0; i < n; i++) of[i] = piece_root(of, i), count += of[i] == i;
    m->pieces = tools->alloc(tools->ctx, (size_t)count * sizeof *m->pieces);
    if (!m->pieces) return BW_ERR_MEMORY;
    for (int32_t i = 0, next = 0; i < n; i++) { // roots come before what hangs on them
        const struct bw_bounds box = triangle_box(&m->triangle[i]);
        const int32_t own = of[i] == i ? next++ : of[of[i]];
        if (of[i] == i) m->pieces[own] = (struct bw_bounds)BW_BOX_NONE;
        of[i] = own;
        bw_box_add(&m->pieces[own], &box);
    }
    return BW_OK;
}

/* ---- making ---- */

uint64_t bw_mesh_mixed(uint64_t key, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        key = (key ^ word) * 0x9e3779b97f4a7c15u;
        key ^= key >> 29;
    }
    for (; bytes; bytes--) key = (key ^ *p++) * 0x100000001b3u;
    return key;
}

uint64_t bw_mesh_key(const struct bw_shape *s, struct bw_form_grown grown)
{
    uint64_t key = bw_mesh_mixed(0xcbf29ce484222325u, &s->kind, sizeof s->kind);
    if (s->kind == BW_SHAPE_CYLINDER && grown.uneven) {
        key = bw_mesh_mixed(key, &grown.uneven, sizeof grown.uneven);
        key = bw_mesh_mixed(key, &grown.lot, sizeof grown.lot);
        key = bw_mesh_mixed(key, s->scale, sizeof s->scale);
    }
    if (s->kind == BW_SHAPE_TORUS) key = bw_mesh_mixed(key, &s->tube, sizeof s->tube);
    if (s->kind == BW_SHAPE_CYLINDER && s->tube > 0) {
        key = bw_mesh_mixed(key, &s->tube, sizeof s->tube);
        key = bw_mesh_mixed(key, s->scale, sizeof s->scale);
    }
    if (s->kind != BW_SHAPE_MESH) return key;
    key = bw_mesh_mixed(key, s->point, (size_t)s->n_points * sizeof *s->point);
    return bw_mesh_mixed(key, s->triangle, (size_t)s->n_triangles * sizeof *s->triangle);
}

static void middle_find(const struct bw_shape *s, struct bw_mesh *m)
{
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int64_t i = 0; i < s->n_points; i++)
        for (int a = 0; a < 3; a++) lo[a] = fmin(lo[a], s->point[i][a]), hi[a] = fmax(hi[a], s->point[i][a]);
    for (int a = 0; a < 3; a++) m->middle[a] = s->n_points ? 0.5 * (lo[a] + hi[a]) : 0;
}

static enum bw_status triangles_fill(const struct bw_tools *tools, const struct bw_shape *s, struct bw_mesh *m)
{
    const int32_t n = (int32_t)s->n_triangles;
    m->triangle = tools->alloc(tools->ctx, (size_t)n * sizeof *m->triangle);
    m->normal = tools->alloc(tools->ctx, (size_t)n * sizeof *m->normal);
    struct bw_bounds *box = tools->alloc(tools->ctx, (size_t)n * sizeof *box);
    enum bw_status status = m->triangle && m->normal && box ? BW_OK : BW_ERR_MEMORY;
    middle_find(s, m);
    m->box = (struct bw_bounds)BW_BOX_NONE;
    for (int32_t i = 0; !status && i < n; i++) {
        for (int q = 0; q < 3; q++)
            for (int a = 0; a < 3; a++)
                m->triangle[i].corner[q][a] = (float)(s->point[s->triangle[i][q]][a] - m->middle[a]);
        box[i] = triangle_box(&m->triangle[i]);
        bw_box_add(&m->box, &box[i]);
    }
    struct corner *corner = status ? NULL : corners_sort(tools, m, n);
    if (!corner) status = BW_ERR_MEMORY;
    if (!status) status = normals_make(tools, m, corner, n);
    if (!status) status = pieces_make(tools, m, corner, n);
    if (corner) tools->release(tools->ctx, corner);
    if (!status) status = bw_bvh_build(tools, box, n, &m->bvh);
    if (box) tools->release(tools->ctx, box);
    return status;
}

struct bw_mesh *bw_mesh_make(const struct bw_tools *tools, const struct bw_shape *s, struct bw_form_grown grown)
{
    struct bw_shape own = *s;
    struct bw_mesh *m = tools->alloc(tools->ctx, sizeof *m);
    void *memory = NULL;
    if (!m) return NULL;
    atomic_init(&m->users, 1);
    m->key = bw_mesh_key(s, grown);
    enum bw_status status = s->kind == BW_SHAPE_MESH ? BW_OK : bw_form_make(tools, s, grown, &own, &memory);
    if (!status && own.n_triangles > 0 && own.n_triangles < INT32_MAX / 6) status = triangles_fill(tools, &own, m);
    if (memory) tools->release(tools->ctx, memory);
    if (status) bw_mesh_free(tools, m), m = NULL;
    return m;
}

struct bw_mesh *bw_mesh_hold(struct bw_mesh *m)
{
    atomic_fetch_add_explicit(&m->users, 1, memory_order_relaxed);
    return m;
}

void bw_mesh_free(const struct bw_tools *tools, struct bw_mesh *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->users, 1, memory_order_acq_rel) > 1) return;
    bw_bvh_free(tools, &m->bvh);
    if (m->triangle) tools->release(tools->ctx, m->triangle);
    if (m->piece) tools->release(tools->ctx, m->piece);
    if (m->pieces) tools->release(tools->ctx, m->pieces);
    if (m->normal) tools->release(tools->ctx, m->normal);
    tools->release(tools->ctx, m);
}
