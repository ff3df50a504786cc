// SPDX-License-Identifier: Apache-2.0
/* emit: smoke, heat, fuel, dye … into a shape, and take them away again.
 *
 * c = coverage of a cell: 1 inside, 0 outside, a linear ramp over `falloff` across the surface, times the noise.
 *   max     f = max(f, c·amount)                      (amount < 0: min)
 *   set     f += (amount - f)·(1 - (1-c)^(dt/τ))      τ = 1/24 s: full coverage is reached at once, a half-covered
 *                                                     cell moves halfway in τ, in one substep or in ten
 *   add     f += c·amount·dt                          amount per second
 *   remove  |f| -= c·amount·dt, never past zero       amount per second
 * An amount given per second (`0.4 1/s`) is a rate in modes max and set too. Velocity inside the shape follows the
 * law of `set`. A shape that moves further than half a cell in a step is sampled along its path: targets take the
 * largest coverage of all samples, rates the mean, so a fast emitter leaves a trail and no beads. Points are balls that
 * each have a velocity; their union covers, and where they overlap the gas takes on their mean velocity.
 *
 * In mode max the shape is full at the step's end, and gas that left it within the step has the largest amount of its
 * trajectory (emit_trail.c). So the stage stands below mac.advect and above the forces, which then see a full source.
 * Points emit at their position at the step's end only. */
#include "emit.h"
#include <common/age.h>
#include <common/archive.h>

#include <math.h>
#include <string.h>

static const struct bw_param noise_rows[] = {
    BW_AUTO(struct emit_noise, amount, "amount", 0, 1, NULL,
            "0: an even source; 1: broken up into lobes and holes; auto: 0.8, and in a calm preset 0."),
    BW_AUTO(struct emit_noise, size, "size", 0, 1e6, "m", "Size of the largest lobes; auto: 0.6 radii of the source.",
            BW_PARAM_STATIC | BW_PARAM_MIN_OPEN),
    BW_AUTO(struct emit_noise, speed, "speed", 0, 1e6, "m/s",
            "How fast the pattern changes: a lobe lives for about size/speed; auto: 0.4 sqrt(g size).",
            BW_PARAM_STATIC),
    BW_INT(struct emit_noise, octaves, "octaves", "3", 1, BW_NOISE_OCTAVES,
           "Scales of detail, each half the size of the one before.", BW_PARAM_STATIC),
    BW_INT(struct emit_noise, seed, "seed", "0", 0, 1e15, "Another number, another pattern.", BW_PARAM_STATIC),
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct emit, SHAPE_KINDS, NULL, BW_PARAM_REQUIRED, "Where to emit."),
    BW_CHOICE(struct emit, mode, "mode", "max", "max|set|add|remove",
              "max: at least the amount; set: the amount; add, remove: so much per second. "
              "An amount given per second (`0.4 1/s`) is a rate in every mode."),
    BW_AUTO(struct emit, falloff, "falloff", 0, 1e6, "m",
            "Width of the soft edge across the surface, a cell at least; auto: 0.3 radii of the source, and in a calm "
            "preset a cell."),
    BW_GROUP(struct emit, noise, struct emit_noise, "noise", noise_rows, "Breaks the source up in space and time."),
    BW_VEC3(struct emit, velocity, "velocity", "[0, 0, 0]", "m/s",
            "Velocity of what comes out; zero, with no motion to inherit, leaves the flow as it is."),
    BW_F64(struct emit, inherit_velocity, "inherit_velocity", "0", 0, 10, NULL,
           "Share of the shape's own motion that the gas inside it takes on."),
    BW_AMOUNTS(struct emit, amounts, "What to emit: any field's name with its amount."),
};

struct state {
    struct shape_state shape; ///< first: the shape's functions take the stage's state for it
    struct placement placement;
    int32_t order_checked;
    double radius; ///< of the source, m
};

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
    [PORT_AGE] = AGE_PORT,
};

