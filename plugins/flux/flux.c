// SPDX-License-Identifier: Apache-2.0
/* flux: compressible gas: explosions, shocks that turn corners.
 *
 * Two modes: Euler's equations (euler.c), the default, and a grid of mass flows between cells (mass_flow.c), by unit
 * steps. Both advance `mass` (kg/m³) and `momentum` (kg/(m² s)), and write `density`, the excess of mass over the
 * ambient gas, and `vel`. Boundary conditions: cells whose centre is inside an obstacle and closed sides are reflecting
 * walls, moving ones too; beyond open sides and in inactive tiles is ambient gas at rest, but where gas leaves by an
 * open side it goes on at ambient pressure (euler); `wall` closes faces between cells. The stage takes its own
 * substeps. Tiles at rest are released. */
#include "flux.h"
#include <common/simd_pick.h>
#include <math.h>
#include <string.h>

static const struct bw_param mass_flow_rows[] = {
    BW_F64(struct flux_mass_flow, rate, "rate", "60 1/s", 1e-6, 1e9, "1/s", "Unit steps a second."),
    BW_INT(struct flux_mass_flow, neighbours, "neighbours", "0", 0, 26,
           "4 or 8 in 2D, 6, 18 or 26 in 3D; 0: 8, and 26."),
    BW_F64(
        struct flux_mass_flow, diffusion, "diffusion", "0.03", 0, 1, NULL,
        "Mass that flows a step per difference of mass; at most 1/4 (4 neighbours), 1/6 (6, 8), 1/12 (18), 1/18 (26)."),
    BW_F64(struct flux_mass_flow, friction, "friction", "0.01", 0, 1, NULL,
           "Momentum that flows a step per difference of momentum."),
    BW_F64(struct flux_mass_flow, damping, "damping", "0.99", 0, 1, NULL,
           "Fraction of the momentum that is left after a step."),
    BW_F64(struct flux_mass_flow, drain, "drain", "0.995", 0, 1, NULL,
           "Fraction of the excess mass that is left after a step."),
    BW_F64(struct flux_mass_flow, bounce, "bounce", "1", 0, 1, NULL,
           "Restitution at walls: fraction of the momentum into a wall that is reflected."),
};

static const struct bw_param params[] = {
    {.key = "mode",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct flux, mode, int32_t),
     .def = "euler",
     .choices = "euler|mass_flow",
     .doc = "Euler's equations, or mass that flows to where there is less (mass_flow.c), in double.",
     .flags = BW_PARAM_STATIC,
     .was = "modern=euler|seed=mass_flow"},
    BW_CHOICE(struct flux, gas, "gas", "ideal", "ideal|isothermal",
              "ideal: pressure from \"energy\", so that heat drives the flow; isothermal: from the mass alone."),
    BW_CHOICE(
        struct flux, riemann, "riemann", "hybrid", "hybrid|hllc|rusanov",
        "Riemann solver: hybrid: hllc, but rusanov at shocks of an ideal gas, so that blasts are round; hllc: sharp; "
        "rusanov: diffusive and very robust."),
    BW_CHOICE(struct flux, limiter, "limiter", "mc", "mc|minmod|none",
              "Slope limiter: mc: sharp; minmod: diffusive; none: smooth flows only."),
    {.key = "ambient_density",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct flux, ambient_density, double),
     .def = "1.2",
     .min = 1e-6,
     .max = 1e6,
     .unit = "kg/m^3",
     .doc = "Mass of the gas at rest, everywhere outside.",
     .flags = BW_PARAM_STATIC,
     .was = "ambient"},
    BW_F64(struct flux, sound_speed, "sound_speed", "340 m/s", 1e-6, 1e9, "m/s",
           "In the ambient gas; lower ones show blasts in slow motion."),
    BW_F64(struct flux, gamma, "gamma", "1.4", 1.0001, 10, NULL, "Ratio of specific heats of an ideal gas."),
    BW_F64(struct flux, cfl, "cfl", "0.8", 0.01, 1, NULL,
           "Length of a substep, as a fraction of the longest that is stable."),
    BW_F64(struct flux, dt, "dt", "0 s", 0, 1e9, "s",
           "Length of a substep, at most; 0: by cfl. One that is not stable is refused."),
    BW_INT(struct flux, max_substeps, "max_substeps", "10000", 1, 1e12, "More substeps in one step end the run."),
    BW_F64(struct flux, damping, "damping", "0 1/s", 0, 1e9, "1/s", "Rate at which momentum decays."),
    BW_F64(struct flux, drain, "drain", "0 1/s", 0, 1e9, "1/s", "Rate at which the gas relaxes to the ambient one."),
    BW_F64(struct flux, friction, "friction", "0 m^2/s", 0, 1e9, "m^2/s",
           "Kinematic viscosity; at most what one cell's flow would take."),
    BW_F64(struct flux, quiet, "quiet", "1e-4", 0, 1, NULL,
           "Cells that differ less from the ambient gas are at rest; tiles at rest are released."),
    BW_CHOICE(struct flux, display, "display", "cells", "cells|corners",
              "\"density\" as it is, or each value the mean round the low corner of its cell, softer to look at."),
    {.key = "mass_flow",
     .type = BW_PARAM_GROUP,
     .offset = BW_OFFSET(struct flux, mass_flow, struct flux_mass_flow),
     .doc = "Constants of mode mass_flow, per unit step.",
     .n_sub = BW_COUNT(mass_flow_rows),
     .sub = mass_flow_rows,
     .sub_size = sizeof(struct flux_mass_flow),
     .was = "seed"},
};

