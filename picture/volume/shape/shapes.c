// SPDX-License-Identifier: Apache-2.0
/* Rays go through the BVH of forms, and in each form's own frame through its mesh's, a way's lengths being the same in
 * both. */
#include "shapes.h"

#include <string.h>

enum { OF = 131 }; ///< pieces of a form, as numbers go
#define LEAST 4e-6 ///< of the scene's size: rounding of single precision, twice

/* ---- making ---- */

static struct bw_mesh *mesh_take(const struct bw_tools *tools, struct bw_shapes *old, struct bw_shapes *s,
                                 const struct bw_shape *shape, struct bw_form_grown grown)
{
    const uint64_t key = bw_mesh_key(shape, grown);
    for (int32_t i = 0; i < s->n_meshes; i++)
        if (s->mesh[i]->key == key) return s->mesh[i];
    struct bw_mesh *m = NULL;
    for (int32_t i = 0; old && i < old->n_meshes && !m; i++)
        if (old->mesh[i]->key == key) m = bw_mesh_hold(old->mesh[i]);
    if (!m) m = bw_mesh_make(tools, shape, grown);
    if (m) s->mesh[s->n_meshes++] = m;
    return m;
}

/// How far any of it may come along an axis from where it is, half a shutter's time earlier or later.
static double form_way(const struct bw_form *f, double shutter, int axis)
{
    double radius2 = 0, spin2 = 0;
    for (int a = 0; a < 3; a++) {
        const double lo = fabs(f->mesh->middle[a] + (double)f->mesh->box.lo[a]),
                     hi = fabs(f->mesh->middle[a] + (double)f->mesh->box.hi[a]);
        radius2 += pow(f->scale[a] * fmax(lo, hi), 2), spin2 += f->spin[a] * f->spin[a];
    }
    const double turn = fmin(0.5 * shutter * sqrt(spin2), 2); // a chord is no longer than the sphere is wide
    return 0.5 * shutter * fabs(f->vel[axis]) + turn * sqrt(radius2);
}

/// Round a form and its way, less `middle`, rounded outwards.
static struct bw_bounds form_box(const struct bw_form *f, const double middle[3], double shutter)
{
    struct bw_bounds b;
    for (int w = 0; w < 3; w++) {
        double mid = f->center[w] - middle[w], half = 0;
        for (int a = 0; a < 3; a++) {
            const double lo = f->mesh->middle[a] + (double)f->mesh->box.lo[a],
                         hi = f->mesh->middle[a] + (double)f->mesh->box.hi[a];
            mid += f->axis[a][w] * f->scale[a] * 0.5 * (lo + hi);
            half += fabs(f->axis[a][w]) * f->scale[a] * 0.5 * (hi - lo);
        }
        const double spare = 1e-6 * (fabs(mid) + half) + form_way(f, shutter, w);
        b.lo[w] = (float)(mid - half - spare), b.hi[w] = (float)(mid + half + spare);
    }
    return b;
}

static enum bw_status forms_place(const struct bw_tools *tools, struct bw_shapes *s)
{
    struct bw_bounds *box = tools->alloc(tools->ctx, ((size_t)s->n + 1) * sizeof *box), all = BW_BOX_NONE;
    if (!box) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < s->n; i++) {
        struct bw_bounds b = form_box(&s->form[i], s->middle, s->shutter);
        bw_box_add(&all, &b);
    }
    for (int a = 0; a < 3 && s->n; a++) s->middle[a] = 0.5 * (double)(all.lo[a] + all.hi[a]);
    for (int32_t i = 0; i < s->n; i++) {
        box[i] = form_box(&s->form[i], s->middle, s->shutter);
        for (int a = 0; a < 3; a++) s->least = fmax(s->least, LEAST * fabs((double)box[i].hi[a]));
    }
    const enum bw_status status = bw_bvh_build(tools, box, s->n, &s->bvh);
    tools->release(tools->ctx, box);
    return status;
}

/// What has no width in some direction is not seen.
static enum bw_status form_add(const struct bw_tools *tools, struct bw_shapes *old, struct bw_shapes *s, int32_t of,
                               const struct bw_shape *shape, struct bw_form_grown grown)
{
    const double thin = fmin(shape->scale[0], fmin(shape->scale[1], shape->scale[2]));
    if (!(thin > 0)) return BW_OK;
    const struct bw_mesh *m = mesh_take(tools, old, s, shape, grown);
    if (!m) return BW_ERR_MEMORY;
    if (m->bvh.n <= 0) return BW_OK;
    struct bw_form *f = &s->form[s->n++];
    *f = (struct bw_form){.mesh = m, .thin = (float)thin, .of = of};
    memcpy(f->center, shape->center, sizeof f->center);
    memcpy(f->axis, shape->axis, sizeof f->axis);
    memcpy(f->scale, shape->scale, sizeof f->scale);
    memcpy(f->vel, shape->vel, sizeof f->vel);
    memcpy(f->spin, shape->spin, sizeof f->spin);
    for (int a = 0; a < 3; a++) f->moves |= f->vel[a] != 0 || f->spin[a] != 0;
    return BW_OK;
}

