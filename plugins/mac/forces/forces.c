// SPDX-License-Identifier: Apache-2.0
/* mac.forces: adds to the field `force` on the faces (a face sees the mean of its two cells):
 *
 *     f = - g buoyancy T/T_ambient                hot gas rises: T is the excess over ambient, K
 *         + g/|g| weight density                  smoke sinks by its own weight
 *         + confinement h (N x w)                 w = curl u, N = grad|w| / |grad|w||: spins up what the grid blurred
 *         + turbulence (u²/R + |lift|) curl psi   at fronts of smoke or heat (front_turbulence.c)
 * The lift is linear in T however hot the gas is: g T/T_ambient = g (rho_a - rho)/rho is the acceleration of a light
 * gas by its own inertia. It gives a flame 900 K above ambient sqrt(2 g z 900/293) = 7.8 sqrt(z) m/s less what mixing
 * takes; measured are 6.8 sqrt(z) (McCaffrey 1979). The force on the air it displaces, g (1 - T_ambient/T), would give
 * 3.9. Uniform gravity itself does nothing here: in a gas of constant density the pressure holds it.
 * Central differences, second order; explicit, so the time step keeps the displacement from rest below MAX_CELLS cells.
 *     Fedkiw, Stam, Jensen, "Visual simulation of smoke", SIGGRAPH 2001 (eqs. 8, 10, 11).
 * Faces on closed sides get a force like any other; the projection sets them to the wall's velocity. */
#include "forces_kernels.h"
#include "front_turbulence.h"
#include "stages.h"
#include <common/vec3.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX_CELLS 3.0 /* displacement by the largest acceleration in one step, starting from rest */

enum { PORT_FORCE, PORT_TEMPERATURE, PORT_DENSITY, PORT_VEL, PORT_AGE };

struct forces {
    bw_vec3 gravity;
    double buoyancy, ambient, weight, confinement, turbulence;
};

static const struct bw_param params[] = {
    BW_VEC3(struct forces, gravity, "gravity", "[0, 0, -9.81]", "m/s^2", "Gravity; hot smoke rises against it."),
    BW_F64(struct forces, buoyancy, "buoyancy", "1", 0, 0, "1", "Lift of hot gas; 1 is physical."),
    {.key = "ambient",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct forces, ambient, double),
     .def = "=ambient",
     .min = 0,
     .max = 1e5,
     .soft_min = 250,
     .soft_max = 320,
     .unit = "K",
     .doc = "Temperature of the surrounding air.",
     .flags = BW_PARAM_MIN_OPEN},
    BW_F64(struct forces, weight, "weight", "0", 0, 0, "m/s^2", "Downward acceleration of smoke of density 1."),
    BW_F64(struct forces, confinement, "confinement", "0", 0, 100, "1/s",
           "Vorticity confinement: brings back small swirls."),
    BW_AUTO(struct forces, turbulence, "turbulence", 0, 100, NULL,
            "Eddies where smoke or heat has an edge, as a share of the flow's own acceleration; auto: 0.9, of what "
            "glows 0.5, in a calm preset 0."),
};

static const struct bw_port ports[] = {
    [PORT_FORCE] = BW_FORCE_PORT,
    [PORT_TEMPERATURE] = {.name = "temperature",
                          .kind = BW_SCALAR,
                          .access = BW_READ,
                          .unit = "K",
                          .doc = "Excess over ambient.",
                          .flags = BW_PORT_OPTIONAL},
    [PORT_DENSITY] = {.name = "density",
                      .kind = BW_SCALAR,
                      .access = BW_READ,
                      .unit = "1",
                      .doc = "Smoke.",
                      .flags = BW_PORT_OPTIONAL},
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow, to confine."},
    [PORT_AGE] = {.name = "age",
                  .kind = BW_SCALAR,
                  .access = BW_READ,
                  .unit = "s",
                  .doc = "Of the smoke, by which eddies grow.",
                  .flags = BW_PORT_OPTIONAL},
};

/// The forces of one sweep. Views by row number, -1: none; 0: the force.
struct force_terms {
    int temperature, density, vel;
    double lift[3], sink[3]; ///< m/s² per K, and per unit of density
    float confine;           ///< 1/s; h is in the curl, which is h w
    float *memory;           ///< `per_worker` floats for each worker
    size_t per_worker;
    const struct forces_kernels *kernels;
};

/* ---- kernels ---- */

/* f += scale (low cell + high cell) / 2; `step` leads from a face's high cell to its low one. */
static void row_add_mean(float *f, const float *q, ptrdiff_t step, float scale, int32_t n)
{
    for (int32_t i = 0; i < n; i++) f[i] += scale * (0.5f * (q[i - step] + q[i]));
}

/// Vorticity of a block's cells and two more on each side, at [i + j*sy + k*sz] like a view.
struct curl_block {
    float *w[3], *size; ///< h curl u, m/s, then (in place) N x that; and its size
    ptrdiff_t sy, sz;
};

