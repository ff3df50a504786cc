// SPDX-License-Identifier: Apache-2.0
/* mac.advect: semi-Lagrangian and flux-form advection of every advected field, the velocity included: Dq/Dt = 0.
 *
 *     what                          scheme                               order   conserves  file
 *     scalars, vectors (default)    flux_ppm: flux-form, PPM             2..3    sums       flux/flux.c
 *     the same, by `scheme`         semi-lagrangian, maccormack, cubic   1, 2, 3 no         schemes/schemes.c
 *     velocity (default)            centred: trapezoidal in time, cubic  2       energy*    advect_centred.c
 *     velocity, quintic             the same, 88 values a node           2       energy*    schemes/quintic.c
 *     velocity with `reflection`    advection-reflection                 2       energy*    advect_reflect.c
 * (* nearly: its head says how far.) Cost in passes over memory: one sweep each, maccormack two, flux_ppm one an axis.
 *
 * Trajectory. From each cell centre a trace in the velocity at the step's start, back to the departure point and ahead
 * in time; the displacement d in cells:
 *     midpoint:  d = ± dt/h u(x ± dt/2 u(x))                                                   second order
 *     rk3:       d = ± dt/h (2 u(x) + 3 u(x ± dt/2 k1) + 4 u(x ± 3dt/4 k2)) / 9 (Ralston)      third order
 * with u trilinear on its faces. A face takes the mean of its two cells' displacements, so all quantities share one
 * trace. euler is one straight line from each node itself, first order.
 *
 * All schemes are stable for any dt; `cfl` bounds the step for accuracy. Traces that leave the gas: valid_region.c.
 *
 * A scheme takes one sweep, or two: the first advects, the second corrects. Each computes the displacements anew, plane
 * by plane in the worker's memory, so none are stored. A block's halo is as wide as the longest trace from it. Blocks
 * are advected row by row with SIMD kernels (advect_rows.c). Blocks with traces longer than the widest halo, and fields
 * in double precision, are advected node by node in doubles, and read beyond the halo by the host's sampler
 * (advect_nodes.c). */
#include "flux/flux.h"
#include "flux/flux_detail.h"
#include "flux/flux_refine.h"
#include <string.h>

static const struct bw_param only_rows[] = {
    {.type = BW_PARAM_FIELD, .doc = "A field's name."},
};

static const struct bw_param params[] = {
    BW_CHOICE(struct advect, scheme, "scheme", "flux_ppm", advect_scheme_names, advect_scheme_doc),
    BW_CHOICE(
        struct advect, velocity, "velocity", "centred", "centred|cubic|semi-lagrangian|quintic",
        "How the velocity advects itself: centred, trapezoidal in time, second order: half of the last step's pressure "
        "and force increment is applied at the departure point, half at the arrival point, so that eddies keep their "
        "energy over long steps; quintic, the same by an interpolation of sixth order: in steps of up "
        "to 3 cells eddies of a few cells lose a third less, for twice the time of a step; cubic, centred's "
        "interpolation, first order in time; semi-lagrangian blurs."),
    BW_CHOICE(
        struct advect, trace, "trace", "midpoint", "midpoint|euler|rk3",
        "How trajectories are integrated: midpoint; rk3, third order, for steps of many cells round a vortex; euler, "
        "one straight line with the velocity at each point itself. A velocity that is centred has a rule of its own."),
    BW_CHOICE(
        struct advect, outside, "outside", "background", "background|clamp|keep",
        "Boundary value where a trajectory leaves the gas through an open or inflow side or out of the active tiles: "
        "background, the field's own, such as clear air; clamp, the value at the edge where it left, as if the gas "
        "went on beyond; keep, what the cell held. Velocity: the one at the edge, which decays with distance to air at "
        "rest, or to the background's wind; with clamp and keep it is as fast as the air inside."),
    BW_CHOICE(struct advect, sweeps, "sweeps", "alternate", "alternate|symmetric",
              "Axes of flux_ppm: alternate, one after the other, and the reverse in the next step; symmetric, two of "
              "them in both orders, and the mean, so that a turned set piece moves alike, for a tenth more time a step "
              "and a copy of the fields."),
    BW_BOOL(
        struct advect, clamp, "clamp", "true",
        "Limiter: keep values within those at the departure point; without it thin features of maccormack, cubic and "
        "flux_ppm may ring."),
    BW_BOOL(struct advect, reflection, "reflection", "false",
            "Advect the velocity in two halves, with a pressure projection and a reflection between them, instead of "
            "`velocity`: eddies keep more of their energy in very long steps, for one more projection and one more "
            "advection of the velocity (twice the time of a step)."),
    BW_F64(struct advect, cfl, "cfl", "0", 0, 100, "1",
           "Longest displacement in a step, cells (CFL number); 0: as the preset's time.cfl says."),
    BW_AUTO(struct advect, mixing, "mixing", 0, 100, NULL,
            "How much eddies finer than a cell thin old smoke out where the flow shears; auto: 1, in a calm preset 0."),
    BW_F64(struct advect, detail, "detail", "0", 0, 20, NULL,
           "Where the domain has a `flow` on wider cells: how much noise stands for the eddies which these can't hold, "
           "times what their own finest eddies ask for. What is carried goes along both; the flow does not feel it."),
    BW_LIST(struct advect, only, const char *, "only", only_rows,
            "Advect these fields and no others (\"vel\" among them); default: the velocity and all advected fields."),
};

