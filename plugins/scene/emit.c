// SPDX-License-Identifier: Apache-2.0
/* emit: smoke, heat, fuel, dye … into a shape, and take them away again.
 *
 * c = coverage of a cell: 1 inside, 0 outside, a linear ramp over `falloff` across the surface, times the noise.
 *   max     f = max(f, c·amount)                      (amount < 0: min)
 *   set     f += (amount - f)·(1 - (1-c)^(dt/τ))      τ = 1/24 s: full coverage is reached at once, a half-covered
 *                                                     cell goes half the way in τ, in one substep or in ten
 *   add     f += c·amount·dt                          amount per second
 *   remove  |f| -= c·amount·dt, never past zero       amount per second
 * An amount given per second (`0.4 1/s`) is a rate in modes max and set too. Velocity inside the shape follows the
 * law of `set`. A shape that moves further than half a cell in a step is sampled along its way: targets take the
 * largest coverage met, rates the mean, so a fast emitter leaves a trail and no beads. Points are balls that each have
 * a velocity; their union covers, and where they overlap the gas takes on their mean velocity.
 *
 * In mode max the shape is full at the step's end, too: where the stage comes before mac.advect, it is filled up again
 * after it (common/source.h). */
#include "stages.h"
#include <billow/noise.h>
#include <common/shape/shape.h>
#include <common/source.h>

#include <math.h>
#include <string.h>

#define BLEND_TIME (1.0 / 24) // s
#define MOTION_SAMPLES 16

enum emit_mode { EMIT_MAX, EMIT_SET, EMIT_ADD, EMIT_REMOVE };

struct emit_noise {
    double amount, size, speed;
    int64_t octaves, seed;
};

struct emit {
    struct shape shape;
    int32_t mode;
    double falloff;
    struct emit_noise noise;
    bw_vec3 velocity;
    double inherit_velocity;
    struct bw_list amounts;
};

static const struct bw_param noise_rows[] = {
    BW_F64(struct emit_noise, amount, "amount", "0", 0, 1, NULL,
           "0: an even source; 1: broken up into lobes and holes."),
    BW_F64(struct emit_noise, size, "size", "0.15 m", 0, 1e6, "m", "Size of the largest lobes.",
           BW_PARAM_STATIC | BW_PARAM_MIN_OPEN),
    BW_F64(struct emit_noise, speed, "speed", "0.4 m/s", 0, 1e6, "m/s",
           "How fast the pattern changes: a lobe lives for about size/speed.", BW_PARAM_STATIC),
    BW_INT(struct emit_noise, octaves, "octaves", "3", 1, BW_NOISE_OCTAVES,
           "Scales of detail, each half the size of the one before.", BW_PARAM_STATIC),
    BW_INT(struct emit_noise, seed, "seed", "0", 0, 1e15, "Another number, another pattern.", BW_PARAM_STATIC),
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct emit, SHAPE_KINDS, NULL, BW_PARAM_REQUIRED, "Where to emit."),
    BW_CHOICE(struct emit, mode, "mode", "max", "max|set|add|remove",
              "max: at least the amount; set: the amount; add, remove: so much per second. "
              "An amount given per second (`0.4 1/s`) is a rate in every mode."),
    BW_F64(struct emit, falloff, "falloff", "0 m", 0, 1e6, "m",
           "Width of the soft edge across the surface; 0: one cell."),
    BW_GROUP(struct emit, noise, struct emit_noise, "noise", noise_rows, "Breaks the source up in space and time."),
    BW_VEC3(struct emit, velocity, "velocity", "[0, 0, 0]", "m/s",
            "Velocity of what comes out; zero, with no motion to inherit, leaves the flow as it is."),
    BW_F64(struct emit, inherit_velocity, "inherit_velocity", "0", 0, 10, NULL,
           "Share of the shape's own motion that the gas inside it takes on."),
    BW_AMOUNTS(struct emit, amounts, "What to emit: any field's name with its amount."),
};

struct state {
    struct shape_state shape; ///< first: the shape's functions take the stage's state for it
    int64_t step;             ///< the last, and when it ended, s
    double end;
};

