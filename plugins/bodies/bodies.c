// SPDX-License-Identifier: Apache-2.0
/* bodies: moves all rigid bodies by the Open Dynamics Engine (ODE, R. Smith): gravity, what other stages have pushed, contacts
 * with each other and with the ground.
 *
 * A step is cut into parts no longer than 1/`rate`, in which nobody moves by more than a quarter of its size; ODE's
 * integration within one is semi-implicit Euler, v' = v + a h, x' = x + v' h; where nothing is touched, x is set back by
 * ½ a h², which makes free fall exact. Impulses go in first, exactly: v += impulse/m. The world is made anew for each
 * step from the bodies' attributes and holds nothing between steps, so the same bodies move the same way whatever
 * happened before. Kinetic energy that contacts take, and gravity's work F · (x' - x) does not explain, is the metric
 * `lost`, J since the start. */
#include "stages.h"
#include <ode/ode.h>

#ifndef dDOUBLE
#error "bodies want ODE in double precision"
#endif

struct params {
    bw_vec3 gravity;
    int32_t ground;
    double height, rate;
};

static const struct bw_param params[] = {
    BW_VEC3(struct params, gravity, "gravity", "[0, 0, -9.81]", "m/s^2", "Acts on a body's mass less the fluid's that it displaces."),
    BW_BOOL(struct params, ground, "ground", "yes", "There is a floor to fall on."),
    BW_F64(struct params, height, "height", "0 m", -1e6, 1e6, "m", "Of the floor."),
    BW_F64(struct params, rate, "rate", "480 1/s", 1, 1e5, "1/s", "Parts that a second of motion is cut into, at least."),
};

static const struct bw_port ports[] = {
    {.name = "bodies",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "The bodies.",
     .attributes = body_attributes,
     .n_attributes = BODY_ATTRIBUTES,
     .flags = BW_PORT_NO_CREATE},
};

/* ODE's side of the bodies, for one step. */
struct world {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;
    dGeomID ground;
    double slow; ///< m/s: what touches slower than that does not bounce: gravity's doing within a part
    struct body_arrays b;
};

static void body_enter(struct world *w, int64_t i)
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
    dGeomID geom = (int32_t)b->shape[i] == SHAPE_BOX ? dCreateBox(w->space, 2 * h[0], 2 * h[1], 2 * h[2]) : dCreateSphere(w->space, h[0]);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, (void *)(intptr_t)i);
}

static enum bw_status world_make(struct bw_stage *s, struct world *w)
{
    const struct params *p = s->params;
    w->body = s->host->scratch(s, (size_t)w->b.count * sizeof *w->body + 1);
    if (!w->body || !dAllocateODEDataForThread(dAllocateMaskAll)) return BW_ERR_MEMORY;
    w->world = dWorldCreate();
    w->space = dSimpleSpaceCreate(NULL);
    w->contacts = dJointGroupCreate(0);
    if (p->ground) w->ground = dCreatePlane(w->space, 0, 0, 1, p->height);
    for (int64_t i = 0; i < w->b.count; i++) body_enter(w, i);
    return BW_OK;
}

static void world_end(struct world *w)
{
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
}

static void pair_touch(void *user, dGeomID one, dGeomID two)
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
                                                  .bounce_vel = w->slow};
        dJointAttach(dJointCreateContact(w->world, w->contacts, &contact[i]), dGeomGetBody(one), dGeomGetBody(two));
    }
}

/* What one part of a step needs to remember of each body. */
struct before {
    double pos[3], velocity[3], energy;
};

static double energy_of(dBodyID body)
{
    const double *v = dBodyGetLinearVel(body), *o = dBodyGetAngularVel(body);
    dVector3 local;
    dMass m;
    dBodyVectorFromWorld(body, o[0], o[1], o[2], local);
    dBodyGetMass(body, &m);
    double turning = 0;
    for (int a = 0; a < 3; a++) turning += m.I[5 * a] * local[a] * local[a];
    return 0.5 * (m.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning);
}

/// After a part: free fall is made exact, contacts' loss is counted.
static double part_finish(const struct world *w, int64_t i, const struct before *was, const double force[3], double h)
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
    return was->energy + work - energy_of(body);
}