static double source_radius_of(const struct bw_stage *s) { return ((const struct state *)s->state)->radius; }

static double edge_of(const struct bw_stage *s) { return edge_width(s, source_radius_of(s)); }

/* Pose of the shape now; its distance is valid as far out as its edge is soft. */
static enum bw_status shape_ready(struct bw_stage *s, struct pose *pose)
{
    const struct emit *p = s->params;
    enum bw_status status = shape_prepare_inside(s, &p->shape, 0.5 * edge_of(s) + s->grid->h);
    return status ? status : shape_pose(s, &p->shape, pose);
}

/* The points' paths from `begin` to `end`, run's time in s. */
static enum bw_status points_plan(struct bw_stage *s, double begin, double end, struct points_cloud *c)
{
    const struct emit *p = s->params;
    struct pose start, before, now;
    double moment = end > begin ? fmin(1e-3 / s->fps, end - begin) : 1e-3 / s->fps;
    enum bw_status status = shape_ready(s, &now);
    if (!status) status = pose_at(s, begin, &start);
    if (!status) status = pose_at(s, end - moment, &before);
    struct points_times times = {&start, &before, &now, moment, begin, end};
    return status ? status : points_place(s, &p->shape.points, &times, 0.5 * edge_of(s) + s->grid->h, c);
}

/* Poses along the shape's path in the step, half a cell apart; at most MOTION_SAMPLES. */
static enum bw_status motion_plan(struct bw_stage *s, struct plan *a)
{
    struct pose start, end;
    enum bw_status status = shape_ready(s, &end);
    if (!status) status = pose_at(s, s->time, &start);
    if (status) return status;
    a->n_poses = motion_samples(pose_travel(&start, &end) / s->grid->h);
    a->bounds = pose_bounds(&end, 0.5 * a->width + s->grid->h);
    for (int i = 0; i + 1 < a->n_poses && !status; i++) {
        status = pose_at(s, s->time + s->dt * (i + 1) / a->n_poses, &a->pose[i]);
        if (!status) bounds_add(&a->bounds, pose_bounds(&a->pose[i], 0.5 * a->width + s->grid->h));
    }
    a->pose[a->n_poses - 1] = end;
    a->moment = s->dt > 0 ? fmin(1e-3 / s->fps, s->dt) : 1e-3 / s->fps; // at set-up dt is 0
    return status ? status : pose_at(s, s->time + s->dt - a->moment, &a->before);
}

static int velocity_given(const struct emit *p)
{
    return p->velocity[0] != 0 || p->velocity[1] != 0 || p->velocity[2] != 0;
}

static enum bw_status amounts_check(struct bw_stage *s, const struct emit *p)
{
    const struct bw_amount *amount = p->amounts.items;
    if (p->mode == EMIT_REMOVE) return amounts_check_removal(s, amount, p->amounts.count);
    return p->mode == EMIT_ADD ? BW_OK : amounts_check_targets(s, amount, p->amounts.count);
}

/* Is amount i a target, of a field that has been advected in this step already? */
static int is_advected(struct bw_stage *s, int64_t i)
{
    const struct bw_amount *amount = ((const struct emit *)s->params)->amounts.items;
    return !amount[i].rate && advected_this_step(s, s->ports[PORT_AMOUNTS].fields[i]);
}

/* Warns once of targets above mac.advect: forces then see a source that advection has partly emptied. */
static void order_check(struct bw_stage *s)
{
    const struct emit *p = s->params;
    const struct bw_amount *amount = p->amounts.items;
    const struct bw_stage *advecting = NULL;
    if (p->mode != EMIT_MAX || p->shape.kind == SHAPE_POINTS || s->amounts) return;
    for (int64_t i = 0; i < p->amounts.count && !advecting; i++)
        if (!amount[i].rate) advecting = advecting_stage(s, s->ports[PORT_AMOUNTS].fields[i], 1);
    if (advecting)
        s->host->log(
            s, BW_LOG_WARNING,
            "stands above %s, which advects part of it away before the forces: list it below, and the source is full",
            advecting->id);
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
    if (!status) status = shape_ready(s, &pose);
    return status ? status : source_size(s, &((struct state *)s->state)->radius);
}

