// SPDX-License-Identifier: Apache-2.0
#include "vorton.h"
#include <common/ranks.h>
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

/// Places of a difference along each axis: low and high of x, y, z.
enum { ENDS = 6 };

static enum bw_status velocity_add(struct bw_stage *s, struct bw_field *field, int64_t count, const bw_vec3 *pos,
                                   double *velocity)
{
    double *u = s->host->alloc(s, 3 * (size_t)count * sizeof *u + 1);
    enum bw_status st = u ? ranks_sample(s, field, (size_t)count, pos, u) : BW_ERR_MEMORY;
    for (int64_t i = 0; i < 3 * count && !st; i++) velocity[i] += u[i];
    s->host->release(s, u);
    return st;
}

enum bw_status gradient_add(struct bw_stage *s, struct bw_field *field, int64_t count, const bw_vec3 *pos,
                            double *gradient)
{
    const double h = s->grid->h;
    bw_vec3 *at = s->host->alloc(s, 2 * ENDS * (size_t)count * sizeof *at + 1), *u = at + ENDS * count;
    if (!at) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < ENDS * count; i++)
        for (int c = 0, e = (int)(i % ENDS); c < 3; c++)
            at[i][c] = pos[i / ENDS][c] + (e / 2 == c ? (e & 1 ? 0.5 : -0.5) * h : 0);
    enum bw_status st = ranks_sample(s, field, ENDS * (size_t)count, (const bw_vec3 *)at, *u);
    for (int64_t i = 0; i < count && !st; i++)
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < 3; j++)
                gradient[9 * i + 3 * c + j] += (u[ENDS * i + 2 * j + 1][c] - u[ENDS * i + 2 * j][c]) / h;
    s->host->release(s, at);
    return st;
}

/// One evaluator's part; with the points' radii if it can use them.
static enum bw_status evaluator_add(struct bw_stage *s, struct bw_stage *from, const struct bw_velocity_api *api,
                                    const double *radius, int64_t count, const bw_vec3 *pos, double *velocity,
                                    double *gradient)
{
    const void *table = NULL;
    struct bw_stage *stage;
    for (uint32_t k = 0; radius && (stage = s->host->find_stage(s, VORTON_CORES, k, &table)); k++)
        if (stage == from)
            return ((const struct vorton_cores_api *)table)->evaluate(from, count, pos, radius, velocity, gradient);
    return api->evaluate(from, (size_t)count, pos, velocity, gradient);
}

enum bw_status flow_at(struct bw_stage *s, const struct flow *flow, int64_t count, const bw_vec3 *pos, double *velocity,
                       double *gradient)
{
    const void *table = NULL;
    struct bw_stage *from;
    memset(velocity, 0, 3 * (size_t)count * sizeof *velocity);
    if (gradient) memset(gradient, 0, 9 * (size_t)count * sizeof *gradient);
    for (uint32_t k = 0; (from = s->host->find_stage(s, BW_VELOCITY, k, &table)); k++) {
        enum bw_status st = evaluator_add(s, from, table, flow->radius, count, pos, velocity, gradient);
        if (st) return st;
    }
    enum bw_status st = BW_OK;
    for (uint32_t i = 0; i < flow->n_fields && !st; i++) {
        st = velocity_add(s, flow->fields[i], count, pos, velocity);
        if (!st && gradient) st = gradient_add(s, flow->fields[i], count, pos, gradient);
    }
    return st;
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
