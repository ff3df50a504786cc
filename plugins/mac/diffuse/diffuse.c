// SPDX-License-Identifier: Apache-2.0
/* mac.diffuse: dq/dt = nu lap q, implicit: the flow's viscosity, and diffusion of any scalar or vector field.
 *
 *     q' = q + c L q' (Euler, first order, damps whatever the step)   or   q' = q + c/2 L (q + q') (Crank-Nicolson,
 *     second order; rings where c is far above 1),   c = nu dt / h²,   L q = sum over neighbours of (neighbour - q),
 * second order in space. Each component of the flow diffuses by itself (nu is the same everywhere and div u = 0).
 *
 * The change x = q' - q is what is solved for, (1 - theta c L) x = c L q, so that no digit is lost when it is small;
 * the first guess is no change. Chebyshev iteration, whose bounds are known for certain: Gershgorin's circles say
 * 1 <= eigenvalue <= 1 + 4 D theta c in D dimensions, 16/3 for 4 across no-slip sides. One sweep an iteration, no
 * sums, and each x is a polynomial of the symmetric L times c L q: in a closed box the sum of q stays, converged or
 * not. Iterations go with sqrt(c).
 *     Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, algorithm 12.1.
 * The matrix has row sums of 1 or more and no positive value off its diagonal: no value of x is off by more than the
 * largest residual, which is why `tolerance` is on the largest, relative to the largest c L q.
 *
 * For the flow, x / dt is added to `force`, and q is what the step is known to end with, vel + dt (force - grad p/rho)
 * with the last step's pressure (van Kan 1986), or half of that increment with Crank-Nicolson. Without the pressure q
 * would slide along walls by dt grad p / rho, and a steady flow depend on the step. A pressure of 0 is one that is not
 * known: of obstacles, inactive and new tiles. Without a field `force` the flow itself changes.
 *
 * Boundaries: sides as everywhere (closed: nothing passes for scalars, free or no slip for the flow; open: the
 * background). The second derivative beside a no-slip side is that of a parabola through the wall and two values; L is
 * then no longer symmetric, but similar to a symmetric matrix: its eigenvalues stay real. Into obstacles nothing
 * passes; the flow has their velocity on their faces and, unless `slip` is free, along them. A face outside that has a
 * neighbour inside, a distance theta h beyond the surface, differs from the surface by its velocity's difference over
 * theta (Gibou, Fedkiw, Cheng, Kang, J. Comput. Phys. 176, 2002). Such rows are scaled down (Jacobi), so that the
 * bounds above hold. Faces in or on obstacles and walls are left alone. Beyond the active tiles q is the background. */
#include "diffuse.h"
#include "stages.h"
#include <common/stage_find.h>
#include <common/tiles.h>
#include <math.h>
#include <stdio.h>

struct diffuse {
    double viscosity, tolerance;
    int64_t max_iterations;
    int32_t scheme, slip;
    struct bw_list amounts;
};

static const struct bw_param params[] = {
    BW_F64(struct diffuse, viscosity, "viscosity", "0 m^2/s", 0, 1e6, "m^2/s",
           "Kinematic viscosity of the flow (air: 1.5e-5, honey: 0.01)."),
    BW_CHOICE(struct diffuse, scheme, "scheme", "euler", "euler|crank-nicolson",
              "euler: damps for any step, first order in time; crank-nicolson: second order, rings in long steps."),
    BW_CHOICE(struct diffuse, slip, "slip", "no", "no|free",
              "Flow along obstacles: no: it sticks; free: it slides. (Sides of the domain have a slip of their own.)"),
    BW_F64(struct diffuse, tolerance, "tolerance", "1e-4", 1e-12, 1, "1",
           "Largest residual to stop at, relative to the largest change that the field's own state asks for."),
    BW_INT(struct diffuse, max_iterations, "max_iterations", "1000", 1, 100000, "Most iterations in a step."),
    BW_AMOUNTS(struct diffuse, amounts, "Diffusivity, m^2/s, of any scalar or vector field, by its name."),
};

enum { VEL, FORCE, FIELDS, SOLID, SOLID_VEL, PRESSURE };

