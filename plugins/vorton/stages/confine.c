// SPDX-License-Identifier: Apache-2.0
/* vorton.confine: vortons stir a grid, so that it keeps the eddies that its cells blur (Selle, Rasmussen & Fedkiw
 * 2005).
 *
 *     du/dt = rate Σ_p s_p ½ ω_p × r exp(-r²/2σ²),   r = x - x_p,  ω_p = α/V
 *     s_p = 1 - ω·ω_p/|ω_p|², at least 0: what the grid's own vorticity ω at the vorton lacks of the vorton's
 *
 * Near a vorton this is its rotation, which the grid takes on within 1/rate; the force ends as soon as it has. (Theirs
 * is ε N × ω_p, of the same direction, without an end, and with a kink where r = 0.) The force has no divergence.
 * Vortons move with the grid by `vorton.advect: {flow: [vel]}`. Reach REACH σ; explicit, so rate·dt ≤ 1. */
#include "vorton.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define REACH 3.0

struct params {
    double rate;
};

static const struct bw_param params[] = {
    BW_F64(struct params, rate, "rate", "5 1/s", 0, 1e4, "1/s", "How fast the grid takes on the vortons' rotation."),
};

enum { PORT_VORTONS, PORT_FORCE, PORT_VEL };
static const struct bw_port ports[] = {
    [PORT_VORTONS] = {.name = "vortons",
                      .kind = BW_PARTICLES,
                      .access = BW_UPDATE,
                      .doc = "What stirs; put in the order of tiles.",
                      .attributes = vorton_attributes,
                      .n_attributes = BW_COUNT(vorton_attributes),
                      .flags = BW_PORT_NO_CREATE},
    [PORT_FORCE] = BW_FORCE_PORT,
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow that is stirred."},
};

struct stir {
    const struct bw_stage *s;
    struct bw_particles *vortons;
    struct bw_field *vel;
    struct vorton_arrays v; ///< in the order of tiles, before the sweep
    bw_vec3 *spin;          ///< rate/2 s ω of each
    double *gradient;       ///< of the grid's flow at each, 3 × 3
    double half_rate;       ///< rate/2
};

static void spin_find(int64_t i, uint32_t worker, void *user)
{
    const struct stir *t = user;
    const double *a = t->v.strength[i], *g = t->gradient + 9 * i;
    double own = 0, grid = 0, volume = t->v.volume[i];
    (void)worker;
    memset(t->spin[i], 0, sizeof t->spin[i]);
    if (!(volume > 0)) return;
    for (int c = 0, d = 1, e = 2; c < 3; c++, d = (d + 1) % 3, e = (e + 1) % 3) {
        own += a[c] * a[c] / volume;
        grid += a[c] * (g[3 * e + d] - g[3 * d + e]);
    }
    double fraction = own > 0 ? fmax(0, 1 - grid / own) : 0;
    for (int c = 0; c < 3; c++) t->spin[i][c] = t->half_rate * fraction * a[c] / volume;
}

/// Adds spin × r exp(-r²/2σ²) to the faces of a block along one axis.
static void faces_stir(const struct bw_block *b, int axis, const double x[3], double sigma, const double spin[3])
{
    const struct bw_view *f = &b->view[0];
    const int d = (axis + 1) % 3, e = (axis + 2) % 3;
    double h = b->grid->h, first[3];
    int32_t lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        first[a] = b->corner[a] + (a == axis ? 0 : 0.5 * h) - x[a];
        lo[a] = (int32_t)fmax(0, ceil((-first[a] - REACH * sigma) / h));
        hi[a] = (int32_t)fmin(b->n[a] + (a == axis && b->high[a]), floor((-first[a] + REACH * sigma) / h) + 1);
    }
    for (int32_t k = lo[2]; k < hi[2]; k++)
        for (int32_t j = lo[1]; j < hi[1]; j++)
            for (int32_t i = lo[0]; i < hi[0]; i++) {
                const double r[3] = {first[0] + i * h, first[1] + j * h, first[2] + k * h};
                double r2 = vec3_dot(r, r);
                ptrdiff_t at = i + j * f->sy + k * f->sz;
                if (r2 > REACH * REACH * sigma * sigma) continue;
                bw_put(f, axis, at,
                       bw_get(f, axis, at) + (spin[d] * r[e] - spin[e] * r[d]) * exp(-0.5 * r2 / (sigma * sigma)));
            }
}

static void stir_body(const struct bw_block *b, void *user)
{
    const struct stir *t = user;
    struct vorton_arrays v =
        vorton_arrays(b->stage, t->vortons); // the sweep has sorted them again: the same order, other memory
    for (uint32_t r = 0; r < b->n_particles; r++)
        for (int64_t i = b->particles[r].begin; i < b->particles[r].end; i++)
            for (int a = 0; a < 3; a++)
                if (a != b->grid->thin) faces_stir(b, a, v.pos[i], v.radius[i], t->spin[i]);
}

static enum bw_status reach_check(struct bw_stage *s, const struct vorton_arrays *v)
{
    double most = (s->grid->thin >= 0 ? 64 : 16) * s->grid->h / REACH;
    for (int64_t i = 0; i < v->count; i++)
        if (!(v->radius[i] <= most))
            return s->host->fail(
                s, BW_ERR_PRESET,
                "a vorton's radius of %g m is more than %g m, what a tile and its neighbours reach: take larger voxels",
                v->radius[i], most);
    return BW_OK;
}

static double max_dt(struct bw_stage *s)
{
    const struct params *p = s->params;
    return p->rate > 0 ? 1 / p->rate : HUGE_VAL;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct stir t = {.s = s,
                     .vortons = s->ports[PORT_VORTONS].particles,
                     .vel = bw_port_field(s, PORT_VEL),
                     .half_rate = 0.5 * p->rate};
    if (!particles_of(s)->count(t.vortons) || !(t.half_rate > 0)) return BW_OK;
    enum bw_status st = particles_of(s)->sort(t.vortons, s->domain);
    t.v = vorton_arrays(s, t.vortons);
    t.spin = s->host->scratch(s, (size_t)t.v.count * sizeof *t.spin);
    t.gradient = s->host->scratch(s, 9 * (size_t)t.v.count * sizeof *t.gradient);
    if (st || !t.spin || !t.gradient) return BW_ERR_MEMORY;
    memset(t.gradient, 0, 9 * (size_t)t.v.count * sizeof *t.gradient);
    st = reach_check(s, &t.v);
    if (!st) st = gradient_add(s, t.vel, t.v.count, (const bw_vec3 *)t.v.pos, t.gradient);
    if (st) return st;
    s->host->parallel_for(s, t.v.count, spin_find, &t);
    struct bw_access access = {bw_port_field(s, PORT_FORCE), BW_UPDATE_OWN, 0};
    return s->host->sweep(
        s, &(struct bw_sweep){.access = &access, .n_access = 1, .body = stir_body, .user = &t, .particles = t.vortons});
}

const struct bw_stage_desc vorton_confine_desc = {
    .id = "vorton.confine",
    .version = "1.0",
    .brief = "Vortons stir a grid's flow: eddies that its cells would blur.",
    .references = "Selle, Rasmussen, Fedkiw 2005, SIGGRAPH",
    .params_size = sizeof(struct params),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = max_dt,
    .step = step,
    .flags = BW_STAGE_RANKS,
};