enum bw_status bw_shapes_follow(const struct bw_tools *tools, const struct bw_shape *const *shape,
                                const struct bw_form_grown *grown, int32_t n, struct bw_shapes **shapes)
{
    struct bw_shapes *old = *shapes, *s = tools->alloc(tools->ctx, sizeof *s);
    enum bw_status status = s ? BW_OK : BW_ERR_MEMORY;
    if (s) {
        s->form = tools->alloc(tools->ctx, ((size_t)n + 1) * sizeof *s->form);
        s->mesh = tools->alloc(tools->ctx, ((size_t)n + 1) * sizeof(struct bw_mesh *));
        if (!s->form || !s->mesh) status = BW_ERR_MEMORY;
    }
    for (int32_t i = 0; !status && i < n; i++)
        status = form_add(tools, old, s, i, shape[i], grown ? grown[i] : (struct bw_form_grown){0});
    if (!status) status = forms_place(tools, s);
    bw_shapes_free(tools, old);
    if (status) bw_shapes_free(tools, s);
    *shapes = status ? NULL : s;
    return status;
}

struct bw_shapes *bw_shapes_meshes(const struct bw_tools *tools, const struct bw_shapes *shapes)
{
    struct bw_shapes *s = shapes ? tools->alloc(tools->ctx, sizeof *s) : NULL;
    if (!s) return NULL;
    s->mesh = tools->alloc(tools->ctx, ((size_t)shapes->n_meshes + 1) * sizeof(struct bw_mesh *));
    for (int32_t i = 0; s->mesh && i < shapes->n_meshes; i++) s->mesh[s->n_meshes++] = bw_mesh_hold(shapes->mesh[i]);
    return s;
}

enum bw_status bw_shapes_shutter(const struct bw_tools *tools, double seconds, struct bw_shapes *s)
{
    int32_t moving = 0;
    for (int32_t i = 0; i < s->n; i++) moving += s->form[i].moves;
    const double shutter = moving && seconds > 0 ? seconds : 0;
    if (shutter == s->shutter) return BW_OK;
    bw_bvh_free(tools, &s->bvh);
    s->shutter = shutter;
    for (int a = 0; a < 3; a++) s->middle[a] = 0;
    return forms_place(tools, s);
}

void bw_shapes_free(const struct bw_tools *tools, struct bw_shapes *s)
{
    if (!s) return;
    for (int32_t i = 0; i < s->n_meshes; i++) bw_mesh_free(tools, s->mesh[i]);
    bw_bvh_free(tools, &s->bvh);
    if (s->form) tools->release(tools->ctx, s->form);
    if (s->mesh) tools->release(tools->ctx, s->mesh);
    tools->release(tools->ctx, s);
}

uint64_t bw_shapes_key(const struct bw_shapes *s)
{
    uint64_t key = 0;
    for (int32_t i = 0; s && i < s->n; i++) {
        const struct bw_form *f = &s->form[i];
        if (f->moves) return 0;
        key = bw_mesh_mixed(key, &f->mesh->key, sizeof f->mesh->key);
        key = bw_mesh_mixed(key, f->center, sizeof f->center);
        key = bw_mesh_mixed(key, f->axis, sizeof f->axis);
        key = bw_mesh_mixed(key, f->scale, sizeof f->scale);
        key = bw_mesh_mixed(key, (const int64_t[]){f->of, f->look}, 2 * sizeof(int64_t));
    }
    return key;
}

/* ---- asking ---- */

struct asking {
    const struct bw_shapes *s;
    const double *o, *d;
    double half, when;
    int32_t form; ///< that was met; -1: none
    struct bw_mesh_hit hit;
    double at[3], way[3]; ///< o and d as that form has them, had it stayed where it is at the frame's time
};

