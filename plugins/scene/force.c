// SPDX-License-Identifier: Apache-2.0
/* force: what else pushes the gas. s is the step's dt, c the coverage of the face by the shape (1 everywhere).
 *   wind        u' = W + (u - W)·exp(-rate·c·s): exact for any step
 *   vortex      u += s·c·strength·g(r/R)·(axis × r)/|axis × r|, r = distance from the axis
 *   attractor   u += s·c·strength·g(r/R)·(towards the point)
 *   turbulence  u += s·c·strength·curl ψ, ψ = three gradient noises that evolve in time
 * With `front` ψ is multiplied by the share of front.c, so the eddies live where that field changes, and are still
 * without divergence: heads of hot gas break up, and the air around and the gas within stay calm.
 * g(q) = q·exp((1-q²)/2) rises from 0 to its greatest value 1 at q = 1 and fades beyond.
 * In a gas that carries momentum (stage flux) it is that gas which is pushed, at the centres of its cells, by the mean
 * of what its two faces get: momentum by mass times the change of velocity, energy by what that changes of its motion.
 * ψ lives on cell edges and the curl is the discrete one, so turbulence has no divergence at all on the grid
 * (Bridson, Hourihan, Nordenstam 2007, with edges for their finite differences); in a domain one cell thick only the
 * component of ψ along the thin axis is there. */
#include "front.h"
#include "stages.h"
#include <billow/noise.h>
#include <common/shape/shape.h>
#include <common/vec3.h>

#include <math.h>
#include <stdbool.h>

enum force_kind { FORCE_WIND, FORCE_VORTEX, FORCE_TURBULENCE, FORCE_ATTRACTOR };

struct wind {
    bw_vec3 velocity;
    double rate;
};
struct vortex {
    bw_vec3 center, axis;
    double radius, strength;
};
struct turbulence {
    double strength, size, speed;
    int64_t octaves, seed;
};
struct attractor {
    bw_vec3 center;
    double radius, strength;
};
struct kind {
    int32_t kind; ///< enum force_kind
    struct wind wind;
    struct vortex vortex;
    struct turbulence turbulence;
    struct attractor attractor;
};
struct force {
    struct kind kind;
    struct shape shape;
    double falloff;
    const char *front;
    double front_change, front_width;
};

static const struct bw_param wind_rows[] = {
    BW_VEC3(struct wind, velocity, "velocity", "[1, 0, 0]", "m/s", "Velocity of the wind."),
    BW_F64(struct wind, rate, "rate", "1 1/s", 0, 1e6, "1/s",
           "How fast the gas takes it on: the difference halves in 0.7/rate."),
};
static const struct bw_param vortex_rows[] = {
    BW_VEC3(struct vortex, center, "center", "[0, 0, 0]", "m", "A point on the axis."),
    BW_VEC3(struct vortex, axis, "axis", "[0, 0, 1]", NULL,
            "Direction of the axis; the gas is turned by the right-hand rule."),
    BW_F64(struct vortex, radius, "radius", "0.5 m", 0, 1e6, "m", "Distance from the axis where it pushes hardest."),
    BW_F64(struct vortex, strength, "strength", "1 m/s^2", -1e6, 1e6, "m/s^2", "Acceleration there."),
};
static const struct bw_param turbulence_rows[] = {
    BW_F64(struct turbulence, strength, "strength", "1 m/s^2", 0, 1e6, "m/s^2",
           "Root mean square of the acceleration."),
    BW_F64(struct turbulence, size, "size", "0.3 m", 0, 1e6, "m", "Size of the largest eddies.",
           BW_PARAM_STATIC | BW_PARAM_MIN_OPEN),
    BW_F64(struct turbulence, speed, "speed", "0.3 m/s", 0, 1e6, "m/s",
           "How fast the pattern changes: an eddy lives for about size/speed.", BW_PARAM_STATIC),
    BW_INT(struct turbulence, octaves, "octaves", "2", 1, BW_NOISE_OCTAVES,
           "Scales of eddies, each half the size of the one before.", BW_PARAM_STATIC),
    BW_INT(struct turbulence, seed, "seed", "0", 0, 1e15, "Another number, another pattern."),
};
static const struct bw_param attractor_rows[] = {
    BW_VEC3(struct attractor, center, "center", "[0, 0, 0]", "m", "Where it pulls to."),
    BW_F64(struct attractor, radius, "radius", "0.5 m", 0, 1e6, "m", "Distance where it pulls hardest."),
    BW_F64(struct attractor, strength, "strength", "1 m/s^2", -1e6, 1e6, "m/s^2",
           "Acceleration there; negative pushes away."),
};
static const struct bw_param kind_rows[] = {
    BW_GROUP(struct kind, wind, struct wind, "wind", wind_rows, "Drives the gas towards a velocity."),
    BW_GROUP(struct kind, vortex, struct vortex, "vortex", vortex_rows, "Turns the gas round an axis."),
    BW_GROUP(struct kind, turbulence, struct turbulence, "turbulence", turbulence_rows,
             "Stirs the gas at several scales."),
    BW_GROUP(struct kind, attractor, struct attractor, "attractor", attractor_rows, "Pulls the gas to a point."),
};