/* Activates the tiles under the shape, from its pose at the step's start to that at its end. */
static enum bw_status activate(struct bw_stage *s)
{
    const struct emit *p = s->params;
    struct state *state = s->state;
    struct pose now, start;
    if (!state->order_checked) order_check(s);
    state->order_checked = 1;
    if (p->mode == EMIT_REMOVE) return BW_OK;
    if (p->shape.kind == SHAPE_POINTS) {
        struct points_cloud cloud; // the step's length is not known yet: at most a frame
        enum bw_status status = points_plan(s, s->time, s->time + 1 / s->fps, &cloud);
        return status ? status : points_activate(s, &cloud);
    }
    enum bw_status status = shape_ready(s, &now);
    if (!status) status = pose_at(s, s->time, &start);
    if (status) return status;
    struct box3 box = pose_bounds(&now, 0.5 * edge_of(s) + s->grid->h);
    bounds_add(&box, pose_bounds(&start, 0.5 * edge_of(s) + s->grid->h));
    status = placement_check(s, &state->placement, &now, edge_of(s));
    return status ? status : s->host->activate(s, box.lo, box.hi);
}

static struct plan plan_of(const struct bw_stage *s, double end)
{
    const struct emit *p = s->params;
    struct plan a = {.p = p,
                     .amount = p->amounts.items,
                     .noise = noise_of(s, source_radius_of(s)),
                     .width = edge_of(s),
                     .dt = s->dt,
                     .time = end,
                     .seed = bw_rng((uint64_t)p->noise.seed, s->seed)};
    a.octaves = p->mode == EMIT_REMOVE && isnan(p->noise.amount) ? 0 : noise_octaves(&a.noise, s->grid->h);
    return a;
}

enum rows { ROWS_ALL, ROWS_ADVECTED, ROWS_REST };

static enum bw_status plan_rows(struct bw_stage *s, struct plan *a, enum rows which)
{
    const int64_t count = s->amounts ? 0 : a->p->amounts.count; // of a flow the velocity alone
    a->row = s->host->scratch(s, ((size_t)count + 1) * sizeof *a->row);
    if (!a->row) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        if (which == ROWS_ALL || is_advected(s, i) == (which == ROWS_ADVECTED)) a->row[a->n_rows++] = (uint32_t)i;
    return BW_OK;
}

static enum bw_status plan_run(struct bw_stage *s, struct plan *a)
{
    const struct bw_bound *bound = &s->ports[PORT_AMOUNTS];
    struct bw_access *access = s->host->scratch(s, (a->n_rows + 1) * sizeof *access);
    if (!access) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < a->n_rows; i++) access[i] = (struct bw_access){bound->fields[a->row[i]], BW_UPDATE, 0};
    if (a->sets_velocity) access[a->n_rows] = (struct bw_access){bw_port_field(s, PORT_VEL), BW_UPDATE, 0};
    uint32_t rows = a->n_rows + (uint32_t)a->sets_velocity;
    if (!rows) return BW_OK;
    double failed = 0;
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                                 .n_access = rows,
                                                                 .body = cover_body,
                                                                 .reach = cover_reach,
                                                                 .user = a,
                                                                 .sums = &failed,
                                                                 .n_sums = 1});
    return status ? status : failed > 0 ? BW_ERR_MEMORY : BW_OK;
}

