// SPDX-License-Identifier: Apache-2.0
/* bodies: moves all rigid bodies by the Open Dynamics Engine (ODE, R. Smith): gravity, impulses of other stages,
 * contacts with each other and with the ground.
 *
 * A step is cut into substeps no longer than 1/`rate`, in which no body moves by more than a quarter of its size. ODE
 * integrates by semi-implicit Euler, v' = v + a h, x' = x + v' h. Without contacts x is corrected by -½ a h², which
 * makes free fall exact. Impulses are applied first, exactly: v += impulse/m. ODE's world is rebuilt for each step from
 * the bodies' attributes and keeps no state, so the motion depends on these alone.
 *
 * The metric `lost`, J since the start, is the kinetic energy that contacts dissipate: what neither gravity's work
 * F · (x' - x) nor the work of kinematic (`held`) bodies explains. With `heat` it warms a field where bodies touched,
 * each contact in proportion to its work -h F · ½(v + v'). */
#include "heat.h"
#include "solver.h"
#include "stages.h"
#include <common/vec3.h>
#include <ode/ode.h>

#ifndef dDOUBLE
#error "bodies want ODE in double precision"
#endif

struct params {
    bw_vec3 gravity;
    int32_t ground;
    double height, rate;
    const char *heat;
    double heat_radius, heat_capacity;
};

static const struct bw_param params[] = {
    BW_VEC3(struct params, gravity, "gravity", "[0, 0, -9.81]", "m/s^2",
            "Acts on a body's mass less the fluid's that it displaces."),
    BW_BOOL(struct params, ground, "ground", "yes", "There is a floor to fall on."),
    BW_F64(struct params, height, "height", "0 m", -1e6, 1e6, "m", "Of the floor."),
    BW_F64(struct params, rate, "rate", "480 1/s", 1, 1e5, "1/s",
           "Parts that a second of motion is cut into, at least."),
    BW_FIELD(struct params, heat, "heat", "none",
             "Field, such as temperature (K), that takes up the energy lost in contacts."),
    BW_F64(struct params, heat_radius, "heat_radius", "0.1 m", 0, 1e6, "m",
           "How far from a contact its heat goes, at least a cell; what bodies take up of that ball gets none.",
           BW_PARAM_MIN_OPEN),
    BW_F64(struct params, heat_capacity, "heat_capacity", "1206 J/m^3/K", 0, 1e12, "J/m^3/K",
           "Of the fluid's volume; air's is 1.2 kg/m^3 times 1005 J/kg/K.", BW_PARAM_MIN_OPEN),
};

enum { PORT_BODIES, PORT_HEAT };
static const struct bw_port ports[] = {
    [PORT_BODIES] = {.name = "bodies",
                     .kind = BW_PARTICLES,
                     .access = BW_UPDATE,
                     .doc = "The bodies.",
                     .attributes = body_attributes,
                     .n_attributes = BODY_ATTRIBUTES,
                     .flags = BW_PORT_NO_CREATE},
    [PORT_HEAT] = {.name = "heat_field",
                   .kind = BW_SCALAR,
                   .access = BW_UPDATE,
                   .unit = "K",
                   .doc = "Gets what contacts lose.",
                   .flags = BW_PORT_LIST,
                   .kinds = BW_KIND_BIT(BW_SCALAR),
                   .from = "heat"},
};

/// Joules since the start.
struct state {
    double lost, heated, missed;
};

/* A contact during one substep. */
struct contact {
    dJointFeedback force;         ///< force.f1 acts on `one`
    int64_t one, two;             ///< bodies; two = -1: the ground
    double at[3], velocity[2][3]; ///< before the substep, of `one` and `two`
    struct contact *next;
};

/* ODE's world, for one step. */
struct world {
    struct bw_stage *stage;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;
    dGeomID ground;
    double bounce_min; ///< m/s: contacts slower than that do not bounce; gravity alone gives that much in a substep
    struct contact *contact, *unused;
    struct heat heat;
    enum bw_status status;
    struct body_arrays b;
};

