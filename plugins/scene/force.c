// SPDX-License-Identifier: Apache-2.0
/* Stage force: wind, vortex, attractor or turbulence within a shape (laws: force_laws.c). */
#include "force.h"
#include "stages.h"
#include <common/froude.h>
#include <common/stage_find.h>
#include <common/vec3.h>

#include <math.h>

struct force {
    struct force_kinds kind;
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
    BW_AUTO(struct turbulence, size, "size", 0, 1e6, "m",
            "Size of the largest eddies; auto: 1.2 radii of the source, without one and in a calm preset 0.3 m.",
            BW_PARAM_STATIC | BW_PARAM_MIN_OPEN),
    BW_AUTO(
        struct turbulence, speed, "speed", 0, 1e6, "m/s",
        "How fast the pattern changes: an eddy lives for about size/speed; auto: 0.4 sqrt(g size), in a calm preset "
        "0.3 m/s.",
        BW_PARAM_STATIC),
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
    BW_GROUP(struct force_kinds, wind, struct wind, "wind", wind_rows, "Drives the gas towards a velocity."),
    BW_GROUP(struct force_kinds, vortex, struct vortex, "vortex", vortex_rows, "Turns the gas round an axis."),
    BW_GROUP(struct force_kinds, turbulence, struct turbulence, "turbulence", turbulence_rows,
             "Stirs the gas at several scales."),
    BW_GROUP(struct force_kinds, attractor, struct attractor, "attractor", attractor_rows, "Pulls the gas to a point."),
};

static const struct bw_param params[] = {
    {.key = "kind",
     .type = BW_PARAM_VARIANT,
     .offset = BW_OFFSET(struct force, kind, struct force_kinds),
     .flags = BW_PARAM_REQUIRED,
     .doc = "What pushes.",
     .n_sub = BW_COUNT(kind_rows),
     .sub = kind_rows,
     .sub_size = sizeof(struct force_kinds)},
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
    BW_AUTO(struct force, front_width, "front_width", 0, 1e6, "m",
            "How thick a front is taken for, at least two cells and at most 32; auto: 0.3 radii of the source, without "
            "one and in a calm preset 10 cm.",
            BW_PARAM_MIN_OPEN),
};

enum { PORT_FORCE, PORT_VEL, PORT_FRONT };
static const struct bw_port ports[] = {
    [PORT_FORCE] = BW_FORCE_PORT,
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow, for wind."},
    [PORT_FRONT] = {.name = "front_field",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .flags = BW_PORT_LIST,
                    .kinds = BW_KIND_BIT(BW_SCALAR),
                    .from = "front",
                    .doc = "What has the fronts."},
};

/* Accelerations are alike at every scale, by Froude's law; only lengths and speeds follow the source. */
static struct turbulence_plan turbulence_plan_of(struct bw_stage *s)
{
    const struct force *p = s->params;
    const struct turbulence *t = &p->kind.turbulence;
    const double radius = s->character > 0 ? source_radius(s) : 0;
    const double size = bw_given_or(t->size, radius > 0 ? 1.2 * radius : 0.3);
    struct turbulence_plan a = {.size = size,
                                .speed = bw_given_or(t->speed, s->character > 0 ? 0.4 * froude_speed(size) : 0.3),
                                .time = s->time + 0.5 * s->dt, // the middle: second order where the pattern changes
                                .seed = bw_rng((uint64_t)t->seed, s->seed),
                                .front_change = p->front_change,
                                .front_width =
                                    front_width(s->grid, bw_given_or(p->front_width, radius > 0 ? 0.3 * radius : 0.1))};
    turbulence_octaves(&a, s->grid, t->strength, t->octaves);
    return a;
}

/* A radius or an axis that keyframes took to nothing. */
static enum bw_status kind_check(struct bw_stage *s, const struct force_kinds *k)
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
    enum bw_status status = shape_prepare_inside(s, &p->shape, 0.5 * fmax(p->falloff, s->grid->h) + s->grid->h);
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

static enum bw_status step(struct bw_stage *s)
{
    const struct force *p = s->params;
    const struct vortex *v = &p->kind.vortex;
    struct force_plan a = {.kind = &p->kind,
                           .span = s->span,
                           .width = fmax(p->falloff, s->grid->h),
                           .keep = exp(-p->kind.wind.rate * s->span)};
    enum bw_status status = kind_check(s, &p->kind);
    if (!status) status = region_ready(s, &a.region);
    if (status) return status;
    a.bounds = pose_bounds(&a.region, 0.5 * a.width + s->grid->h);
    double length = vec3_length(v->axis);
    for (int i = 0; i < 3; i++) a.axis[i] = length > 0 ? v->axis[i] / length : 0;
    if (p->kind.kind == FORCE_TURBULENCE) a.turbulence = turbulence_plan_of(s);
    double failed = 0;
    uint32_t n = 1;
    struct bw_access access[2] = {[VIEW_FORCE] = {bw_port_field(s, PORT_FORCE), BW_UPDATE_OWN, 0}};
    if (p->kind.kind == FORCE_WIND) access[n++] = (struct bw_access){bw_port_field(s, PORT_VEL), BW_READ, 1};
    if (s->ports[PORT_FRONT].count) {
        struct turbulence_plan *t = &a.turbulence;
        access[t->fronts = (int)n++] = (struct bw_access){NULL, BW_READ_LAST, FRONT_HALO};
        status = front_smooth(s, bw_port_field(s, PORT_FRONT), t->front_width, 0, &access[t->fronts].field, NULL);
    }
    if (status) return status;
    status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                  .n_access = n,
                                                  .body = force_add,
                                                  .reach = force_reach,
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
