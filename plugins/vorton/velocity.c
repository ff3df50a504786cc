// SPDX-License-Identifier: Apache-2.0
/* vorton.velocity: the flow that vortons induce in unbounded space (Biot & Savart), for whoever asks by billow.velocity/1.
 *
 *     u(x) = Σ α × (x - x_p) q(|x - x_p|/σ) / (4π |x - x_p|³)
 *
 * `direct` sums every pair; `fast` is field.c's multipole method, whose order is raised until its error against the direct sum,
 * measured at 384 of the points asked for, is below `error`, and which gives way to the direct sum where none is good enough; `seed` is seed.c. `auto` takes what is faster. The stage
 * holds no state but memory: what it answers depends on the vortons alone, not on what was asked before. */
#include "velocity.h"
#include "seed.h"
#include "vorton.h"
#include <math.h>
#include <string.h>

enum method { METHOD_AUTO, METHOD_DIRECT, METHOD_FAST, METHOD_SEED };

struct params {
    int32_t method, kernel;
    double error;
};

struct state {
    struct field field;
    struct seed_grid seed;
    int32_t said;         ///< method that the log has told, + 1
    int32_t order;
    double error;
};

static const struct bw_param params[] = {
    BW_CHOICE(struct params, method, "method", "auto", "auto|direct|fast|seed",
              "direct: every pair; fast: multipoles within `error`; auto: whichever is faster; seed: Gourlay's tree, "
              "an error of a tenth."),
    BW_CHOICE(struct params, kernel, "kernel", "gaussian", "gaussian|algebraic|moore|seed",
              "How vorticity is spread over a vorton's core: a Gaussian; Winckelmans and Leonard's; Rosenhead and Moore's; "
              "Gourlay's."),
    {.key = "error",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct params, error, double),
     .def = "1e-3",
     .min = 1e-5,
     .max = 0.1,
     .doc = "Largest error of `fast`, root mean square over root mean square of the velocity."},
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_READ,
     .doc = "The vortons.",
     .attributes = vorton_attributes,
     .n_attributes = BW_COUNT(vorton_attributes)},
};

/* Orders of expansion and opening angles, each about half as wrong as the one before. */
static const struct field_plan plans[] = {{1, 3, 0.65, 3.4}, {1, 4, 0.65, 3.4}, {1, 5, 0.65, 3.4}, {1, 6, 0.65, 4},
                                          {1, 7, 0.65, 4.5}, {1, 8, 0.65, 5.1}, {1, 8, 0.5, 5.1},  {1, 8, 0.4, 6}};
/// Where the search for a good enough plan begins: what was good enough for clouds and rings.
static uint32_t plan_first(double error)
{
    return error >= 2e-2 ? 0 : error >= 5e-3 ? 1 : error >= 1e-3 ? 2 : error >= 3e-4 ? 3 : 4;
}

/// What samples show against what may be: theirs is a guess.
#define SAFETY 0.7

/// Pairs in favour of the direct sum up to this many vortons, both sides being equal.
#define DIRECT_MOST 8000.0

static int is_direct(double vortons, double points)
{
    return vortons * points <= 0.5 * DIRECT_MOST * (vortons + points);
}

/// The first vorton that cannot be evaluated, or -1.
static int64_t vorton_bad(const struct vorton_arrays *v)
{
    for (int64_t i = 0; i < v->count; i++) {
        double sum = 0;
        for (int a = 0; a < 3; a++) sum += fabs(v->pos[i][a]) + fabs(v->strength[i][a]);
        if (!(sum < 1e100) || !(v->radius[i] > 0) || !(v->radius[i] < 1e100)) return i;
    }
    return -1;
}

/// The first plan whose error at some of the points is small enough, or the last; *error is what was measured.
static enum bw_status plan_choose(struct bw_stage *s, double wanted, const bw_vec3 *pos, uint32_t *plan, double *error)
{
    struct state *st = s->state;
    enum bw_status status = BW_OK;
    for (uint32_t p = plan_first(wanted); status == BW_OK && p < BW_COUNT(plans); p++) {
        *plan = p;
        status = field_error(s, &st->field, &plans[p], pos, error);
        if (*error <= SAFETY * wanted) break;
    }
    return status;
}

static void method_say(struct bw_stage *s, enum method m, int64_t vortons, int64_t points)
{
    static const char *const words[] = {"", "every pair", "the multipole method", "the seed's tree"};
    struct state *st = s->state;
    if (st->said == (int32_t)m + 1) return;
    st->said = (int32_t)m + 1;
    s->host->log(s, BW_LOG_INFO, "%lld vortons at %lld points: %s", (long long)vortons, (long long)points, words[m]);
}