static void body_to_ode(struct world *w, int64_t i)
{
    const struct body_arrays *b = &w->b;
    dBodyID body = w->body[i] = dBodyCreate(w->world);
    const double *x = b->pos[i], *v = b->velocity[i], *o = b->spin[i], *h = b->size[i], *q = b->turn[i];
    dMass mass;
    dMassSetParameters(&mass, b->mass[i], 0, 0, 0, b->inertia[i][0], b->inertia[i][1], b->inertia[i][2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x[0], x[1], x[2]);
    dBodySetQuaternion(body, (dQuaternion){b->turn_w[i], q[0], q[1], q[2]});
    dBodySetLinearVel(body, v[0], v[1], v[2]);
    dBodySetAngularVel(body, o[0], o[1], o[2]);
    if (b->held[i] > 0) dBodySetKinematic(body);
    dGeomID geom = (int32_t)b->shape[i] == SHAPE_BOX ? dCreateBox(w->space, 2 * h[0], 2 * h[1], 2 * h[2])
                                                     : dCreateSphere(w->space, h[0]);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, (void *)(intptr_t)i);
}

static enum bw_status world_create(struct bw_stage *s, struct world *w)
{
    const struct params *p = s->params;
    w->body = s->host->scratch(s, (size_t)w->b.count * sizeof *w->body + 1);
    if (!w->body || !dAllocateODEDataForThread(dAllocateMaskAll)) return BW_ERR_MEMORY;
    w->world = dWorldCreate();
    w->space = dSimpleSpaceCreate(NULL);
    w->contacts = dJointGroupCreate(0);
    if (p->ground) w->ground = dCreatePlane(w->space, 0, 0, 1, p->height);
    for (int64_t i = 0; i < w->b.count; i++) body_to_ode(w, i);
    return BW_OK;
}

static void world_destroy(struct world *w)
{
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
}

/// Velocity of body i's material at `at`, with its centre at `was`. The ground's (i < 0) is 0.
static void velocity_at(const struct world *w, int64_t i, const double was[3], const double at[3], double out[3])
{
    if (i < 0) {
        memset(out, 0, 3 * sizeof *out);
        return;
    }
    const double arm[3] = {at[0] - was[0], at[1] - was[1], at[2] - was[2]}, *v = dBodyGetLinearVel(w->body[i]);
    vec3_cross(dBodyGetAngularVel(w->body[i]), arm, out);
    for (int a = 0; a < 3; a++) out[a] += v[a];
}

static void contact_add(struct world *w, dJointID joint, int64_t one, int64_t two, const double at[3])
{
    struct contact *t = w->unused ? w->unused : w->stage->host->scratch(w->stage, sizeof *t);
    if (!t) {
        w->status = BW_ERR_MEMORY;
        return;
    }
    w->unused = t == w->unused ? t->next : NULL;
    *t = (struct contact){.one = one, .two = two, .at = {at[0], at[1], at[2]}, .next = w->contact};
    w->contact = t;
    velocity_at(w, one, dBodyGetPosition(w->body[one]), at, t->velocity[0]);
    velocity_at(w, two, two < 0 ? at : dBodyGetPosition(w->body[two]), at, t->velocity[1]);
    dJointSetFeedback(joint, &t->force);
}

static void pair_collide(void *user, dGeomID one, dGeomID two)
{
    struct world *w = user;
    enum { MOST = 8 };
    dContact contact[MOST];
    int n = dCollide(one, two, MOST, &contact[0].geom, sizeof *contact);
    dGeomID side[2] = {one == w->ground ? two : one, two == w->ground ? one : two};
    int64_t a = (intptr_t)dGeomGetData(side[0]), b = (intptr_t)dGeomGetData(side[1]);
    for (int i = 0; i < n; i++) {
        contact[i].surface = (dSurfaceParameters){.mode = dContactBounce | dContactApprox1,
                                                  .mu = sqrt(w->b.friction[a] * w->b.friction[b]),
                                                  .bounce = sqrt(w->b.restitution[a] * w->b.restitution[b]),
                                                  .bounce_vel = w->bounce_min};
        dJointID joint = dJointCreateContact(w->world, w->contacts, &contact[i]);
        dJointAttach(joint, dGeomGetBody(one), dGeomGetBody(two));
        contact_add(w, joint, a, side[0] == side[1] ? -1 : b, contact[i].geom.pos);
    }
}