static const struct bw_port ports[] = {
    [PORT_VEL] = {.name = "vel",
                  .kind = BW_MAC,
                  .access = BW_UPDATE,
                  .unit = "m/s",
                  .doc = "The flow; it advects itself too.",
                  .flags = BW_PORT_ADVECTED},
    [PORT_FIELDS] = {.name = "fields",
                     .access = BW_UPDATE,
                     .doc = "Every advected field, or those of `only`.",
                     .flags = BW_PORT_LIST | BW_PORT_ADVECTED | BW_PORT_NO_CREATE,
                     .from = "only",
                     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC)},
    [PORT_VEL_ADVECTED] = {.name = "vel_carried",
                           .kind = BW_MAC,
                           .access = BW_UPDATE,
                           .unit = "m/s",
                           .doc = "The flow after advection, before forces and pressure.",
                           .flags = BW_PORT_AS_FIRST | BW_PORT_FLOW},
    [PORT_SOLID] = {.name = "solid",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .unit = "m",
                    .doc = "Signed distance to obstacles: nothing is advected into or through them.",
                    .flags = BW_PORT_OPTIONAL},
    [PORT_SOLID_VEL] = {.name = "solid_vel",
                        .kind = BW_MAC,
                        .access = BW_READ,
                        .unit = "m/s",
                        .doc = "Velocity of the obstacles.",
                        .flags = BW_PORT_OPTIONAL},
    [PORT_AGE] = {.name = "age",
                  .kind = BW_SCALAR,
                  .access = BW_UPDATE,
                  .unit = "s",
                  .doc = "Age of the smoke in density, mean by mass; where the preset names it, or is not calm.",
                  .flags = BW_PORT_ON_DEMAND},
};

struct state {
    struct walls walls;
    struct centred last;
    struct flux_detail detail; ///< made in the first step that wants it
    int32_t walls_ahead;       ///< of this step the walls are known before it: what has finer cells asked
};

/* ---- one step ---- */

static struct pass pass_of(struct bw_stage *s)
{
    const struct advect *options = s->params;
    return (struct pass){.stage = s,
                         .options = options,
                         .scheme = advect_scheme_at(options->scheme),
                         .kernels = advect_kernels_for(s->host->simd),
                         .sample = s->host->extension(BW_SAMPLE),
                         .tiles = s->host->extension(BW_TILES),
                         .scale = s->dt / s->grid->h,
                         .trace = (enum advect_trace_kind)options->trace,
                         .vel = bw_port_field(s, PORT_VEL)};
}

/// Begins a step: finds services and memory. Errors: BW_ERR_MEMORY (reported).
static enum bw_status pass_init(struct pass *p, struct bw_stage *s)
{
    *p = pass_of(s);
    p->worker_floats = advect_rows_floats(p);
    p->memory = s->host->scratch(s, sizeof *p->memory * p->worker_floats * s->host->workers);
    p->worker_block = s->host->scratch(s, sizeof *p->worker_block * s->host->workers);
    p->sub_tile_bytes = sub_tiles_bytes(s->grid, advect_most_ring());
    p->sub_tile_memory = s->host->scratch(s, p->sub_tile_bytes * s->host->workers);
    if (p->memory && p->worker_block && p->sub_tile_memory) return BW_OK;
    return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for displacements.");
}

