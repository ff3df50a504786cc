// SPDX-License-Identifier: Apache-2.0
/* baroclinic: baroclinic generation of vorticity, where density varies across gravity; buoyancy on a grid.
 *
 *     Dω/Dt = ∇ρ × ∇p/ρ² = (∇ρ × g)/ρ₀     Boussinesq: the pressure is hydrostatic, ∇p = ρ₀ g; g points down
 *     density: local    (∇ρ × g)/ρ = ∇ ln ρ × g
 *     ρ = ρ₀ + ρ',  ρ' = d - ρ₀ β T        d: the fluid's own deviation, T: its excess over ambient temperature
 *
 * On vortons: by a particle-to-grid lattice (lattice.c), dα/dt = V (∇ρ × g)/ρ₀, whose sum is zero; vorton.advect
 * integrates it with their positions. `method: gourlay` is part 8's (gourlay.c), added once a step. On a grid: `grid:
 * true` adds q g to `force` (force.c), whose curl is the same; density and temperature are then the grid's.
 *
 * The explicit step must resolve the fastest wave, N² = g |ρ'|/(ρ₀ h): dt ≤ 0.5/N.
 *     Gourlay, Fluid Simulation for Video Games, part 8; Turner, Buoyancy Effects in Fluids, 1973, 1.2. */
#include "force.h"
#include "stages.h"
#include <common/vec3.h>
#include <string.h>
#include <time.h>

#define WARN_ABOVE 0.3 /* of ambient: where Boussinesq ends */
#define STEP_SHARE 0.5

enum { METHOD_CONSERVE, METHOD_GOURLAY };

struct params {
    bw_vec3 gravity;
    double ambient_density, expansion, cell, smoke;
    int32_t method, density, grid;
};

static const struct bw_param params[] = {
    BW_VEC3(struct params, gravity, "gravity", "[0, 0, -9.81]", "m/s^2",
            "Gravity; what of it points out of a 2D domain does nothing."),
    {.key = "ambient_density",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct params, ambient_density, double),
     .def = "1.2 kg/m^3",
     .min = 0,
     .max = 1e6,
     .unit = "kg/m^3",
     .doc = "Density of the fluid around.",
     .flags = BW_PARAM_MIN_OPEN,
     .was = "ambient"},
    BW_F64(struct params, expansion, "expansion", "=1/ambient", 0, 1, NULL,
           "Thermal expansion, 1/K; an ideal gas's is 1 over its temperature, as here."),
    BW_CHOICE(
        struct params, density, "density", "boussinesq", "boussinesq|local",
        "What the gradient is divided by: the ambient density, or that of the place, for deviations beyond a third."),
    {.key = "method",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct params, method, int32_t),
     .def = "conserve",
     .choices = "conserve|gourlay",
     .doc =
         "conserve: no vorticity is lost on the way to the vortons; gourlay: as in his articles, read at the vortons, "
         "once a step.",
     .flags = BW_PARAM_STATIC,
     .was = "seed=gourlay"},
    BW_F64(struct params, cell, "cell", "0 m", 0, 1e6, "m", "Spacing of the vortons' lattice; 0: their mean radius."),
    {.key = "grid",
     .type = BW_PARAM_BOOL,
     .offset = BW_OFFSET(struct params, grid, int32_t),
     .def = "false",
     .doc = "Push the gas of a grid, by its own density and temperature.",
     .was = "velocity"},
    BW_F64(struct params, smoke, "smoke", "0 kg/m^3", -1e6, 1e6, "kg/m^3",
           "On a grid: what smoke of density 1 adds to the air."),
};

static const struct bw_attribute attributes[] = {
    {"pos", BW_F64P, 3, "m"},      {"strength", BW_F64P, 3, "m^3/s"}, {"radius", BW_F64P, 1, "m"},
    {"volume", BW_F64P, 1, "m^3"}, {"density", BW_F64P, 1, "kg/m^3"}, {"temperature", BW_F64P, 1, "K"},
};

