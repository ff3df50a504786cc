// SPDX-License-Identifier: Apache-2.0
/* vorton.stretch: vortex lines follow the fluid, so strength is stretched and turned by the velocity gradient G_ij =
 * ∂u_i/∂x_j:
 *     transpose   dα/dt = Gᵀ·α     conserves Σα exactly (Rehbach 1978; Winckelmans & Leonard 1993)
 *     classic     dα/dt = G·α
 *     mixed       their mean
 *     half        ½ G·α            Gourlay's, who halves it for stability
 * They agree where vorticity is free of divergence; where it is not, the transpose form turns what there is by the
 * flow's own curl: a spinning ball sheds lines along its surface only, and yet throws its air out at the equator, with
 * `classic` in. What a fast method leaves of Σ dα/dt in the transpose form is taken back in proportion to |dα/dt|, so
 * that Σα stays constant to rounding. vorton.advect integrates the rate.
 *
 * A body's sheet (vorton.collide; no volume) is stretched by the flow of all others alone: its own is as coarse as its
 * grains, amounts to nothing in sum, and would blow it up. Lines that run on from free vortons into a body turn with it
 * there, so that neither part's Σα changes, ∮ (2Ω·n)(U + Ω × r) dS = 0: with a sheet both sums are taken back, whatever
 * the form.
 *
 * Vortons drift apart from what a field free of divergence could be; `relax` f (Pedrizzetti 1992) turns them back to
 * the curl of their own velocity, lengths kept: dα/dt += f (|α| ω/|ω| - α). */
#include "vorton.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define KEPT 0.02 /* of Σ |dα/dt| */

enum form { FORM_TRANSPOSE, FORM_CLASSIC, FORM_MIXED, FORM_HALF };

struct params {
    int32_t form;
    double relax;
};

struct state {
    double residue; ///< largest of this step, |Σ dα/dt| / Σ |dα/dt|
};

static const struct bw_param params[] = {
    {.key = "form",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct params, form, int32_t),
     .def = "transpose",
     .choices = "transpose|classic|mixed|half",
     .doc = "transpose: conserves the sum of strengths; classic: as the equation is written; half: half of classic, as "
            "Gourlay has it.",
     .flags = BW_PARAM_STATIC,
     .was = "seed=half"},
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

/// Pedrizzetti's: towards the curl of the flow.
static void one_relax(double relax, const double *g, const double *a, double *rate)
{
    const double curl[3] = {g[7] - g[5], g[2] - g[6], g[3] - g[1]};
    double n = vec3_length(curl);
    for (int i = 0; i < 3 && n > 0; i++) rate[i] += relax * (vec3_length(a) * curl[i] / n - a[i]);
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

/// Rates of sheets, from the flow that is left when they keep silent.
static enum bw_status sheets_rate(struct bw_stage *s, struct vorton_arrays *v, double *own)
{
    const struct params *p = s->params;
    int64_t n = 0, k = 0;
    for (int64_t i = 0; i < v->count; i++) n += !(v->volume[i] > 0);
    if (!n || n == v->count) return BW_OK;
    bw_vec3 *at = s->host->scratch(s, (size_t)n * sizeof *at), *alpha = s->host->scratch(s, (size_t)n * sizeof *alpha);
    double *flow = s->host->scratch(s, 12 * (size_t)n * sizeof *flow), *gradient = flow + 3 * n;
    if (!at || !alpha || !flow) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < v->count; i++) {
        if (v->volume[i] > 0) continue;
        memcpy(at[k], v->pos[i], sizeof *at);
        memcpy(alpha[k++], v->strength[i], sizeof *alpha);
        memset(v->strength[i], 0, sizeof *alpha);
    }
    enum bw_status st = flow_at(s, &(struct flow){0}, n, (const bw_vec3 *)at, flow, gradient);
    for (int64_t i = k = 0; i < v->count; i++) {
        if (v->volume[i] > 0) continue;
        memcpy(v->strength[i], alpha[k], sizeof *alpha);
        one_rate((enum form)p->form, gradient + 9 * k++, v->strength[i], own + 3 * i);
    }
    return st;
}

/// Takes the rates' sum, over the sheets or over all others, back in proportion to each; what it was and what they are
/// together.
static void rates_level(const struct vorton_arrays *v, int sheets, double most, double *own, double *sum,
                        double *weight)
{
    double total[3] = {0}, all = 0;
    for (int64_t i = 0; i < v->count; i++) {
        if (sheets != !(v->volume[i] > 0)) continue;
        for (int c = 0; c < 3; c++) total[c] += own[3 * i + c];
        all += vec3_length(own + 3 * i);
    }
    *sum = vec3_length(total);
    *weight = all;
    if (!(all > 0) || *sum > most * all) return;
    for (int64_t i = 0; i < v->count; i++) {
        double fraction = vec3_length(own + 3 * i) / all;
        for (int c = 0; c < 3 && sheets == !(v->volume[i] > 0); c++) own[3 * i + c] -= total[c] * fraction;
    }
}

static enum bw_status rate(struct bw_stage *s, struct bw_particles *vortons, const double *gradient, double *out)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct vorton_arrays v = vorton_arrays(s, vortons);
    double sum[2], weight[2], *own = s->host->scratch(s, 24 * (size_t)v.count + 8);
    if (!own) return BW_ERR_MEMORY;
    memset(own, 0, 24 * (size_t)v.count);
    for (int64_t i = 0; i < v.count; i++)
        if (v.volume[i] > 0) one_rate((enum form)p->form, gradient + 9 * i, v.strength[i], own + 3 * i);
    enum bw_status status = sheets_rate(s, &v, own);
    if (status) return status;
    for (int64_t i = 0; i < v.count && p->relax > 0; i++)
        if (v.volume[i] > 0) one_relax(p->relax, gradient + 9 * i, v.strength[i], own + 3 * i);
    const void *table; // a flow of somebody else's may stretch as it likes: a grid's leaves more than a method's error
    int alone = !s->host->find_stage(s, BW_VELOCITY, 1, &table);
    rates_level(&v, 1, alone ? 1 : -1, own, &sum[1], &weight[1]);
    rates_level(&v, 0,
                !alone                      ? -1
                : weight[1] > 0             ? 1
                : p->form == FORM_TRANSPOSE ? KEPT
                                            : -1,
                own, &sum[0], &weight[0]);
    for (int64_t i = 0; i < 3 * v.count; i++) out[i] += own[i];
    if (weight[0] > 0) st->residue = fmax(st->residue, sum[0] / weight[0]);
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
    .flags = BW_STAGE_RANKS | BW_STAGE_PLAIN_STATE,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .step = step,
    .extension = extension,
};
