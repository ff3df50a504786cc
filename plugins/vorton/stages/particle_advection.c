// SPDX-License-Identifier: Apache-2.0
/* dx/dt = u(x), dα/dt = Σ rates(∇u), integrated together in Williamson's (1980) form, one extra register a value:
 *     d ← A_i d + dt f(y),   y ← y + B_i d
 * Euler (order 1), midpoint (2), Williamson's third order. Vortons and tracers see the same flow at every stage:
 * tracers that were moved after the vortons would drift out of their cores. Tracers are processed in portions.
 *
 * Radii stay, or, ADVECTION_STRETCHED, follow the flow as those of a piece of a tube whose volume r² l stays while the
 * flow draws it out: d ln r/dt = -½ a·∇u·a, a = α/|α|. */
#include "particle_advection.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

struct scheme {
    int stages;
    double a[3], b[3];
};
static const struct scheme schemes[] = {
    {1, {0}, {1}},
    {2, {0, -0.5}, {0.5, 1}},
    {3, {0, -5. / 9, -153. / 128}, {1. / 3, 15. / 16, 8. / 15}},
};

enum { PORTION = 1 << 19, CHUNK = 4096 };

/* Registers and results. */
struct run {
    struct bw_stage *s;
    const struct particle_advection *c;
    struct vorton_arrays v;
    struct tracer_arrays t;
    double *turn, *bend;                ///< vortons: registers of position and strength
    double *velocity, *gradient, *rate; ///< vortons, then a portion of tracers in `velocity`
    double *thin, *thinning;            ///< vortons: ln of radius over what it was, where it is to follow; register
    double *drift;                      ///< tracers: register
    int rates, gradients;               ///< stages that change strength; 1: some want the gradient
};

static int rates_find(struct bw_stage *s, int *gradients)
{
    const void *table;
    int n = 0;
    *gradients = 0;
    for (; s->host->find_stage(s, BW_STRENGTH_RATE, (uint32_t)n, &table); n++)
        *gradients |= ((const struct bw_strength_rate_api *)table)->wants_gradient != 0;
    return n;
}

static enum bw_status run_begin(struct bw_stage *s, const struct particle_advection *c, struct run *r)
{
    *r = (struct run){.s = s, .c = c, .v = vorton_arrays(s, c->vortons), .t = tracer_arrays(s, c->tracers)};
    r->rates = r->v.count ? rates_find(s, &r->gradients) : 0;
    size_t nv = (size_t)r->v.count, nt = (size_t)r->t.count, portion = nt < PORTION ? nt : PORTION;
    r->turn = s->host->scratch(s, 24 * nv + 8);
    r->bend = s->host->scratch(s, 24 * nv + 8);
    r->rate = s->host->scratch(s, 24 * nv + 8);
    r->velocity = s->host->scratch(s, 24 * (nv > portion ? nv : portion) + 8);
    r->gradient = s->host->scratch(s, (r->gradients ? 72 * nv : 0) + 8);
    r->drift = s->host->scratch(s, 24 * nt + 8);
    if (c->radii == ADVECTION_STRETCHED && nv && !r->gradients)
        return s->host->fail(s, BW_ERR_PRESET, "radii cannot follow what nobody stretches: put a `vorton.stretch` in");
    if (c->radii == ADVECTION_STRETCHED && nv) {
        if (!(r->thin = s->host->scratch(s, 16 * nv))) return BW_ERR_MEMORY;
        r->thinning = r->thin + nv;
        memset(r->thin, 0, 16 * nv);
    }
    if (!r->turn || !r->bend || !r->rate || !r->velocity || !r->gradient || !r->drift) return BW_ERR_MEMORY;
    memset(r->turn, 0, 24 * nv);
    memset(r->bend, 0, 24 * nv);
    memset(r->drift, 0, 24 * nt);
    if (nv) memset(r->v.velocity, 0, 12 * nv);
    if (nt) memset(r->t.velocity, 0, 12 * nt);
    return BW_OK;
}

/* One register update, in parallel. */
struct update {
    double a, b, dt;
    int64_t count; ///< values, not particles
    const double *f;
    double *d, *y;
    float *mean; ///< velocity over the step so far, or NULL
};

static void update_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct update *u = user;
    int64_t end = (chunk + 1) * CHUNK < u->count ? (chunk + 1) * CHUNK : u->count;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < end; i++) {
        u->d[i] = u->a * u->d[i] + u->dt * u->f[i];
        u->y[i] += u->b * u->d[i];
        if (u->mean) u->mean[i] += (float)(u->b * u->d[i] / u->dt);
    }
}

static void update_run(struct bw_stage *s, const struct update *u)
{
    s->host->parallel_for(s, (u->count + CHUNK - 1) / CHUNK, update_chunk, (void *)(intptr_t)u);
}

static enum bw_status tracers_move(struct run *r, double a, double b)
{
    for (int64_t first = 0; first < r->t.count; first += PORTION) {
        int64_t n = r->t.count - first < PORTION ? r->t.count - first : PORTION;
        enum bw_status st = flow_at(r->s, &r->c->flow, n, (const bw_vec3 *)r->t.pos + first, r->velocity, NULL);
        if (st) return st;
        update_run(r->s, &(struct update){a, b, r->s->dt, 3 * n, r->velocity, r->drift + 3 * first, r->t.pos[first],
                                          r->t.velocity + 3 * first});
    }
    return BW_OK;
}