static struct curl_block curl_block_init(const struct bw_block *b, const struct force_terms *p)
{
    struct curl_block r = {.sy = b->n[0] + 4};
    r.sz = r.sy * (b->n[1] + 4);
    size_t cells = (size_t)(r.sz * (b->n[2] + 4));
    float *at = p->memory + p->per_worker * b->worker + 2 * (1 + r.sy + r.sz);
    for (int c = 0; c < 3; c++) r.w[c] = at + (size_t)c * cells;
    r.size = at + 3 * cells;
    return r;
}

/// Row (j,k) of a block's curl; n cells from cell `first` on.
static struct curl_row curl_row(const struct curl_block *r, int32_t first, int32_t j, int32_t k, int32_t n)
{
    const ptrdiff_t at = first + j * r->sy + k * r->sz;
    return (struct curl_row){{r->w[0] + at, r->w[1] + at, r->w[2] + at}, r->size + at, r->sy, r->sz, n};
}

static void block_confine(const struct bw_block *b, const struct force_terms *p, const struct curl_block *r)
{
    const struct bw_view *v = &b->view[p->vel];
    for (int32_t k = -2; k < b->n[2] + 2; k++)
        for (int32_t j = -2; j < b->n[1] + 2; j++) {
            const ptrdiff_t at = j * v->sy + k * v->sz - 2;
            const float *u[3] = {bw_f32(v, 0) + at, bw_f32(v, 1) + at, bw_f32(v, 2) + at};
            const struct curl_row row = curl_row(r, -2, j, k, b->n[0] + 4);
            p->kernels->curl(u, v->sy, v->sz, &row);
        }
    for (int32_t k = -1; k < b->n[2] + 1; k++)
        for (int32_t j = -1; j < b->n[1] + 1; j++) {
            const struct curl_row row = curl_row(r, -1, j, k, b->n[0] + 2);
            p->kernels->confine(&row);
        }
}

static void row_add_force(const struct bw_block *b, const struct force_terms *p, const struct curl_block *r, int c,
                          int32_t j, int32_t k)
{
    const struct bw_view *v = b->view;
    float *f = bw_f32(&v[0], c) + j * v[0].sy + k * v[0].sz;
    const int32_t n = b->n[0] + (c == 0 && b->high[0]);
    const int rows[2] = {p->temperature, p->density};
    const double scale[2] = {p->lift[c], p->sink[c]};
    for (int q = 0; q < 2; q++) {
        if (rows[q] < 0 || scale[q] == 0) continue;
        const struct bw_view *s = &v[rows[q]];
        row_add_mean(f, bw_f32(s, 0) + j * s->sy + k * s->sz, c == 0 ? 1 : c == 1 ? s->sy : s->sz, (float)scale[q], n);
    }
    if (p->confine > 0)
        row_add_mean(f, r->w[c] + j * r->sy + k * r->sz, c == 0 ? 1 : c == 1 ? r->sy : r->sz, p->confine, n);
}

static void block_add_force(const struct bw_block *b, void *user)
{
    const struct force_terms *p = user;
    struct curl_block r = {0};
    if (p->confine > 0) {
        r = curl_block_init(b, p);
        block_confine(b, p, &r);
    }
    for (int c = 0; c < 3; c++) {
        if (c == b->grid->thin) continue; // no force across the thin axis
        for (int32_t k = 0; k < b->n[2] + (c == 2 && b->high[2]); k++)
            for (int32_t j = 0; j < b->n[1] + (c == 1 && b->high[1]); j++) row_add_force(b, p, &r, c, j, k);
    }
}

/* ---- step ---- */

static double gravity_size(const struct forces *f) { return vec3_length(f->gravity); }

/* One maximum a column: a single one would not vectorise. */
static void block_largest(const struct bw_block *b, void *user)
{
    (void)user;
    enum { COLUMNS = 64 };
    const struct bw_view *v = &b->view[0];
    float most[COLUMNS] = {0}, all = 0;
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *q = bw_f32(v, 0) + j * v->sy + k * v->sz;
            for (int32_t i = 0; i < b->n[0]; i++) most[i] = fabsf(q[i]) > most[i] ? fabsf(q[i]) : most[i];
        }
    for (int32_t i = 0; i < COLUMNS; i++) all = most[i] > all ? most[i] : all;
    b->max[0] = (double)all;
}

static double largest(struct bw_stage *s, uint32_t port)
{
    const struct bw_access access = {bw_port_field(s, port), BW_READ, 0};
    double most = 0;
    if (!access.field) return 0;
    enum bw_status st = s->host->sweep(
        s, &(struct bw_sweep){.access = &access, .n_access = 1, .body = block_largest, .maxs = &most, .n_maxs = 1});
    return st == BW_OK ? fmax(most, 0) : 0;
}

static void forces_lift(const struct bw_stage *s, bw_vec3 out)
{
    const struct forces *f = s->params;
    for (int c = 0; c < 3; c++) out[c] = -f->gravity[c] * f->buoyancy / f->ambient;
}

