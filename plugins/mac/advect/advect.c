// SPDX-License-Identifier: Apache-2.0
/* mac.advect: carries every advected field, the velocity included, with the flow: Dq/Dt = 0.
 *
 * Trace. From each cell centre a trace in the velocity at the step's start, back and ahead in time, in cells:
 *     midpoint:  d = ± dt/h u(x ± dt/2 u(x))                                                   second order
 *     rk3:       d = ± dt/h (2 u(x) + 3 u(x ± dt/2 k1) + 4 u(x ± 3dt/4 k2)) / 9 (Ralston)      third order
 * with u trilinear on its faces. A face takes the mean of its two cells' displacements, so all quantities share one
 * trace. euler is one straight line from each node itself, first order.
 *
 * Schemes: schemes/schemes.c. All are stable for any dt; `cfl` bounds the step for accuracy. With `reflection`:
 * advect_reflect.c. Where traces leave the gas: advect_outside.c.
 *
 * A scheme takes one sweep, or two: the first carries, the second corrects what it made. Each makes the
 * displacements anew, plane by plane in the worker's memory, so none are stored. A block's halo is as wide as the
 * longest trace from it. Traces longer than the widest halo and fields in double precision go a plain way in doubles
 * that reads beyond the halo by the host's sampler, exactly. */
#include "advect_walls.h"
#include "flux/flux.h"
#include <string.h>

enum { GROUP_COMPS = 5 };

static const struct bw_param only_rows[] = {
    {.type = BW_PARAM_FIELD, .doc = "A field's name."},
};

static const struct bw_param params[] = {
    BW_CHOICE(struct advect, scheme, "scheme", "flux_ppm", advect_scheme_names, advect_scheme_doc),
    BW_CHOICE(
        struct advect, trace, "trace", "midpoint", "midpoint|euler|rk3",
        "How to follow the flow: midpoint; rk3, third order, for steps of many cells round a vortex; or euler, one "
        "straight line with the velocity at each point itself."),
    BW_CHOICE(
        struct advect, outside, "outside", "background", "background|clamp|keep",
        "What comes in where a trace leaves the gas through an open or inflow side or out of the active tiles: "
        "background, the field's own, such as clear air; clamp, the value at the edge where it left, as if the gas "
        "went on beyond; keep, what the cell held. Velocity: what comes in through open sides is still air, or the "
        "background's wind; with clamp and keep it is as fast as the air inside."),
    BW_BOOL(
        struct advect, clamp, "clamp", "true",
        "Keep values within those they started from; without it thin features of maccormack, cubic and flux_ppm may "
        "ring."),
    BW_BOOL(
        struct advect, reflection, "reflection", "false",
        "Carry the velocity in two halves, with a pressure projection and a reflection between them: swirls keep "
        "nearly all their energy, for one more projection and one more carrying of the velocity (twice the time of a "
        "step)."),
    BW_F64(struct advect, cfl, "cfl", "0", 0, 100, "1",
           "Longest way in a step, cells; 0: as the preset's time.cfl says."),
    BW_LIST(struct advect, only, const char *, "only", only_rows,
            "Carry these fields and no others (\"vel\" among them); default: the velocity and all advected fields."),
};

static const struct bw_port ports[] = {
    [PORT_VEL] = {.name = "vel",
                  .kind = BW_MAC,
                  .access = BW_UPDATE,
                  .unit = "m/s",
                  .doc = "The flow; it carries itself too.",
                  .flags = BW_PORT_ADVECTED},
    [PORT_FIELDS] = {.name = "fields",
                     .access = BW_UPDATE,
                     .doc = "Every advected field, or those of `only`.",
                     .flags = BW_PORT_LIST | BW_PORT_ADVECTED | BW_PORT_NO_CREATE,
                     .from = "only",
                     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC)},
    [PORT_SOLID] = {.name = "solid",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .unit = "m",
                    .doc = "Signed distance to obstacles: nothing is carried into or through them.",
                    .flags = BW_PORT_OPTIONAL},
    [PORT_SOLID_VEL] = {.name = "solid_vel",
                        .kind = BW_MAC,
                        .access = BW_READ,
                        .unit = "m/s",
                        .doc = "Velocity of the obstacles.",
                        .flags = BW_PORT_OPTIONAL},
};