/* A body before a substep. */
struct before {
    double pos[3], velocity[3], energy;
};

static double body_energy(dBodyID body)
{
    const double *v = dBodyGetLinearVel(body), *o = dBodyGetAngularVel(body);
    dVector3 local;
    dMass m;
    dBodyVectorFromWorld(body, o[0], o[1], o[2], local);
    dBodyGetMass(body, &m);
    double turning = 0;
    for (int a = 0; a < 3; a++) turning += m.I[5 * a] * local[a] * local[a];
    return 0.5 * (m.mass * vec3_dot(v, v) + turning);
}

/// After a substep: corrects free fall; returns the energy that body i lost, J.
static double substep_finish(const struct world *w, int64_t i, const struct before *was, const double force[3],
                             double h)
{
    dBodyID body = w->body[i];
    const double *v = dBodyGetLinearVel(body), *x = dBodyGetPosition(body);
    double work = 0;
    if (!dBodyGetNumJoints(body)) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = x[a] + 0.5 * h * (was->velocity[a] - v[a]);
        dBodySetPosition(body, at[0], at[1], at[2]);
        return 0;
    }
    for (int a = 0; a < 3; a++) work += force[a] * (x[a] - was->pos[a]);
    return was->energy + work - body_energy(body);
}

/// After a substep: adds each contact's loss to its spot of heat; returns the work that held bodies did, J.
static double contacts_finish(struct world *w, const struct before *was, double h)
{
    double driven = 0;
    for (struct contact *t = w->contact, *next; t; t = next) {
        const int64_t side[2] = {t->one, t->two};
        double work[2] = {0};
        for (int k = 0; k < 2 && side[k] >= 0; k++) {
            double now[3];
            velocity_at(w, side[k], was[side[k]].pos, t->at, now);
            for (int a = 0; a < 3; a++) work[k] += (k ? -h : h) * t->force.f1[a] * 0.5 * (t->velocity[k][a] + now[a]);
            if (w->b.held[side[k]] > 0) driven -= work[k];
        }
        if (w->heat.temperature && !w->status)
            w->status = heat_add_loss(w->stage, &w->heat, t->one, t->two, t->at, -work[0] - work[1]);
        next = t->next;
        t->next = w->unused;
        w->unused = t;
    }
    w->contact = NULL;
    return driven;
}

static double substep_run(struct world *w, const struct params *p, struct before *was, double h, double correction)
{
    double lost = 0;
    dWorldSetContactMaxCorrectingVel(w->world, correction);
    dSpaceCollide(w->space, w, pair_collide);
    for (int64_t i = 0; i < w->b.count; i++) {
        memcpy(was[i].pos, dBodyGetPosition(w->body[i]), sizeof was[i].pos);
        if (w->b.held[i] > 0) continue;
        double m = w->b.mass[i] - w->b.displaced[i];
        memcpy(was[i].velocity, dBodyGetLinearVel(w->body[i]), sizeof was[i].velocity);
        was[i].energy = body_energy(w->body[i]);
        dBodyAddForce(w->body[i], m * p->gravity[0], m * p->gravity[1], m * p->gravity[2]);
    }
    dWorldStep(w->world, h);
    lost += contacts_finish(w, was, h);
    for (int64_t i = 0; i < w->b.count; i++) {
        if (w->b.held[i] > 0) continue;
        double force[3], m = w->b.mass[i] - w->b.displaced[i];
        for (int a = 0; a < 3; a++) force[a] = m * p->gravity[a];
        lost += substep_finish(w, i, &was[i], force, h);
    }
    dJointGroupEmpty(w->contacts);
    return lost;
}

