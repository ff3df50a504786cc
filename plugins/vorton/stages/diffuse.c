// SPDX-License-Identifier: Apache-2.0
/* vorton.diffuse: viscosity.
 *     pse    dα_p/dt = (2ν/σ²) Σ_q (V_p α_q - V_q α_p) η_σ(x_p - x_q),  η Gaussian of deviation σ, σ² = (σ_p² + σ_q²)/2
 *            particle strength exchange (Degond & Mas-Gallic 1989): what one loses the other gains, Σα is constant to
 *            rounding. With `eddy` C, ν grows by (Cσ)²|ω|, ω = α/V, the mean of both: what the vortons cannot resolve
 *            is taken for turbulence (Smagorinsky 1963, with the vorticity for the strain: Mansfield, Knio & Meneveau
 *            1998). Wants vortons that fill space evenly, as vorton.remesh leaves them: V is a share of space there.
 *     core   dσ²/dt = 2ν: cores spread (Leonard 1980). Exact for what does not deform; wants a remesh when σ has
 *            grown. Volumes, which carry density, stay.
 * Sheets of bodies (vorton.collide; no volume) have no part in it. pse is explicit: dt ≤ σ²/4ν, half of where it would
 * overshoot. Heat and mass deviations are exchanged in the same way, dT_p/dt = (2κ/σ²) Σ_q V_q (T_q - T_p) η: Σ V T
 * stays. Still air loses heat to ambient vortons only: there is nothing where there are none. */
#include "flow/bins.h"
#include "vorton.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

enum method { METHOD_PSE, METHOD_CORE };
#define REACH 4.0 ///< in σ; what is beyond is 3e-4 of the exchange, and missing on both sides

struct params {
    int32_t method;
    double viscosity, eddy, temperature, density;
};

static const struct bw_param params[] = {
    BW_CHOICE(struct params, method, "method", "pse", "pse|core",
              "pse: vortons exchange strength, put a vorton.remesh before it; core: their cores grow."),
    BW_F64(struct params, viscosity, "viscosity", "1e-4 m^2/s", 0, 1e4, "m^2/s", "ν."),
    BW_F64(struct params, eddy, "eddy", "0", 0, 2, NULL,
           "Viscosity of unresolved eddies: C of (Cσ)²|ω|; 0.2 … 0.4 keeps violent flows bounded."),
    BW_F64(struct params, temperature, "temperature", "0 m^2/s", 0, 1e4, "m^2/s",
           "Diffusivity of heat, exchanged whatever the method."),
    BW_F64(struct params, density, "density", "0 m^2/s", 0, 1e4, "m^2/s",
           "Diffusivity of the deviation of density; likewise."),
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "The vortons.",
     .attributes = vorton_attributes,
     .n_attributes = BW_COUNT(vorton_attributes),
     .flags = BW_PORT_NO_CREATE},
};

/* What is exchanged, and at which rate: strength, heat, mass. */
enum { STRENGTH, HEAT = 3, MASS, VALUES };
struct exchange {
    const struct vorton_arrays *v;
    struct bins bins;
    double (*change)[VALUES];
    double factor[VALUES]; ///< 2 ν dt
    double eddy, *omega;   ///< C² dt; |ω| of each
    double *share;         ///< what of itself each would give away with eddies, or 1
};

enum { CHUNK = 256 };

/// Of vorton i, per volume V_i: α, T V, ρ' V.
static void content(const struct vorton_arrays *v, int64_t i, double out[VALUES])
{
    for (int a = 0; a < 3; a++) out[a] = v->strength[i][a];
    out[HEAT] = v->temperature[i] * v->volume[i];
    out[MASS] = v->density[i] * v->volume[i];
}

/// Calls `visit` for each vorton within reach of p, with η/σ² and the eddies' 2 ν dt/σ² times η.
typedef void (*visit_fn)(struct exchange *e, int64_t p, int64_t q, double weight, double eddy, double *sum);
static void neighbours_visit(struct exchange *e, int64_t p, visit_fn visit, double *sum)
{
    const struct vorton_arrays *v = e->v;
    int64_t run[25][2];
    int n = v->volume[p] > 0 ? bins_near(&e->bins, v->pos[p], 2, run) : 0;
    for (int r = 0; r < n; r++)
        for (int64_t i = run[r][0]; i < run[r][1]; i++) {
            int64_t q = e->bins.order[i];
            double d2 = vec3_distance2(v->pos[p], v->pos[q]),
                   s2 = 0.5 * (v->radius[p] * v->radius[p] + v->radius[q] * v->radius[q]);
            if (d2 > REACH * REACH * s2 || !(v->volume[q] > 0)) continue;
            double eta = exp(-0.5 * d2 / s2) / (15.749609945722419 * s2 * sqrt(s2)); // (2π)^(3/2)
            visit(e, p, q, eta / s2, e->eddy > 0 ? e->eddy * (e->omega[p] + e->omega[q]) * eta : 0, sum);
        }
}

static void share_visit(struct exchange *e, int64_t p, int64_t q, double weight, double eddy, double *sum)
{
    (void)p;
    sum[0] += (e->factor[STRENGTH] * weight + eddy) * e->v->volume[q];
}

