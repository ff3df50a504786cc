// SPDX-License-Identifier: Apache-2.0
/* mac.project: pressure projection. Applies the step's body force to the flow (vel += dt force), then makes the flow
 * free of divergence, or its divergence equal to the field `divergence`.
 *
 *     lap p = (rho/dt) (div u - D),   u -= (dt/rho) grad p
 * on the active tiles (Chorin 1968), second order in space. The 7-point Laplacian is exactly div grad of the face
 * velocities, so the remaining divergence is the solver's residual. In units of cells:
 *     sum over faces (p - p') = -(rho h/dt) (net outflow) + (rho h²/dt) D
 *
 * Boundary conditions, at
 *     obstacles        a face is weighted by its open area fraction w (cut.c): sum over faces w (p - p') =
 *                      -(rho h/dt) (net outflow of w u + (1-w) u_solid); where w is 0 it has the solid's velocity
 *                      (Batty, Bertails, Bridson 2007; Ng, Min, Gibou 2009). The velocity is then extrapolated to faces
 *                      that are shut or nearly so (extrapolate.c)
 *     closed sides     Neumann: faces have the wall's velocity; on inflow sides the stream's
 *     open sides       Robin: p is the sources' potential beyond and falls off as in still air (far_field.c); of a
 *                      channel Dirichlet, p is 0 one cell away (multigrid_exterior.c)
 *     inactive tiles   the same
 * Newly activated tiles take the potential flow that continues the others' (activation.c). Where the sources of a
 * sealed region do not sum to zero no solution exists: their mean is subtracted, with a warning.
 *
 * Solver and its limits: multigrid.c. tolerance: 1e-3 removes 99.9 % of the divergence in each step, and with a warm
 * start the rest in the next one. Less shows no difference in smoke; each further factor of 5 costs a cycle. */
#include "project.h"
#include "exterior/activation.h"
#include "stages.h"
#include <common/ranks.h>
#include <common/solids/cut.h>
#include <string.h>

struct project {
    double tolerance, density;
    int64_t max_iterations;
    int32_t solver, warm_start;
};

static const struct bw_param params[] = {
    BW_F64(struct project, tolerance, "tolerance", "1e-3", 1e-12, 1, "1",
           "Residual to stop at, relative to the divergence given (2-norms); "
           "below 2e-4 the solution is kept in double."),
    BW_INT(struct project, max_iterations, "max_iterations", "50", 1, 10000, "Most multigrid cycles in a step."),
    BW_CHOICE(struct project, solver, "solver", "auto", "auto|vcycle|cg",
              "vcycle: plain multigrid cycles; cg: conjugate gradients around them; "
              "auto: cycles, then cg where they are slow."),
    BW_BOOL(struct project, warm_start, "warm_start", "true", "Start from the last step's pressure."),
    BW_F64(struct project, density, "density", "1", 1e-6, 1e6, "kg/m3",
           "Of the gas: scales the pressure, not the flow (air: 1.2)."),
};

enum port { VEL, FORCE, PRESSURE, DIVERGENCE, SOLID, SOLID_VEL, SOLID_GRIP, VEL_ADVECTED, N_PORTS };

static const struct bw_port ports[N_PORTS] = {
    [VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "The flow to correct."},
    [FORCE] = {.name = "force",
               .kind = BW_MAC,
               .access = BW_READ_LAST,
               .lifetime = BW_STEP,
               .unit = "m/s^2",
               .doc = "Acceleration by the stages above."},
    [PRESSURE] = {.name = "pressure",
                  .kind = BW_SCALAR,
                  .access = BW_UPDATE,
                  .unit = "Pa",
                  .doc = "The pressure; mean 0 where no side is open."},
    [DIVERGENCE] = {.name = "divergence",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .lifetime = BW_STEP,
                    .unit = "1/s",
                    .flags = BW_PORT_OPTIONAL,
                    .doc = "Wanted divergence: expansion of the gas."},
    [SOLID] = {.name = "solid",
               .kind = BW_SCALAR,
               .access = BW_READ,
               .unit = "m",
               .flags = BW_PORT_OPTIONAL,
               .doc = "Signed distance to obstacles, exact within two cells of a surface."},
    [SOLID_VEL] = {.name = "solid_vel",
                   .kind = BW_MAC,
                   .access = BW_READ,
                   .unit = "m/s",
                   .flags = BW_PORT_OPTIONAL,
                   .doc = "Velocity of the obstacles."},
    [SOLID_GRIP] = {.name = "solid_grip",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .unit = "1",
                    .flags = BW_PORT_OPTIONAL,
                    .doc = "Gas along obstacles: 0 free slip, 1 no slip."},
    [VEL_ADVECTED] = {.name = "vel_carried",
                      .kind = BW_MAC,
                      .access = BW_UPDATE,
                      .unit = "m/s",
                      .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
                      .doc = "The advected flow, before forces; newly activated tiles are filled in it, too."},
};

