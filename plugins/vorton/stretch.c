// SPDX-License-Identifier: Apache-2.0
/* vorton.stretch: vortex lines follow the fluid, so strength is stretched and turned by the velocity gradient G_ij = ∂u_i/∂x_j:
 *     transpose   dα/dt = Gᵀ·α     conserves Σα exactly (Rehbach 1978; Winckelmans & Leonard 1993)
 *     classic     dα/dt = G·α
 *     mixed       their mean
 *     seed        ½ G·α            Gourlay's, who halves it for stability
 * They agree where vorticity is free of divergence. What a fast method leaves of Σ dα/dt in the transpose form is taken
 * back in proportion to |dα/dt|, so that Σα stays constant to rounding. vorton.advect integrates the rate.
 *
 * Vortons drift apart from what a field free of divergence could be; `relax` f (Pedrizzetti 1992) turns them back to
 * the curl of their own velocity, lengths kept: dα/dt += f (|α| ω/|ω| - α). */
#include "vorton.h"
#include <math.h>
#include <string.h>

#define KEPT 0.02 /* of Σ |dα/dt| */

enum form { FORM_TRANSPOSE, FORM_CLASSIC, FORM_MIXED, FORM_SEED };

struct params {
    int32_t form;
    double relax;
};

struct state {
    double residue; ///< largest of this step, |Σ dα/dt| / Σ |dα/dt|
};

static const struct bw_param params[] = {
    BW_CHOICE(struct params, form, "form", "transpose", "transpose|classic|mixed|seed",
              "transpose: conserves the sum of strengths; classic: as the equation is written; seed: half of classic."),
    BW_F64(struct params, relax, "relax", "0 1/s", 0, 1e4, "1/s",
           "How fast strengths turn to the vorticity that they make together, which is free of divergence."),
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_READ,
     .doc = "The vortons.",
     .attributes = vorton_attributes,
     .n_attributes = BW_COUNT(vorton_attributes)},
};

static double length(const double *a) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/// Pedrizzetti's: towards the curl of the flow.
static void one_relax(double relax, const double *g, const double *a, double *rate)
{
    const double curl[3] = {g[7] - g[5], g[2] - g[6], g[3] - g[1]};
    double n = length(curl);
    for (int i = 0; i < 3 && n > 0; i++) rate[i] += relax * (length(a) * curl[i] / n - a[i]);
}

static void one_rate(enum form form, const double *g, const double *a, double *rate)
{
    const double classic = form == FORM_CLASSIC ? 1 : form == FORM_TRANSPOSE ? 0 : 0.5;
    const double transpose = form == FORM_TRANSPOSE ? 1 : form == FORM_MIXED ? 0.5 : 0;
    for (int i = 0; i < 3; i++) {
        rate[i] = 0;
        for (int j = 0; j < 3; j++) rate[i] += (classic * g[3 * i + j] + transpose * g[3 * j + i]) * a[j];
    }
}

static enum bw_status rate(struct bw_stage *s, struct bw_particles *vortons, const double *gradient, double *out)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct vorton_arrays v = vorton_arrays(s, vortons);
    double sum[3] = {0}, weight = 0, *own = s->host->scratch(s, 24 * (size_t)v.count + 8);
    if (!own) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < v.count; i++) {
        one_rate((enum form)p->form, gradient + 9 * i, v.strength[i], own + 3 * i);
        for (int c = 0; c < 3; c++) sum[c] += own[3 * i + c];
        weight += length(own + 3 * i);
    }
    const void *table; // a flow of somebody else's may stretch as it likes: a grid's leaves more than a method's error
    int keep = p->form == FORM_TRANSPOSE && length(sum) <= KEPT * weight && weight > 0 && !s->host->find_stage(s, BW_VELOCITY, 1, &table);
    for (int64_t i = 0; i < v.count; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] += own[3 * i + c] - (keep ? sum[c] * length(own + 3 * i) / weight : 0);
    for (int64_t i = 0; i < v.count && p->relax > 0; i++) one_relax(p->relax, gradient + 9 * i, v.strength[i], out + 3 * i);
    if (weight > 0) st->residue = fmax(st->residue, length(sum) / weight);
    return BW_OK;
}

/// The rate is integrated by vorton.advect; here it is only told how well it was conserved.
static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    const void *table;
    if (!s->host->find_stage(s, BW_CARRIER, 0, &table))
        return s->host->fail(s, BW_ERR_PRESET, "needs a `vorton.advect` in the chain, which integrates what it says");
    s->host->metric(s, "residue", st->residue, BW_METRIC_MAX);
    st->residue = 0;
    return BW_OK;
}

static const void *extension(const char *id)
{
    static const struct bw_strength_rate_api api = {sizeof api, 1, rate};
    return strcmp(id, BW_STRENGTH_RATE) ? NULL : &api;
}

const struct bw_stage_desc vorton_stretch_desc = {
    .id = "vorton.stretch",
    .version = "1.0",
    .brief = "Stretches and turns vortons with the flow.",
    .references = "Winckelmans & Leonard 1993; Gourlay, part 3",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .step = step,
    .extension = extension,
};