static bool velocity_is_centred(const struct advect *o)
{
    return o->velocity == VELOCITY_CENTRED || o->velocity == VELOCITY_QUINTIC;
}

static bool advects_centred(const struct pass *p)
{
    return !p->options->reflection && velocity_is_centred(p->options) && pass_advects_velocity(p);
}

static double advect_max_dt(struct bw_stage *s)
{
    const struct advect *a = s->params;
    struct pass p = pass_of(s);
    double most = HUGE_VAL;
    if (advects_centred(&p) && rotation_limit(&p, &most) != BW_OK) return HUGE_VAL;
    if (a->cfl <= 0 || pass_measure(&p) != BW_OK || p.speed.most <= 0) return most;
    return fmin(most, a->cfl * s->grid->h / p.speed.most);
}

static bool pass_has_fields(const struct pass *p)
{
    struct bw_field *f;
    for (uint32_t k = 0; (f = pass_field_at(p, k)); k++)
        if (!flux_advects(p, p->stage->host->field_info(f))) return true;
    return false;
}

/* Other fields first: they are advected by the velocity at the step's start. */
static enum bw_status pass_run(struct pass *p, struct centred *last)
{
    enum bw_status st = BW_OK;
    const bool velocity = pass_advects_velocity(p), centred = velocity && velocity_is_centred(p->options);
    if (p->options->reflection && !p->stage->flow) return advect_reflect(p);
    st = pass_conserved(p);
    if (st == BW_OK && pass_has_fields(p)) st = pass_measure_and_fit(p, p->stage->dt);
    if (st == BW_OK) st = pass_fields(p);
    if (st != BW_OK || !velocity) return st;
    if (centred) return advect_centred(p, last);
    if (!pass_has_fields(p)) st = pass_measure_and_fit(p, p->stage->dt);
    return st == BW_OK ? pass_velocity(p, p->vel, p->vel) : st;
}

/* Warns of what long steps cost where gas is fast. Not in the first step of a run, in which the velocity is advected
 * over 1.5 dt. */
static void long_steps_warn(const struct pass *p)
{
    struct bw_stage *s = p->stage;
    const double cells = s->dt / s->grid->h * p->speed.most;
    if (p->long_traces > 0 && cells > BW_HALO_MOST)
        s->host->log(s, BW_LOG_WARNING,
                     "gas moves by up to %.0f cells in a step: what goes farther than some %d takes ten times as long; "
                     "more steps, as by time: {cfl: 15}, are faster and sharper",
                     cells, BW_HALO_MOST - 2);
}

/* The walls of this step; past what has finer cells the refined flow leads, which knows them. */
static enum bw_status step_walls(struct bw_stage *s, const struct walls **walls)
{
    struct state *state = s->state;
    struct bw_field *solid = s->flow ? NULL : bw_port_field(s, PORT_SOLID);
    *walls = solid ? &state->walls : NULL;
    const bool known = state->walls_ahead;
    state->walls_ahead = 0;
    return solid && !known ? walls_update(&state->walls, s, solid, bw_port_field(s, PORT_SOLID_VEL)) : BW_OK;
}

static enum bw_status flow_to_refine(struct bw_stage *s, struct refine_flow *out)
{
    struct pass p = pass_of(s);
    struct flux f = {.pass = &p, .topology = p.tiles->topology(s->domain), .flow = p.vel};
    enum bw_status st = step_walls(s, &p.walls);
    ((struct state *)s->state)->walls_ahead = p.walls != NULL;
    if (st == BW_OK && p.walls) st = flux_through_faces(&f);
    *out = (struct refine_flow){f.flow, p.walls};
    return st;
}

/* With cells finer than the flow's: `vel` becomes that flow on their faces. */
static enum bw_status flow_refine(struct bw_stage *s)
{
    const void *api = NULL;
    struct bw_stage *wide = NULL;
    struct refine_flow from;
    for (uint32_t k = 0; (wide = s->host->find_stage(s, REFINE_FLOW, k, &api)); k++)
        if (wide->domain == s->flow) break;
    if (!wide) return s->host->fail(s, BW_ERR_PRESET, "nothing carries the flow itself");
    enum bw_status st = ((const struct refine_flow_api *)api)->flow(wide, &from);
    struct flux_detail *detail = &((struct state *)s->state)->detail;
    const double strength = ((const struct advect *)s->params)->detail;
    if (st != BW_OK) return st;
    if (strength > 0 && !detail->tile && !flux_detail_init(detail, s))
        return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the noise.");
    if (strength > 0) flux_detail_begin(detail, s, strength);
    return flux_refine(s, &from, strength > 0 ? detail : NULL, bw_port_field(s, PORT_VEL));
}