static const struct bw_param params[] = {
    {.key = "kind",
     .type = BW_PARAM_VARIANT,
     .offset = BW_OFFSET(struct force, kind, struct kind),
     .flags = BW_PARAM_REQUIRED,
     .doc = "What pushes.",
     .n_sub = BW_COUNT(kind_rows),
     .sub = kind_rows,
     .sub_size = sizeof(struct kind)},
    SHAPE_ROW(struct force, SHAPE_KINDS + 1, "everywhere", 0, "Where it pushes."),
    BW_F64(struct force, falloff, "falloff", "0 m", 0, 1e6, "m",
           "Width of the soft edge across the surface; 0: one cell."),
    BW_FIELD(struct force, front, "front", "none",
             "A scalar, such as temperature: turbulence acts where it changes, and breaks up its fronts."),
    {.key = "front_change",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct force, front_change, double),
     .def = "0.5",
     .max = 1e6,
     .flags = BW_PARAM_MIN_OPEN,
     .doc = "Change of that field over `front_width` where half of the eddies' strength is reached; less reaches "
            "fainter edges."},
    BW_F64(struct force, front_width, "front_width", "10 cm", 0, 1e6, "m",
           "How thick a front is taken for; at least two cells and at most 32.", BW_PARAM_MIN_OPEN),
};

enum { PORT_VEL, PORT_FRONT, PORT_MASS, PORT_MOMENTUM, PORT_ENERGY };
static const struct bw_port ports[] = {
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "The flow."},
    [PORT_FRONT] = {.name = "front_field",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .flags = BW_PORT_LIST,
                    .kinds = BW_KIND_BIT(BW_SCALAR),
                    .from = "front",
                    .doc = "What has the fronts."},
    [PORT_MASS] = {.name = "mass",
                   .kind = BW_SCALAR,
                   .access = BW_READ,
                   .unit = "kg/m^3",
                   .flags = BW_PORT_OPTIONAL,
                   .doc = "Of a gas that carries momentum."},
    [PORT_MOMENTUM] = {.name = "momentum",
                       .kind = BW_VECTOR,
                       .access = BW_UPDATE,
                       .unit = "kg/(m^2 s)",
                       .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
                       .doc = "Pushed in place of vel where there is one."},
    [PORT_ENERGY] = {.name = "energy",
                     .kind = BW_SCALAR,
                     .access = BW_UPDATE,
                     .unit = "J/m^3",
                     .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
                     .doc = "Its energy, that of its motion included."},
};