static enum bw_status fast_evaluate(struct bw_stage *s, int64_t count, const bw_vec3 *pos, double *velocity, double *gradient)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    uint32_t plan = 0;
    double error = 0;
    enum bw_status status = field_points(s, &st->field, count, pos, 1);
    if (!status) status = plan_choose(s, p->error, pos, &plan, &error);
    if (status) return status;
    if (error > p->error) { // never worse than it says
        s->host->log(s, BW_LOG_INFO, "the multipole method would be off by %.2g here: every pair instead", error);
        status = field_points(s, &st->field, count, pos, 0);
        return status ? status : field_evaluate(s, &st->field, &(struct field_plan){0}, velocity, gradient);
    }
    st->error = fmax(st->error, error);
    st->order = plans[plan].order;
    return field_evaluate(s, &st->field, &plans[plan], velocity, gradient);
}

static enum bw_status evaluate(struct bw_stage *s, size_t n, const bw_vec3 *pos, double *velocity, double *gradient)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    int64_t bad = vorton_bad(&v), count = (int64_t)n;
    if (bad >= 0)
        return s->host->fail(s, BW_ERR_DIVERGED, "vorton %lld at (%g, %g, %g) m, strength (%g, %g, %g) m^3/s, radius %g m, cannot be",
                             (long long)bad, v.pos[bad][0], v.pos[bad][1], v.pos[bad][2], v.strength[bad][0], v.strength[bad][1],
                             v.strength[bad][2], v.radius[bad]);
    if (!v.count || !count) return BW_OK;
    struct vortons all = {v.count, (const bw_vec3 *)v.pos, (const bw_vec3 *)v.strength, v.radius};
    enum method m = (enum method)p->method;
    if (m == METHOD_AUTO) m = is_direct((double)v.count, (double)count) ? METHOD_DIRECT : METHOD_FAST;
    method_say(s, m, v.count, count);
    enum bw_status status;
    if (m == METHOD_SEED) {
        status = seed_build(s, &st->seed, &all, (enum pair_kernel)p->kernel, count, pos);
        if (!status) seed_evaluate(s, &st->seed, count, pos, velocity, gradient);
        return status;
    }
    status = field_sources(s, &st->field, &all, (enum pair_kernel)p->kernel);
    if (!status && m == METHOD_FAST) return fast_evaluate(s, count, pos, velocity, gradient);
    if (!status) status = field_points(s, &st->field, count, pos, 0);
    return status ? status : field_evaluate(s, &st->field, &(struct field_plan){0}, velocity, gradient);
}

/// What a run is judged by: Σα and the impulse ½ Σ x × α, both constant in unbounded flow.
static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    double total[3] = {0}, impulse[3] = {0};
    for (int64_t i = 0; i < v.count; i++) {
        const double *x = v.pos[i], *a = v.strength[i];
        for (int c = 0; c < 3; c++) {
            total[c] += a[c];
            impulse[c] += 0.5 * (x[(c + 1) % 3] * a[(c + 2) % 3] - x[(c + 2) % 3] * a[(c + 1) % 3]);
        }
    }
    s->host->metric(s, "vortons", (double)v.count, BW_METRIC_LAST);
    s->host->metric(s, "strength", sqrt(total[0] * total[0] + total[1] * total[1] + total[2] * total[2]), BW_METRIC_LAST);
    s->host->metric(s, "impulse_x", impulse[0], BW_METRIC_LAST);
    s->host->metric(s, "impulse_y", impulse[1], BW_METRIC_LAST);
    s->host->metric(s, "impulse_z", impulse[2], BW_METRIC_LAST);
    s->host->metric(s, "error", st->error, BW_METRIC_MAX);
    s->host->metric(s, "order", (double)st->order, BW_METRIC_MAX);
    st->error = 0;
    st->order = 0;
    return BW_OK;
}

static enum pair_kernel kernel_tell(const struct bw_stage *s)
{
    return (enum pair_kernel)((const struct params *)s->params)->kernel;
}

static const void *extension(const char *id)
{
    static const struct bw_velocity_api api = {sizeof api, evaluate};
    static const struct vorton_kernel_api kernel = {kernel_tell};
    if (!strcmp(id, VORTON_KERNEL)) return &kernel;
    return strcmp(id, BW_VELOCITY) ? NULL : &api;
}

const struct bw_stage_desc vorton_velocity_desc = {
    .id = "vorton.velocity",
    .version = "1.0",
    .brief = "The flow that vortons induce, anywhere: direct, or by multipoles within an error that is measured.",
    .references = "Winckelmans & Leonard 1993; Greengard & Rokhlin 1987; Dehnen 2002; Gourlay, parts 3, 4, 6",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .step = step,
    .extension = extension,
    .flags = BW_STAGE_SETUP,
};