struct state {
    struct multigrid mg;
    struct far_field far;
    struct activation activation;
    uint64_t version; ///< of the topology that mg fits
    uint64_t filled;  ///< of the one whose newly activated tiles have their flow
    int32_t built;
    struct open_flux open; ///< for the next step
};

/// The fields that one sweep accesses.
struct sweep_rows {
    struct bw_access access[N_PORTS];
    uint32_t n;
};

/// Adds a field, if there is one; returns its view's number or -1.
static int32_t row_add(struct sweep_rows *r, struct bw_field *field, uint32_t mode, int32_t halo)
{
    if (!field) return -1;
    r->access[r->n] = (struct bw_access){field, mode, halo};
    return (int32_t)r->n++;
}

/* Bodies that run out of memory just return: the sweep fails then. */
static enum bw_status rows_sweep(struct bw_stage *s, const struct sweep_rows *r, bw_body_fn body, bw_reach_fn reach,
                                 struct projection *t, double *max)
{
    return s->host->sweep(s, &(struct bw_sweep){.access = r->access,
                                                .n_access = r->n,
                                                .body = body,
                                                .reach = reach,
                                                .user = t,
                                                .maxs = max,
                                                .n_maxs = max != NULL});
}

static enum bw_status memory_fail(struct bw_stage *s)
{
    return s->host->fail(s, BW_ERR_MEMORY, "no memory for the pressure of %lld tiles",
                         (long long)((struct state *)s->state)->mg.level->count);
}

/* ---- force ------------------------------------------------------------------------------------------------------- */

static int force_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)user;
    for (int side = 0; row == 1 && side < 6; side++) reach[side] = (side & 1) && b->high[side >> 1];
    return 1;
}

/* vel += dt force */
static void block_add_force(const struct bw_block *b, void *user)
{
    const struct bw_view *v = &b->view[0], *w = &b->view[1];
    const float span = *(const float *)user;
    for (int c = 0; c < 3; c++)
        for (int32_t k = 0; k < b->n[2] + (c == 2 && b->high[2]); k++)
            for (int32_t j = 0; j < b->n[1] + (c == 1 && b->high[1]); j++) {
                float *u = bw_f32(v, c) + j * v->sy + k * v->sz;
                const float *f = bw_f32(w, c) + j * w->sy + k * w->sz;
                const int32_t n = b->n[0] + (c == 0 && b->high[0]);
                for (int32_t i = 0; i < n; i++) u[i] += span * f[i];
            }
}

/* Once a step. Projections on behalf of other stages (BW_PROJECT) apply no force. */
static enum bw_status force_apply(struct bw_stage *s)
{
    const struct bw_writer_api *writer = s->host->extension(BW_WRITER);
    struct bw_field *force = bw_port_field(s, FORCE);
    float span = (float)s->span;
    if (!(span > 0) || (writer && !writer->last(force))) return BW_OK;
    const struct bw_access row[] = {{bw_port_field(s, VEL), BW_UPDATE_OWN, 0}, {force, BW_READ_LAST, 1}};
    return s->host->sweep(
        s,
        &(struct bw_sweep){.access = row, .n_access = 2, .body = block_add_force, .reach = force_reach, .user = &span});
}

/* ---- one projection ---------------------------------------------------------------------------------------------- */

