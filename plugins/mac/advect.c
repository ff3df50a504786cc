// SPDX-License-Identifier: Apache-2.0
/* mac.advect: carries every advected field, the velocity included, with the flow: Dq/Dt = 0.
 *
 * Trace. From each cell centre x an RK2 midpoint trace in the velocity at the step's start, back and ahead in time:
 *     d = ± dt/h u(x ± dt/2 u(x))    in cells, u trilinear on its faces.
 * A face takes the mean of its two cells' displacements, so all quantities share one trace (second order like the
 * trace itself).
 * semi-lagrangian:  q' = q(x + d-), trilinear: first order, never overshoots.
 * maccormack:  qh = q(x + d-);  q' = qh + (q - qh(x + d+)) / 2, clamped to the 8 values around x + d-: second order
 * where the clamp rests. Stable for any dt; `cfl` bounds the step for accuracy.
 *     Selle, Fedkiw, Kim, Liu, Rossignac, "An unconditionally stable MacCormack method", J. Sci. Comput. 35 (2008).
 *
 * A first sweep makes qh, a second one q'. Each makes the displacements anew, plane by plane in the worker's memory, so
 * none are stored. A block's halo is as wide as the longest trace from it. Traces longer than the widest halo and fields
 * in double precision go a plain way in doubles that reads beyond the halo by the host's sampler, exactly. */
#include "advect_pass.h"
#include <string.h>

enum { SCHEME_SEMI_LAGRANGIAN, SCHEME_MACCORMACK };
enum { TRACE_MIDPOINT, TRACE_EULER };
enum { MAX_HALO = 16, GROUP_COMPS = 5 };

struct advect {
    int32_t scheme, trace, clamp;
    double cfl;
    struct bw_list only; ///< const char *
};

static const struct bw_param only_rows[] = {
    {.type = BW_PARAM_FIELD, .doc = "A field's name."},
};

static const struct bw_param params[] = {
    BW_CHOICE(struct advect, scheme, "scheme", "maccormack", "semi-lagrangian|maccormack",
              "How to carry: semi-lagrangian blurs, maccormack keeps detail."),
    BW_CHOICE(
        struct advect, trace, "trace", "midpoint", "midpoint|euler",
        "How to follow the flow: midpoint; or euler, one straight line with the velocity at each point itself."),
    BW_BOOL(struct advect, clamp, "clamp", "true",
            "Keep maccormack within the values it started from; without it thin features may ring."),
    BW_F64(struct advect, cfl, "cfl", "0", 0, 100, "1",
           "Longest way in a step, cells; 0: as the preset's time.cfl says."),
    BW_LIST(struct advect, only, const char *, "only", only_rows,
            "Carry these fields and no others (\"vel\" among them); default: the velocity and all advected fields."),
};

static const struct bw_port ports[] = {
    {.name = "vel",
     .kind = BW_MAC,
     .access = BW_UPDATE,
     .unit = "m/s",
     .doc = "The flow; it carries itself too.",
     .flags = BW_PORT_ADVECTED},
    {.name = "fields",
     .access = BW_UPDATE,
     .doc = "Every advected field, or those of `only`.",
     .flags = BW_PORT_LIST | BW_PORT_ADVECTED | BW_PORT_NO_CREATE,
     .from = "only",
     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC)},
};

/* ---- the fast way: single precision, all traces within the halo ---- */

/// Displacements of two planes of cells (this one and the one below), one cell more a side, and of one row of faces.
struct traced {
    float *plane[2][2][3]; ///< direction, parity of k, axis: cell (0,0) of the plane
    float *mean[2][3];
    ptrdiff_t stride;
    float limit; ///< longest way from this block, cells
    struct room room;
};

/* Longest way from a block, cells. It is shorter than a tile, so it leads through the tiles next to the block at most. */
static double limit_find(const struct bw_block *b, const struct pass *p)
{
    const int32_t *td = b->grid->tile;
    int32_t from[3], to[3], at[3];
    double most = p->still;
    for (int a = 0; a < 3; a++) {
        from[a] = b->lo[a] / td[a] - (b->lo[a] % td[a] < 0) - 1; // lo may be negative in an unbounded domain
        to[a] = from[a] + (b->n[a] + td[a] - 1) / td[a] + 1;
    }
    for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
            for (at[0] = from[0]; at[0] <= to[0]; at[0]++) {
                int64_t t = p->tiles->find(b->stage->domain, at);
                if (t >= 0) most = fmax(most, (double)p->tile_speed[t]);
            }
    return p->scale * most * (1 + 1e-5); // rounding must not lead out of the halo
}