/// The ray in the frame of a form, as far as the world's goes.
static inline struct bw_probe form_probe(const struct bw_form *f, const double from[3], const double to[3], double half,
                                         float far)
{
    double o[3], d[3];
    for (int a = 0; a < 3; a++) {
        double along = 0, way = 0;
        for (int w = 0; w < 3; w++) along += f->axis[a][w] * (from[w] - f->center[w]), way += f->axis[a][w] * to[w];
        o[a] = along / f->scale[a], d[a] = way / f->scale[a];
    }
    struct bw_probe p = bw_mesh_probe(f->mesh, o, d, far);
    p.wide = (float)half / f->thin;
    return p;
}

/// v turned about a unit vector, by an angle's cosine and sine.
static void turn(const double axis[3], double c, double s, const double v[3], double out[3])
{
    double along = 0;
    for (int a = 0; a < 3; a++) along += axis[a] * v[a];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, e = (a + 2) % 3;
        out[a] = c * v[a] + s * (axis[b] * v[e] - axis[e] * v[b]) + (1 - c) * along * axis[a];
    }
}

/// A ray that meets a form where it is then, as one that meets it in the same place where it is at the frame's time.
static void form_return(const struct bw_form *f, const struct asking *g, double at[3], double way[3])
{
    double off[3], axis[3], rate = 0;
    for (int a = 0; a < 3; a++) off[a] = g->o[a] - f->center[a] - g->when * f->vel[a], rate += f->spin[a] * f->spin[a];
    rate = sqrt(rate);
    for (int a = 0; a < 3; a++) axis[a] = f->spin[a] / fmax(rate, 1e-300);
    const double c = cos(rate * g->when), s = -sin(rate * g->when);
    turn(axis, c, s, off, at);
    turn(axis, c, s, g->d, way);
    for (int a = 0; a < 3; a++) at[a] += f->center[a];
}

static inline void form_intersect(int32_t item, struct bw_probe *p, void *user)
{
    struct asking *g = user;
    const struct bw_form *f = &g->s->form[item];
    const int moves = f->moves && g->when != 0;
    struct bw_mesh_hit hit;
    double at[3], way[3];
    if (moves) form_return(f, g, at, way);
    struct bw_probe own = form_probe(f, moves ? at : g->o, moves ? way : g->d, g->half, p->far);
    bw_mesh_intersect(f->mesh, &own, &hit);
    if (hit.triangle < 0) return;
    g->form = item, g->hit = hit, p->far = own.far;
    memcpy(g->at, moves ? at : g->o, sizeof g->at);
    memcpy(g->way, moves ? way : g->d, sizeof g->way);
}

static inline void form_block(int32_t item, struct bw_probe *p, void *user)
{
    struct asking *g = user;
    struct bw_probe own = form_probe(&g->s->form[item], g->o, g->d, g->half, p->far);
    if (bw_mesh_blocks(g->s->form[item].mesh, &own)) g->form = item, p->far = -1;
}

static inline void form_near(int32_t item, struct bw_probe *p, void *user)
{
    struct asking *g = user;
    struct bw_probe own = form_probe(&g->s->form[item], g->o, g->d, g->half, p->far);
    if (bw_mesh_near(g->s->form[item].mesh, &own)) g->form = item, p->far = -1;
}

/// The world's ray through the BVH of forms.
static inline struct bw_probe world_probe(const struct bw_shapes *s, const double o[3], const double d[3], double far)
{
    struct bw_probe p = {.far = (float)fmin(far, 1e30)};
    for (int a = 0; a < 3; a++) {
        p.o[a] = (float)(o[a] - s->middle[a]), p.d[a] = (float)d[a];
        p.inv[a] = fabsf(p.d[a]) > 1e-30f ? 1 / p.d[a] : 1e30f;
    }
    return p;
}

void bw_shapes_place(const struct bw_shapes *s, struct bw_shape_hit *hit)
{
    const struct bw_form *f = &s->form[hit->form];
    const struct bw_bounds *piece = &f->mesh->pieces[hit->piece - OF * (uint32_t)f->of];
    for (int a = 0; a < 3; a++) {
        hit->own[a] = 0;
        for (int w = 0; w < 3; w++) hit->own[a] += f->axis[a][w] * (hit->p[w] - f->center[w]);
        hit->lo[a] = f->scale[a] * (f->mesh->middle[a] + (double)piece->lo[a]);
        hit->hi[a] = f->scale[a] * (f->mesh->middle[a] + (double)piece->hi[a]);
    }
}

/* A lamp that is low over a round body is hidden by the triangle itself or by the next one, in steps as wide as they
 * are. So shadow rays begin where the smooth surface is: the mean of the place's feet on the planes across the corners'
 * normals, as far as they are over it (Hanika 2021, "Hacking the shadow terminator"). */