enum { PORT_AMOUNTS, PORT_VEL };
static const struct bw_port ports[] = {
    [PORT_AMOUNTS] = {.name = "amounts",
                      .kind = BW_SCALAR,
                      .access = BW_UPDATE,
                      .doc = "The fields whose amounts are given.",
                      .flags = BW_PORT_LIST | BW_PORT_ADVECTED,
                      .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR),
                      .from = "*"},
    [PORT_VEL] = {.name = "vel",
                  .kind = BW_MAC,
                  .access = BW_UPDATE,
                  .unit = "m/s",
                  .doc = "The flow, where the source has a velocity.",
                  .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE},
};

/* What one step does; read by all workers. */
struct plan {
    const struct emit *p;
    const struct bw_amount *amount;
    uint32_t n_amounts;
    struct pose pose[MOTION_SAMPLES]; ///< along the way, the last at the step's end
    int n_poses;
    struct pose before; ///< a moment before the step's end
    double moment;      ///< s
    struct box3 bounds;
    const struct points_cloud *points; ///< instead of poses
    double width, dt, time;
    uint64_t seed;
    int octaves; ///< those that the cells can show
    int moves_gas;
};

/* Coverage of the cells of one block that the shape may touch, x fastest. */
struct cover {
    struct cells cells;
    float *most, *mean;
};

/* Octaves finer than a cell cannot be shown. */
static int noise_octaves(const struct emit_noise *n, double h)
{
    int count = 0;
    for (double size = n->size; count < n->octaves && size >= h; size /= 2) count++;
    return n->amount > 0 ? count : 0;
}

/* Lattices of all octaves round the cells of a block; 0: out of memory. */
static int noise_prepare(const struct plan *a, const struct bw_block *b, const struct cells *c,
                         struct bw_noise_lattice *l)
{
    double lo[3], hi[3], size = a->p->noise.size;
    for (int i = 0; i < 3; i++) {
        lo[i] = block_coord(b, i, c->lo[i]);
        hi[i] = block_coord(b, i, c->hi[i]);
    }
    for (int o = 0; o < a->octaves; o++, size /= 2) {
        uint64_t seed = bw_rng(a->seed, (uint64_t)o);
        l[o].g = b->stage->host->body_scratch(b, bw_noise_place(&l[o], seed, size, lo, hi));
        if (!l[o].g) return 0;
        bw_noise_fill(&l[o], seed, a->time * a->p->noise.speed / size);
    }
    return 1;
}

/* Share of a covered cell that emits: fractal noise through a steep smoothstep, so that lobes have edges. The octaves'
 * standard deviation is 0.2 each; the edges at -0.5 and 0.7 deviations leave a little less than half of the source. */
static double noise_share(const struct plan *a, const struct bw_noise_lattice *l, const double x[3])
{
    double sum = 0, square = 0, gain = 1;
    for (int o = 0; o < a->octaves; o++, gain *= 0.55) {
        sum += gain * bw_noise_at(&l[o], x);
        square += gain * gain;
    }
    double edge = (sum / (0.2 * sqrt(square)) + 0.5) / 1.2;
    edge = edge <= 0 ? 0 : edge >= 1 ? 1 : edge * edge * (3 - 2 * edge);
    return 1 - a->p->noise.amount * (1 - edge);
}

/* Largest and mean coverage at x along the shape's way. */
static double cover_at(const struct plan *a, const double x[3], double *mean)
{
    double most = 0, sum = 0;
    for (int i = 0; i < a->n_poses; i++) {
        double c = pose_cover(&a->pose[i], x, a->width);
        most = fmax(most, c);
        sum += c;
    }
    *mean = sum / a->n_poses;
    return most;
}

static struct points_cells points_cells(const struct plan *a, const struct bw_block *b, const struct cells *c)
{
    return (struct points_cells){.block = b,
                                 .lo = {c->lo[0], c->lo[1], c->lo[2]},
                                 .hi = {c->hi[0], c->hi[1], c->hi[2]},
                                 .at = {0.5, 0.5, 0.5},
                                 .width = a->width,
                                 .samples = a->n_poses};
}

static size_t cells_count(const int32_t lo[3], const int32_t hi[3])
{
    return (size_t)(hi[0] - lo[0]) * (size_t)(hi[1] - lo[1]) * (size_t)(hi[2] - lo[2]);
}