struct plan {
    const struct kind *kind;
    struct pose region;
    struct box3 bounds;
    double width, dt, time;
    double keep;    ///< wind: share of the difference left after the step
    double axis[3]; ///< vortex, unit length
    uint64_t seed;
    double octave[BW_NOISE_OCTAVES]; ///< turbulence: factor of ψ's octaves, m²/s²
    int octaves;
    double front_change, front_width; ///< with a field of fronts
    int fronts;                       ///< its view; 0: none
    int mass, energy;                 ///< views of a gas whose momentum is view 0; 0: none
};

static double profile(double q) { return q * exp(0.5 * (1 - q * q)); }

static double vortex_push(const struct plan *a, const double x[3], int axis)
{
    const struct vortex *v = &a->kind->vortex;
    double d[3], turn[3];
    vec3_sub(x, v->center, d);
    vec3_cross(a->axis, d, turn);
    const double r = vec3_length(turn);
    return r > 0 ? v->strength * profile(r / v->radius) * turn[axis] / r : 0;
}

static double attractor_push(const struct plan *a, const double x[3], int axis)
{
    const struct attractor *v = &a->kind->attractor;
    double d[3];
    vec3_sub(v->center, x, d);
    const double r = vec3_length(d);
    return r > 0 ? v->strength * profile(r / v->radius) * d[axis] / r : 0;
}

/* ψ on the edges of one block: component c at edge (i,j,k) is [c][i + stride·…], n+1 edges along each axis. */
struct edges {
    float *psi[3];
    ptrdiff_t sy, sz;
};

/* Add one octave of one component of ψ to its edges; `plane`: room for bw_noise_plane. */
static void edges_add(const struct bw_block *b, struct edges *e, int comp, const struct bw_noise_lattice *l,
                      double factor, double *plane)
{
    const double at[3] = {comp == 0 ? 0.5 : 0, comp == 1 ? 0.5 : 0, comp == 2 ? 0.5 : 0};
    struct bw_noise_row x;
    struct bw_noise_step y[BW_NOISE_COLUMNS];
    for (int i = 0; i <= b->n[0]; i++) bw_noise_row_add(&x, l, i, block_coord(b, 0, i + at[0]));
    for (int j = 0; j <= b->n[1]; j++) y[j] = bw_noise_locate(l, 1, block_coord(b, 1, j + at[1]));
    for (int k = 0; k <= b->n[2]; k++) {
        const struct bw_noise_step z = bw_noise_locate(l, 2, block_coord(b, 2, k + at[2]));
        bw_noise_plane(l, &z, factor, plane);
        for (int j = 0; j <= b->n[1]; j++) bw_noise_add_row(l, &x, &y[j], plane, e->psi[comp] + j * e->sy + k * e->sz);
    }
}

/* ψ times the mean of the shares of the four cells round each edge. 0: out of memory. */
static int edges_front(const struct plan *a, const struct bw_block *b, struct edges *e)
{
    const ptrdiff_t sy = b->n[0] + 2, sz = sy * (b->n[1] + 2), step[3] = {1, sy, sz};
    float *share = b->stage->host->body_scratch(b, (size_t)(sz * (b->n[2] + 2)) * sizeof *share);
    if (!share) return 0;
    front_shares(b, &b->view[a->fronts], a->front_width, a->front_change, share);
    for (int c = 0; c < 3; c++) {
        const ptrdiff_t u = step[(c + 1) % 3], v = step[(c + 2) % 3];
        const int n[3] = {b->n[0] + (c != 0), b->n[1] + (c != 1), b->n[2] + (c != 2)}; // edges: those along c no more
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++) {
                const float *w = share + 1 + (j + 1) * sy + (k + 1) * sz;
                float *psi = e->psi[c] + j * e->sy + k * e->sz;
                for (int i = 0; i < n[0]; i++, w++) psi[i] *= 0.25f * ((w[0] + w[-u]) + (w[-v] + w[-u - v]));
            }
    }
    return 1;
}