static void exchange_visit(struct exchange *e, int64_t p, int64_t q, double weight, double eddy, double *sum)
{
    const struct vorton_arrays *v = e->v;
    double mine[VALUES], its[VALUES],
        most = e->eddy > 0 ? fmax(1, 2 * fmax(e->share[p], e->share[q])) : 1; // never more than half
    content(v, p, mine);
    content(v, q, its);
    for (int k = 0; k < VALUES; k++) {
        double w = (e->factor[k] * weight + (k < HEAT ? eddy : 0)) / (k < HEAT ? most : 1);
        sum[k] += w * (v->volume[p] * its[k] - v->volume[q] * mine[k]);
    }
}

static void share_chunk(int64_t chunk, uint32_t worker, void *user)
{
    struct exchange *e = user;
    int64_t end = (chunk + 1) * CHUNK < e->v->count ? (chunk + 1) * CHUNK : e->v->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) {
        e->share[p] = 0;
        neighbours_visit(e, p, share_visit, &e->share[p]);
    }
}

static void exchange_chunk(int64_t chunk, uint32_t worker, void *user)
{
    struct exchange *e = user;
    int64_t end = (chunk + 1) * CHUNK < e->v->count ? (chunk + 1) * CHUNK : e->v->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) {
        memset(e->change[p], 0, sizeof e->change[p]);
        neighbours_visit(e, p, exchange_visit, e->change[p]);
    }
}

static double radius_extreme(const struct vorton_arrays *v, int largest)
{
    double r = largest ? 0 : HUGE_VAL;
    for (int64_t i = 0; i < v->count; i++)
        if (v->volume[i] > 0) r = largest ? fmax(r, v->radius[i]) : fmin(r, v->radius[i]);
    return r;
}

/// Diffusivities by value; strength's is 0 where cores grow instead.
static double rates(const struct params *p, double out[VALUES])
{
    for (int k = 0; k < 3; k++) out[k] = p->method == METHOD_PSE ? p->viscosity : 0;
    out[HEAT] = p->temperature;
    out[MASS] = p->density;
    return fmax(out[STRENGTH], fmax(out[HEAT], out[MASS]));
}

/// |ω| of all, and what each would give away.
static enum bw_status eddies_prepare(struct bw_stage *s, struct exchange *e, double constant)
{
    size_t bytes = (size_t)e->v->count * sizeof(double);
    e->eddy = constant * constant * s->dt;
    e->omega = s->host->scratch(s, bytes);
    e->share = s->host->scratch(s, bytes);
    if (!e->omega || !e->share) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < e->v->count; i++)
        e->omega[i] = e->v->volume[i] > 0 ? vec3_length(e->v->strength[i]) / e->v->volume[i] : 0;
    s->host->parallel_for(s, (e->v->count + CHUNK - 1) / CHUNK, share_chunk, e);
    return BW_OK;
}

static enum bw_status exchange_run(struct bw_stage *s, struct vorton_arrays *v, const double rate[VALUES])
{
    const struct params *p = s->params;
    struct exchange e = {.v = v};
    enum bw_status st = bins_make(s, &e.bins, v->count, (const bw_vec3 *)v->pos, REACH / 2 * radius_extreme(v, 1));
    e.change = s->host->scratch(s, (size_t)v->count * sizeof *e.change);
    if (st || !e.change) return BW_ERR_MEMORY;
    for (int k = 0; k < VALUES; k++) e.factor[k] = 2 * rate[k] * s->dt;
    if (p->method == METHOD_PSE && p->eddy > 0 && eddies_prepare(s, &e, p->eddy)) return BW_ERR_MEMORY;
    s->host->parallel_for(s, (v->count + CHUNK - 1) / CHUNK, exchange_chunk, &e);
    for (int64_t i = 0; i < v->count; i++) {
        for (int a = 0; a < 3; a++) v->strength[i][a] += e.change[i][a];
        if (!(v->volume[i] > 0)) continue;
        v->temperature[i] += e.change[i][HEAT] / v->volume[i];
        v->density[i] += e.change[i][MASS] / v->volume[i];
    }
    return BW_OK;
}

static double max_dt(struct bw_stage *s)
{
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    double rate[VALUES], most = rates(s->params, rate), r = radius_extreme(&v, 0);
    return most > 0 && v.count && r > 0 && r < HUGE_VAL ? r * r / (4 * most) : HUGE_VAL;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    double rate[VALUES];
    enum bw_status st = radius_extreme(&v, 1) > 0 && (rates(p, rate) > 0 || (p->eddy > 0 && p->method == METHOD_PSE))
                            ? exchange_run(s, &v, rate)
                            : BW_OK;
    for (int64_t i = 0; i < v.count && p->method == METHOD_CORE; i++)
        if (v.volume[i] > 0) v.radius[i] = sqrt(v.radius[i] * v.radius[i] + 2 * p->viscosity * s->dt);
    return st;
}

const struct bw_stage_desc vorton_diffuse_desc = {
    .id = "vorton.diffuse",
    .version = "1.0",
    .brief = "Viscosity among vortons, by exchange of strength or growing cores; conduction of heat.",
    .references = "Degond & Mas-Gallic 1989; Leonard 1980",
    .params_size = sizeof(struct params),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = max_dt,
    .step = step,
};