enum { PORT_VORTONS, PORT_FORCE, PORT_TEMPERATURE, PORT_DENSITY };
static const struct bw_port ports[] = {
    [PORT_VORTONS] = {.name = "vortons",
                      .kind = BW_PARTICLES,
                      .access = BW_UPDATE,
                      .doc = "Get vorticity by their density and temperature.",
                      .attributes = attributes,
                      .n_attributes = BW_COUNT(attributes),
                      .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE},
    [PORT_FORCE] = {.name = "force",
                    .kind = BW_MAC,
                    .access = BW_UPDATE,
                    .lifetime = BW_STEP,
                    .unit = "m/s^2",
                    .doc = "On a grid: acceleration of the gas.",
                    .flags = BW_PORT_OPTIONAL},
    [PORT_TEMPERATURE] = {.name = "temperature",
                          .kind = BW_SCALAR,
                          .access = BW_READ,
                          .unit = "K",
                          .doc = "On a grid: excess over ambient.",
                          .flags = BW_PORT_OPTIONAL},
    [PORT_DENSITY] = {.name = "density",
                      .kind = BW_SCALAR,
                      .access = BW_READ,
                      .unit = "1",
                      .doc = "On a grid: smoke.",
                      .flags = BW_PORT_OPTIONAL},
};

struct state {
    double seconds;        ///< of this step's evaluations
    struct transfer found; ///< by the last evaluation
};

static struct density_law density_law_make(const struct bw_stage *s)
{
    const struct params *p = s->params;
    struct density_law w = {.ambient = p->ambient_density, .expansion = p->expansion, .local = p->density};
    for (int a = 0; a < 3; a++) w.gravity[a] = a == s->grid->thin ? 0 : p->gravity[a];
    return w;
}

static struct grid_force force_make(const struct bw_stage *s, const struct density_law *w)
{
    const struct params *p = s->params;
    return (struct grid_force){.force = p->grid ? bw_port_field(s, PORT_FORCE) : NULL,
                               .temperature = p->expansion > 0 ? bw_port_field(s, PORT_TEMPERATURE) : NULL,
                               .smoke = p->smoke != 0 ? bw_port_field(s, PORT_DENSITY) : NULL,
                               .weight = w,
                               .smoke_density = p->smoke};
}

/* ---- vortons ---- */

/* All vortons, and their deviation of density. */
struct vortons {
    struct mass_points m;
    double most, radius; ///< largest |ρ'|; mean radius
};

static enum bw_status vortons_measure(struct bw_stage *s, struct bw_particles *particles, const struct density_law *w,
                                      struct vortons *out)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    *out = (struct vortons){.m = {.count = particles ? api->count(particles) : 0}};
    if (!out->m.count) return BW_OK;
    const double *d = api->attribute(particles, "density"), *t = api->attribute(particles, "temperature"),
                 *r = api->attribute(particles, "radius");
    double *deviation = s->host->scratch(s, (size_t)out->m.count * sizeof *deviation);
    if (!deviation) return BW_ERR_MEMORY;
    double least = 0, most = 0, radius = 0; // in registers
    for (int64_t i = 0; i < out->m.count; i++) {
        const double own = deviation[i] = density_deviation(w, d[i], t[i]);
        least = least < own ? least : own;
        most = most > own ? most : own;
        radius += r[i];
    }
    out->most = most > -least ? most : -least;
    out->radius = radius / (double)out->m.count;
    out->m.pos = api->attribute(particles, "pos");
    out->m.volume = api->attribute(particles, "volume");
    out->m.deviation = deviation;
    return BW_OK;
}

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Add dα/dt of all vortons.
static enum bw_status vortons_generate(struct bw_stage *s, struct bw_particles *particles, double *rate)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct density_law w = density_law_make(s);
    struct vortons v;
    double begun = clock_seconds();
    enum bw_status status = vortons_measure(s, particles, &w, &v);
    if (status || !(v.most > 0) || !(vec3_length(w.gravity) > 0)) return status;
    st->found = (struct transfer){0};
    status = p->method == METHOD_GOURLAY
                 ? gourlay_generate(s, &v.m, &w, rate, &st->found)
                 : lattice_generate(s, &v.m, p->cell > 0 ? p->cell : v.radius, &w, rate, &st->found);
    st->seconds += clock_seconds() - begun;
    return status;
}

/// billow.strength_rate/1: for vorton.advect.
static enum bw_status rate_add(struct bw_stage *s, struct bw_particles *vortons, const double *gradient, double *rate)
{
    const struct params *p = s->params;
    (void)gradient;
    return p->method == METHOD_GOURLAY ? BW_OK : vortons_generate(s, vortons, rate);
}

static enum bw_status vortons_step(struct bw_stage *s)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct bw_particles *particles = s->ports[PORT_VORTONS].particles;
    int64_t n = 3 * api->count(particles);
    double *rate = s->host->scratch(s, (size_t)n * sizeof *rate + 1), *strength = api->attribute(particles, "strength");
    if (!rate) return BW_ERR_MEMORY;
    memset(rate, 0, (size_t)n * sizeof *rate);
    enum bw_status st = vortons_generate(s, particles, rate);
    for (int64_t i = 0; i < n && !st; i++) strength[i] += s->dt * rate[i];
    return st;
}