/* 0 when memory ran out. */
static int cover_make(const struct plan *a, const struct bw_block *b, struct cover *cover)
{
    struct cells *c = &cover->cells;
    struct bw_noise_lattice lattice[BW_NOISE_OCTAVES];
    size_t count = cells_count(c->lo, c->hi);
    float *most = cover->most = b->stage->host->body_scratch(b, 3 * count * sizeof(float));
    if (!most || !noise_prepare(a, b, c, lattice)) return 0;
    float *mean = cover->mean = most + count;
    const struct points_cells q = points_cells(a, b, c);
    if (a->points) points_cover(a->points, &q, most, mean, mean + count);
    if (a->points && !a->octaves) return 1;
    for (int k = c->lo[2]; k < c->hi[2]; k++)
        for (int j = c->lo[1]; j < c->hi[1]; j++)
            for (int i = c->lo[0]; i < c->hi[0]; i++, most++, mean++) {
                const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5),
                                     block_coord(b, 2, k + 0.5)};
                double average = (double)*mean, largest = a->points ? (double)*most : cover_at(a, x, &average);
                double share = largest > 0 && a->octaves ? noise_share(a, lattice, x) : 1;
                *most = (float)(largest * share);
                *mean = (float)(average * share);
            }
    return 1;
}

/* Weight of the law of `set`: (1-c)^(dt/τ) is left of what was there. */
static double blend_weight(double c, double dt) { return c >= 1 ? 1 : c <= 0 ? 0 : 1 - pow(1 - c, dt / BLEND_TIME); }

static double value_remove(double f, double take) { return f > 0 ? fmax(f - take, 0) : fmin(f + take, 0); }

/* One component of one amount at one cell. */
static double value_emit(const struct plan *a, const struct bw_amount *amount, double f, double target, double most,
                         double mean)
{
    double rate = mean * target * a->dt;
    if (a->p->mode == EMIT_REMOVE) return value_remove(f, rate);
    if (a->p->mode == EMIT_ADD || amount->rate) return f + rate;
    if (a->p->mode == EMIT_SET) return f + blend_weight(most, a->dt) * (target - f);
    return target < 0 ? fmin(f, most * target) : fmax(f, most * target);
}

static void amount_emit(const struct plan *a, const struct bw_amount *amount, const struct cover *cover,
                        const struct bw_view *v)
{
    const struct cells *c = &cover->cells;
    for (int comp = 0; comp < v->comps; comp++) {
        size_t at = 0;
        for (int k = c->lo[2]; k < c->hi[2]; k++)
            for (int j = c->lo[1]; j < c->hi[1]; j++)
                for (int i = c->lo[0]; i < c->hi[0]; i++, at++)
                    if (cover->most[at] > 0) {
                        ptrdiff_t cell = i + j * v->sy + k * v->sz;
                        bw_put(v, comp, cell,
                               value_emit(a, amount, bw_get(v, comp, cell), amount->value[comp],
                                          (double)cover->most[at], (double)cover->mean[at]));
                    }
    }
}

static double gas_velocity(const struct plan *a, const double x[3], int axis)
{
    double own[3];
    pose_velocity(&a->before, &a->pose[a->n_poses - 1], a->moment, x, own);
    return a->p->velocity[axis] + a->p->inherit_velocity * own[axis];
}

/* Faces along one axis; those of a thin axis stay as they are. */
static void faces_emit(const struct plan *a, const struct bw_block *b, const struct cells *c, const struct bw_view *v,
                       int axis)
{
    const double at[3] = {axis == 0 ? 0 : 0.5, axis == 1 ? 0 : 0.5, axis == 2 ? 0 : 0.5};
    const int hi[3] = {c->hi[0] + (axis == 0), c->hi[1] + (axis == 1), c->hi[2] + (axis == 2)};
    float *f = bw_f32(v, axis);
    for (int k = c->lo[2]; k < hi[2]; k++)
        for (int j = c->lo[1]; j < hi[1]; j++)
            for (int i = c->lo[0]; i < hi[0]; i++) {
                const double x[3] = {block_coord(b, 0, i + at[0]), block_coord(b, 1, j + at[1]),
                                     block_coord(b, 2, k + at[2])};
                double mean, cover = cover_at(a, x, &mean);
                if (cover <= 0) continue;
                float *face = f + i + j * v->sy + k * v->sz;
                *face += (float)(blend_weight(cover, a->dt) * (gas_velocity(a, x, axis) - *face));
            }
}