static double smallest_extent(const struct body_arrays *b, int64_t i)
{
    return fmin(b->size[i][0], fmin(b->size[i][1], b->size[i][2]));
}

/// Number of substeps; *correction: speed at which overlapping bodies are pushed apart, at most, m/s.
static int64_t substeps_of(const struct bw_stage *s, const struct body_arrays *b, double *correction)
{
    const struct params *p = s->params;
    double parts = fmax(s->dt * p->rate, 1), size = HUGE_VAL;
    for (int64_t i = 0; i < b->count; i++) {
        parts = fmax(parts, (vec3_length(b->velocity[i]) + vec3_length(p->gravity) * s->dt) * s->dt /
                                (0.25 * smallest_extent(b, i)));
        size = fmin(size, smallest_extent(b, i));
    }
    parts = fmin(ceil(parts - 1e-9), 1e6);
    *correction = 4 * vec3_length(p->gravity) * s->dt / parts + 0.2 * size;
    return (int64_t)parts;
}

static void impulses_apply(struct body_arrays *b)
{
    for (int64_t i = 0; i < b->count; i++) {
        double turn[3];
        body_inertia(b, i, b->torque[i], 1, turn);
        for (int a = 0; a < 3 && !(b->held[i] > 0); a++) {
            b->velocity[i][a] += b->impulse[i][a] / b->mass[i];
            b->spin[i][a] += turn[a];
        }
        memset(b->impulse[i], 0, sizeof *b->impulse);
        memset(b->torque[i], 0, sizeof *b->torque);
    }
}

static void body_from_ode(const struct world *w, int64_t i)
{
    const double *q = dBodyGetQuaternion(w->body[i]);
    memcpy(w->b.pos[i], dBodyGetPosition(w->body[i]), sizeof *w->b.pos);
    memcpy(w->b.velocity[i], dBodyGetLinearVel(w->body[i]), sizeof *w->b.velocity);
    memcpy(w->b.spin[i], dBodyGetAngularVel(w->body[i]), sizeof *w->b.spin);
    w->b.turn_w[i] = q[0];
    memcpy(w->b.turn[i], q + 1, sizeof *w->b.turn);
}

static double kinetic_energy(const struct body_arrays *b)
{
    double sum = 0;
    for (int64_t i = 0; i < b->count; i++) {
        double l[3];
        body_inertia(b, i, b->spin[i], 0, l);
        for (int a = 0; a < 3; a++)
            sum += 0.5 * (b->mass[i] * b->velocity[i][a] * b->velocity[i][a] + l[a] * b->spin[i][a]);
    }
    return sum;
}

/// Deposits the energy lost and not yet heated where bodies touched in this step.
static enum bw_status heat_deposit(struct bw_stage *s, const struct world *w)
{
    struct state *sum = s->state;
    double pending = sum->lost - sum->heated - sum->missed, placed, missed;
    if (!w->heat.spots || !(pending > 0)) return BW_OK;
    enum bw_status st = heat_place(s, &w->heat, &w->b, pending, &placed, &missed);
    sum->heated += placed;
    sum->missed += missed;
    return st;
}

/* Arguments of substeps_run(). */
struct substeps {
    struct world *w;
    struct before *was;
    int64_t count;
    double correction, lost;
    enum bw_status status;
};

static void substeps_run(void *user)
{
    struct substeps *substeps = user;
    struct world *w = substeps->w;
    const struct bw_stage *s = w->stage;
    if ((substeps->status = world_create(w->stage, w))) return;
    for (int64_t k = 0; k < substeps->count; k++)
        substeps->lost +=
            substep_run(w, s->params, substeps->was, s->dt / (double)substeps->count, substeps->correction);
    for (int64_t i = 0; i < w->b.count; i++) body_from_ode(w, i);
    world_destroy(w);
}

