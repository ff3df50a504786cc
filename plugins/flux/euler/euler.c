// SPDX-License-Identifier: Apache-2.0
/* flux, mode euler: compressible gas, Euler's equations in conserved form,
 *
 *   d/dt (rho, rho u, E) + div (rho u, rho u u + p, u (E + p)) = 0,   p = (gamma - 1)(E - ½ rho u²)   or   p = c² rho.
 *
 * Finite volumes: slopes of rho, u, p limited (MC), half a step in primitive variables (MUSCL–Hancock: van Leer 1979,
 * 1984; Toro, ch. 14), HLLC or Rusanov at the faces, all axes at once. Second order where it is smooth; conserves to
 * rounding. Stable for dt·Σ(|u_a| + c) ≤ h; substeps keep to `cfl` of it. E is kept as excess over the ambient gas. A
 * substep that leaves a cell without mass or pressure is rejected and repeated at first order in two halves: with HLLC
 * or Rusanov that keeps both positive (Einfeldt 1991; Batten 1997). Walls are reflecting: only the pressure acts on
 * them. Scalars are advected with the mass flux, as mass fractions. */
#include "flux.h"
#include <math.h>

static void second_body(const struct bw_block *b, void *user) { flux_euler_block(b, user, 0); }
static void first_body(const struct bw_block *b, void *user) { flux_euler_block(b, user, 1); }

/* One substep into the scratch fields. *good: every cell has mass and pressure left. */
static enum bw_status substep(struct flux_task *t, double dt, int first_order, double *signal, int *good)
{
    struct bw_stage *s = t->s;
    double max[2] = {0, -1};
    t->ratio = (float)(dt / s->grid->h);
    t->g.half = 0.5f * t->ratio;
    t->drain_factor = (float)exp(-t->p->drain * dt);
    t->damping_factor = (float)exp(-t->p->damping * dt);
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = t->access,
                                                                 .n_access = t->n_access,
                                                                 .block = flux_block(t),
                                                                 .body = first_order ? first_body : second_body,
                                                                 .user = t,
                                                                 .reach = flux_reach,
                                                                 .maxs = max,
                                                                 .n_maxs = 2});
    *good = max[1] < -1e-6 && max[0] < HUGE_VAL;
    *signal = fmax(max[0], t->dim * t->p->sound_speed);
    return status;
}

static enum bw_status fields_swap(struct flux_task *t)
{
    enum bw_status status = BW_OK;
    for (uint32_t i = 0; i < t->n_in && status == BW_OK; i++)
        status = t->s->host->swap_fields(t->s, t->access[i].field, t->access[t->n_in + i].field);
    return status;
}

/// Progress of a step by substeps.
struct substeps {
    double left, signal; ///< time that remains, s; wave speed, m/s
    int64_t made, taken_back;
};

/* The next substep's length: equal parts of what is left. */
static double substep_length(const struct flux_task *t, const struct substeps *c)
{
    const double longest = t->p->cfl * t->s->grid->h / c->signal;
    const double wanted = t->p->dt > 0 ? t->p->dt : longest;
    const double parts = ceil(c->left / wanted - 1e-6);
    return c->left / fmax(parts, 1);
}

static enum bw_status substeps_check(const struct flux_task *t, const struct substeps *c)
{
    struct bw_stage *s = t->s;
    const double limit = s->grid->h / c->signal;
    if (t->p->dt > limit)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "dt is %g s, but signals of %.4g m/s cross a cell of %g m in %.4g s: no longer step is stable", t->p->dt,
            c->signal / t->dim, s->grid->h, limit);
    if (c->made + c->left / (t->p->cfl * limit) > (double)t->p->max_substeps + 1)
        return s->host->fail(s, BW_ERR_DIVERGED, "%g s take %.0f substeps at %.4g m/s, more than max_substeps: %lld",
                             s->dt, (double)c->made + c->left / (t->p->cfl * limit), c->signal / t->dim,
                             (long long)t->p->max_substeps);
    return s->host->cancelled(s) ? BW_ERR_CANCELLED : BW_OK;
}

static enum bw_status scratch_make(struct flux_task *t)
{
    for (uint32_t i = 0; i < t->n_in; i++) {
        const struct bw_field_info *info = t->s->host->field_info(t->access[i].field);
        struct bw_field *f = t->s->host->scratch_field(t->s, info->kind, info->precision);
        if (!f) return BW_ERR_MEMORY;
        t->access[t->n_in + i].field = f;
    }
    return BW_OK;
}

/* One substep; where it fails, it is repeated at first order with half the length. */
static enum bw_status substep_advance(struct flux_task *t, struct substeps *c)
{
    double dt = substep_length(t, c), signal;
    int good;
    enum bw_status status = substep(t, dt, 0, &signal, &good);
    if (status == BW_OK && !good) {
        c->taken_back++;
        dt *= 0.5;
        status = substep(t, dt, 1, &signal, &good);
    }
    if (status == BW_OK && !good)
        status = t->s->host->fail(t->s, BW_ERR_DIVERGED, "a cell lost its mass or pressure in a substep of %g s", dt);
    if (status == BW_OK) status = fields_swap(t);
    c->signal = signal;
    c->left = dt < c->left * (1 - 1e-9) ? c->left - dt : 0;
    c->made++;
    return status;
}

enum bw_status flux_euler_run(struct flux_task *t)
{
    struct substeps c = {.left = t->s->dt};
    enum bw_status status = flux_check_state(t, &c.signal);
    if (status == BW_OK) status = flux_fill_fresh_cells(t);
    if (status == BW_OK) status = scratch_make(t);
    while (status == BW_OK && c.left > 0) {
        status = substeps_check(t, &c);
        if (status == BW_OK) status = substep_advance(t, &c);
    }
    t->st->steps = c.made;
    if (status == BW_OK) t->s->host->metric(t->s, "taken_back", (double)c.taken_back, BW_METRIC_SUM);
    return status;
}
