// SPDX-License-Identifier: Apache-2.0
/* vorton.collide: two-way coupling of rigid bodies with the flow of vortons. Particles inside a body are ejected:
 * vortons here or by their method, tracers mirrored at the surface. Then vorticity is created so that the flow on the
 * surface is the body's motion, and the body receives the opposite momentum.
 *
 *   sheet   the vortex sheet of vortex_sheet.c, solved for in every step together with the body's motion, shed into the
 *           flow as it is advected: collide_sheet.c
 *   gourlay as in his Fluid Simulation for Video Games, part 4: only vortons that came inside are given vorticity, one
 *           contact point each: collide_contacts.c
 *
 * Put it after `vorton.advect` and `bodies`. The fluid that a body displaces bears it up (`displaced` of the
 * bodies). */
#include "collide.h"
#include "stages/velocity.h"

static const struct bw_param params[] = {
    {.key = "method",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct collide_params, method, int32_t),
     .def = "sheet",
     .choices = "sheet|gourlay",
     .doc = "sheet: no-slip all over the body, with its added mass; gourlay: his, vortons that come inside are "
            "reassigned.",
     .flags = BW_PARAM_STATIC,
     .was = "seed=gourlay"},
    BW_F64(struct collide_params, density, "density", "1.2 kg/m^3", 0, 1e6, "kg/m^3", "Of the fluid."),
    BW_BOOL(struct collide_params, shed, "shed", "yes",
            "Sheet: gives its vorticity to the flow; `no`: a flow that slides past without a wake."),
    BW_INT(struct collide_params, nodes, "nodes", "600", 24, 3000,
           "Sheet: points of a body at which the flow is held; so many vortons are shed in each step.",
           BW_PARAM_STATIC),
    BW_INT(struct collide_params, fine, "fine", "5", 1, 16,
           "Sheet: as thin as so many times as many vortons along an edge can make it.", BW_PARAM_STATIC),
    BW_F64(struct collide_params, release, "release", "1", 0, 1e3, NULL,
           "Sheet: displacement by the flow, in spacings of its nodes, over which all but 1/e of it is shed."),
    BW_F64(struct collide_params, life, "life", "0 s", 0, 1e9, "s",
           "Sheet: vortons shed longer ago are removed; 0: never."),
    BW_CHOICE(
        struct collide_params, place, "place", "offset", "offset|above",
        "Gourlay: a vorton goes where it cancels all of the flow at the contact point, or straight above it, against "
        "slip alone."),
    BW_CHOICE(
        struct collide_params, books, "books", "impulse", "impulse|particles",
        "Gourlay: momentum as the vorticity's impulse, or as mass times velocity and moment of inertia times spin of "
        "vortons as balls."),
};

static const struct bw_attribute vorton_rows[] = {
    ATTRIBUTE_POS,
    ATTRIBUTE_STRENGTH,
    ATTRIBUTE_RADIUS,
    ATTRIBUTE_VOLUME,
    ATTRIBUTE_DENSITY,
    ATTRIBUTE_TEMPERATURE,
    ATTRIBUTE_BORN,
    ATTRIBUTE_AGE,
    ATTRIBUTE_LIFE,
    ATTRIBUTE_VELOCITY,
    {"bound", BW_F64P, 1, "1"},
};
static const struct bw_attribute body_rows[] = {
    BODY_ATTRIBUTE_ROWS,
    {"met", BW_F64P, 3, "m/s"},
    {"met_spin", BW_F64P, 3, "1/s"},
    {"known", BW_F64P, 1, "1"},
};

static const struct bw_port ports[] = {
    [COLLIDE_VORTONS] = {.name = "vortons",
                         .kind = BW_PARTICLES,
                         .access = BW_UPDATE,
                         .doc = "The vortons: put out of the bodies, and more of them.",
                         .attributes = vorton_rows,
                         .n_attributes = BW_COUNT(vorton_rows)},
    [COLLIDE_BODIES] = {.name = "bodies",
                        .kind = BW_PARTICLES,
                        .access = BW_UPDATE,
                        .doc = "The bodies: pushed and turned.",
                        .attributes = body_rows,
                        .n_attributes = BW_COUNT(body_rows)},
    [COLLIDE_TRACERS] = {.name = "tracers",
                         .kind = BW_PARTICLES,
                         .access = BW_UPDATE,
                         .doc = "Put out of the bodies.",
                         .attributes = tracer_attributes,
                         .n_attributes = 6,
                         .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE},
};

/* ---- what is inside ---- */

enum { CHUNK = 4096 };
struct insides {
    bw_vec3 *pos;
    int64_t count, bodies;
    const struct pose *pose;
    const double *size;
    uint8_t *hit;
    int move; ///< 1: mirror at the surface
};

static void inside_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct insides *in = user;
    int64_t end = (chunk + 1) * CHUNK < in->count ? (chunk + 1) * CHUNK : in->count;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < end; i++) {
        in->hit[i] = 0;
        for (int64_t k = 0; k < in->bodies; k++) {
            double n[3], d = pose_distance(&in->pose[k], in->pos[i]);
            if (d >= 0) continue;
            in->hit[i] = 1;
            if (!in->move) continue;
            collide_normal(&in->pose[k], in->size[k], in->pos[i], n);
            for (int a = 0; a < 3; a++) in->pos[i][a] -= 2 * d * n[a];
        }
    }
}