/* 0: out of memory. */
static int edges_make(const struct plan *a, const struct bw_block *b, struct edges *e)
{
    const struct bw_host *host = b->stage->host;
    size_t count = (size_t)(b->n[0] + 1) * (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1);
    float *memory = host->body_scratch(b, 3 * count * sizeof(float));
    if (!memory) return 0;
    for (size_t i = 0; i < 3 * count; i++) memory[i] = 0;
    e->sy = b->n[0] + 1;
    e->sz = e->sy * (b->n[1] + 1);
    double lo[3], hi[3], size = a->kind->turbulence.size;
    for (int i = 0; i < 3; i++) {
        e->psi[i] = memory + (size_t)i * count;
        lo[i] = block_coord(b, i, 0);
        hi[i] = block_coord(b, i, b->n[i] + 1);
    }
    for (int o = 0; o < a->octaves; o++, size /= 2)
        for (int c = 0; c < 3; c++) {
            if (b->grid->thin >= 0 && c != b->grid->thin) continue;
            struct bw_noise_lattice l;
            uint64_t seed = bw_rng(a->seed, (uint64_t)(3 * o + c));
            l.g = host->body_scratch(b, bw_noise_place(&l, seed, size, lo, hi));
            double *plane = host->body_scratch(b, 3 * sizeof *plane * (size_t)l.n[0] * (size_t)l.n[1]);
            if (!l.g || !plane) return 0;
            bw_noise_fill(&l, seed, a->time * a->kind->turbulence.speed / size);
            edges_add(b, e, c, &l, a->octave[o], plane);
        }
    return a->fronts ? edges_front(a, b, e) : 1;
}

enum { ROW_FACES = 65 };

/* The faces of one row, from face `from` of row (j,k), along x. */
struct row {
    const struct plan *plan;
    const struct bw_block *block;
    const struct edges *edges;
    int axis, from, j, k, n;
    double cover[ROW_FACES];
};

static void row_place(const struct row *r, int i, double x[3])
{
    const int at[3] = {r->from + i, r->j, r->k};
    for (int a = 0; a < 3; a++) x[a] = block_coord(r->block, a, at[a] + (a == r->axis ? 0 : 0.5));
}

static void row_wind(const struct row *r, float *restrict u)
{
    const double target = r->plan->kind->wind.velocity[r->axis], keep = r->plan->keep;
    const bool everywhere = r->plan->region.kind == SHAPE_EVERYWHERE;
    for (int i = 0; everywhere && i < r->n; i++) u[i] = (float)(target + (u[i] - target) * keep);
    for (int i = 0; !everywhere && i < r->n; i++) {
        double left = r->cover[i] >= 1 ? keep : r->cover[i] > 0 ? pow(keep, r->cover[i]) : 1;
        u[i] = (float)(target + (u[i] - target) * left);
    }
}

/* The curl's component `axis`: (ψ_w(v+1) - ψ_w(v) - ψ_v(w+1) + ψ_v(w))/h with v, w the axes that follow. */
static void row_turbulence(const struct row *r, float *restrict u)
{
    const struct edges *e = r->edges;
    const ptrdiff_t stride[3] = {1, e->sy, e->sz}, first = r->from + r->j * e->sy + r->k * e->sz;
    int v = (r->axis + 1) % 3, w = (r->axis + 2) % 3;
    const float *pv = e->psi[v] + first, *pw = e->psi[w] + first, *pv1 = pv + stride[w], *pw1 = pw + stride[v];
    const double scale = r->plan->dt / r->block->grid->h, *cover = r->cover;
    for (int i = 0; i < r->n; i++)
        u[i] = (float)(u[i] + scale * cover[i] * (((double)pw1[i] - pw[i]) - ((double)pv1[i] - pv[i])));
}

static void row_centred(const struct row *r, float *u)
{
    bool vortex = r->plan->kind->kind == FORCE_VORTEX;
    for (int i = 0; i < r->n; i++) {
        double x[3];
        if (r->cover[i] <= 0) continue;
        row_place(r, i, x);
        double push = vortex ? vortex_push(r->plan, x, r->axis) : attractor_push(r->plan, x, r->axis);
        u[i] = (float)(u[i] + r->plan->dt * r->cover[i] * push);
    }
}