static const struct bw_port ports[] = {
    [VEL] = {.name = "vel",
             .kind = BW_MAC,
             .access = BW_UPDATE,
             .unit = "m/s",
             .flags = BW_PORT_OPTIONAL | BW_PORT_FLOW,
             .doc = "The flow, where it has a viscosity; it changes through `force` where there is one."},
    [FORCE] = {.name = "force",
               .kind = BW_MAC,
               .access = BW_UPDATE,
               .lifetime = BW_STEP,
               .unit = "m/s^2",
               .flags = BW_PORT_OPTIONAL | BW_PORT_FLOW,
               .doc = "Acceleration of the gas: viscosity is added to the forces of the stages above."},
    [FIELDS] = {.name = "fields",
                .kind = BW_SCALAR,
                .access = BW_UPDATE,
                .flags = BW_PORT_LIST | BW_PORT_NO_CREATE,
                .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR),
                .from = "*",
                .doc = "What else diffuses."},
    [SOLID] = {.name = "solid",
               .kind = BW_SCALAR,
               .access = BW_READ,
               .unit = "m",
               .flags = BW_PORT_OPTIONAL,
               .doc = "Signed distance to obstacles: cells with a centre inside (< 0) take no part."},
    [SOLID_VEL] = {.name = "solid_vel",
                   .kind = BW_MAC,
                   .access = BW_READ,
                   .unit = "m/s",
                   .flags = BW_PORT_OPTIONAL,
                   .doc = "Velocity of the obstacles."},
    [PRESSURE] = {.name = "pressure",
                  .kind = BW_SCALAR,
                  .access = BW_READ,
                  .unit = "Pa",
                  .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
                  .doc = "Of the last step: foretells the flow that the walls hold."},
};

/// Scratch fields by kind and precision, reused from one field to the next.
struct scratch {
    struct bw_field *field[BW_MAC + 1][2][4];
};

/// The Chebyshev iteration for one field.
struct solve {
    struct bw_field *field, *x, *next, *rhs, *direction;
    struct bw_field *force; ///< of the flow, to add to; NULL: the field itself changes
    const struct bw_field_info *info;
    const struct diffuse_kernels *kernels;
    struct diffuse_task task;
    double spectrum;        ///< half the width of the bounds of the eigenvalues
    double first, residual; ///< largest |c L q|, and what is left of it with x
    int64_t iterations;
};

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

static int32_t row_add(struct bw_access *rows, uint32_t *n, struct bw_field *field, uint32_t mode, int32_t halo)
{
    if (!field) return -1;
    rows[*n] = (struct bw_access){field, mode, halo};
    return (int32_t)(*n)++;
}

/* Blocks far from obstacles do not read `solid`, once `begin` has found them. Velocities: a block's last face has
 * a neighbour two beyond its last cell. */
static int solve_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct diffuse_task *t = user;
    if ((int32_t)row == t->solid) return t->near_solid[tile_of_block(t->tiles, b)];
    for (int s = 0; s < 6; s++) reach[s] = 1 + (t->mac && (s & 1));
    return 1;
}

static enum bw_status solve_sweep(struct bw_stage *s, struct solve *v, const struct bw_access *rows, uint32_t n,
                                  bw_body_fn body, bw_reach_fn reach, double *largest)
{
    return s->host->sweep(s, &(struct bw_sweep){.access = rows,
                                                .n_access = n,
                                                .body = body,
                                                .reach = reach,
                                                .user = &v->task,
                                                .maxs = largest,
                                                .n_maxs = largest != NULL});
}

static enum bw_status solve_begin(struct bw_stage *s, struct solve *v)
{
    struct bw_access row[8];
    uint32_t n = 0;
    struct diffuse_task *t = &v->task;
    t->field = row_add(row, &n, v->field, BW_READ, 1);
    t->force = row_add(row, &n, v->force, BW_READ, 1);
    t->pressure = row_add(row, &n, t->gradient > 0 ? bw_port_field(s, PRESSURE) : NULL, BW_READ, 2);
    t->rhs = row_add(row, &n, v->rhs, BW_WRITE, 0);
    t->x_out = row_add(row, &n, v->x, BW_WRITE, 0);
    t->direction = row_add(row, &n, v->direction, BW_WRITE, 0);
    t->solid = row_add(row, &n, bw_port_field(s, SOLID), BW_READ, 2);
    t->solid_vel = row_add(row, &n, t->mac ? bw_port_field(s, SOLID_VEL) : NULL, BW_READ, 1);
    return solve_sweep(s, v, row, n, v->kernels->begin, NULL, &v->first);
}