/* The same where points move it. 0: out of memory. */
static int faces_points(const struct plan *a, const struct bw_block *b, const struct cells *c, const struct bw_view *v,
                        int axis)
{
    struct points_cells q = points_cells(a, b, c);
    q.at[axis] = 0;
    q.hi[axis]++;
    size_t count = cells_count(q.lo, q.hi), at = 0;
    float *most = b->stage->host->body_scratch(b, 3 * count * sizeof *most), *f = bw_f32(v, axis);
    if (!most) return 0;
    float *flow = most + count;
    points_flow(a->points, &q, axis, most, flow, flow + count);
    for (int k = q.lo[2]; k < q.hi[2]; k++)
        for (int j = q.lo[1]; j < q.hi[1]; j++)
            for (int i = q.lo[0]; i < q.hi[0]; i++, at++) {
                if (!(most[at] > 0)) continue;
                float *face = f + i + j * v->sy + k * v->sz;
                double aim = a->p->velocity[axis] + a->p->inherit_velocity * (double)flow[at];
                *face += (float)(blend_weight((double)most[at], a->dt) * (aim - (double)*face));
            }
    return 1;
}

/// The cells of a block that the source may reach. 0: none.
static int block_cells(const struct plan *a, const struct bw_block *b, struct cells *c)
{
    *c = (struct cells){{0, 0, 0}, {b->n[0], b->n[1], b->n[2]}};
    return a->points ? points_touch(a->points, b) : box_cells(&a->bounds, b, c);
}

/* Blocks away from the source are left alone. */
static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    struct cells c;
    (void)row, (void)reach;
    return block_cells(user, b, &c);
}

static void body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    struct cover cover;
    if (!block_cells(a, b, &cover.cells)) return;
    if (a->n_amounts) {
        if (!cover_make(a, b, &cover)) {
            b->sum[0] += 1;
            return;
        }
        for (uint32_t i = 0; i < a->n_amounts; i++) amount_emit(a, &a->amount[i], &cover, &b->view[i]);
    }
    if (!a->moves_gas) return;
    for (int axis = 0; axis < 3; axis++)
        if (axis == b->grid->thin) continue;
        else if (!a->points) faces_emit(a, b, &cover.cells, &b->view[a->n_amounts], axis);
        else if (!faces_points(a, b, &cover.cells, &b->view[a->n_amounts], axis)) b->sum[0] += 1;
}

static enum bw_status pose_at(struct bw_stage *s, double time, struct pose *pose)
{
    const struct emit *p = s->host->params_at(s, time);
    return p ? shape_pose(s, &p->shape, pose) : BW_ERR_MEMORY;
}

static double edge_width(const struct bw_stage *s)
{
    return fmax(((const struct emit *)s->params)->falloff, s->grid->h);
}

/* The shape as the parameters stand, known as far out as its edge is soft. */
static enum bw_status shape_ready(struct bw_stage *s, struct pose *pose)
{
    const struct emit *p = s->params;
    enum bw_status status = shape_prepare_inside(s, &p->shape, 0.5 * edge_width(s) + s->grid->h);
    return status ? status : shape_pose(s, &p->shape, pose);
}

/* Two a cell of the way. */
static int samples(double cells) { return (int)fmax(1, fmin(ceil(2 * cells), MOTION_SAMPLES)); }

static double pose_travel(const struct pose *a, const struct pose *b)
{
    struct box3 u = pose_bounds(a, 0), v = pose_bounds(b, 0);
    double most = 0;
    for (int i = 0; i < 3; i++) most = fmax(most, fmax(fabs(u.lo[i] - v.lo[i]), fabs(u.hi[i] - v.hi[i])));
    return most;
}

static void bounds_add(struct box3 *b, struct box3 c)
{
    for (int i = 0; i < 3; i++) {
        b->lo[i] = fmin(b->lo[i], c.lo[i]);
        b->hi[i] = fmax(b->hi[i], c.hi[i]);
    }
}