/// Adds what those stages do that want the gradient, or those that do without.
static enum bw_status rates_add(struct run *r, int wanting)
{
    for (int k = 0; k < r->rates; k++) {
        const void *table;
        struct bw_stage *from = r->s->host->find_stage(r->s, BW_STRENGTH_RATE, (uint32_t)k, &table);
        const struct bw_strength_rate_api *api = table;
        if ((api->wants_gradient != 0) != wanting) continue;
        enum bw_status st = api->rate(from, r->c->vortons, r->gradients ? r->gradient : NULL, r->rate);
        if (st) return st;
    }
    return BW_OK;
}

/// Stretching last; *given: Σ|dα/dt| of free vortons by all others.
static enum bw_status rates_sum(struct run *r, double *given)
{
    memset(r->rate, 0, 24 * (size_t)r->v.count);
    enum bw_status st = rates_add(r, 0);
    *given = 0;
    for (int64_t i = 0; i < r->v.count; i++)
        if (r->v.volume[i] > 0) *given += vec3_length(r->rate + 3 * i);
    return st ? st : rates_add(r, 1);
}

/// d ln r/dt of each into `velocity`, which is done with.
static void thinning_find(const struct run *r)
{
    for (int64_t i = 0; i < r->v.count; i++) {
        const double *a = r->v.strength[i], *g = r->gradient + 9 * i, square = vec3_dot(a, a);
        double along = 0;
        for (int c = 0; c < 3; c++) along += a[c] * vec3_dot(g + 3 * c, a);
        r->velocity[i] = square > 0 && r->v.volume[i] > 0 ? -0.5 * along / square : 0;
    }
}

/// The radii, where they differ: then the mean σ² of two vortons is what each does to the other by, and the impulse
/// stays. NULL: they are alike; or a body's sheet is among them, whose flow was solved for with its own cores.
static const double *radii_unlike(int64_t count, const double *radius, const double *volume)
{
    double least = HUGE_VAL, most = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!(volume[i] > 0)) return NULL;
        least = fmin(least, radius[i]);
        most = fmax(most, radius[i]);
    }
    return most > least * (1 + 1e-6) ? radius : NULL;
}

/// One stage: all rates at the present state, tracers moved (nobody sees them), then the vortons.
static enum bw_status stage_run(struct run *r, double a, double b, double *given)
{
    enum bw_status st = tracers_move(r, a, b);
    if (st || !r->v.count) return st;
    struct flow flow = r->c->flow;
    flow.radius = radii_unlike(r->v.count, r->v.radius, r->v.volume);
    st = flow_at(r->s, &flow, r->v.count, (const bw_vec3 *)r->v.pos, r->velocity, r->gradients ? r->gradient : NULL);
    if (!st && r->rates) st = rates_sum(r, given);
    if (st) return st;
    int64_t n = 3 * r->v.count;
    update_run(r->s, &(struct update){a, b, r->s->dt, n, r->velocity, r->turn, r->v.pos[0], r->v.velocity});
    if (r->thin) {
        thinning_find(r);
        update_run(r->s, &(struct update){a, b, r->s->dt, n / 3, r->velocity, r->thinning, r->thin, NULL});
    }
    if (r->rates) update_run(r->s, &(struct update){a, b, r->s->dt, n, r->rate, r->bend, r->v.strength[0], NULL});
    return BW_OK;
}

enum bw_status particles_advect(struct bw_stage *s, struct particle_advection *c)
{
    struct run r;
    enum bw_status st = run_begin(s, c, &r);
    const struct scheme *k = &schemes[c->scheme];
    c->given = 0;
    for (int i = 0; i < k->stages && !st; i++) {
        double given = 0;
        st = stage_run(&r, k->a[i], k->b[i], &given);
        c->given = fmax(c->given, given * s->dt);
        if (!st && s->host->cancelled(s)) st = BW_ERR_CANCELLED;
    }
    for (int64_t i = 0; i < r.v.count && !st; i++) {
        r.v.age[i] += (float)s->dt;
        if (r.thin) r.v.radius[i] *= exp(r.thin[i]);
    }
    for (int64_t i = 0; i < r.t.count && !st; i++) r.t.age[i] += (float)s->dt;
    return st;
}

enum bw_status particles_velocity(struct bw_stage *s, const struct flow *flow, struct bw_particles *p, float *velocity)
{
    const int64_t count = particles_of(s)->count(p);
    const bw_vec3 *pos = particles_of(s)->attribute(p, "pos");
    const double *radius = particles_of(s)->attribute(p, "radius"); // tracers have none
    if (radius) radius = radii_unlike(count, radius, particles_of(s)->attribute(p, "volume"));
    double *u = s->host->scratch(s, 24 * (size_t)(count < PORTION ? count : PORTION) + 8);
    if (!u) return BW_ERR_MEMORY;
    for (int64_t first = 0; first < count; first += PORTION) {
        const int64_t n = count - first < PORTION ? count - first : PORTION;
        struct flow own = *flow;
        own.radius = radius ? radius + first : NULL;
        enum bw_status st = flow_at(s, &own, n, pos + first, u, NULL);
        if (st) return st;
        for (int64_t i = 0; i < 3 * n; i++) velocity[3 * first + i] = (float)u[i];
    }
    return BW_OK;
}