/// Rebuilds the pressure matrix, if tiles or obstacles changed.
static enum bw_status matrix_make(struct bw_stage *s, struct projection *t)
{
    struct state *st = s->state;
    struct bw_field *solid = bw_port_field(s, SOLID);
    const int same = st->built && st->version == t->topology->version;
    struct sweep_rows r = {0};
    double changed = 0;
    if (same && !solid) return BW_OK;
    st->built = 0;
    if (!same && mg_fit(&st->mg, t->topology) != BW_OK) return memory_fail(s);
    if (!same) mg_find_exterior(&st->mg, t->topology);
    if (!same && far_field_fit(&st->far, &st->mg) != BW_OK) return memory_fail(s);
    row_add(&r, bw_port_field(s, PRESSURE), BW_READ, 0); // there must be a row
    t->vel = t->solid_vel = -1;
    t->same = same;
    t->solid = row_add(&r, solid, BW_READ, CUT_HALO);
    t->near_solid = solid ? s->host->scratch(s, (size_t)t->topology->count) : NULL;
    if (solid && !t->near_solid) return memory_fail(s);
    enum bw_status status = solid ? project_find_solid_tiles(s, t, solid) : BW_OK;
    if (status == BW_OK) status = rows_sweep(s, &r, project_cell_kinds, project_reach, t, &changed);
    t->near_solid = NULL;
    if (status != BW_OK) return status;
    if (!same || changed > 0) {
        if (mg_begin(&st->mg) != BW_OK) return memory_fail(s);
        if (st->mg.level->n_cut) status = rows_sweep(s, &r, project_face_weights, project_reach, t, NULL);
        if (status != BW_OK) return status;
        if (mg_build(&st->mg) != BW_OK) return memory_fail(s);
    }
    st->version = t->topology->version;
    st->built = 1;
    return BW_OK;
}

/* Where level 0 cannot be partitioned, every rank has the whole multigrid and solves alike. */
static enum bw_status matrix_update(struct bw_stage *s, struct projection *t)
{
    if (mg_is_partitionable(t->mg)) return matrix_make(s, t);
    enum bw_status status = ranks_fetch(s, bw_port_field(s, SOLID));
    ranks_sweep_all(s, 1);
    if (status == BW_OK) status = matrix_make(s, t);
    ranks_sweep_all(s, 0);
    return status;
}

static enum bw_status rhs_make(struct bw_stage *s, struct projection *t, struct bw_field *vel)
{
    const struct project *p = s->params;
    struct sweep_rows r = {0};
    t->flow = vel;
    t->vel = row_add(&r, vel, BW_READ, 1);
    t->pressure = row_add(&r, p->warm_start ? bw_port_field(s, PRESSURE) : NULL, BW_READ, 0);
    t->divergence = row_add(&r, bw_port_field(s, DIVERGENCE), BW_READ, 0);
    t->solid = -1;
    t->solid_vel = row_add(&r, bw_port_field(s, SOLID_VEL), BW_READ, 1);
    enum bw_status status = rows_sweep(s, &r, project_rhs, project_reach, t, NULL);
    if (mg_is_partitionable(t->mg)) return status;
    if (status == BW_OK) status = ranks_allgather(s, t->mg->level->b, NULL, MG_CELLS * sizeof(float));
    return status == BW_OK ? ranks_allgather(s, t->mg->level->x, NULL, MG_CELLS * sizeof(float)) : status;
}

/// *worst: largest |div vel - divergence| after it.
static enum bw_status vel_subtract_gradient(struct bw_stage *s, struct projection *t, struct bw_field *vel,
                                            double *worst)
{
    struct sweep_rows r = {0};
    t->flow = vel;
    t->vel = row_add(&r, vel, BW_READ_LAST, 1);
    t->out = row_add(&r, vel, BW_WRITE_OWN, 0);
    t->pressure = row_add(&r, bw_port_field(s, PRESSURE), BW_UPDATE, 0);
    t->divergence = row_add(&r, bw_port_field(s, DIVERGENCE), BW_READ, 0);
    t->solid = -1;
    t->solid_vel = row_add(&r, bw_port_field(s, SOLID_VEL), BW_READ, 1);
    enum bw_status status = rows_sweep(s, &r, project_subtract_gradient, project_reach, t, worst);
    if (status != BW_OK || !t->open->count) return status;
    return ranks_allgather(s, t->open->through, t->open->slot, 3 * (size_t)open_flux_size(s->grid) * sizeof(float));
}