static enum bw_status solve_iterate(struct bw_stage *s, struct solve *v)
{
    struct bw_access row[5];
    uint32_t n = 0;
    struct diffuse_task *t = &v->task;
    t->x = row_add(row, &n, v->x, BW_READ, 1 + t->mac);
    t->rhs = row_add(row, &n, v->rhs, BW_READ, 2 * t->mac);
    t->direction = row_add(row, &n, v->direction, BW_UPDATE, 0);
    t->x_out = row_add(row, &n, v->next, BW_WRITE, 0);
    t->solid = row_add(row, &n, bw_port_field(s, SOLID), BW_READ, 2);
    return solve_sweep(s, v, row, n, v->kernels->iterate, solve_reach, &v->residual);
}

static enum bw_status solve_finish(struct bw_stage *s, struct solve *v)
{
    const struct bw_access row[] = {{v->x, BW_READ, 1}, {v->force ? v->force : v->field, BW_UPDATE, 0}};
    v->task.x = 0;
    v->task.field = 1;
    v->task.field_is_f64 = v->task.field_is_f64 && !v->force;
    return solve_sweep(s, v, row, 2, v->kernels->finish, NULL, NULL);
}

/* ---- one field --------------------------------------------------------------------------------------------------- */

static enum bw_status memory_fail(struct bw_stage *s, const struct solve *v)
{
    return s->host->fail(s, BW_ERR_MEMORY, "no memory to diffuse \"%s\"", v->info->name);
}

static enum bw_status scratch_take(struct bw_stage *s, struct solve *v, struct scratch *scratch, uint32_t precision)
{
    struct bw_field **f = scratch->field[v->info->kind][precision == BW_F64P];
    for (int i = 0; i < 4; i++)
        if (!f[i] && !(f[i] = s->host->scratch_field(s, v->info->kind, precision))) return memory_fail(s, v);
    v->x = f[0];
    v->next = f[1];
    v->rhs = f[2];
    v->direction = f[3];
    return BW_OK;
}

/// dt / (density h) of the pressure that is to be foreseen; 0: there is none.
static double pressure_gradient(struct bw_stage *s)
{
    const void *api = NULL;
    const struct bw_stage *projection = bw_port_field(s, PRESSURE) ? stage_in_domain(s, GAS_DENSITY, &api) : NULL;
    return projection ? s->dt / (((const struct gas_density_api *)api)->density(projection) * s->grid->h) : 0;
}

/// The correction is kept in double where single precision could not hold the residual asked for.
static enum bw_status solve_init(struct bw_stage *s, struct solve *v, struct scratch *scratch, double diffusivity)
{
    const struct diffuse *p = s->params;
    const double h = s->grid->h, dt = v->force ? s->span : s->dt, number = diffusivity * dt / (h * h);
    const double theta = p->scheme ? 0.5 : 1, implicit = theta * number;
    v->spectrum = 0;
    for (int a = 0; a < 3; a++) {
        const int bends = diffuse_side_bends(s->grid, 2 * a) || diffuse_side_bends(s->grid, 2 * a + 1);
        if (a != s->grid->thin) v->spectrum += (v->info->kind == BW_MAC && bends ? 8. / 3 : 2) * implicit;
    }
    const uint32_t wide = v->info->precision == BW_F64P || p->tolerance < 1e-6 * (1 + 2 * v->spectrum);
    v->kernels = wide ? &diffuse_f64 : &diffuse_f32;
    v->task = (struct diffuse_task){.mac = v->info->kind == BW_MAC,
                                    .field_is_f64 = v->info->precision == BW_F64P,
                                    .slip = p->slip,
                                    .force_dt = v->force ? dt : 1,
                                    .known = theta,
                                    .gradient = v->force ? pressure_gradient(s) : 0,
                                    .number = number,
                                    .implicit = implicit,
                                    .alpha = 1 / (1 + v->spectrum),
                                    .tiles = s->host->extension(BW_TILES)};
    if (!v->task.tiles) return s->host->fail(s, BW_ERR_PLUGIN, "the host offers no %s", BW_TILES);
    const struct bw_topology *topology = v->task.tiles->topology(s->domain);
    if (bw_port_field(s, SOLID) && !(v->task.near_solid = s->host->scratch(s, (size_t)topology->count + 1)))
        return memory_fail(s, v);
    return scratch_take(s, v, scratch, wide ? BW_F64P : BW_F32);
}

/* Saad's recurrence: sigma = centre/half width of the eigenvalues, rho_0 = 1/sigma; the first step is taken. What a
 * sweep measures is the x that it starts from, and residuals do not fall from step to step: that x is the answer. */