/* Targets of fields that have been advected already, along the gas' trajectories. */
static enum bw_status advected_targets_run(struct bw_stage *s, struct bw_field *vel)
{
    struct plan a = plan_of(s, s->time + s->dt);
    const struct advection advection = {vel, s->host->find_field(s, "solid"), s->dt};
    int done = 0;
    enum bw_status status = plan_rows(s, &a, ROWS_ADVECTED);
    if (status || !a.n_rows) return status;
    a.n_poses = 1;
    status = shape_ready(s, &a.pose[0]);
    a.bounds = pose_bounds(&a.pose[0], 0.5 * a.width + s->grid->h);
    if (!status) status = trail_run(s, &a, &advection, &done);
    return status || done ? status : plan_run(s, &a);
}

static enum bw_status amounts_emit(struct bw_stage *s)
{
    const struct emit *p = s->params;
    const struct bw_bound *bound = &s->ports[PORT_AMOUNTS];
    struct bw_field *vel = bw_port_field(s, PORT_VEL);
    struct plan a = plan_of(s, s->time + s->dt);
    if (!s->amounts && bound->count != p->amounts.count)
        return s->host->fail(s, BW_ERR_PLUGIN, "%u amounts are bound to %u fields", (unsigned)p->amounts.count,
                             bound->count);
    enum bw_status status = amounts_check(s, p);
    struct points_cloud cloud;
    int points = p->shape.kind == SHAPE_POINTS, inherits = p->inherit_velocity > 0;
    const int advected = p->mode == EMIT_MAX && !points && vel && s->dt > 0;
    if (!status && advected) status = advected_targets_run(s, vel);
    if (!status) status = plan_rows(s, &a, advected ? ROWS_REST : ROWS_ALL);
    if (!status) status = points ? points_plan(s, s->time, s->time + s->dt, &cloud) : motion_plan(s, &a);
    if (status) return status;
    if (points) {
        a.points = &cloud;
        a.n_poses = motion_samples(cloud.fastest / s->grid->h);
    } else {
        inherits = inherits && pose_moved(&a.before, &a.pose[a.n_poses - 1]);
    }
    a.sets_velocity = vel && !s->flow && (velocity_given(p) || inherits);
    return plan_run(s, &a);
}

static enum bw_status step(struct bw_stage *s)
{
    struct smoke_before before;
    enum bw_status status = smoke_keep(s, PORT_AGE, &before);
    if (!status) status = amounts_emit(s);
    return status ? status : smoke_mix_age(s, &before);
}

static void uninit(struct bw_stage *s)
{
    const struct state *state = s->state;
    if (!state->shape.amiss) placement_report(s, &state->placement); // else it was reported as the run began
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    enum bw_status status = shape_checkpoint(s, a, &((const struct emit *)s->params)->shape);
    double *radius = &((struct state *)s->state)->radius;
    if (!status && archive_has(a, "radius")) status = a->bytes(a, "radius", radius, sizeof *radius);
    if (!(*radius >= 0 && *radius <= 1e6)) *radius = 0; // anybody may have written the checkpoint
    return status;
}

/* What removes gas is no source. */
static double radius_tell(const struct bw_stage *s)
{
    return ((const struct emit *)s->params)->mode == EMIT_REMOVE ? 0 : source_radius_of(s);
}

/* Of what comes by the second it depends on the flow how much there is. */
static double amount_tell(const struct bw_stage *s, const char *field)
{
    const struct emit *p = s->params;
    const struct bw_amount *amount = p->amounts.items;
    double value = 0;
    for (int64_t i = 0; i < p->amounts.count && p->mode <= EMIT_SET; i++)
        if (!strcmp(amount[i].field, field) && !amount[i].rate) value = amount[i].value[0];
    return value;
}

static const void *extension(const char *id)
{
    static const struct bw_source_api source = {sizeof source, radius_tell, amount_tell};
    return strcmp(id, BW_SOURCE) ? NULL : &source;
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
    .flags = BW_STAGE_RANKS | BW_STAGE_SPLITS | BW_STAGE_SETUP, // the first frame shows it already
    .step = step,
    .uninit = uninit,
    .checkpoint = checkpoint,
    .extension = extension,
};