/* Points instead of poses, from `begin` to `end` of the run's time. */
static enum bw_status points_plan(struct bw_stage *s, double begin, double end, struct points_cloud *c)
{
    const struct emit *p = s->params;
    struct pose start, before, now;
    double moment = end > begin ? fmin(1e-3 / s->fps, end - begin) : 1e-3 / s->fps;
    enum bw_status status = shape_ready(s, &now);
    if (!status) status = pose_at(s, begin, &start);
    if (!status) status = pose_at(s, end - moment, &before);
    struct points_times times = {&start, &before, &now, moment, begin, end};
    return status ? status : points_place(s, &p->shape.points, &times, 0.5 * edge_width(s) + s->grid->h, c);
}

/* The poses along the way, half a cell apart where that takes no more than MOTION_SAMPLES of them. */
static enum bw_status motion_plan(struct bw_stage *s, struct plan *a)
{
    struct pose start, end;
    enum bw_status status = shape_ready(s, &end);
    if (!status) status = pose_at(s, s->time, &start);
    if (status) return status;
    a->n_poses = samples(pose_travel(&start, &end) / s->grid->h);
    a->bounds = pose_bounds(&end, 0.5 * a->width + s->grid->h);
    for (int i = 0; i + 1 < a->n_poses && !status; i++) {
        status = pose_at(s, s->time + s->dt * (i + 1) / a->n_poses, &a->pose[i]);
        if (!status) bounds_add(&a->bounds, pose_bounds(&a->pose[i], 0.5 * a->width + s->grid->h));
    }
    a->pose[a->n_poses - 1] = end;
    a->moment = s->dt > 0 ? fmin(1e-3 / s->fps, s->dt) : 1e-3 / s->fps; // at set-up dt is 0
    return status ? status : pose_at(s, s->time + s->dt - a->moment, &a->before);
}

/* The shape as it stands at `time`, the step's end. */
static enum bw_status still_plan(struct bw_stage *s, struct plan *a, struct points_cloud *cloud)
{
    a->n_poses = 1;
    if (a->p->shape.kind == SHAPE_POINTS) {
        a->points = cloud;
        return points_plan(s, a->time, a->time, cloud);
    }
    const enum bw_status status = shape_ready(s, &a->pose[0]);
    a->bounds = pose_bounds(&a->pose[0], 0.5 * a->width + s->grid->h);
    return status;
}

static int velocity_given(const struct emit *p)
{
    return p->velocity[0] != 0 || p->velocity[1] != 0 || p->velocity[2] != 0;
}

static enum bw_status amounts_check(struct bw_stage *s, const struct emit *p)
{
    const struct bw_amount *amount = p->amounts.items;
    if (p->mode == EMIT_REMOVE) return amounts_taken(s, amount, p->amounts.count);
    return p->mode == EMIT_ADD ? BW_OK : amounts_given(s, amount, p->amounts.count);
}

static enum bw_status init(struct bw_stage *s)
{
    const struct emit *p = s->params;
    struct pose pose;
    if (!p->amounts.count && !velocity_given(p) && p->inherit_velocity <= 0)
        s->host->log(s, BW_LOG_WARNING, "emits nothing: give an amount, such as `density: 1`, or a velocity");
    if (p->noise.amount > 0 && p->noise.size < s->grid->h)
        s->host->log(s, BW_LOG_WARNING, "noise.size %g m is finer than a cell (%g m): the source stays even",
                     p->noise.size, s->grid->h);
    enum bw_status status = amounts_check(s, p);
    return status ? status : shape_ready(s, &pose);
}

/* The tiles under the shape, from where it stands at the step's start to where it will be. */
static enum bw_status activate(struct bw_stage *s)
{
    const struct emit *p = s->params;
    struct pose now, start;
    if (p->mode == EMIT_REMOVE) return BW_OK;
    if (p->shape.kind == SHAPE_POINTS) {
        struct points_cloud cloud; // how long the step will be is not known yet: at most a frame
        enum bw_status status = points_plan(s, s->time, s->time + 1 / s->fps, &cloud);
        return status ? status : points_activate(s, &cloud);
    }
    enum bw_status status = shape_ready(s, &now);
    if (!status) status = pose_at(s, s->time, &start);
    if (status) return status;
    struct box3 box = pose_bounds(&now, 0.5 * edge_width(s) + s->grid->h);
    bounds_add(&box, pose_bounds(&start, 0.5 * edge_width(s) + s->grid->h));
    return s->host->activate(s, box.lo, box.hi);
}