/* Only fluxes know how the refined flow goes past obstacles, which lie between wide cells. */
static enum bw_status advect_init(struct bw_stage *s)
{
    const struct advect *options = s->params;
    if (options->detail > 0 && !s->flow && !s->amounts)
        return s->host->fail(s, BW_ERR_PRESET,
                             "detail stands for what a flow on wider cells lacks: give the domain flow: 2");
    if (options->detail > 0 && s->grid->thin >= 0)
        return s->host->fail(s, BW_ERR_PRESET, "a domain one cell thick has no room for detail");
    if (!s->flow || advect_scheme_at(options->scheme)->by_flux || !s->host->find_field(s, "flow.solid")) return BW_OK;
    return s->host->fail(s, BW_ERR_PRESET,
                         "this scheme needs the flow past obstacles on the cells of what it carries: with flow: %d of "
                         "the domain take scheme: flux_ppm",
                         s->flow_cells);
}

static enum bw_status advect_step(struct bw_stage *s)
{
    struct pass p;
    const struct walls *walls;
    enum bw_status st = step_walls(s, &walls);
    if (st != BW_OK || s->dt <= 0) return st;
    if (s->flow) st = flow_refine(s);
    if (st != BW_OK) return st;
    st = pass_init(&p, s);
    p.walls = walls;
    pass_find_smoke(&p);
    if (st == BW_OK) st = pass_weigh_age(&p);
    if (st == BW_OK) st = pass_mix(&p);
    if (st == BW_OK) st = pass_run(&p, &((struct state *)s->state)->last);
    if (st == BW_OK) st = pass_age(&p);
    long_steps_warn(&p);
    s->host->metric(s, "long_traces", p.long_traces, BW_METRIC_SUM);
    return st;
}

static struct bw_field *flow_advected(struct bw_stage *s, uint64_t version)
{
    return ((const struct state *)s->state)->last.version == version ? bw_port_field(s, PORT_VEL_ADVECTED) : NULL;
}

/* The velocity is half a step ahead of the fields that it advects. */
static double advect_span(struct bw_stage *s)
{
    const struct pass p = pass_of(s);
    const bool leads = advects_centred(&p) && (s->amounts || pass_field_at(&p, 0));
    return leads ? centred_span(&((const struct state *)s->state)->last, s->dt) : s->dt;
}

static const struct advected_flow_api advected_flow_table = {flow_advected};

static int advects_field(struct bw_stage *s, const struct bw_field *field)
{
    const struct bw_bound *list = &s->ports[PORT_FIELDS];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] == field) return 1;
    return 0;
}

static const struct bw_advects_api advects_api = {sizeof advects_api, advects_field};

static const void *advect_extension(const char *id)
{
    static const struct refine_flow_api refine = {flow_to_refine};
    if (!strcmp(id, BW_ADVECTS)) return &advects_api;
    if (!strcmp(id, REFINE_FLOW)) return &refine;
    return strcmp(id, ADVECTED_FLOW) ? NULL : &advected_flow_table;
}

static enum bw_status advect_checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    enum bw_status status = a->bytes(a, "span", &st->last.span, sizeof st->last.span);
    if (status == BW_OK) status = a->bytes(a, "ahead", &st->last.ahead, sizeof st->last.ahead);
    return status == BW_OK ? walls_checkpoint(&st->walls, s, a) : status;
}

const struct bw_stage_desc mac_advect_desc = {
    .id = "mac.advect",
    .version = "1.3",
    .brief = "Advects the velocity and every advected field with the flow.",
    .references = "Selle et al. 2008, J. Sci. Comput. 35; Stam 1999, SIGGRAPH; "
                  "Zehnder, Narain, Thomaszewski 2018, ACM Trans. Graph. 37.",
    .params_size = sizeof(struct advect),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    // set up: to know where obstacles stand when the first step begins
    .flags = BW_STAGE_RANKS | BW_STAGE_SPLITS | BW_STAGE_SETUP,
    .init = advect_init,
    .max_dt = advect_max_dt,
    .span = advect_span,
    .step = advect_step,
    .checkpoint = advect_checkpoint,
    .extension = advect_extension,
};