/* From rest, an acceleration a goes a dt²/2. The flow's own speed is the CFL rule's matter. */
static double forces_max_dt(struct bw_stage *s)
{
    const struct forces *f = s->params;
    double a = 0, g = gravity_size(f);
    if (g > 0 && f->buoyancy != 0) a += g * fabs(f->buoyancy) * largest(s, PORT_TEMPERATURE) / f->ambient;
    if (g > 0 && f->weight != 0) a += fabs(f->weight) * largest(s, PORT_DENSITY);
    return a > 0 ? sqrt(2 * MAX_CELLS * s->grid->h / a) : HUGE_VAL;
}

static enum bw_status memory_take(struct bw_stage *s, struct force_terms *p)
{
    const int32_t *t = s->grid->tile;
    p->per_worker = 4 * (size_t)(2 * t[0] + 4) * (size_t)(2 * t[1] + 4) * (size_t)(2 * t[2] + 4);
    p->memory = s->host->scratch(s, sizeof *p->memory * p->per_worker * s->host->workers);
    return p->memory ? BW_OK : s->host->fail(s, BW_ERR_MEMORY, "Out of memory for vorticity.");
}

/* Hot enough to glow, heat has the fronts that are seen; else smoke has, where there is any. */
#define GLOWS 400.0 // K above ambient

static enum bw_status turbulence_add(struct bw_stage *s)
{
    const struct forces *f = s->params;
    bw_vec3 lift;
    struct front_turbulence t = {.force = bw_port_field(s, PORT_FORCE),
                                 .vel = bw_port_field(s, PORT_VEL),
                                 .driver = {bw_port_field(s, PORT_TEMPERATURE), bw_port_field(s, PORT_DENSITY)}};
    if (!(bw_given_or(f->turbulence, s->character) > 0)) return BW_OK;
    forces_lift(s, lift);
    t.per[0] = vec3_length(lift);
    t.per[1] = gravity_size(f) > 0 ? f->weight : 0;
    const double heat = largest(s, PORT_TEMPERATURE), smoke = heat > GLOWS ? 0 : largest(s, PORT_DENSITY);
    const bool of_heat = !(smoke > 0);
    t.front = t.driver[!of_heat];
    t.age = t.driver[1] && s->character > 0 ? bw_port_field(s, PORT_AGE) : NULL;
    t.largest = of_heat ? heat : smoke;
    t.share = bw_given_or(f->turbulence, (heat > GLOWS ? 0.5 : 0.9) * s->character);
    return front_turbulence_add(s, &t);
}

/* Confinement takes blocks of two tiles a side: less of the curl is computed twice. */
static enum bw_status body_forces_add(struct bw_stage *s)
{
    const struct forces *f = s->params;
    struct force_terms p = {.temperature = -1,
                            .density = -1,
                            .confine = (float)f->confinement,
                            .kernels = forces_kernels_for(s->host->simd)};
    const double g = gravity_size(f);
    forces_lift(s, p.lift);
    for (int c = 0; c < 3 && g > 0; c++) p.sink[c] = f->gravity[c] / g * f->weight;
    const bool confined = p.confine > 0;
    struct bw_access row[4] = {{bw_port_field(s, PORT_FORCE), BW_UPDATE_OWN, 0}};
    int n = 1, *view[] = {&p.temperature, &p.density};
    const bool wanted[] = {g > 0 && f->buoyancy != 0, g > 0 && f->weight != 0};
    for (int q = 0; q < 2; q++) {
        struct bw_field *field = bw_port_field(s, (uint32_t)(PORT_TEMPERATURE + q));
        if (!field || !wanted[q]) continue;
        *view[q] = n;
        row[n++] = (struct bw_access){field, BW_READ, 1};
    }
    if (confined) row[p.vel = n++] = (struct bw_access){bw_port_field(s, PORT_VEL), BW_READ, 3};
    if (n == 1) return BW_OK; // no force
    if (confined && memory_take(s, &p) != BW_OK) return BW_ERR_MEMORY;
    return s->host->sweep(
        s, &(struct bw_sweep){
               .access = row, .n_access = (uint32_t)n, .block = confined ? 2 : 1, .body = block_add_force, .user = &p});
}

static enum bw_status forces_step(struct bw_stage *s)
{
    const enum bw_status status = body_forces_add(s);
    return status ? status : turbulence_add(s);
}

static const void *forces_extension(const char *id)
{
    static const struct bw_lift_api lift = {sizeof lift, forces_lift};
    return strcmp(id, BW_LIFT) ? NULL : &lift;
}

const struct bw_stage_desc mac_forces_desc = {
    .id = "mac.forces",
    .version = "1.0",
    .brief = "Body forces: buoyancy, weight of smoke, vorticity confinement.",
    .references = "Fedkiw, Stam, Jensen 2001, SIGGRAPH.",
    .params_size = sizeof(struct forces),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = forces_max_dt,
    .flags = BW_STAGE_RANKS,
    .step = forces_step,
    .extension = forces_extension,
};