/* ---- warnings and metrics ---- */

static void deviation_warn(struct bw_stage *s, double most)
{
    const struct params *p = s->params;
    if (!(most > WARN_ABOVE) || p->density) return;
    s->host->log(
        s, BW_LOG_WARNING,
        "density deviates by %.0f %% of ambient; Boussinesq's approximation is good to about 30 %%: `density: local` "
        "goes further",
        100 * most);
}

static void transfer_report(struct bw_stage *s)
{
    struct state *st = s->state;
    const struct transfer *f = &st->found;
    double made = vec3_length(f->made);
    s->host->metric(s, "mass", f->mass, BW_METRIC_LAST);
    s->host->metric(s, "transfer", f->size > 0 ? fabs(f->lattice - f->mass) / f->size : 0, BW_METRIC_MAX);
    s->host->metric(s, "generated", f->all, BW_METRIC_LAST);
    s->host->metric(s, "residue", f->all > 0 ? made / f->all : 0, BW_METRIC_MAX);
    s->host->metric(s, "nodes", (double)f->nodes, BW_METRIC_LAST);
    s->host->metric(s, "thinned", (double)f->thinned, BW_METRIC_MAX);
    s->host->metric(s, "microseconds", 1e6 * st->seconds, BW_METRIC_TIMING);
    st->seconds = 0;
}

/* ---- stage ---- */

static enum bw_status init(struct bw_stage *s)
{
    const struct params *p = s->params;
    const void *table;
    if (p->grid && !bw_port_field(s, PORT_FORCE))
        return s->host->fail(s, BW_ERR_PRESET, "`grid` wants a mac.project in the chain, which applies the force");
    if (p->grid) return BW_OK;
    if (!s->ports[PORT_VORTONS].particles)
        return s->host->fail(s, BW_ERR_PRESET,
                             "there are no vortons in this chain, and `grid` is false: nothing to act on");
    if (p->method != METHOD_GOURLAY && !s->host->find_stage(s, BW_CARRIER, 0, &table))
        return s->host->fail(s, BW_ERR_PRESET,
                             "needs a `vorton.advect` in the chain, which integrates its rate of strength");
    return BW_OK;
}

static double wave_dt(double gravity, double deviation, double length)
{
    double n2 = gravity * deviation / length;
    return n2 > 0 ? STEP_SHARE / sqrt(n2) : HUGE_VAL;
}

static double max_dt(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct density_law w = density_law_make(s);
    struct grid_force f = force_make(s, &w);
    struct vortons v;
    double g = vec3_length(w.gravity), most = 0, dt = HUGE_VAL;
    if (!(g > 0)) return HUGE_VAL;
    if (f.force && force_add(s, &f, &most) == BW_OK) dt = wave_dt(g, most, s->grid->h);
    if (vortons_measure(s, s->ports[PORT_VORTONS].particles, &w, &v) || !v.m.count) return dt;
    return fmin(dt, wave_dt(g, v.most / w.ambient, p->cell > 0 ? p->cell : v.radius));
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct density_law w = density_law_make(s);
    struct grid_force f = force_make(s, &w);
    struct vortons v;
    enum bw_status st = vortons_measure(s, s->ports[PORT_VORTONS].particles, &w, &v);
    double most = v.most / w.ambient, on_grid = 0;
    if (!st && v.m.count && p->method == METHOD_GOURLAY) st = vortons_step(s);
    if (!st && f.force) st = force_add(s, &f, &on_grid);
    if (st) return st;
    deviation_warn(s, fmax(most, on_grid));
    s->host->metric(s, "deviation", fmax(most, on_grid), BW_METRIC_MAX);
    if (s->ports[PORT_VORTONS].particles) transfer_report(s);
    return BW_OK;
}

static const void *extension(const char *id)
{
    static const struct bw_strength_rate_api api = {sizeof api, 0, rate_add};
    return strcmp(id, BW_STRENGTH_RATE) ? NULL : &api;
}

const struct bw_stage_desc baroclinic_desc = {
    .id = "baroclinic",
    .version = "1.0",
    .brief = "Heavy fluid sinks, hot fluid rises: the vorticity that gravity makes of differences in density.",
    .references = "Gourlay, part 8; Turner 1973",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_RANKS | BW_STAGE_PLAIN_STATE, // vorton.advect calls rate_add() before step() reports
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .max_dt = max_dt,
    .step = step,
    .extension = extension,
};