struct state {
    struct walls walls;
};

/* ---- passes over groups of fields ---- */

static struct bw_field *hat_take(struct pass *p, const struct bw_field_info *like)
{
    struct bw_stage *s = p->stage;
    struct hats *h = &p->hats;
    for (int i = 0; i < 2 * MAX_ITEMS; i++) {
        if (!h->field[i]) h->field[i] = s->host->scratch_field(s, like->kind, like->precision);
        if (!h->field[i]) return NULL;
        const struct bw_field_info *is = s->host->field_info(h->field[i]);
        if (h->used[i] || is->kind != like->kind || is->precision != like->precision) continue;
        h->used[i] = true;
        return h->field[i];
    }
    return NULL;
}

static void block_run(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    if (p->fast) advect_block_fast(b, user);
    else advect_block_plain(b, user);
    advect_walls_mend(b, p);
}

/* The access rows of one sweep: the velocity, then each field as it was, its first half, and the result. */
static enum bw_status sweep_run(struct pass *p, double *far)
{
    const bool last = p->second || !p->scheme->row_second;
    struct bw_access row[2 + 3 * MAX_ITEMS] = {{p->vel, BW_READ, p->halo}};
    uint32_t n = 1;
    for (uint32_t q = 0; q < p->n_items; q++) {
        struct item *it = &p->item[q];
        it->view = it->field == p->vel ? 0 : n;
        if (it->field != p->vel) row[n++] = (struct bw_access){it->field, BW_READ, p->halo};
        if (p->fast && last && it->field == it->to)
            row[it->view].mode = BW_READ_LAST; // the plain way looks beyond views
        it->view_hat = n;
        if (p->second) row[n++] = (struct bw_access){it->hat, p->fast ? BW_READ_LAST : BW_READ, p->halo};
        it->view_out = n;
        row[n++] = (struct bw_access){last ? it->to : it->hat, BW_WRITE, 0};
    }
    struct bw_field *solid_vel = p->walls ? bw_port_field(p->stage, PORT_SOLID_VEL) : NULL;
    p->view_solid_vel = solid_vel ? n : 0;
    if (solid_vel) row[n++] = (struct bw_access){solid_vel, BW_READ, p->halo};
    double sum = 0;
    enum bw_status st = p->stage->host->sweep(p->stage, &(struct bw_sweep){.access = row,
                                                                           .n_access = n,
                                                                           .block = 2,
                                                                           .body = block_run,
                                                                           .user = p,
                                                                           .reach = advect_walls_reach,
                                                                           .sums = &sum,
                                                                           .n_sums = 1});
    *far = fmax(*far, sum); // both sweeps follow the same traces
    return st;
}

static enum bw_status group_run(struct pass *p)
{
    bool two = p->scheme->row_second != NULL;
    memset(p->hats.used, 0, sizeof p->hats.used);
    for (uint32_t q = 0; q < p->n_items; q++) {
        p->item[q].hat = two ? hat_take(p, p->item[q].info) : NULL;
        if (two && !p->item[q].hat)
            return p->stage->host->fail(p->stage, BW_ERR_MEMORY, "Out of memory for advection's first half.");
    }
    double far = 0;
    p->second = false;
    enum bw_status st = sweep_run(p, &far);
    p->second = true;
    if (st == BW_OK && two) st = sweep_run(p, &far);
    p->long_traces += far;
    p->n_items = 0;
    return st;
}

/* Fields are carried in groups that share a trace, each small enough for a worker's cache. */
enum bw_status pass_fields(struct pass *p, bool velocity)
{
    bool short_way = p->fast;
    uint32_t comps = 0;
    p->by_flux = p->scheme->by_flux && flux_can(p);
    enum bw_status st = p->by_flux ? flux_fields(p) : BW_OK;
    for (uint32_t k = 0; st == BW_OK; k++) {
        struct bw_field *f = pass_field_at(p, k, velocity);
        const struct bw_field_info *info = f ? p->stage->host->field_info(f) : NULL;
        if (info && flux_carries(p, info)) continue;
        bool fast = info && short_way && info->precision == BW_F32;
        if (p->n_items && (!f || fast != p->fast || comps + info->comps > GROUP_COMPS)) {
            st = group_run(p);
            comps = 0;
        }
        if (!f) break;
        p->fast = fast;
        p->item[p->n_items++] = (struct item){.field = f, .to = f, .info = info};
        comps += info->comps;
    }
    p->fast = short_way;
    return st;
}