static struct plan plan_of(const struct bw_stage *s, double end)
{
    const struct emit *p = s->params;
    return (struct plan){.p = p,
                         .amount = p->amounts.items,
                         .n_amounts = (uint32_t)p->amounts.count,
                         .width = edge_width(s),
                         .dt = s->dt,
                         .time = end,
                         .seed = bw_rng((uint64_t)p->noise.seed, s->seed),
                         .octaves = noise_octaves(&p->noise, s->grid->h)};
}

static enum bw_status plan_run(struct bw_stage *s, struct plan *a)
{
    const struct bw_bound *bound = &s->ports[PORT_AMOUNTS];
    struct bw_access *access = s->host->scratch(s, (a->n_amounts + 1) * sizeof *access);
    if (!access) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < a->n_amounts; i++) access[i] = (struct bw_access){bound->fields[i], BW_UPDATE, 0};
    if (a->moves_gas) access[a->n_amounts] = (struct bw_access){bw_port_field(s, PORT_VEL), BW_UPDATE, 0};
    uint32_t rows = a->n_amounts + (uint32_t)a->moves_gas;
    if (!rows) return BW_OK;
    double failed = 0;
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                                 .n_access = rows,
                                                                 .body = body,
                                                                 .reach = block_reach,
                                                                 .user = a,
                                                                 .sums = &failed,
                                                                 .n_sums = 1});
    return status ? status : failed > 0 ? BW_ERR_MEMORY : BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct emit *p = s->params;
    const struct bw_bound *bound = &s->ports[PORT_AMOUNTS];
    struct bw_field *vel = bw_port_field(s, PORT_VEL);
    struct state *state = s->state;
    struct plan a = plan_of(s, s->time + s->dt);
    state->step = s->step;
    state->end = a.time;
    if (bound->count != a.n_amounts)
        return s->host->fail(s, BW_ERR_PLUGIN, "%u amounts are bound to %u fields", a.n_amounts, bound->count);
    enum bw_status status = amounts_check(s, p);
    struct points_cloud cloud;
    int points = p->shape.kind == SHAPE_POINTS, inherits = p->inherit_velocity > 0;
    if (!status) status = points ? points_plan(s, s->time, s->time + s->dt, &cloud) : motion_plan(s, &a);
    if (status) return status;
    if (points) {
        a.points = &cloud;
        a.n_poses = samples(cloud.fastest / s->grid->h);
    } else {
        inherits = inherits && pose_moved(&a.before, &a.pose[a.n_poses - 1]);
    }
    a.moves_gas = vel && (velocity_given(p) || inherits);
    return plan_run(s, &a);
}

/* Rates have been given, velocity is a law of time: targets alone. */
static enum bw_status refill(struct bw_stage *s, int64_t step)
{
    const struct state *state = s->state;
    const struct emit *p = s->params;
    if (state->step != step || p->mode != EMIT_MAX || !p->amounts.count) return BW_OK;
    struct plan a = plan_of(s, state->end); // dt is 0 outside of a stage's own step
    struct points_cloud cloud;
    const enum bw_status status = still_plan(s, &a, &cloud);
    return status ? status : plan_run(s, &a);
}

static const struct source_api source_api = {refill};

static const void *extension(const char *id) { return strcmp(id, SOURCE) ? NULL : &source_api; }

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return shape_checkpoint(s, a, &((const struct emit *)s->params)->shape);
}

const struct bw_stage_desc scene_emit_desc = {
    .id = "emit",
    .version = "1.0",
    .brief = "Puts smoke, heat, fuel or any field into a shape, or takes it away.",
    .references = "Perlin 1985, 2002 (noise)",
    .params_size = sizeof(struct emit),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP, // the first frame shows it already
    .step = step,
    .checkpoint = checkpoint,
    .extension = extension,
};