static int32_t halo_for(double limit)
{
    return (int32_t)limit + 2; // + 1: second corner; + 1: the high faces
}

static int32_t block_halo(const struct bw_block *b, uint32_t row, void *user)
{
    const struct pass *p = user;
    float *limit = &p->block_limit[b->worker];
    if (row == 0) *limit = (float)limit_find(b, p);
    return halo_for((double)*limit);
}

static struct traced traced_init(const struct pass *p, const struct bw_block *b)
{
    float limit = p->block_limit[b->worker];
    struct traced t = {.stride = (ptrdiff_t)p->stride, .limit = limit, .room = room_init((double)limit, b)};
    float *at = p->memory + p->share * b->worker;
    size_t plane = p->stride * (size_t)(b->n[1] + 2);
    for (int dir = 0; dir < 2; dir++)
        for (int a = 0; a < 3; a++) {
            t.plane[dir][0][a] = at + p->stride + 1;
            t.plane[dir][1][a] = at + plane + p->stride + 1;
            t.mean[dir][a] = at + 2 * plane;
            at += 2 * plane + p->stride;
        }
    return t;
}

static void plane_trace(const struct bw_block *b, const struct pass *p, const struct traced *t, int32_t k)
{
    const struct bw_view *v = &b->view[0];
    for (int dir = BACK; dir <= (p->second ? AHEAD : BACK); dir++) {
        struct advect_trace row = {
            .sy = (int32_t)v->sy, .sz = (int32_t)v->sz, .n = b->n[0] + 2, .limit = t->limit};
        for (int a = 0; a < 3; a++) row.scale[a] = a == b->grid->thin ? 0 : (float)(dir == BACK ? -p->scale : p->scale);
        for (int32_t j = -1; j <= b->n[1]; j++) {
            for (int a = 0; a < 3; a++) {
                row.u[a] = bw_f32(v, a) + j * v->sy + k * v->sz - 1;
                row.d[a] = t->plane[dir][k & 1][a] + j * t->stride - 1;
            }
            p->kernels->trace(&row);
        }
    }
}

/* Straight traces with the velocity at each node itself: no gathers, the faces around are at fixed places. */
static void row_straight(const struct bw_block *b, const struct pass *p, const struct traced *t, int dir, int axis,
                         int32_t j, int32_t k, int32_t n, const float *d[3])
{
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t step[3] = {1, v->sy, v->sz}, below = axis < 0 ? 0 : -step[axis];
    const float scale = (float)(dir == BACK ? -p->scale : p->scale);
    for (int c = 0; c < 3; c++) {
        const float *low = bw_f32(v, c) + j * v->sy + k * v->sz, *high = low + (c == axis ? 0 : step[c]);
        const ptrdiff_t back = c == axis ? 0 : below;
        const float share = c == b->grid->thin ? 0 : 0.25f * scale;
        float *to = t->mean[dir][c];
        for (int32_t i = 0; i < n; i++) {
            float way = share * ((low[i + back] + high[i + back]) + (low[i] + high[i]));
            to[i] = way < -t->limit ? -t->limit : way > t->limit ? t->limit : way;
        }
        d[c] = to;
    }
}

/* Displacements of row (j,k): of cells, or of the low faces along `axis`. */
static void row_displacement(const struct traced *t, int dir, int axis, int32_t j, int32_t k, int32_t n,
                             const float *d[3])
{
    for (int a = 0; a < 3; a++) {
        const float *here = t->plane[dir][k & 1][a] + j * t->stride;
        d[a] = here;
        if (axis < 0) continue;
        const float *below = axis == 0   ? here - 1
                             : axis == 1 ? here - t->stride
                                         : t->plane[dir][(k & 1) ^ 1][a] + j * t->stride;
        float *mean = t->mean[dir][a];
        for (int32_t i = 0; i < n; i++) mean[i] = 0.5f * (below[i] + here[i]);
        d[a] = mean;
    }
}