static const struct bw_port ports[FLUX_PORTS] = {
    [MASS] = {.name = "mass",
              .kind = BW_SCALAR,
              .access = BW_UPDATE,
              .unit = "kg/m^3",
              .doc = "Mass of the gas.",
              .background_from = "ambient_density",
              .precise_from = "mode"},
    [MOMENTUM] = {.name = "momentum",
                  .kind = BW_VECTOR,
                  .access = BW_UPDATE,
                  .unit = "kg/(m^2 s)",
                  .doc = "Momentum of the gas.",
                  .precise_from = "mode"},
    [ENERGY] = {.name = "energy",
                .kind = BW_SCALAR,
                .access = BW_UPDATE,
                .unit = "J/m^3",
                .doc = "Energy, heat and motion, over that of the ambient gas (ideal gas only); pressure is (gamma - "
                       "1) of the heat."},
    [DENSITY] = {.name = "density",
                 .kind = BW_SCALAR,
                 .access = BW_UPDATE,
                 .unit = "1",
                 .doc = "Mass over the ambient one, kg/m3, never below 0: what is shown. Bind it to another name to "
                        "advect smoke instead."},
    [VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "The flow."},
    [FORCE] = {.name = "force",
               .kind = BW_MAC,
               .access = BW_READ_LAST,
               .lifetime = BW_STEP,
               .unit = "m/s^2",
               .doc = "Acceleration by the stages above."},
    [SOLID] = {.name = "solid",
               .kind = BW_SCALAR,
               .access = BW_READ,
               .unit = "m",
               .flags = BW_PORT_OPTIONAL,
               .doc = "Obstacles: cells whose centre is inside one are walls."},
    [SOLID_VEL] = {.name = "solid_vel",
                   .kind = BW_MAC,
                   .access = BW_READ,
                   .unit = "m/s",
                   .flags = BW_PORT_OPTIONAL,
                   .doc = "Velocity of obstacles: moving ones displace the gas."},
    [WALL] = {.name = "wall",
              .kind = BW_MAC,
              .access = BW_READ,
              .unit = "1",
              .flags = BW_PORT_OPTIONAL,
              .doc = "Walls between cells: a low face with 0.5 or more lets nothing through."},
    [CARRY] = {.name = "carry",
               .kind = BW_SCALAR,
               .access = BW_UPDATE,
               .flags = BW_PORT_LIST | BW_PORT_ADVECTED | BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
               .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR),
               .doc = "Every advected field moves with the gas, and its sum is conserved (mode euler)."},
    [AGE] = {.name = "age",
             .kind = BW_SCALAR,
             .access = BW_UPDATE,
             .unit = "s",
             .flags = BW_PORT_OPTIONAL | BW_PORT_ON_DEMAND,
             .doc = "Age of smoke that is advected as density, mean by mass (mode euler); where the preset names it."},
};