/// Extrapolates the velocity to faces inside obstacles, and nearly shut ones.
static enum bw_status vel_extrapolate(struct bw_stage *s, struct projection *t, struct bw_field *vel)
{
    struct sweep_rows r = {0};
    if (!t->mg->level->n_cut) return BW_OK;
    t->around = row_add(&r, vel, BW_READ, EXTRAPOLATE_HALO + 1);
    t->vel = row_add(&r, vel, BW_UPDATE, 0);
    t->solid = row_add(&r, bw_port_field(s, SOLID), BW_READ, EXTRAPOLATE_HALO + CUT_HALO);
    t->solid_vel = row_add(&r, bw_port_field(s, SOLID_VEL), BW_READ, 1);
    t->grip = row_add(&r, bw_port_field(s, SOLID_GRIP), BW_READ, 1);
    return rows_sweep(s, &r, project_extrapolate, project_extrapolate_reach, t, NULL);
}

/* Why a solve ended: the values of the metric `stopped`. */
enum stop { STOP_REACHED, STOP_NOTHING, STOP_STALLED, STOP_MOST };

static enum stop stop_of(const struct project *p, const struct mg_result *r)
{
    if (r->converged) return r->cycles ? STOP_REACHED : STOP_NOTHING;
    return r->cycles < p->max_iterations ? STOP_STALLED : STOP_MOST;
}

static void metrics_report(struct bw_stage *s, const struct mg_result *r, double worst)
{
    const enum stop stop = stop_of(s->params, r);
    static const char *const why[] = {"tolerance reached", "nothing to do", "stalled", "max_iterations reached"};
    s->host->metric(s, "iterations", r->cycles, BW_METRIC_SUM);
    s->host->metric(s, "residual", r->residual, BW_METRIC_MAX);
    s->host->metric(s, "divergence", worst, BW_METRIC_MAX);
    s->host->metric(s, "stopped", stop, BW_METRIC_MAX);
    s->host->log(s, BW_LOG_DEBUG, "%d cycles, residual %.3g, divergence left %.3g 1/s: %s", (int)r->cycles, r->residual,
                 worst, why[stop]);
}

static enum bw_status result_check(struct bw_stage *s, const struct mg_result *r)
{
    const struct project *p = s->params;
    if (r->grew)
        return s->host->fail(s, BW_ERR_DIVERGED, "the pressure solve diverged: residual %.2g after %d cycles",
                             r->residual, (int)r->cycles);
    if (stop_of(p, r) == STOP_STALLED)
        s->host->log(s, BW_LOG_WARNING,
                     "the pressure solve stalled at a residual of %.2g after %d cycles, wanted %.2g: the divergence "
                     "given has no more digits",
                     r->residual, (int)r->cycles, p->tolerance);
    if (stop_of(p, r) == STOP_MOST)
        s->host->log(s, BW_LOG_WARNING,
                     "the pressure did not converge: residual %.2g after max_iterations = %d cycles, wanted %.2g",
                     r->residual, (int)r->cycles, p->tolerance);
    return BW_OK;
}

/// Warns of unbalanced sources in a sealed region; less than a thousandth of a cell's volume a step is rounding.
static void balance_warn(struct bw_stage *s, const struct mg_result *r, const struct sealed *region, double worst,
                         double dt)
{
    if (r->unbalanced > 0.01 && worst * dt > 1e-3)
        s->host->log(
            s, BW_LOG_WARNING,
            "the sealed region round (%.3g, %.3g, %.3g) m, %.0f cells, cannot take its sources: an expansion of "
            "%.3g 1/s is left out everywhere in it; open a side, or balance them",
            region->at[0], region->at[1], region->at[2], region->cells, region->rate);
}

/// Can a sealed region have sources: expansion, moving solids, moving walls?
static int has_sources(const struct bw_stage *s)
{
    int any = bw_port_field(s, DIVERGENCE) || bw_port_field(s, SOLID_VEL);
    for (int side = 0; side < 6; side++) any |= s->grid->side[side].velocity[side >> 1] != 0;
    return any;
}

/// The advected flow of this step before forces, if a stage of the domain keeps it where this one may write.
static struct bw_field *advected_find(struct bw_stage *s, uint64_t version)
{
    struct bw_field *advected = bw_port_field(s, VEL_ADVECTED);
    struct bw_stage *found;
    const void *table = NULL;
    for (uint32_t k = 0; advected && (found = s->host->find_stage(s, ADVECTED_FLOW, k, &table)); k++)
        if (found->domain == s->domain && ((const struct advected_flow_api *)table)->flow(found, version) == advected)
            return advected;
    return NULL;
}

