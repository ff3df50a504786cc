// SPDX-License-Identifier: Apache-2.0
/* fire.control: control forces that steer flames into a shape, along a path, to points.
 *
 * Hot gas is driven by its buoyancy b = lift T (mac.forces). Every force here is scaled by the local |b|: a force that
 * holds a white-hot core acts less on its cool fringe, and not at all on cold air, and no magnitude has to be tuned for
 * a scene, a voxel size or a frame rate (the idea of interactive fire control by shapes and points). For a target with
 * strength s, felt by q = 1 - smoothstep(d/radius) at the distance d from it:
 *     hold    u -= dt min(sum s q calm, 1) b      buoyancy is taken away: flames stay where they are
 *     gather  u' = k (w - u), d > 0:  k = s q sqrt(|b|/radius),  w = -sqrt(2 |b| d) grad d
 *             with |b| to brake it, gas that comes in by the speed w arrives at rest; solved exactly, stable at any dt
 *     path    u += dt s q |b| t                   within its thickness buoyancy pulls along the path instead of up
 * A target that moves takes its flames along: its velocity is added to w, which then counts inside as well. Several
 * targets add up. Metric `overlap`: fraction of the flames that is in a target: of `flame`, or, where nothing burns, of
 * the gas that glows. */
#include "stages.h"
#include "target_distance.h"
#include <common/stage_find.h>
#include <common/vec3.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLOW 500.0 ///< K above ambient: what is hotter glows (Draper 1847: 798 K)
#define COOL 1.0   ///< K above ambient: less does not rise

struct control {
    struct shape shape;
    struct bw_list path, points;
    double thickness, strength, radius, calm;
};

static const struct bw_param node_row[] = {
    {.type = BW_PARAM_VEC3, .unit = "m", .doc = "A place that the path goes through."},
};
static const struct bw_param point_rows[] = {
    BW_VEC3(struct control_point, at, "at", "[0, 0, 0]", "m",
            "Where the flames are drawn to; keyframes drag them along."),
    BW_F64(struct control_point, radius, "radius", "0.2 m", 1e-6, 1e6, "m", "How far it is felt."),
    BW_F64(struct control_point, strength, "strength", "1", 0, 1e3, NULL, "Times the stage's own."),
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct control, SHAPE_SOLIDS, NULL, 0, "Flames gather in this shape and fill it."),
    BW_LIST(struct control, path, struct control_node, "path", node_row,
            "Flames follow a smooth curve through these places, and are let go at its end."),
    BW_F64(struct control, thickness, "thickness", "0.05 m", 0, 1e6, "m", "Radius of the path."),
    BW_LIST(struct control, points, struct control_point, "points", point_rows, "Flames are drawn to these points."),
    BW_F64(struct control, strength, "strength", "1", 0, 1e3, NULL,
           "1 is as strong as the buoyancy it fights; more gathers faster and tighter; 0 lets go."),
    BW_F64(struct control, radius, "radius", "0.2 m", 1e-6, 1e6, "m",
           "How far outside shape or path flames are caught."),
    BW_F64(struct control, calm, "calm", "1", 0, 1, NULL,
           "Share of the buoyancy that is taken away in a target: less lets flames lick upwards out of it."),
};

enum { PORT_FORCE, PORT_VEL, PORT_TEMPERATURE, PORT_FLAME };
static const struct bw_port ports[] = {
    [PORT_FORCE] = BW_FORCE_PORT,
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow."},
    [PORT_TEMPERATURE] =
        {.name = "temperature", .kind = BW_SCALAR, .access = BW_READ, .unit = "K", .doc = "Excess over ambient."},
    [PORT_FLAME] = {.name = "flame",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .unit = "1",
                    .doc = "Flames, for the metric.",
                    .flags = BW_PORT_OPTIONAL},
};

struct state {
    struct shape_state shape; ///< first: shapes look for it there
    struct distance_grid grid;
};

/* ---- the pull on one face ---- */

enum { VIEW_FORCE, VIEW_VEL, VIEW_TEMPERATURE, VIEW_FLAME };

struct plan {
    const struct control *p;
    struct target target;
    struct box3 bounds; ///< beyond it nothing is pulled
    double lift[3];     ///< m/s² a kelvin
    double size;        ///< of lift
    double span;        ///< s, of the step: bw_stage.span
    int burns;          ///< there is a field flame
};

/// What the targets ask of one component at one place.
struct pull {
    double hold;  ///< fraction of the buoyancy to remove
    double along; ///< fraction of its size to add along the path
    double rate;  ///< 1/s, towards …
    double goal;  ///< … this, m/s, times the rate
};