/* Warns where the contact solver failed in over half of the substeps; single failures are corrected by the next. */
static void solver_warn(struct bw_stage *s, const struct solver *solver, int64_t substeps)
{
    if (2 * solver->unsolved > substeps)
        s->host->log(s, BW_LOG_WARNING,
                     "frame %g: in %lld of %lld substeps the contact solver did not converge: bodies may sink into "
                     "each other; a higher `rate` helps",
                     round(s->frame * 100) / 100, (long long)solver->unsolved, (long long)substeps);
    if (solver->messages)
        s->host->log(s, BW_LOG_WARNING, "frame %g: ODE: %s", round(s->frame * 100) / 100, solver->text);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct state *sum = s->state;
    struct solver solver = {0};
    struct world w = {
        .stage = s,
        .heat = {.temperature = bw_port_field(s, PORT_HEAT), .radius = p->heat_radius, .capacity = p->heat_capacity},
        .b = body_arrays(s, s->ports[PORT_BODIES].particles)};
    struct substeps substeps = {.w = &w};
    impulses_apply(&w.b);
    substeps.count = substeps_of(s, &w.b, &substeps.correction);
    w.bounce_min = 2 * vec3_length(p->gravity) * s->dt / (double)substeps.count;
    substeps.was = s->host->scratch(s, (size_t)w.b.count * sizeof *substeps.was + 1);
    if (!substeps.was) return BW_ERR_MEMORY;
    if (!solver_run(&solver, substeps_run, &substeps))
        return s->host->fail(s, BW_ERR_DIVERGED, "ODE gives up: %s", solver.text);
    if (substeps.status) return substeps.status;
    sum->lost += substeps.lost;
    solver_warn(s, &solver, substeps.count);
    enum bw_status st = w.status ? w.status : heat_deposit(s, &w);
    s->host->metric(s, "lost", sum->lost, BW_METRIC_LAST);
    s->host->metric(s, "kinetic", kinetic_energy(&w.b), BW_METRIC_LAST);
    if (w.heat.temperature) s->host->metric(s, "heated", sum->heated, BW_METRIC_LAST);
    if (w.heat.temperature) s->host->metric(s, "missed", sum->missed, BW_METRIC_LAST);
    return st;
}

/// With `heat`: activates tiles round all bodies and along their longest displacement.
static enum bw_status activate(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct body_arrays b = body_arrays(s, s->ports[PORT_BODIES].particles);
    enum bw_status st = BW_OK;
    for (int64_t i = 0; i < b.count && !st && bw_port_field(s, PORT_HEAT); i++) {
        const struct pose pose = body_pose(&b, i);
        struct box3 box = pose_bounds(&pose, p->heat_radius);
        for (int a = 0; a < 3; a++) {
            double displacement = 1.25 * b.velocity[i][a] / s->fps;
            box.lo[a] += fmin(displacement, 0);
            box.hi[a] += fmax(displacement, 0);
        }
        st = s->host->activate(s, box.lo, box.hi);
    }
    return st;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct params *p = s->params;
    if (!dInitODE2(0)) return s->host->fail(s, BW_ERR, "the Open Dynamics Engine does not start");
    if (bw_port_field(s, PORT_HEAT) && p->heat_radius < s->grid->h)
        return s->host->fail(s, BW_ERR_PRESET, "heat_radius is %g m, less than a cell of %g m", p->heat_radius,
                             s->grid->h);
    return BW_OK;
}

static void uninit(struct bw_stage *s)
{
    (void)s;
    dCloseODE();
}

const struct bw_stage_desc bodies_desc = {
    .id = "bodies",
    .version = "1.0",
    .brief = "Moves rigid bodies: gravity, impulses, contacts with the ground and each other.",
    .references = "Open Dynamics Engine 0.16 (R. Smith)",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_RANKS | BW_STAGE_PLAIN_STATE,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .step = step,
    .uninit = uninit,
};