/* 0: the shape leaves the row alone. */
static int row_cover(struct row *r)
{
    int any = 0;
    for (int i = 0; i < r->n; i++) {
        double x[3];
        row_place(r, i, x);
        r->cover[i] = pose_cover(&r->plan->region, x, r->plan->width);
        any |= r->cover[i] > 0;
    }
    return any;
}

/* Faces of one component: (i,j,k) is u[i + j*sy + k*sz]. */
struct faces {
    float *u;
    ptrdiff_t sy, sz;
    bool all; ///< the high faces too, whosoever they are
};

static void axis_push(const struct plan *a, const struct bw_block *b, const struct edges *e, const struct cells *c,
                      int axis, const struct faces *f)
{
    int end[3] = {c->hi[0], c->hi[1], c->hi[2]}; // of the faces
    if (f->all || end[axis] < b->n[axis] || b->high[axis]) end[axis]++;
    struct row r = {.plan = a, .block = b, .edges = e, .axis = axis, .from = c->lo[0], .n = end[0] - c->lo[0]};
    for (int i = 0; i < r.n; i++) r.cover[i] = 1;
    for (r.k = c->lo[2]; r.k < end[2]; r.k++)
        for (r.j = c->lo[1]; r.j < end[1]; r.j++) {
            float *u = f->u + r.from + r.j * f->sy + r.k * f->sz;
            if (a->region.kind != SHAPE_EVERYWHERE && !row_cover(&r)) continue;
            if (a->kind->kind == FORCE_WIND) row_wind(&r, u);
            else if (a->kind->kind == FORCE_TURBULENCE) row_turbulence(&r, u);
            else row_centred(&r, u);
        }
}

static void faces_push(const struct plan *a, const struct bw_block *b, const struct edges *e, const struct cells *c)
{
    const struct bw_view *v = &b->view[0];
    for (int axis = 0; axis < 3; axis++)
        if (axis != b->grid->thin) axis_push(a, b, e, c, axis, &(struct faces){bw_f32(v, axis), v->sy, v->sz, false});
}

static double view_at(const struct bw_block *b, int view, ptrdiff_t i, int j, int k)
{
    const struct bw_view *v = &b->view[view];
    return (double)bw_f32(v, 0)[i + j * v->sy + k * v->sz];
}

/* Of a cell that has `was` of it. */
static double wind_momentum(const struct plan *a, const struct bw_block *b, const int at[3], int axis, double mass,
                            double was)
{
    const double goal = mass * a->kind->wind.velocity[axis];
    double x[3];
    for (int n = 0; n < 3; n++) x[n] = block_coord(b, n, at[n] + 0.5);
    const double cover = pose_cover(&a->region, x, a->width);
    return goal + (was - goal) * pow(a->keep, cover);
}

/* Component `axis` of the momentum of a block's cells, by half of what each of the two faces of a cell was given. */
static void momentum_add(const struct plan *a, const struct bw_block *b, const struct cells *c, int axis,
                         const struct faces *f)
{
    const struct bw_view *v = &b->view[0], *w = &b->view[a->energy];
    const ptrdiff_t next = axis == 0 ? 1 : axis == 1 ? f->sy : f->sz;
    for (int k = c->lo[2]; k < c->hi[2]; k++)
        for (int j = c->lo[1]; j < c->hi[1]; j++)
            for (int i = c->lo[0]; i < c->hi[0]; i++) {
                const float *u = f->u + i + j * f->sy + k * f->sz;
                float *m = bw_f32(v, axis) + i + j * v->sy + k * v->sz;
                const double mass = view_at(b, a->mass, i, j, k), was = (double)*m;
                if (!(mass > 0)) continue;
                const double now = a->kind->kind == FORCE_WIND
                                       ? wind_momentum(a, b, (const int[3]){i, j, k}, axis, mass, was)
                                       : was + mass * 0.5 * ((double)u[0] + (double)u[next]);
                *m = (float)now;
                if (!a->energy) continue;
                float *energy = bw_f32(w, 0) + i + j * w->sy + k * w->sz;
                *energy = (float)((double)*energy + 0.5 * (now * now - was * was) / mass);
            }
}