static double fade(double q) { return q <= 0 ? 1 : q >= 1 ? 0 : 1 - q * q * (3 - 2 * q); }

static void pull_gather(struct pull *f, double rate, double speed)
{
    f->rate += rate;
    f->goal += rate * speed;
}

static void shape_pull(const struct plan *a, const double x[3], double b, int axis, struct pull *f)
{
    const struct target *t = &a->target;
    const double d = target_distance(t, x), s = a->p->strength * fade(d / t->radius);
    double own[3] = {0}, low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
    if (!(s > 0)) return;
    f->hold += s * a->p->calm;
    if (t->moving) pose_velocity(&t->before, &t->now, t->moment, x, own);
    const double edge = t->moving ? 1 : fmin(fmax(d / t->step + 0.5, 0), 1);
    if (!(edge > 0)) return;
    low[axis] -= 0.5 * t->step;
    high[axis] += 0.5 * t->step;
    const double slope = (target_distance(t, high) - target_distance(t, low)) / t->step;
    pull_gather(f, s * edge * sqrt(b / t->radius), own[axis] - sqrt(2 * b * fmax(d, 0)) * slope);
}

static void path_pull(const struct plan *a, const double x[3], double b, int axis, struct pull *f)
{
    const struct target *t = &a->target;
    double along[3], offset[3];
    const double d = path_distance(&t->path, x, along, offset), s = a->p->strength * fade(d / t->radius);
    if (!(s > 0)) return;
    f->hold += s;
    f->along += s * along[axis];
    if (!(d > 0)) return;
    const double inward = sqrt(2 * b * d) / (d + t->path.thickness), onward = sqrt(2 * b * t->radius);
    pull_gather(f, s * sqrt(b / t->radius), along[axis] * onward - offset[axis] * inward);
}

static void point_pull(const struct plan *a, int64_t i, const double x[3], double b, int axis, struct pull *f)
{
    const struct target *t = &a->target;
    const struct control_point *p = &t->point[i];
    double d[3];
    vec3_sub(x, p->at, d);
    const double r = vec3_length(d);
    const double s = a->p->strength * p->strength * fade(r / p->radius);
    if (!(s > 0)) return;
    f->hold += s * a->p->calm;
    const double own = (p->at[axis] - t->point_before[i].at[axis]) / t->moment;
    pull_gather(f, s * sqrt(b / p->radius), own - (r > 0 ? sqrt(2 * b / r) * d[axis] : 0));
}

/// Acceleration of a face at x, of velocity u and acceleration `force` so far, in gas that is `kelvin` hotter than the
/// air.
static double face_pull(const struct plan *a, const double x[3], double kelvin, int axis, double u, double force)
{
    struct pull f = {0, 0, 0, 0};
    const double b = a->size * kelvin;
    if (a->target.shaped) shape_pull(a, x, b, axis, &f);
    if (a->target.path.n > 0) path_pull(a, x, b, axis, &f);
    for (int64_t i = 0; i < a->target.n_points; i++) point_pull(a, i, x, b, axis, &f);
    force += f.along * b - fmin(f.hold, 1) * a->lift[axis] * kelvin;
    if (!(f.rate > 0)) return force;
    return force + bw_force_towards(f.goal / f.rate, -expm1(-f.rate * a->span), u, force, a->span);
}

/* ---- blocks ---- */

static void faces_pull(const struct plan *a, const struct bw_block *b, const struct cells *c, int axis)
{
    const struct bw_view *v = &b->view[VIEW_FORCE], *w = &b->view[VIEW_VEL], *t = &b->view[VIEW_TEMPERATURE];
    int hi[3] = {c->hi[0], c->hi[1], c->hi[2]};
    if (hi[axis] < b->n[axis] || b->high[axis]) hi[axis]++;
    const ptrdiff_t back = axis == 0 ? 1 : axis == 1 ? t->sy : t->sz;
    for (int k = c->lo[2]; k < hi[2]; k++)
        for (int j = c->lo[1]; j < hi[1]; j++)
            for (int i = c->lo[0]; i < hi[0]; i++) {
                const float *q = bw_f32(t, 0) + i + j * t->sy + k * t->sz;
                const double kelvin = 0.5 * ((double)q[0] + (double)q[-back]);
                if (!(kelvin > COOL)) continue;
                const double x[3] = {block_coord(b, 0, i + (axis == 0 ? 0 : 0.5)),
                                     block_coord(b, 1, j + (axis == 1 ? 0 : 0.5)),
                                     block_coord(b, 2, k + (axis == 2 ? 0 : 0.5))};
                float *f = bw_f32(v, axis) + i + j * v->sy + k * v->sz;
                const float u = bw_f32(w, axis)[i + j * w->sy + k * w->sz];
                *f = (float)face_pull(a, x, kelvin, axis, (double)u, (double)*f);
            }
}

