// SPDX-License-Identifier: Apache-2.0
/* vorton.diffuse: viscosity.
 *     pse    dα_p/dt = (2ν/σ²) Σ_q (V_p α_q - V_q α_p) η_σ(x_p - x_q),  η Gaussian of deviation σ, σ² = (σ_p² + σ_q²)/2
 *            particle strength exchange (Degond & Mas-Gallic 1989): what one loses the other gains, Σα is constant to
 *            rounding. Wants vortons that fill space evenly, as vorton.remesh leaves them: V is a share of space there.
 *     core   dσ²/dt = 2ν: cores spread (Leonard 1980). Exact for what does not deform; wants a remesh when σ has
 *            grown. Volumes, which carry density, stay.
 * Sheets of bodies (vorton.collide; no volume) have no part in it. pse is explicit: dt ≤ σ²/4ν, half of where it would overshoot. */
#include "bins.h"
#include "vorton.h"
#include <math.h>

enum method { METHOD_PSE, METHOD_CORE };
#define REACH 4.0 ///< in σ; what is beyond is 3e-4 of the exchange, and missing on both sides

struct params {
    int32_t method;
    double viscosity;
};

static const struct bw_param params[] = {
    BW_CHOICE(struct params, method, "method", "pse", "pse|core",
              "pse: vortons exchange strength, put a vorton.remesh before it; core: their cores grow."),
    BW_F64(struct params, viscosity, "viscosity", "1e-4 m^2/s", 0, 1e4, "m^2/s", "ν."),
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

struct exchange {
    const struct vorton_arrays *v;
    struct bins bins;
    bw_vec3 *change;
    double factor; ///< 2 ν dt
};

enum { CHUNK = 256 };

static void exchange_one(const struct exchange *e, int64_t p)
{
    const struct vorton_arrays *v = e->v;
    int64_t run[25][2];
    double sum[3] = {0};
    int n = v->volume[p] > 0 ? bins_near(&e->bins, v->pos[p], 2, run) : 0;
    for (int r = 0; r < n; r++)
        for (int64_t i = run[r][0]; i < run[r][1]; i++) {
            int64_t q = e->bins.order[i];
            double d2 = 0, s2 = 0.5 * (v->radius[p] * v->radius[p] + v->radius[q] * v->radius[q]);
            for (int a = 0; a < 3; a++) d2 += (v->pos[p][a] - v->pos[q][a]) * (v->pos[p][a] - v->pos[q][a]);
            if (d2 > REACH * REACH * s2 || !(v->volume[q] > 0)) continue;
            double w = e->factor / s2 * exp(-0.5 * d2 / s2) / (15.749609945722419 * s2 * sqrt(s2)); // (2π)^(3/2)
            for (int a = 0; a < 3; a++) sum[a] += w * (v->volume[p] * v->strength[q][a] - v->volume[q] * v->strength[p][a]);
        }
    for (int a = 0; a < 3; a++) e->change[p][a] = sum[a];
}

static void exchange_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct exchange *e = user;
    int64_t end = (chunk + 1) * CHUNK < e->v->count ? (chunk + 1) * CHUNK : e->v->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) exchange_one(e, p);
}

static double radius_extreme(const struct vorton_arrays *v, int largest)
{
    double r = largest ? 0 : HUGE_VAL;
    for (int64_t i = 0; i < v->count; i++)
        if (v->volume[i] > 0) r = largest ? fmax(r, v->radius[i]) : fmin(r, v->radius[i]);
    return r;
}

static enum bw_status exchange_run(struct bw_stage *s, struct vorton_arrays *v, double nu)
{
    struct exchange e = {.v = v, .factor = 2 * nu * s->dt};
    enum bw_status st = bins_make(s, &e.bins, v->count, (const bw_vec3 *)v->pos, REACH / 2 * radius_extreme(v, 1));
    e.change = s->host->scratch(s, (size_t)v->count * sizeof *e.change);
    if (st || !e.change) return BW_ERR_MEMORY;
    s->host->parallel_for(s, (v->count + CHUNK - 1) / CHUNK, exchange_chunk, &e);
    for (int64_t i = 0; i < v->count; i++)
        for (int a = 0; a < 3; a++) v->strength[i][a] += e.change[i][a];
    return BW_OK;
}

static double max_dt(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    double r = radius_extreme(&v, 0);
    return p->method == METHOD_PSE && p->viscosity > 0 && v.count && r > 0 && r < HUGE_VAL ? r * r / (4 * p->viscosity) : HUGE_VAL;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    if (!(radius_extreme(&v, 1) > 0) || p->viscosity <= 0) return BW_OK;
    if (p->method == METHOD_PSE) return exchange_run(s, &v, p->viscosity);
    for (int64_t i = 0; i < v.count; i++)
        if (v.volume[i] > 0) v.radius[i] = sqrt(v.radius[i] * v.radius[i] + 2 * p->viscosity * s->dt);
    return BW_OK;
}

const struct bw_stage_desc vorton_diffuse_desc = {
    .id = "vorton.diffuse",
    .version = "1.0",
    .brief = "Viscosity among vortons: exchange of strength, or growing cores.",
    .references = "Degond & Mas-Gallic 1989; Leonard 1980",
    .params_size = sizeof(struct params),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = max_dt,
    .step = step,
};