static struct advect_row row_of(const struct bw_view *v, int c, int32_t j, int32_t k, int32_t n)
{
    return (struct advect_row){
        .f = bw_f32(v, c) + j * v->sy + k * v->sz, .sy = (int32_t)v->sy, .sz = (int32_t)v->sz, .n = n};
}

static void row_carry(const struct bw_block *b, const struct pass *p, const struct item *it, const struct traced *t,
                      int c, int32_t j, int32_t k)
{
    int axis = it->info->kind == BW_MAC ? c : -1;
    const struct bw_view *out = &b->view[it->view_out];
    float *to = bw_f32(out, c) + j * out->sy + k * out->sz;
    struct advect_row old = row_of(&b->view[it->view], c, j, k, b->n[0] + (axis == 0));
    if (axis >= 0 && axis == b->grid->thin) { // nothing moves across a plane
        memcpy(to, old.f, sizeof *to * (size_t)old.n);
        return;
    }
    if (p->euler)
        row_straight(b, p, t, BACK, axis, j, k, old.n, old.d);
    else
        row_displacement(t, BACK, axis, j, k, old.n, old.d);
    if (!p->second) {
        p->kernels->gather(&old, to);
        return;
    }
    struct advect_row hat = row_of(&b->view[it->view_hat], c, j, k, old.n);
    if (p->euler)
        row_straight(b, p, t, AHEAD, axis, j, k, old.n, hat.d);
    else
        row_displacement(t, AHEAD, axis, j, k, old.n, hat.d);
    p->kernels->correct(&hat, &old, p->clamp, to);
    for (int32_t i = 0; t->room.bounded && axis < 0 && i < old.n; i++) {
        const double x[3] = {i + (double)hat.d[0][i], j + (double)hat.d[1][i], k + (double)hat.d[2][i]};
        if (!room_has(&t->room, x)) to[i] = hat.f[i];
    }
}

static void block_fast(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct traced t = traced_init(p, b);
    for (int32_t k = b->grid->thin == 2 ? 0 : -1; k <= b->n[2]; k++) {
        if (!p->euler) plane_trace(b, p, &t, k);
        if (k < 0) continue;
        for (uint32_t q = 0; q < p->n_items; q++)
            for (int c = 0; c < (int)p->item[q].info->comps; c++) {
                bool mac = p->item[q].info->kind == BW_MAC;
                if (k == b->n[2] && !(mac && c == 2)) continue;
                for (int32_t j = 0; j < b->n[1] + (mac && c == 1); j++) row_carry(b, p, &p->item[q], &t, c, j, k);
            }
    }
}

/* ---- one step ---- */

/// Measuring the velocity: the largest component on each tile's faces.
struct speeds {
    const struct advect_kernels *kernels;
    const struct bw_tiles_api *tiles;
    float *tile;
};

static float part_speed(const struct bw_block *b, const struct speeds *s, const int32_t lo[3], const int32_t n[3])
{
    const struct bw_view *v = &b->view[0];
    float most = 0;
    for (int c = 0; c < 3; c++) {
        if (c == b->grid->thin) continue;
        const float *u = bw_f32(v, c) + lo[0] + lo[1] * v->sy + lo[2] * v->sz;
        for (int32_t k = 0; k < n[2] + (c == 2); k++)
            for (int32_t j = 0; j < n[1] + (c == 1); j++) {
                float row = s->kernels->largest(u + j * v->sy + k * v->sz, n[0] + (c == 0));
                if (row > most) most = row;
            }
    }
    return most;
}

static void block_speed(const struct bw_block *b, void *user)
{
    const struct speeds *s = user;
    const int32_t *td = b->grid->tile;
    int32_t at[3];
    for (at[2] = 0; at[2] < b->n[2]; at[2] += td[2])
        for (at[1] = 0; at[1] < b->n[1]; at[1] += td[1])
            for (at[0] = 0; at[0] < b->n[0]; at[0] += td[0]) {
                int32_t coord[3], n[3];
                for (int a = 0; a < 3; a++) {
                    int32_t cell = b->lo[a] + at[a];
                    coord[a] = cell / td[a] - (cell % td[a] < 0);
                    n[a] = b->n[a] - at[a] < td[a] ? b->n[a] - at[a] : td[a];
                }
                float most = part_speed(b, s, at, n);
                int64_t t = s->tiles->find(b->stage->domain, coord);
                if (t >= 0) s->tile[t] = most;
                b->max[0] = fmax(b->max[0], (double)most);
            }
}