static void glow_count(const struct plan *a, const struct bw_block *b)
{
    const struct bw_view *t = &b->view[a->burns ? VIEW_FLAME : VIEW_TEMPERATURE];
    const double least = a->burns ? 0 : GLOW;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const double value = (double)bw_f32(t, 0)[i + j * t->sy + k * t->sz], much = a->burns ? value : 1;
                if (!(value > least)) continue;
                const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5),
                                     block_coord(b, 2, k + 0.5)};
                if (target_holds(&a->target, x)) b->sum[0] += much;
                b->sum[1] += much;
            }
}

static void body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    struct cells c;
    glow_count(a, b);
    if (!box_cells(&a->bounds, b, &c)) return;
    for (int axis = 0; axis < 3; axis++)
        if (axis != b->grid->thin) faces_pull(a, b, &c, axis);
}

/* ---- targets ---- */

static void box_join(struct box3 *box, const double lo[3], const double hi[3])
{
    for (int c = 0; c < 3; c++) {
        box->lo[c] = fmin(box->lo[c], lo[c]);
        box->hi[c] = fmax(box->hi[c], hi[c]);
    }
}

/// Something of the box lies in the domain; a shape that is nowhere at present does too.
static int box_inside(const struct bw_stage *s, const struct box3 *box)
{
    for (int c = 0; c < 3 && s->grid->n[0] > 0 && box->lo[0] <= box->hi[0]; c++)
        if (box->hi[c] <= s->grid->origin[c] || box->lo[c] >= s->grid->origin[c] + s->grid->n[c] * s->grid->h) return 0;
    return 1;
}

static enum bw_status outside_tell(struct bw_stage *s, const char *what, int64_t number, const struct box3 *box)
{
    char index[24] = "";
    if (number >= 0) snprintf(index, sizeof index, " %lld", (long long)number + 1);
    return s->host->fail(s, BW_ERR_PRESET, "the target lies outside the domain: %s%s, round (%g, %g, %g) m", what,
                         index, 0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]),
                         0.5 * (box->lo[2] + box->hi[2]));
}

static enum bw_status shape_place(struct bw_stage *s, struct plan *a)
{
    const struct control *p = s->params, *past;
    struct state *st = s->state;
    struct target *t = &a->target;
    if (!t->shaped) return BW_OK;
    enum bw_status status = shape_prepare_inside(s, &p->shape, p->radius + s->grid->h);
    if (!status) status = shape_pose(s, &p->shape, &t->now);
    if (status) return status;
    past = s->host->params_at(s, s->time + s->dt - t->moment);
    status = past ? shape_pose(s, &past->shape, &t->before) : BW_ERR_MEMORY;
    t->moving = s->dt > 0 && pose_moved(&t->before, &t->now);
    if (status || p->shape.kind != SHAPE_VDB) return status;
    t->grid = &st->grid;
    return distance_grid_make(s, &t->now, st->shape.vdb.number, p->radius + s->grid->h, &st->grid);
}

static enum bw_status path_place(struct bw_stage *s, struct plan *a)
{
    const struct control *p = s->params;
    if (!p->path.count) return BW_OK;
    if (p->path.count < 2 || p->path.count > PATH_NODES)
        return s->host->fail(s, BW_ERR_PRESET, "the path has %lld places; 2 to %d are wanted", (long long)p->path.count,
                             PATH_NODES);
    a->target.path.thickness = p->thickness;
    return path_make(s, p->path.items, p->path.count, &a->target.path);
}

static enum bw_status points_take(struct bw_stage *s, struct plan *a)
{
    const struct control *p = s->params, *past = s->host->params_at(s, s->time + s->dt - a->target.moment);
    if (!past) return BW_ERR_MEMORY;
    a->target.point = p->points.items;
    a->target.point_before = past->points.items;
    a->target.n_points = p->points.count;
    return BW_OK;
}