/* The same for a gas that carries momentum. 0: out of memory. */
static int momentum_push(const struct plan *a, const struct bw_block *b, const struct edges *e, const struct cells *c)
{
    const ptrdiff_t sy = b->n[0] + 1, sz = sy * (b->n[1] + 1), all = sz * (b->n[2] + 1);
    const struct faces f = {b->stage->host->body_scratch(b, (size_t)all * sizeof(float)), sy, sz, true};
    if (!f.u) return 0;
    for (int axis = 0; axis < 3; axis++) {
        if (axis == b->grid->thin) continue;
        for (ptrdiff_t i = 0; i < all; i++) f.u[i] = 0;
        if (a->kind->kind != FORCE_WIND) axis_push(a, b, e, c, axis, &f);
        momentum_add(a, b, c, axis, &f);
    }
    return 1;
}

/* Blocks away from the shape are left alone. */
static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    struct cells c;
    (void)row, (void)reach; // what is updated alone has blocks that do without it
    return box_cells(&((const struct plan *)user)->bounds, b, &c);
}

static void body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    struct cells cells;
    struct edges edges = {0};
    if (!box_cells(&a->bounds, b, &cells)) return;
    if (a->kind->kind == FORCE_TURBULENCE && !edges_make(a, b, &edges)) b->sum[0] += 1;
    else if (!a->mass) faces_push(a, b, &edges, &cells);
    else if (!momentum_push(a, b, &edges, &cells)) b->sum[0] += 1;
}

/* Factors of the octaves: accelerations fall by 2^(-1/3) an octave, as in Kolmogorov's cascade, and sum up to
 * `strength`. The curl of three noises of size 1 has the root mean square 1.15; one alone, in 2D, 0.66. */
static void turbulence_plan(const struct bw_stage *s, const struct turbulence *t, struct plan *a)
{
    double square = 0, size = t->size, gain = 1, rms = s->grid->thin < 0 ? 1.15 : 0.66;
    for (int o = 0; o < t->octaves && size >= 2 * s->grid->h; o++, size /= 2, gain *= 0.7937005259840998) {
        square += gain * gain;
        a->octave[o] = gain * size;
        a->octaves = o + 1;
    }
    for (int o = 0; o < a->octaves; o++) a->octave[o] *= t->strength / (rms * sqrt(square));
}

/* A radius or an axis that keyframes took to nothing. */
static enum bw_status kind_check(struct bw_stage *s, const struct kind *k)
{
    double radius = k->kind == FORCE_VORTEX ? k->vortex.radius : k->kind == FORCE_ATTRACTOR ? k->attractor.radius : 1;
    const double *axis = k->vortex.axis;
    if (!(radius > 0)) return s->host->fail(s, BW_ERR_PRESET, "radius is %g m; it must be greater than 0", radius);
    if (k->kind == FORCE_VORTEX && !(vec3_dot(axis, axis) > 0))
        return s->host->fail(s, BW_ERR_PRESET, "axis is [0, 0, 0]; it must point somewhere");
    return BW_OK;
}

/* The shape as the parameters stand, known as far out as its edge is soft. */
static enum bw_status region_ready(struct bw_stage *s, struct pose *pose)
{
    const struct force *p = s->params;
    if (p->shape.kind == SHAPE_POINTS) return s->host->fail(s, BW_ERR_PRESET, "points are for sources only");
    enum bw_status status = shape_prepare(s, &p->shape, 0.5 * fmax(p->falloff, s->grid->h) + s->grid->h);
    return status ? status : shape_pose(s, &p->shape, pose);
}

