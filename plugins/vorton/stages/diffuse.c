// SPDX-License-Identifier: Apache-2.0
/* vorton.diffuse: viscosity.
 *     pse    dα_p/dt = (2ν/σ²) Σ_q (V_p α_q - V_q α_p) η_σ(x_p - x_q),  η Gaussian of deviation σ, σ² = (σ_p² + σ_q²)/2
 *            particle strength exchange (Degond & Mas-Gallic 1989): what one loses the other gains, Σα is constant to
 *            rounding. Pairs further apart than 4σ are left out; the others make up for their second moment. With
 *            `eddy` C, ν grows by (Cσ)²|ω|, ω = α/V, the mean of both: what the vortons cannot resolve is taken for
 *            turbulence (Smagorinsky 1963, with the vorticity for the strain: Mansfield, Knio & Meneveau 1998). Wants
 *            vortons that fill space evenly, as vorton.remesh leaves them: V is a share of space there.
 *            The tensor Σ_q V_q d d η/σ², d = x_p - x_q, is what of 1 the exchange makes of viscosity: among nodes of a
 *            lattice 1, along a single line of vortons nothing across. The metric `carried` is the harmonic mean of
 *            its eigenvalues, in the mean by strength; of less than EFFECTIVE_LEAST at first the stage is refused.
 *     core   dσ²/dt = 2ν: cores spread (Leonard 1980). Exact for what does not deform; wants a remesh when σ has
 *            grown. Volumes, which carry density, stay.
 * Sheets of bodies (vorton.collide; no volume) have no part in it. pse is explicit: dt ≤ σ²/4ν, half of where it would
 * overshoot. Heat and mass deviations are exchanged in the same way, dT_p/dt = (2κ/σ²) Σ_q V_q (T_q - T_p) η: Σ V T
 * stays. Still air loses heat to ambient vortons only: there is nothing where there are none. */
#include "flow/cell_list.h"
#include "vorton.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

enum method { METHOD_PSE, METHOD_CORE };
#define REACH 4.0           ///< in σ
#define WITHIN 0.993156     ///< second moment of a Gaussian within REACH: χ² with 5 degrees of freedom below 16
#define EFFECTIVE_LEAST 0.1 ///< of a viscosity; less is as good as none
#define EFFECTIVE_WELL 0.7  ///< and less than this worth a warning

struct params {
    int32_t method;
    double viscosity, eddy, temperature, density;
};

struct state {
    int32_t checked; ///< whether vortons stand side by side
};

static const struct bw_param params[] = {
    BW_CHOICE(
        struct params, method, "method", "pse", "pse|core",
        "pse: vortons exchange strength, put a vorton.remesh with an interval before it; core: their cores grow."),
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
    struct cell_list bins;
    double (*change)[VALUES];
    double factor[VALUES]; ///< 2 ν dt
    double eddy, *omega;   ///< C² dt; |ω| of each
    double *given_away;    ///< what of itself each would give away with eddies, or 1
    double *effective;     ///< what of the viscosity comes about at each
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
    int n = v->volume[p] > 0 ? cell_list_near(&e->bins, v->pos[p], 2, run) : 0;
    for (int r = 0; r < n; r++)
        for (int64_t i = run[r][0]; i < run[r][1]; i++) {
            int64_t q = e->bins.order[i];
            double d2 = vec3_distance2(v->pos[p], v->pos[q]),
                   s2 = 0.5 * (v->radius[p] * v->radius[p] + v->radius[q] * v->radius[q]);
            if (d2 > REACH * REACH * s2 || !(v->volume[q] > 0)) continue;
            double eta = exp(-0.5 * d2 / s2) / (15.749609945722419 * s2 * sqrt(s2)); // (2π)^(3/2)
            visit(e, p, q, eta / (WITHIN * s2), e->eddy > 0 ? e->eddy * (e->omega[p] + e->omega[q]) * eta : 0, sum);
        }
}

static void given_away_visit(struct exchange *e, int64_t p, int64_t q, double weight, double eddy, double *sum)
{
    (void)p;
    sum[0] += (e->factor[STRENGTH] * weight + eddy) * e->v->volume[q];
}

static void exchange_visit(struct exchange *e, int64_t p, int64_t q, double weight, double eddy, double *sum)
{
    const struct vorton_arrays *v = e->v;
    double mine[VALUES], its[VALUES],
        most = e->eddy > 0 ? fmax(1, 2 * fmax(e->given_away[p], e->given_away[q])) : 1; // never more than half
    content(v, p, mine);
    content(v, q, its);
    for (int k = 0; k < VALUES; k++) {
        double w = (e->factor[k] * weight + (k < HEAT ? eddy : 0)) / (k < HEAT ? most : 1);
        sum[k] += w * (v->volume[p] * its[k] - v->volume[q] * mine[k]);
    }
}

/// Harmonic mean of the eigenvalues of a symmetric tensor, xx yy zz xy yz zx: 3 det over the sum of principal minors.
static double harmonic(const double t[6])
{
    const double yz = t[1] * t[2] - t[4] * t[4], minors = yz + t[0] * t[1] - t[3] * t[3] + t[2] * t[0] - t[5] * t[5],
                 det = t[0] * yz - t[3] * (t[3] * t[2] - t[4] * t[5]) + t[5] * (t[3] * t[4] - t[1] * t[5]);
    return det > 0 && minors > 0 ? 3 * det / minors : 0;
}