/* Largest velocity component that a trace can meet where there are no tiles: the background, and beyond the sides,
 * where a moving wall's mirror image adds twice its own to what is inside. */
static double speed_still(const struct bw_stage *s, const struct bw_field *vel)
{
    double most = 0, wall = 0;
    for (int c = 0; c < 3; c++) {
        most = fmax(most, fabs(s->host->field_info(vel)->background[c]));
        for (int side = 0; side < 6; side++) wall = fmax(wall, fabs(s->grid->side[side].velocity[c]));
    }
    return most + 2 * wall;
}

/* Largest velocity component that a trace can meet, and by tile. */
static enum bw_status speed_find(struct bw_stage *s, double *speed, float **by_tile)
{
    struct bw_field *vel = bw_port_field(s, PORT_VEL);
    const struct bw_access access = {vel, BW_READ, 1}; // the halo has the high faces
    struct speeds by = {advect_kernels_for(s->host->simd), s->host->extension(BW_TILES), NULL};
    double most = 0;
    *by_tile = by.tile = s->host->scratch(s, sizeof *by.tile * (size_t)(by.tiles->topology(s->domain)->count + 1));
    if (!by.tile) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the tiles' speeds.");
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &access,
                                                             .n_access = 1,
                                                             .block = 2,
                                                             .body = block_speed,
                                                             .user = &by,
                                                             .maxs = &most,
                                                             .n_maxs = 1});
    *speed = fmax(most, 0) + speed_still(s, vel);
    return st;
}

static double advect_max_dt(struct bw_stage *s)
{
    const struct advect *p = s->params;
    double speed;
    float *unused;
    if (p->cfl <= 0 || speed_find(s, &speed, &unused) != BW_OK || speed <= 0) return HUGE_VAL;
    return p->cfl * s->grid->h / speed;
}

/* Fields whose first half is made already; groups after the first use them again. */
struct hats {
    struct bw_field *field[2 * MAX_ITEMS];
    bool used[2 * MAX_ITEMS];
};

static struct bw_field *hat_take(struct bw_stage *s, struct hats *h, const struct bw_field_info *like)
{
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

/* The access rows of one sweep: the velocity, then each field as it was, its first half, and the result. */
static enum bw_status pass_run(struct pass *p, double *far)
{
    struct bw_field *vel = bw_port_field(p->stage, PORT_VEL);
    struct bw_access row[1 + 3 * MAX_ITEMS] = {{vel, BW_READ, p->halo}};
    uint32_t n = 1;
    for (uint32_t q = 0; q < p->n_items; q++) {
        struct item *it = &p->item[q];
        it->view = it->field == vel ? 0 : n;
        if (it->field != vel) row[n++] = (struct bw_access){it->field, BW_READ, p->halo};
        it->view_hat = n;
        if (p->second) row[n++] = (struct bw_access){it->hat, BW_READ, p->halo};
        it->view_out = n;
        row[n++] = (struct bw_access){!p->second && it->hat ? it->hat : it->field, BW_WRITE, 0};
    }
    double sum = 0;
    enum bw_status st = p->stage->host->sweep(p->stage, &(struct bw_sweep){.access = row,
                                                                           .n_access = n,
                                                                           .block = 2,
                                                                           .body = p->fast ? block_fast : advect_block_plain,
                                                                           .user = p,
                                                                           .halo = p->fast ? block_halo : NULL,
                                                                           .sums = &sum,
                                                                           .n_sums = 1});
    *far = fmax(*far, sum); // both sweeps follow the same traces
    return st;
}

static enum bw_status group_run(struct pass *p, struct hats *h, double *long_traces)
{
    bool two = ((const struct advect *)p->stage->params)->scheme == SCHEME_MACCORMACK;
    memset(h->used, 0, sizeof h->used);
    for (uint32_t q = 0; q < p->n_items; q++) {
        p->item[q].hat = two ? hat_take(p->stage, h, p->item[q].info) : NULL;
        if (two && !p->item[q].hat)
            return p->stage->host->fail(p->stage, BW_ERR_MEMORY, "Out of memory for advection's first half.");
    }
    double far = 0;
    p->second = false;
    enum bw_status st = pass_run(p, &far);
    p->second = true;
    if (st == BW_OK && two) st = pass_run(p, &far);
    *long_traces += far;
    return st;
}

static bool carries_velocity(const struct bw_stage *s, const struct bw_field *vel)
{
    const struct bw_bound *list = &s->ports[PORT_FIELDS];
    if (!((const struct advect *)s->params)->only.count) return s->host->field_info(vel)->advected;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] == vel) return true;
    return false;
}