enum bw_status pass_velocity(struct pass *p, struct bw_field *from, struct bw_field *to)
{
    p->item[0] = (struct item){.field = from, .to = to, .info = p->stage->host->field_info(from)};
    p->n_items = 1;
    return group_run(p);
}

/* ---- one step ---- */

static struct pass pass_of(struct bw_stage *s)
{
    const struct advect *options = s->params;
    return (struct pass){.stage = s,
                         .options = options,
                         .scheme = advect_scheme_at(options->scheme),
                         .kernels = advect_kernels_for(s->host->simd),
                         .sample = s->host->extension(BW_SAMPLE),
                         .tiles = s->host->extension(BW_TILES),
                         .vel = bw_port_field(s, PORT_VEL)};
}

/// Begins a step: finds services and memory. Errors: BW_ERR_MEMORY (reported).
static enum bw_status pass_init(struct pass *p, struct bw_stage *s)
{
    *p = pass_of(s);
    p->share = advect_fast_room(p);
    p->memory = s->host->scratch(s, sizeof *p->memory * p->share * s->host->workers);
    p->block_ways = s->host->scratch(s, sizeof *p->block_ways * s->host->workers);
    p->block_near = s->host->scratch(s, sizeof *p->block_near * s->host->workers);
    if (p->memory && p->block_ways && p->block_near) return BW_OK;
    return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for displacements.");
}

enum bw_status pass_along(struct pass *p, double dt)
{
    struct bw_stage *s = p->stage;
    enum bw_status st = pass_measure(p);
    p->scale = dt / s->grid->h;
    p->limit = p->scale * p->speed * (1 + 1e-5);
    p->halo = MAX_HALO;
    p->fast = p->limit < MAX_HALO && advect_halo(p, p->limit) <= MAX_HALO;
    if (p->fast) p->halo = advect_halo(p, p->limit);
    if (p->fast && p->walls) p->halo = advect_walls_halo(p, p->halo);
    s->host->metric(s, "cells", s->dt / s->grid->h * p->speed, BW_METRIC_MAX);
    return st;
}

static double advect_max_dt(struct bw_stage *s)
{
    const struct advect *a = s->params;
    struct pass p = pass_of(s);
    if (a->cfl <= 0 || pass_measure(&p) != BW_OK || p.speed <= 0) return HUGE_VAL;
    return a->cfl * s->grid->h / p.speed;
}

static enum bw_status advect_step(struct bw_stage *s)
{
    struct pass p;
    struct walls *walls = &((struct state *)s->state)->walls;
    struct bw_field *solid = bw_port_field(s, PORT_SOLID);
    enum bw_status st = solid ? walls_update(walls, s, solid, bw_port_field(s, PORT_SOLID_VEL)) : BW_OK;
    if (st != BW_OK || s->dt <= 0) return st;
    st = pass_init(&p, s);
    p.walls = solid ? walls : NULL;
    if (st == BW_OK && p.options->reflection) {
        st = advect_reflect(&p);
    } else if (st == BW_OK) {
        st = pass_along(&p, s->dt);
        if (st == BW_OK) st = pass_fields(&p, true);
    }
    s->host->metric(s, "long_traces", p.long_traces, BW_METRIC_SUM);
    return st;
}

static enum bw_status advect_checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return walls_checkpoint(&((struct state *)s->state)->walls, s, a);
}

const struct bw_stage_desc mac_advect_desc = {
    .id = "mac.advect",
    .version = "1.1",
    .brief = "Carries velocity and every advected field with the flow.",
    .references = "Selle et al. 2008, J. Sci. Comput. 35; Stam 1999, SIGGRAPH; "
                  "Zehnder, Narain, Thomaszewski 2018, ACM Trans. Graph. 37.",
    .params_size = sizeof(struct advect),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .flags = BW_STAGE_SETUP, // to know where obstacles stand when the first step begins
    .max_dt = advect_max_dt,
    .step = advect_step,
    .checkpoint = advect_checkpoint,
};