static enum bw_status solve_run(struct bw_stage *s, struct solve *v)
{
    const struct diffuse *p = s->params;
    const double sigma = (1 + v->spectrum) / v->spectrum;
    double rho = 1 / sigma;
    enum bw_status status = solve_begin(s, v);
    if (status != BW_OK || !(v->first > 0)) return status;
    for (;;) {
        const double after = 1 / (2 * sigma - rho);
        struct bw_field *x = v->next;
        v->task.beta = after * rho;
        v->task.alpha = 2 * after / v->spectrum;
        rho = after;
        status = solve_iterate(s, v);
        if (status != BW_OK) return status;
        if (++v->iterations >= p->max_iterations || v->residual <= p->tolerance * v->first) break;
        v->next = v->x;
        v->x = x;
    }
    return solve_finish(s, v);
}

static void metric_report(struct bw_stage *s, const struct solve *v, const char *what, double value, uint32_t mode)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%s", what, v->info->name);
    s->host->metric(s, name, value, mode);
}

static enum bw_status field_diffuse(struct bw_stage *s, struct bw_field *field, double diffusivity,
                                    struct scratch *scratch)
{
    const struct diffuse *p = s->params;
    struct solve v = {.field = field, .info = s->host->field_info(field)};
    if (field == bw_port_field(s, VEL)) v.force = bw_port_field(s, FORCE);
    enum bw_status status = solve_init(s, &v, scratch, diffusivity);
    if (status == BW_OK && diffusivity > 0 && s->dt > 0) status = solve_run(s, &v);
    if (status != BW_OK) return status;
    const double residual = v.first > 0 ? v.residual / v.first : 0;
    metric_report(s, &v, "number", v.task.number, BW_METRIC_MAX);
    metric_report(s, &v, "iterations", (double)v.iterations, BW_METRIC_SUM);
    metric_report(s, &v, "residual", residual, BW_METRIC_MAX);
    if (residual > p->tolerance)
        s->host->log(s, BW_LOG_WARNING,
                     "the diffusion of \"%s\" did not converge: residual %.2g after %lld iterations, wanted %.2g "
                     "(diffusion number %.3g: raise max_iterations, or take shorter steps)",
                     v.info->name, residual, (long long)v.iterations, p->tolerance, v.task.number);
    return BW_OK;
}

/* ---- descriptor -------------------------------------------------------------------------------------------------- */

static enum bw_status amounts_check(struct bw_stage *s, const struct diffuse *p)
{
    const struct bw_amount *amount = p->amounts.items;
    for (int64_t i = 0; i < p->amounts.count; i++) {
        if (amount[i].comps != 1)
            return s->host->fail(s, BW_ERR_PRESET, "%s: a diffusivity is one number, not three", amount[i].field);
        if (!(amount[i].value[0] >= 0 && amount[i].value[0] <= 1e6))
            return s->host->fail(s, BW_ERR_PRESET, "%s: %g m^2/s; a diffusivity must be between 0 and 1e+06 m^2/s",
                                 amount[i].field, amount[i].value[0]);
    }
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct diffuse *p = s->params;
    if (p->viscosity > 0 && !bw_port_field(s, VEL) && !s->flow)
        return s->host->fail(s, BW_ERR_PRESET, "a viscosity needs a flow; no stage makes \"vel\"");
    return amounts_check(s, p);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct diffuse *p = s->params;
    const struct bw_amount *amount = p->amounts.items;
    struct scratch scratch = {0};
    enum bw_status status = amounts_check(s, p);
    if (status == BW_OK && bw_port_field(s, VEL))
        status = field_diffuse(s, bw_port_field(s, VEL), p->viscosity, &scratch);
    for (uint32_t i = 0; i < s->ports[FIELDS].count && status == BW_OK; i++)
        status = field_diffuse(s, s->ports[FIELDS].fields[i], amount[i].value[0], &scratch);
    return status;
}

const struct bw_stage_desc mac_diffuse_desc = {
    .id = "mac.diffuse",
    .version = "1.0",
    .brief = "Viscosity of the flow and diffusion of any field, implicit.",
    .references = "Saad, Iterative Methods for Sparse Linear Systems, 2003 (Chebyshev iteration).",
    .params_size = sizeof(struct diffuse),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .flags = BW_STAGE_RANKS | BW_STAGE_SPLITS,
    .init = init,
    .step = step,
};