/* The k-th field to carry: the list without the velocity, then the velocity, since all others need it as it was. */
static struct bw_field *field_at(const struct bw_stage *s, uint32_t k)
{
    struct bw_field *vel = bw_port_field(s, PORT_VEL);
    const struct bw_bound *list = &s->ports[PORT_FIELDS];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] != vel && k-- == 0) return list->fields[i];
    return k == 0 && carries_velocity(s, vel) ? vel : NULL;
}

/* Fields are carried in groups that share a trace, each small enough for a worker's cache. */
static enum bw_status fields_carry(struct pass *p, double *long_traces)
{
    struct bw_stage *s = p->stage;
    struct hats hats = {0};
    bool short_way = p->fast;
    uint32_t comps = 0;
    enum bw_status st = BW_OK;
    p->n_items = 0;
    for (uint32_t k = 0; st == BW_OK; k++) {
        struct bw_field *f = field_at(s, k);
        const struct bw_field_info *info = f ? s->host->field_info(f) : NULL;
        bool fast = info && short_way && info->precision == BW_F32;
        if (p->n_items && (!f || fast != p->fast || comps + info->comps > GROUP_COMPS)) {
            st = group_run(p, &hats, long_traces);
            p->n_items = comps = 0;
        }
        if (!f) break;
        p->fast = fast;
        p->item[p->n_items++] = (struct item){.field = f, .info = info};
        comps += info->comps;
    }
    return st;
}

static enum bw_status advect_step(struct bw_stage *s)
{
    const struct advect *a = s->params;
    double speed, long_traces = 0;
    float *tile_speed;
    enum bw_status st = speed_find(s, &speed, &tile_speed);
    if (st != BW_OK || s->dt <= 0) return st;
    struct pass p = {.stage = s,
                     .kernels = advect_kernels_for(s->host->simd),
                     .sample = s->host->extension(BW_SAMPLE),
                     .tiles = s->host->extension(BW_TILES),
                     .clamp = a->clamp,
                     .euler = a->trace == TRACE_EULER,
                     .scale = s->dt / s->grid->h,
                     .still = speed_still(s, bw_port_field(s, PORT_VEL)),
                     .tile_speed = tile_speed};
    p.limit = p.scale * speed * (1 + 1e-5);
    p.fast = p.limit < MAX_HALO - 1;
    p.halo = p.limit < MAX_HALO - 1 ? halo_for(p.limit) : MAX_HALO;
    p.stride = (size_t)(2 * s->grid->tile[0] + 2 + 15) & ~(size_t)15;
    p.share = 6 * p.stride * (size_t)(2 * (2 * s->grid->tile[1] + 2) + 1);
    p.memory = s->host->scratch(s, sizeof *p.memory * p.share * s->host->workers);
    p.block_limit = s->host->scratch(s, sizeof *p.block_limit * s->host->workers);
    if (!p.memory || !p.block_limit) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for displacements.");
    st = fields_carry(&p, &long_traces);
    s->host->metric(s, "cells", p.scale * speed, BW_METRIC_MAX);
    s->host->metric(s, "long_traces", long_traces, BW_METRIC_SUM);
    return st;
}

const struct bw_stage_desc mac_advect_desc = {
    .id = "mac.advect",
    .version = "1.0",
    .brief = "Carries velocity and every advected field with the flow.",
    .references = "Selle et al. 2008, J. Sci. Comput. 35; Stam 1999, SIGGRAPH.",
    .params_size = sizeof(struct advect),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .max_dt = advect_max_dt,
    .step = advect_step,
};