static void effective_visit(struct exchange *e, int64_t p, int64_t q, double weight, double eddy, double *sum)
{
    double d[3];
    (void)eddy;
    vec3_sub(e->v->pos[p], e->v->pos[q], d);
    for (int a = 0; a < 3; a++) {
        sum[a] += weight * e->v->volume[q] * d[a] * d[a];
        sum[3 + a] += weight * e->v->volume[q] * d[a] * d[(a + 1) % 3];
    }
}

static void effective_chunk(int64_t chunk, uint32_t worker, void *user)
{
    struct exchange *e = user;
    int64_t end = (chunk + 1) * CHUNK < e->v->count ? (chunk + 1) * CHUNK : e->v->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) {
        double tensor[6] = {0};
        neighbours_visit(e, p, effective_visit, tensor);
        e->effective[p] = harmonic(tensor);
    }
}

static void given_away_chunk(int64_t chunk, uint32_t worker, void *user)
{
    struct exchange *e = user;
    int64_t end = (chunk + 1) * CHUNK < e->v->count ? (chunk + 1) * CHUNK : e->v->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) {
        e->given_away[p] = 0;
        neighbours_visit(e, p, given_away_visit, &e->given_away[p]);
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
    e->given_away = s->host->scratch(s, bytes);
    if (!e->omega || !e->given_away) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < e->v->count; i++)
        e->omega[i] = e->v->volume[i] > 0 ? vec3_length(e->v->strength[i]) / e->v->volume[i] : 0;
    s->host->parallel_for(s, (e->v->count + CHUNK - 1) / CHUNK, given_away_chunk, e);
    return BW_OK;
}

/// Whether a remesh with an interval keeps the vortons on a lattice, now or soon.
static int has_lattice(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_stage *from = NULL;
    int has = 0;
    for (uint32_t k = 0; !has && (from = s->host->find_stage(s, VORTON_LATTICE, k, &table)); k++)
        has = ((const struct vorton_lattice_api *)table)->interval(from) > 0;
    return has;
}

/// What part of the viscosity the exchange will bring about, once there are vortons; too little is refused.
static enum bw_status effective_check(struct bw_stage *s, struct exchange *e)
{
    const struct vorton_arrays *v = e->v;
    struct state *st = s->state;
    double sum = 0, weight = 0;
    e->effective = s->host->scratch(s, (size_t)v->count * sizeof *e->effective);
    if (!e->effective) return BW_ERR_MEMORY;
    s->host->parallel_for(s, (v->count + CHUNK - 1) / CHUNK, effective_chunk, e);
    for (int64_t i = 0; i < v->count; i++) {
        const double w = v->volume[i] > 0 ? vec3_length(v->strength[i]) : 0;
        sum += w * e->effective[i];
        weight += w;
    }
    if (!(weight > 0)) return BW_OK; // nothing turns yet
    s->host->metric(s, "carried", sum / weight, BW_METRIC_LAST);
    const int first = !st->checked;
    st->checked = 1;
    if (!first || has_lattice(s)) return BW_OK;
    static const char *const sentence = "these vortons do not stand side by side: exchange brings about %.2g %% of the "
                                        "viscosity; put a `vorton.remesh` with an `interval` before it, or take "
                                        "`method: core`";
    const double fraction = sum / weight;
    if (fraction < EFFECTIVE_LEAST) return s->host->fail(s, BW_ERR_PRESET, sentence, 100 * fraction);
    if (fraction < EFFECTIVE_WELL) s->host->log(s, BW_LOG_WARNING, sentence, 100 * fraction);
    return BW_OK;
}

static enum bw_status exchange_run(struct bw_stage *s, struct vorton_arrays *v, const double rate[VALUES])
{
    const struct params *p = s->params;
    struct exchange e = {.v = v};
    enum bw_status st = cell_list_make(s, &e.bins, v->count, (const bw_vec3 *)v->pos, REACH / 2 * radius_extreme(v, 1));
    e.change = s->host->scratch(s, (size_t)v->count * sizeof *e.change);
    if (st || !e.change) return BW_ERR_MEMORY;
    for (int k = 0; k < VALUES; k++) e.factor[k] = 2 * rate[k] * s->dt;
    if (rate[STRENGTH] > 0) st = effective_check(s, &e);
    if (st) return st;
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

static int lattice_wish(const struct bw_stage *s)
{
    const struct params *p = s->params;
    return p->method == METHOD_PSE && p->viscosity > 0;
}

static const void *extension(const char *id)
{
    static const struct vorton_exchange_api api = {lattice_wish};
    return strcmp(id, VORTON_EXCHANGE) ? NULL : &api;
}

const struct bw_stage_desc vorton_diffuse_desc = {
    .id = "vorton.diffuse",
    .version = "1.0",
    .brief = "Viscosity among vortons, by exchange of strength or growing cores; conduction of heat.",
    .references = "Degond & Mas-Gallic 1989; Leonard 1980",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_RANKS | BW_STAGE_PLAIN_STATE,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = max_dt,
    .step = step,
    .extension = extension,
};