static enum bw_status project_run(struct bw_stage *s, struct bw_field *vel, double dt)
{
    struct state *st = s->state;
    const struct project *p = s->params;
    const double h = s->grid->h;
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    if (!(dt > 0))
        return s->host->fail(s, BW_ERR_USAGE, "cannot project over %g s: the step must be longer than 0", dt);
    if (!tiles) return s->host->fail(s, BW_ERR_PLUGIN, "the host offers no %s", BW_TILES);
    struct mg_result result = {.converged = 1};
    struct projection t = {.mg = &st->mg,
                           .tiles = tiles,
                           .domain = s->domain,
                           .topology = tiles->topology(s->domain),
                           .result = &result,
                           .open = &st->open,
                           .far = &st->far,
                           .rhs = -p->density * h / dt,
                           .source = p->density * h * h / dt,
                           .gradient = dt / (p->density * h)};
    const struct mg_options options = {p->tolerance, (int32_t)p->max_iterations, p->solver, p->warm_start};
    double worst = 0;
    st->open.count = 0;
    if (t.topology->count == 0) {
        metrics_report(s, &result, 0);
        return BW_OK;
    }
    enum bw_status status = matrix_update(s, &t);
    if (status == BW_OK && st->filled != t.topology->version)
        status = activation_fill(&st->activation, &st->mg, t.topology, vel, advected_find(s, t.topology->version));
    st->filled = t.topology->version;
    if (status == BW_OK) status = rhs_make(s, &t, vel);
    if (status != BW_OK) return status;
    if (open_flux_begin(&st->open, s, t.topology, st->mg.level->cut) != BW_OK) return memory_fail(s);
    if (st->mg.regions.n_pieces == 0)
        s->host->log(s, BW_LOG_WARNING,
                     "obstacles leave no gas in any of the %lld active tiles: there is nothing to move",
                     (long long)t.topology->count);
    struct sealed region = {.cells = 0};
    if (has_sources(s) && project_find_sealed(s, &t, &region) != BW_OK) return memory_fail(s);
    status = far_field_apply(&st->far, &st->mg, t.topology);
    if (status == BW_OK) status = mg_solve(&st->mg, &options, &result);
    if (status == BW_ERR_MEMORY) return memory_fail(s);
    if (status != BW_OK) return status;
    status = result_check(s, &result);
    if (status == BW_OK) status = vel_subtract_gradient(s, &t, vel, &worst);
    if (status == BW_OK) status = vel_extrapolate(s, &t, vel);
    if (status != BW_OK) return status;
    metrics_report(s, &result, worst);
    balance_warn(s, &result, &region, worst, dt);
    return BW_OK;
}

/* ---- descriptor -------------------------------------------------------------------------------------------------- */

static enum bw_status init(struct bw_stage *s)
{
    mg_init(&((struct state *)s->state)->mg, s);
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const enum bw_status status = force_apply(s);
    return status == BW_OK ? project_run(s, bw_port_field(s, VEL), s->dt) : status;
}

static const struct bw_project_api project_api = {sizeof project_api, project_run};

static const struct open_flux *open_last(const struct bw_stage *s) { return &((const struct state *)s->state)->open; }

static const struct open_flux_api open_api = {open_last};

static double gas_density(const struct bw_stage *s) { return ((const struct project *)s->params)->density; }

static const struct gas_density_api density_api = {gas_density};

static const void *extension(const char *id)
{
    if (!strcmp(id, BW_PROJECT)) return &project_api;
    if (!strcmp(id, OPEN_FLUX)) return &open_api;
    return strcmp(id, GAS_DENSITY) ? NULL : &density_api;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return open_flux_checkpoint(&((struct state *)s->state)->open, s, a);
}

const struct bw_stage_desc mac_project_desc = {
    .id = "mac.project",
    .version = "1.0",
    .brief = "Makes the flow free of divergence: pressure by geometric multigrid.",
    .references = "Chorin 1968; Batty, Bertails, Bridson 2007; McAdams, Sifakis, Teran 2010; "
                  "Bridson, Fluid Simulation for Computer Graphics, 2015.",
    BW_PARAMS(params),
    BW_PORTS(ports),
    .params_size = sizeof(struct project),
    .state_size = sizeof(struct state),
    .init = init,
    .flags = BW_STAGE_RANKS,
    .step = step,
    .checkpoint = checkpoint, // levels fit tiles and obstacles; the last pressure is a field
    .extension = extension,
};