static enum bw_status init(struct bw_stage *s)
{
    const struct force *p = s->params;
    struct pose pose;
    if (p->kind.kind == FORCE_TURBULENCE && p->kind.turbulence.size < 2 * s->grid->h)
        s->host->log(s, BW_LOG_WARNING, "turbulence.size %g m is finer than two cells (%g m): nothing is stirred",
                     p->kind.turbulence.size, 2 * s->grid->h);
    enum bw_status status = kind_check(s, &p->kind);
    if (!status && s->ports[PORT_FRONT].count && p->kind.kind != FORCE_TURBULENCE)
        status = s->host->fail(s, BW_ERR_PRESET, "front is for turbulence: the other kinds act wherever the shape is");
    return status ? status : region_ready(s, &pose);
}

/* What the sweep reads and writes; how many rows. */
static uint32_t views_place(const struct bw_stage *s, struct plan *a, struct bw_access access[4])
{
    struct bw_field *momentum = bw_port_field(s, PORT_MOMENTUM), *mass = bw_port_field(s, PORT_MASS),
                    *energy = bw_port_field(s, PORT_ENERGY);
    const int gas = momentum && mass;
    uint32_t n = 0;
    access[n++] = gas ? (struct bw_access){momentum, BW_UPDATE, 0}
                      : (struct bw_access){bw_port_field(s, PORT_VEL), BW_UPDATE_OWN, 0};
    if (s->ports[PORT_FRONT].count) access[a->fronts = (int)n++] = (struct bw_access){NULL, BW_READ_LAST, FRONT_HALO};
    if (gas) access[a->mass = (int)n++] = (struct bw_access){mass, BW_READ, 0};
    if (gas && energy) access[a->energy = (int)n++] = (struct bw_access){energy, BW_UPDATE, 0};
    return n;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct force *p = s->params;
    const struct vortex *v = &p->kind.vortex;
    struct plan a = {.kind = &p->kind,
                     .dt = s->dt,
                     .time = s->time + 0.5 * s->dt, // the middle: second order where the pattern changes
                     .width = fmax(p->falloff, s->grid->h),
                     .front_change = p->front_change,
                     .front_width = fmin(fmax(p->front_width, 2 * s->grid->h), 32 * s->grid->h),
                     .keep = exp(-p->kind.wind.rate * s->dt),
                     .seed = bw_rng((uint64_t)p->kind.turbulence.seed, s->seed)};
    enum bw_status status = kind_check(s, &p->kind);
    if (!status) status = region_ready(s, &a.region);
    if (status) return status;
    a.bounds = pose_bounds(&a.region, 0.5 * a.width + s->grid->h);
    double length = vec3_length(v->axis);
    for (int i = 0; i < 3; i++) a.axis[i] = length > 0 ? v->axis[i] / length : 0;
    if (p->kind.kind == FORCE_TURBULENCE) turbulence_plan(s, &p->kind.turbulence, &a);
    double failed = 0;
    struct bw_access access[4];
    const uint32_t n = views_place(s, &a, access);
    if (a.fronts) status = front_smooth(s, bw_port_field(s, PORT_FRONT), a.front_width, &access[a.fronts].field);
    if (status) return status;
    status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                  .n_access = n,
                                                  .body = body,
                                                  .reach = block_reach,
                                                  .user = &a,
                                                  .sums = &failed,
                                                  .n_sums = 1});
    return status ? status : failed > 0 ? BW_ERR_MEMORY : BW_OK;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return shape_checkpoint(s, a, &((const struct force *)s->params)->shape);
}

const struct bw_stage_desc scene_force_desc = {
    .id = "force",
    .version = "1.0",
    .brief = "Wind, vortices, turbulence and attractors push the gas.",
    .references = "Bridson, Hourihan, Nordenstam 2007 (curl noise)",
    .params_size = sizeof(struct force),
    .state_size = sizeof(struct shape_state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .flags = BW_STAGE_RANKS,
    .step = step,
    .checkpoint = checkpoint,
};
