// SPDX-License-Identifier: Apache-2.0
/* vorton.advect: advects the vortons, and with them the tracers, by the flow of all evaluators of the chain; their
 * strength changes at the rates of the stages that offer billow.strength_rate/1 (vorton.stretch). See
 * particle_advection.c for the schemes.
 *
 * A step must not turn the fluid by more than `max_turn` radians: dt ≤ max_turn·2/max|ω|, ω = α/volume. Midpoint keeps
 * a ring's impulse to 1e-5 a hundred steps at the default.
 *
 * Stretching makes length of vortex lines, Σ|α|, and their energy with its square. At STRETCHED_MOST times of what
 * emitters, bodies and buoyancy have added, a million times the energy, the run ends as diverged. */
#include "particle_advection.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define STRETCHED_MOST 1000.0

struct params {
    int32_t scheme, radii;
    double max_turn, limit;
    struct bw_list flow;
};

static const struct bw_param flow_row[] = {
    {.type = BW_PARAM_FIELD, .offset = 0, .doc = "A velocity field's name.", .flags = BW_PARAM_STATIC},
};

static const struct bw_param params[] = {
    BW_CHOICE(struct params, scheme, "scheme", "rk2", ADVECTION_SCHEMES, "Order of the integration in time: 1, 2, 3."),
    BW_CHOICE(struct params, radii, "radii", "fixed", "fixed|stretched",
              "fixed: cores stay what they were; stretched: they thin as the flow draws vortex lines out, r² times "
              "length stays."),
    BW_F64(struct params, max_turn, "max_turn", "0.5", 1e-3, 10, NULL,
           "Radians that the fluid may turn in a step, at most."),
    BW_F64(struct params, limit, "limit", "1e4 m", 1e-3, 1e9, "m",
           "Particles further from the origin are removed, and counted."),
    BW_LIST(struct params, flow, const char *, "flow", flow_row,
            "Grid fields (m/s) that advect the particles too, such as vel."),
};

/// Σ|α| of free vortons, m³/s.
struct state {
    double left;  ///< after the last step
    double given; ///< what was put in so far
};

enum { PORT_VORTONS, PORT_TRACERS, PORT_FLOW };
static const struct bw_port ports[] = {
    [PORT_VORTONS] = {.name = "vortons",
                      .kind = BW_PARTICLES,
                      .access = BW_UPDATE,
                      .doc = "The vortons.",
                      .attributes = vorton_attributes,
                      .n_attributes = BW_COUNT(vorton_attributes),
                      .flags = BW_PORT_NO_CREATE},
    [PORT_TRACERS] = {.name = "tracers",
                      .kind = BW_PARTICLES,
                      .access = BW_UPDATE,
                      .doc = "Particles to advect along.",
                      .attributes = tracer_attributes,
                      .n_attributes = BW_COUNT(tracer_attributes),
                      .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE},
    [PORT_FLOW] = {.name = "flow",
                   .kind = BW_MAC,
                   .access = BW_READ,
                   .doc = "Grid velocities.",
                   .flags = BW_PORT_LIST,
                   .kinds = BW_KIND_BIT(BW_MAC) | BW_KIND_BIT(BW_VECTOR),
                   .from = "flow"},
};

static double max_dt(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct vorton_arrays v = vorton_arrays(s, s->ports[PORT_VORTONS].particles);
    double most = 0;
    for (int64_t i = 0; i < v.count; i++) {
        const double *a = v.strength[i];
        if (v.volume[i] > 0) most = fmax(most, vec3_length(a) / v.volume[i]);
    }
    return most > 0 ? 2 * p->max_turn / most : HUGE_VAL;
}

static double strength_sum(const struct bw_stage *s)
{
    struct vorton_arrays v = vorton_arrays(s, s->ports[PORT_VORTONS].particles);
    double sum = 0;
    for (int64_t i = 0; i < v.count; i++)
        if (v.volume[i] > 0) sum += vec3_length(v.strength[i]);
    return sum;
}

/// What is more than the last step left was put in.
static void given_count(struct bw_stage *s)
{
    struct state *st = s->state;
    st->given += fmax(0, strength_sum(s) - st->left);
}

static enum bw_status stretched_check(struct bw_stage *s, double given)
{
    struct state *st = s->state;
    st->left = strength_sum(s);
    st->given += given;
    if (st->given > 0) s->host->metric(s, "stretched", st->left / st->given, BW_METRIC_LAST);
    if (!(st->left > STRETCHED_MOST * st->given)) return BW_OK;
    return s->host->fail(s, BW_ERR_DIVERGED,
                         "step %lld: stretching has made vortex lines of %.3g times what was put in: what the vortons "
                         "cannot resolve blows up; more time.substeps, a smaller max_turn, or the eddies of "
                         "`vorton.diffuse` would hold it together",
                         (long long)s->step, st->left / st->given);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    const struct bw_bound *flow = &s->ports[PORT_FLOW];
    struct particle_advection c = {.vortons = s->ports[PORT_VORTONS].particles,
                                   .tracers = s->ports[PORT_TRACERS].particles,
                                   .flow = {flow->fields, flow->count},
                                   .scheme = p->scheme,
                                   .radii = p->radii};
    enum bw_status st = particles_tidy(s, c.vortons, p->limit);
    given_count(s);
    if (!st) st = particles_advect(s, &c);
    if (!st) st = stretched_check(s, c.given);
    if (!st) st = particles_tidy(s, c.vortons, p->limit);
    if (!st && c.tracers) st = particles_tidy(s, c.tracers, p->limit);
    return st;
}

static int moves(struct bw_stage *s, const struct bw_particles *p)
{
    return p == s->ports[PORT_VORTONS].particles || p == s->ports[PORT_TRACERS].particles;
}

static enum bw_status velocity(struct bw_stage *s, struct bw_particles *p, float *out)
{
    const struct bw_bound *flow = &s->ports[PORT_FLOW];
    return particles_velocity(s, &(struct flow){flow->fields, flow->count}, p, out);
}

static const void *extension(const char *id)
{
    static const uint32_t table = sizeof table;
    static const struct bw_motion_api motion = {.size = sizeof motion, .moves = moves, .velocity = velocity};
    if (!strcmp(id, BW_MOTION)) return &motion;
    return strcmp(id, BW_CARRIER) ? NULL : &table;
}

const struct bw_stage_desc vorton_advect_desc = {
    .id = "vorton.advect",
    .version = "1.0",
    .brief = "Carries vortons and tracers along the flow.",
    .references = "Williamson 1980 (Runge-Kutta in two registers)",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_RANKS | BW_STAGE_PLAIN_STATE,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = max_dt,
    .step = step,
    .extension = extension,
};