static void hit_lift(const struct bw_form *f, const struct bw_mesh_hit *met, struct bw_shape_hit *hit)
{
    double from[3][3], normal[3][3];
    bw_mesh_corners(f->mesh, met, from, normal);
    for (int q = 0; q < 3; q++) {
        double n[3] = {0}, side = 0, length2 = 0, height = 0; // `height` of the place over the corner's plane
        for (int a = 0; a < 3; a++) {
            height += normal[q][a] * from[q][a];
            for (int w = 0; w < 3; w++) n[w] += f->axis[a][w] * normal[q][a] / f->scale[a];
        }
        for (int w = 0; w < 3; w++) side += n[w] * hit->face[w], length2 += n[w] * n[w];
        if (side < 0) height = -height;
        if (!(height < 0)) continue;
        const double rise = (side < 0 ? -1 : 1) * (double)met->share[q] * height / length2;
        for (int w = 0; w < 3; w++) hit->over[w] -= rise * n[w];
    }
}

static void hit_fill(const struct asking *g, double depth, struct bw_shape_hit *hit)
{
    const struct bw_form *f = &g->s->form[g->form];
    double face[3], smooth[3], length[2] = {1e-300, 1e-300}, away[2] = {0, 0};
    bw_mesh_normals(f->mesh, &g->hit, face, smooth);
    *hit = (struct bw_shape_hit){.depth = depth, .form = g->form};
    for (int w = 0; w < 3; w++) {
        hit->p[w] = g->at[w] + depth * g->way[w];
        for (int a = 0; a < 3; a++) {
            hit->face[w] += f->axis[a][w] * face[a] / f->scale[a];
            hit->normal[w] += f->axis[a][w] * smooth[a] / f->scale[a];
        }
        length[0] += hit->face[w] * hit->face[w], length[1] += hit->normal[w] * hit->normal[w];
        away[0] += hit->face[w] * g->way[w];
    }
    hit->piece = OF * (uint32_t)f->of + (uint32_t)f->mesh->piece[g->hit.triangle];
    bw_shapes_place(g->s, hit);
    for (int w = 0; w < 3; w++) away[1] += hit->normal[w] * hit->face[w];
    const double turn = away[0] > 0 ? -1 : 1, same = away[1] < 0 ? -turn : turn;
    for (int w = 0; w < 3; w++) hit->face[w] *= turn / sqrt(length[0]), hit->normal[w] *= same / sqrt(length[1]);
    hit_lift(f, &g->hit, hit);
}

int bw_shapes_hit(const struct bw_shapes *s, const double o[3], const double d[3], double far, struct bw_shape_hit *hit)
{
    return bw_shapes_hit_when(s, 0, o, d, far, hit);
}

int bw_shapes_hit_when(const struct bw_shapes *s, double when, const double o[3], const double d[3], double far,
                       struct bw_shape_hit *hit)
{
    struct asking g = {.s = s, .o = o, .d = d, .when = when, .form = -1};
    struct bw_probe p = world_probe(s, o, d, far);
    bw_bvh_walk(&s->bvh, &p, bw_box_enter, form_intersect, &g);
    if (g.form < 0) return 0;
    hit_fill(&g, (double)p.far, hit);
    return 1;
}

int bw_shapes_block(const struct bw_shapes *s, const double o[3], const double d[3], double far)
{
    struct asking g = {.s = s, .o = o, .d = d, .form = -1};
    struct bw_probe p = world_probe(s, o, d, far);
    bw_bvh_walk(&s->bvh, &p, bw_box_enter, form_block, &g);
    return g.form >= 0;
}

int bw_shapes_near(const struct bw_shapes *s, const double o[3], const double d[3], double half, double far)
{
    struct asking g = {.s = s, .o = o, .d = d, .half = half, .form = -1};
    struct bw_probe p = world_probe(s, o, d, far);
    p.wide = (float)half;
    bw_bvh_walk(&s->bvh, &p, bw_cone_enter, form_near, &g);
    return g.form >= 0;
}

int bw_shapes_passes(const struct bw_shapes *s, const double o[3], const double d[3], double half)
{
    struct bw_probe p = world_probe(s, o, d, HUGE_VAL);
    p.wide = (float)half;
    for (int32_t i = 0; i < s->n && s->shutter > 0; i++) {
        if (!s->form[i].moves) continue;
        const struct bw_bounds box = form_box(&s->form[i], s->middle, s->shutter);
        if (bw_cone_enter(&box, &p) < INFINITY) return 1;
    }
    return 0;
}
