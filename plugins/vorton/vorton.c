// SPDX-License-Identifier: Apache-2.0
#include "vorton.h"
#include <math.h>
#include <string.h>

const struct bw_attribute vorton_attributes[10] = {
    ATTRIBUTE_POS,         ATTRIBUTE_STRENGTH, ATTRIBUTE_RADIUS, ATTRIBUTE_VOLUME, ATTRIBUTE_DENSITY,
    ATTRIBUTE_TEMPERATURE, ATTRIBUTE_BORN,     ATTRIBUTE_AGE,    ATTRIBUTE_LIFE,   ATTRIBUTE_VELOCITY};
const struct bw_attribute tracer_attributes[6] = {ATTRIBUTE_POS,    ATTRIBUTE_AGE,    ATTRIBUTE_LIFE,
                                                  ATTRIBUTE_AMOUNT, ATTRIBUTE_COLOUR, ATTRIBUTE_VELOCITY};

struct vorton_arrays vorton_arrays(const struct bw_stage *s, struct bw_particles *p)
{
    const struct bw_particles_api *api = particles_of(s);
    if (!p) return (struct vorton_arrays){0};
    return (struct vorton_arrays){api->count(p),
                                  api->attribute(p, "pos"),
                                  api->attribute(p, "strength"),
                                  api->attribute(p, "radius"),
                                  api->attribute(p, "volume"),
                                  api->attribute(p, "density"),
                                  api->attribute(p, "temperature"),
                                  api->attribute(p, "born"),
                                  api->attribute(p, "age"),
                                  api->attribute(p, "life"),
                                  api->attribute(p, "velocity")};
}

struct tracer_arrays tracer_arrays(const struct bw_stage *s, struct bw_particles *p)
{
    const struct bw_particles_api *api = particles_of(s);
    if (!p) return (struct tracer_arrays){0};
    return (struct tracer_arrays){api->count(p),
                                  api->attribute(p, "pos"),
                                  api->attribute(p, "age"),
                                  api->attribute(p, "life"),
                                  api->attribute(p, "velocity"),
                                  api->attribute(p, "amount"),
                                  api->attribute(p, "colour")};
}

/* ---- velocity from everywhere ---- */

enum { SAMPLES = 4096 };

struct sampling {
    const struct bw_sample_api *api;
    const struct bw_field *field;
    int64_t count;
    const bw_vec3 *pos;
    double *velocity, *gradient;
    double h;
};

static void gradient_add(const struct sampling *a, int64_t i)
{
    bw_vec3 at[6];
    double u[18];
    for (int e = 0; e < 6; e++)
        for (int c = 0; c < 3; c++) at[e][c] = a->pos[i][c] + (e / 2 == c ? (e & 1 ? -0.5 : 0.5) * a->h : 0);
    a->api->sample(a->field, 6, (const bw_vec3 *)at, u);
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < 3; j++) a->gradient[9 * i + 3 * c + j] += (u[6 * j + c] - u[6 * j + 3 + c]) / a->h;
}

static void samples_add(int64_t i, uint32_t worker, void *user)
{
    const struct sampling *a = user;
    double u[3 * SAMPLES];
    int64_t first = i * SAMPLES, n = a->count - first < SAMPLES ? a->count - first : SAMPLES;
    (void)worker;
    a->api->sample(a->field, (size_t)n, a->pos + first, u);
    for (int64_t k = 0; k < 3 * n; k++) a->velocity[3 * first + k] += u[k];
    for (int64_t k = 0; k < n && a->gradient; k++) gradient_add(a, first + k);
}

enum bw_status flow_at(struct bw_stage *s, const struct flow *flow, int64_t count, const bw_vec3 *pos, double *velocity,
                       double *gradient)
{
    const void *table = NULL;
    struct bw_stage *from;
    memset(velocity, 0, 3 * (size_t)count * sizeof *velocity);
    if (gradient) memset(gradient, 0, 9 * (size_t)count * sizeof *gradient);
    for (uint32_t k = 0; (from = s->host->find_stage(s, BW_VELOCITY, k, &table)); k++) {
        const struct bw_velocity_api *api = table;
        enum bw_status st = api->evaluate(from, (size_t)count, pos, velocity, gradient);
        if (st) return st;
    }
    for (uint32_t i = 0; i < flow->n_fields; i++) {
        struct sampling a = {
            s->host->extension(BW_SAMPLE), flow->fields[i], count, pos, velocity, gradient, s->grid->h};
        s->host->parallel_for(s, (count + SAMPLES - 1) / SAMPLES, samples_add, &a);
    }
    return BW_OK;
}

/* ---- what has left ---- */

enum bw_status particles_tidy(struct bw_stage *s, struct bw_particles *p, double limit)
{
    const struct bw_particles_api *api = particles_of(s);
    int64_t count = api->count(p), lost = 0, expired = 0, first = -1;
    const bw_vec3 *pos = api->attribute(p, "pos");
    const int64_t *id = api->attribute(p, "id");
    const float *age = api->attribute(p, "age"), *life = api->attribute(p, "life");
    const double *radius = api->attribute(p, "radius"); // tracers have none
    uint8_t *drop = s->host->scratch(s, (size_t)count + 1);
    if (!drop) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int far = 0;
        if (!isfinite(pos[i][0] + pos[i][1] + pos[i][2]))
            return s->host->fail(s, BW_ERR_DIVERGED,
                                 "step %lld: particle %lld is at (%g, %g, %g) m: shorter steps (time.substeps) would "
                                 "keep it",
                                 (long long)s->step, (long long)id[i], pos[i][0], pos[i][1], pos[i][2]);
        for (int a = 0; a < 3; a++) far |= !(fabs(pos[i][a]) <= limit);
        far |= radius && !(radius[i] > 0 && radius[i] <= limit);
        int old = life[i] > 0 && age[i] >= life[i];
        if (far && !lost++) first = i;
        expired += !far && old;
        drop[i] = (uint8_t)(far || old);
    }
    if (lost)
        s->host->log(
            s, BW_LOG_WARNING,
            "particle %lld at (%g, %g, %g) m with radius %g m is removed: beyond %g m, or of no size (metric lost "
            "counts them)",
            (long long)id[first], pos[first][0], pos[first][1], pos[first][2], radius ? radius[first] : 0, limit);
    s->host->metric(s, "lost", (double)lost, BW_METRIC_SUM);
    if (lost || expired) api->remove(p, drop);
    return BW_OK;
}