static struct flux_gas gas_make(const struct flux *p, int dim, double h)
{
    const double pressure = p->ambient_density * p->sound_speed * p->sound_speed / p->gamma;
    const int ideal = p->gas == GAS_IDEAL;
    return (struct flux_gas){.dim = dim,
                             .vars = 1 + dim + ideal,
                             .ideal = ideal,
                             .gamma = (float)p->gamma,
                             .heat = (float)(1 / (p->gamma - 1)),
                             .sound = (float)p->sound_speed,
                             .energy = ideal ? (float)(pressure / (p->gamma - 1)) : 0,
                             .limiter = p->limiter,
                             .riemann = p->riemann,
                             .viscosity = (float)(p->friction / h)};
}

/* Smoke that is advected here, and its age. */
static void age_find(struct flux_task *t)
{
    const struct bw_bound *carry = &t->s->ports[CARRY];
    struct bw_field *smoke = t->s->host->find_field(t->s, "density"), *age = bw_port_field(t->s, AGE);
    for (uint32_t i = 0; age && i < carry->count; i++)
        if (carry->fields[i] == smoke) t->smoke = smoke, t->age = age;
}

static enum bw_status scalars_add(struct flux_task *t)
{
    const struct bw_bound *carry = &t->s->ports[CARRY];
    age_find(t);
    const uint32_t n = carry->count + (t->age != NULL);
    if (n > FLUX_SCALARS)
        return t->s->host->fail(t->s, BW_ERR_PRESET, "%u fields are to be advected, at most %d can be", n,
                                FLUX_SCALARS);
    t->scalars = (int32_t)t->n_in;
    for (uint32_t i = 0; i < carry->count; i++) {
        const struct bw_field_info *info = t->s->host->field_info(carry->fields[i]);
        if (info->precision != BW_F32)
            return t->s->host->fail(t->s, BW_ERR_PRESET,
                                    "\"%s\" is kept in double: only fields in single precision are advected",
                                    info->name);
        t->access[t->n_in++].field = carry->fields[i];
    }
    if (t->age) t->access[t->n_in++].field = t->age;
    t->n_scalars = (int32_t)n;
    return BW_OK;
}

/* Adds a view of the field that the port is bound to; -1: none. */
static int32_t view_add(struct flux_task *t, enum flux_port port)
{
    struct bw_field *f = bw_port_field(t->s, port);
    if (!f) return -1;
    t->access[t->n_access] = (struct bw_access){f, BW_READ, FLUX_HALO};
    return (int32_t)t->n_access++;
}

static enum bw_status task_make(struct flux_task *t, struct bw_stage *s)
{
    const struct flux *p = s->params;
    const int euler = p->mode == FLUX_EULER;
    *t = (struct flux_task){.s = s,
                            .p = p,
                            .st = s->state,
                            .tiles = s->host->extension(BW_TILES),
                            .solid = -1,
                            .solid_vel = -1,
                            .wall = -1,
                            .energy = -1,
                            .n_in = 2,
                            .halo = FLUX_HALO};
    if (!t->tiles) return s->host->fail(s, BW_ERR_PLUGIN, "the host offers no %s", BW_TILES);
    t->k = SIMD_PICK(flux_kernels, s->host->simd);
    t->mass_flow = SIMD_PICK(mass_flow_kernels, s->host->simd);
    for (int a = 0; a < 3; a++)
        if (a != s->grid->thin) t->axis[t->dim++] = a;
    t->g = gas_make(p, t->dim, s->grid->h);
    t->pressure = (float)(p->ambient_density * p->sound_speed * p->sound_speed / (t->g.ideal ? p->gamma : 1));
    t->access[0].field = bw_port_field(s, MASS);
    t->access[1].field = bw_port_field(s, MOMENTUM);
    if (euler && t->g.ideal) t->access[t->energy = (int32_t)t->n_in++].field = bw_port_field(s, ENERGY);
    const enum bw_status status = euler ? scalars_add(t) : BW_OK;
    for (uint32_t i = 0; i < t->n_in; i++) {
        t->access[i] = (struct bw_access){t->access[i].field, BW_READ, FLUX_HALO};
        t->access[t->n_in + i] = (struct bw_access){t->access[i].field, BW_WRITE, 0};
    }
    t->n_access = 2 * t->n_in;
    t->solid = view_add(t, SOLID);
    t->solid_vel = t->solid < 0 ? -1 : view_add(t, SOLID_VEL);
    t->wall = view_add(t, WALL);
    return status;
}