/// Where the targets are felt. Before the run (`strict`) each has to be in the domain: later it may leave.
static enum bw_status bounds_find(struct bw_stage *s, struct plan *a, int strict)
{
    const struct target *t = &a->target;
    const double wide = t->radius;
    struct box3 box, path = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    a->bounds = path;
    if (t->shaped) {
        box = pose_bounds(&t->now, 0);
        if (strict && !box_inside(s, &box)) return outside_tell(s, "shape", -1, &box);
        box = pose_bounds(&t->now, wide);
        box_join(&a->bounds, box.lo, box.hi);
    }
    for (int q = 0; q <= t->path.n && t->path.n > 0; q++) box_join(&path, t->path.node[q], t->path.node[q]);
    if (strict && t->path.n > 0 && !box_inside(s, &path)) return outside_tell(s, "path", -1, &path);
    for (int c = 0; c < 3; c++) path.lo[c] -= wide + t->path.thickness, path.hi[c] += wide + t->path.thickness;
    if (t->path.n > 0) box_join(&a->bounds, path.lo, path.hi);
    for (int64_t i = 0; i < t->n_points; i++) {
        const struct control_point *p = &t->point[i];
        memcpy(box.lo, p->at, sizeof box.lo);
        memcpy(box.hi, p->at, sizeof box.hi);
        if (strict && !box_inside(s, &box)) return outside_tell(s, "point", i, &box);
        for (int c = 0; c < 3; c++) box.lo[c] -= p->radius, box.hi[c] += p->radius;
        box_join(&a->bounds, box.lo, box.hi);
    }
    return BW_OK;
}

static enum bw_status targets_place(struct bw_stage *s, struct plan *a, int strict)
{
    const struct control *p = s->params;
    a->p = p;
    a->span = s->span;
    a->target.shaped = p->shape.kind >= 0;
    a->target.domain = s->grid;
    a->target.radius = p->radius;
    a->target.step = s->grid->h;
    a->target.moment = s->dt > 0 ? fmin(1e-3 / s->fps, s->dt) : 1e-3 / s->fps;
    enum bw_status status = shape_place(s, a);
    if (!status) status = path_place(s, a);
    if (!status) status = points_take(s, a);
    return status ? status : bounds_find(s, a, strict);
}

/* ---- callbacks ---- */

static enum bw_status init(struct bw_stage *s)
{
    const struct control *p = s->params;
    const void *api;
    struct plan a = {0};
    if (p->shape.kind < 0 && !p->path.count && !p->points.count)
        return s->host->fail(s, BW_ERR_PRESET, "there is nothing to steer to: give a shape, a path or points");
    if (!stage_in_domain(s, BW_LIFT, &api))
        return s->host->fail(s, BW_ERR_PRESET,
                             "no stage lifts hot gas, and buoyancy is what control measures its "
                             "forces by: add mac.forces");
    return targets_place(s, &a, 1);
}

static enum bw_status step(struct bw_stage *s)
{
    const void *api;
    struct bw_stage *lifts = stage_in_domain(s, BW_LIFT, &api);
    struct plan a = {0};
    double glow[2] = {0, 0};
    enum bw_status status = targets_place(s, &a, 0);
    if (status) return status;
    ((const struct bw_lift_api *)api)->lift(lifts, a.lift);
    a.size = vec3_length(a.lift);
    if (!(a.size > 0)) s->host->log(s, BW_LOG_WARNING, "hot gas has no buoyancy in %s: nothing is steered", lifts->id);
    const struct bw_access access[] = {[VIEW_FORCE] = {bw_port_field(s, PORT_FORCE), BW_UPDATE_OWN, 0},
                                       [VIEW_VEL] = {bw_port_field(s, PORT_VEL), BW_READ, 1},
                                       [VIEW_TEMPERATURE] = {bw_port_field(s, PORT_TEMPERATURE), BW_READ, 1},
                                       [VIEW_FLAME] = {bw_port_field(s, PORT_FLAME), BW_READ, 0}};
    a.burns = access[VIEW_FLAME].field != NULL;
    status = s->host->sweep(
        s, &(struct bw_sweep){
               .access = access, .n_access = a.burns ? 4 : 3, .body = body, .user = &a, .sums = glow, .n_sums = 2});
    if (!status) s->host->metric(s, "overlap", glow[1] > 0 ? glow[0] / glow[1] : 0, BW_METRIC_LAST);
    return status;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    const struct shape *shape = &((const struct control *)s->params)->shape;
    enum bw_status status = shape_checkpoint(s, a, shape);
    return status || shape->kind != SHAPE_VDB ? status
                                              : distance_grid_checkpoint(s, a, &((struct state *)s->state)->grid);
}

const struct bw_stage_desc fire_control_desc = {
    .id = "fire.control",
    .version = "1.0",
    .brief = "Steers flames into a shape, along a path, to points.",
    .references = "Fattal, Lischinski 2004, SIGGRAPH (gathering towards a target); Zhao 2005 (fast sweeping).",
    .params_size = sizeof(struct control),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .checkpoint = checkpoint,
    .flags = BW_STAGE_RANKS,
};