/// Marks, and with `move` puts out, particles inside bodies; how many, or -1 without memory.
static int64_t insides_find(struct bw_stage *s, struct bw_particles *p, const struct body_arrays *b, int move,
                            uint8_t **hit)
{
    const struct bw_particles_api *api = particles_of(s);
    struct insides in = {.pos = api->attribute(p, "pos"), .count = api->count(p), .bodies = b->count, .move = move};
    struct pose *pose = s->host->scratch(s, (size_t)b->count * sizeof *pose + 1);
    double *size = s->host->scratch(s, (size_t)b->count * sizeof *size + 1);
    int64_t found = 0;
    *hit = in.hit = s->host->scratch(s, (size_t)in.count + 1);
    if (!pose || !size || !in.hit) return -1;
    for (int64_t k = 0; k < b->count; k++) {
        pose[k] = body_pose(b, k);
        size[k] = b->size[k][0];
    }
    in.pose = pose;
    in.size = size;
    s->host->parallel_for(s, (in.count + CHUNK - 1) / CHUNK, inside_chunk, &in);
    for (int64_t i = 0; i < in.count; i++) found += in.hit[i];
    return found;
}

/// Bodies start empty: what they were put upon goes.
static enum bw_status insides_remove(struct bw_stage *s, struct bw_particles *p, const char *what)
{
    struct collide_arrays c = collide_arrays(s);
    uint8_t *hit;
    int64_t n = p ? insides_find(s, p, &c.b, 0, &hit) : 0;
    if (n < 0) return BW_ERR_MEMORY;
    if (!n) return BW_OK;
    s->host->log(s, BW_LOG_WARNING,
                 "%lld %s stood inside bodies at the start and are removed (metric removed counts them)", (long long)n,
                 what);
    s->host->metric(s, "removed", (double)n, BW_METRIC_SUM);
    particles_of(s)->remove(p, hit);
    return BW_OK;
}

static enum bw_status tracers_eject(struct bw_stage *s)
{
    struct collide_arrays c = collide_arrays(s);
    struct bw_particles *t = s->ports[COLLIDE_TRACERS].particles;
    uint8_t *hit;
    int64_t n = t ? insides_find(s, t, &c.b, 1, &hit) : 0;
    if (n < 0) return BW_ERR_MEMORY;
    if (t) s->host->metric(s, "tracers_ejected", (double)n, BW_METRIC_SUM);
    return BW_OK;
}

/* ---- stage ---- */

static enum bw_status kernel_find(struct bw_stage *s, enum pair_kernel *kernel)
{
    const void *table = NULL;
    struct bw_stage *from = s->host->find_stage(s, VORTON_KERNEL, 0, &table);
    if (!from) return s->host->fail(s, BW_ERR_PRESET, "needs a `vorton.velocity` in the chain, whose flow it changes");
    *kernel = ((const struct vorton_kernel_api *)table)->kernel(from);
    return BW_OK;
}

static enum bw_status bodies_check(struct bw_stage *s)
{
    struct collide_arrays c = collide_arrays(s);
    for (int64_t i = 0; i < c.b.count; i++)
        for (int a = 0; a < 3; a++)
            if (!(c.b.size[i][a] > 0) || !(c.b.mass[i] > 0) ||
                !isfinite(c.b.pos[i][a] + c.b.velocity[i][a] + c.b.spin[i][a]))
                return s->host->fail(
                    s, BW_ERR_DIVERGED, "body %lld, size %g m, mass %g kg, at (%g, %g, %g) m, cannot be",
                    (long long)c.b.id[i], c.b.size[i][a], c.b.mass[i], c.b.pos[i][0], c.b.pos[i][1], c.b.pos[i][2]);
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct collide_params *p = s->params;
    enum pair_kernel kernel = PAIR_GAUSSIAN;
    enum bw_status st = kernel_find(s, &kernel);
    if (!st) st = bodies_check(s);
    if (!st && s->step == 0 && !collide_arrays(s).b.count)
        s->host->log(s, BW_LOG_WARNING, "there is no body: put a `body` before it");
    if (!st && s->step == 0) st = insides_remove(s, s->ports[COLLIDE_VORTONS].particles, "vortons");
    if (!st && s->step == 0) st = insides_remove(s, s->ports[COLLIDE_TRACERS].particles, "tracers");
    if (!st) st = tracers_eject(s);
    if (st) return st;
    st = p->method == COLLIDE_SHEET ? collide_sheet(s, kernel) : collide_gourlay(s, kernel);
    struct collide_arrays c = collide_arrays(s);
    for (int64_t i = 0; i < c.b.count; i++) c.b.displaced[i] = p->density * c.b.volume[i];
    return st;
}

/// No body may pass by more of what it has shed than its nodes are apart, about.
static double max_dt(struct bw_stage *s)
{
    const struct collide_params *p = s->params;
    struct collide_arrays c = collide_arrays(s);
    double most = 0;
    for (int64_t i = 0; i < c.b.count; i++) {
        double size = 0, speed = 0, spin = 0;
        for (int a = 0; a < 3; a++) {
            size = fmax(size, c.b.size[i][a]);
            speed += c.b.velocity[i][a] * c.b.velocity[i][a];
            spin += c.b.spin[i][a] * c.b.spin[i][a];
        }
        most = fmax(most, (sqrt(speed) + size * sqrt(spin)) / (size * sqrt(12.6 / (double)p->nodes)));
    }
    return most > 0 ? 0.75 / most : HUGE_VAL;
}

const struct bw_stage_desc vorton_collide_desc = {
    .id = "vorton.collide",
    .version = "1.0",
    .brief = "Rigid bodies in the flow of vortons: no-slip, wakes, drag, lift, both ways.",
    .references = "Gourlay, part 4; Lighthill 1963; Cottet & Koumoutsakos 2000",
    .params_size = sizeof(struct collide_params),
    .state_size = COLLIDE_STATE,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = max_dt,
    .step = step,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP | BW_STAGE_REBUILT_STATE, // sheets follow from the bodies' forms
};