/* ---- the stage -----------------------------------------------------------------------------------------------------
 */

/* A viscosity that an explicit step cannot take: h²/2 dim a substep, at the ambient gas's own pace. */
static enum bw_status friction_check(struct bw_stage *s)
{
    const struct flux *p = s->params;
    const int dim = s->grid->thin < 0 ? 3 : 2;
    const double longest = p->cfl * s->grid->h / (dim * p->sound_speed),
                 limit = s->grid->h * s->grid->h / (2 * dim * longest);
    if (p->friction > limit)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "friction %g m2/s is unstable: with cells of %g m and substeps of %.3g s the limit is %.4g m2/s",
            p->friction, s->grid->h, longest, limit);
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct flux *p = s->params;
    if (p->mode == FLUX_MASS_FLOW && s->ports[CARRY].count)
        s->host->log(s, BW_LOG_WARNING, "mode mass_flow advects no fields: they stay where they are");
    return p->mode == FLUX_MASS_FLOW ? flux_mass_flow_check(s) : friction_check(s);
}

/* Activates the tiles that moving gas may reach before the next frame. */
static enum bw_status activate(struct bw_stage *s)
{
    struct flux_task t;
    double signal;
    enum bw_status status = task_make(&t, s);
    t.solid = t.solid_vel = t.wall = -1; // obstacles of this step are not there yet
    if (status == BW_OK) status = flux_check_state(&t, &signal);
    if (status != BW_OK) return status;
    const double steps =
        t.p->mode == FLUX_MASS_FLOW ? t.p->mass_flow.rate / s->fps : signal / t.dim / (s->fps * s->grid->h);
    const double reach = (ceil(steps) + FLUX_HALO) * s->grid->h;
    const struct bw_topology *topology = t.tiles->topology(s->domain);
    for (int64_t i = 0; i < topology->count && status == BW_OK; i++) {
        const struct flux_tile *tile = &t.st->tile[i];
        double lo[3], hi[3];
        if (tile->lo[0] > tile->hi[0]) continue;
        for (int a = 0; a < 3; a++) {
            const double base = s->grid->origin[a] + (double)topology->coord[i][a] * s->grid->tile[a] * s->grid->h;
            lo[a] = base + (tile->lo[a] + 0.5) * s->grid->h - reach;
            hi[a] = base + (tile->hi[a] + 0.5) * s->grid->h + reach;
        }
        status = s->host->activate(s, lo, hi);
    }
    return status;
}

static enum bw_status step(struct bw_stage *s)
{
    struct flux_task t;
    double signal = 0;
    enum bw_status status = task_make(&t, s);
    t.st->steps = 0;
    if (status == BW_OK && s->dt > 0) status = flux_apply_force(&t);
    if (status == BW_OK && s->dt <= 0) status = flux_check_state(&t, &signal);
    else if (status == BW_OK && t.p->mode == FLUX_MASS_FLOW) {
        status = flux_check_state(&t, &signal);
        if (status == BW_OK) status = flux_fill_fresh_cells(&t);
        if (status == BW_OK) status = flux_mass_flow_run(&t);
    } else if (status == BW_OK) {
        status = flux_weigh_age(&t);
        if (status == BW_OK) status = flux_euler_run(&t);
        if (status == BW_OK) status = flux_age(&t);
    }
    if (status == BW_OK) status = flux_output(&t);
    s->host->metric(s, "substeps", (double)t.st->steps, BW_METRIC_SUM);
    return status;
}

/* All other state is derived anew before each step. */
static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct flux_state *st = s->state;
    return a->bytes(a, "behind", &st->mass_in_walls, sizeof st->mass_in_walls);
}

const struct bw_stage_desc flux_desc = {
    .id = "flux",
    .version = "1.0",
    .brief = "A gas with mass and pressure everywhere: explosions, shocks that turn corners.",
    .references =
        "Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 2009; van Leer 1979; Batten et al. 1997.",
    BW_PARAMS(params),
    BW_PORTS(ports),
    .params_size = sizeof(struct flux),
    .state_size = sizeof(struct flux_state),
    .flags = BW_STAGE_SUBSTEPS | BW_STAGE_SETUP | BW_STAGE_RANKS,
    .init = init,
    .activate = activate,
    .step = step,
    .checkpoint = checkpoint,
};