static double part_run(struct world *w, const struct params *p, struct before *was, double h, double soft)
{
    double lost = 0;
    dWorldSetContactMaxCorrectingVel(w->world, soft);
    dSpaceCollide(w->space, w, pair_touch);
    for (int64_t i = 0; i < w->b.count; i++) {
        if (w->b.held[i] > 0) continue;
        double m = w->b.mass[i] - w->b.displaced[i];
        memcpy(was[i].velocity, dBodyGetLinearVel(w->body[i]), sizeof was[i].velocity);
        memcpy(was[i].pos, dBodyGetPosition(w->body[i]), sizeof was[i].pos);
        was[i].energy = energy_of(w->body[i]);
        dBodyAddForce(w->body[i], m * p->gravity[0], m * p->gravity[1], m * p->gravity[2]);
    }
    dWorldStep(w->world, h);
    for (int64_t i = 0; i < w->b.count; i++) {
        if (w->b.held[i] > 0) continue;
        double force[3], m = w->b.mass[i] - w->b.displaced[i];
        for (int a = 0; a < 3; a++) force[a] = m * p->gravity[a];
        lost += part_finish(w, i, &was[i], force, h);
    }
    dJointGroupEmpty(w->contacts);
    return lost;
}

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static double smallest(const struct body_arrays *b, int64_t i) { return fmin(b->size[i][0], fmin(b->size[i][1], b->size[i][2])); }

/// How many parts a step is cut into; *soft: how fast bodies that overlap are pushed apart, m/s.
static int64_t parts_of(const struct bw_stage *s, const struct body_arrays *b, double *soft)
{
    const struct params *p = s->params;
    double parts = fmax(s->dt * p->rate, 1), size = HUGE_VAL;
    for (int64_t i = 0; i < b->count; i++) {
        parts = fmax(parts, (length(b->velocity[i]) + length(p->gravity) * s->dt) * s->dt / (0.25 * smallest(b, i)));
        size = fmin(size, smallest(b, i));
    }
    parts = fmin(ceil(parts - 1e-9), 1e6);
    *soft = 4 * length(p->gravity) * s->dt / parts + 0.2 * size;
    return (int64_t)parts;
}

static void impulses_take(struct body_arrays *b)
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

static void body_leave(const struct world *w, int64_t i)
{
    const double *q = dBodyGetQuaternion(w->body[i]);
    memcpy(w->b.pos[i], dBodyGetPosition(w->body[i]), sizeof *w->b.pos);
    memcpy(w->b.velocity[i], dBodyGetLinearVel(w->body[i]), sizeof *w->b.velocity);
    memcpy(w->b.spin[i], dBodyGetAngularVel(w->body[i]), sizeof *w->b.spin);
    w->b.turn_w[i] = q[0];
    memcpy(w->b.turn[i], q + 1, sizeof *w->b.turn);
}

static double kinetic(const struct body_arrays *b)
{
    double sum = 0;
    for (int64_t i = 0; i < b->count; i++) {
        double l[3];
        body_inertia(b, i, b->spin[i], 0, l);
        for (int a = 0; a < 3; a++) sum += 0.5 * (b->mass[i] * b->velocity[i][a] * b->velocity[i][a] + l[a] * b->spin[i][a]);
    }
    return sum;
}

static enum bw_status step(struct bw_stage *s)
{
    struct world w = {.b = body_arrays(s, s->ports[0].particles)};
    double lost = 0, soft = 0;
    impulses_take(&w.b);
    int64_t parts = parts_of(s, &w.b, &soft);
    w.slow = 2 * length(((const struct params *)s->params)->gravity) * s->dt / (double)parts;
    struct before *was = s->host->scratch(s, (size_t)w.b.count * sizeof *was + 1);
    enum bw_status st = was ? world_make(s, &w) : BW_ERR_MEMORY;
    if (st) return st;
    for (int64_t k = 0; k < parts; k++) lost += part_run(&w, s->params, was, s->dt / (double)parts, soft);
    for (int64_t i = 0; i < w.b.count; i++) body_leave(&w, i);
    world_end(&w);
    *(double *)s->state += lost;
    s->host->metric(s, "lost", *(double *)s->state, BW_METRIC_LAST);
    s->host->metric(s, "kinetic", kinetic(&w.b), BW_METRIC_LAST);
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    return dInitODE2(0) ? BW_OK : s->host->fail(s, BW_ERR, "the Open Dynamics Engine does not start");
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
    .state_size = sizeof(double), // energy lost
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .uninit = uninit,
};
