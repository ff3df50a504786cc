// SPDX-License-Identifier: Apache-2.0
/* to_grid: particles as fields, for exporters and for stages that work on grids.
 *
 *   density (and, premultiplied, dye)   quadratic B-splines over 3×3×3 cells: their weights sum to one, so Σ density·h³
 *                                       is the sum of the tracers' amounts, whatever lies inside active tiles of the
 *                                       box
 *   vel                                 the flow of all evaluators, found on a lattice `detail` cells apart and
 *                                       interpolated
 *
 * Each tile gathers from the tracers in and around it, sorted by tile and id: the same bits for any thread. Tiles
 * follow the tracers: before a step those that a tracer may reach in it are made active. Unless `when` is step, the
 * fields are made only at the end of a frame, when somebody looks. */
#include "vorton.h"
#include <common/tiles.h>
#include <math.h>
#include <string.h>

struct params {
    int32_t when;
    int64_t detail;
    const char *density, *colour, *velocity;
};

static const struct bw_param params[] = {
    BW_CHOICE(struct params, when, "when", "frame", "frame|step",
              "At the end of each frame, or of each step (for stages that go on from the fields)."),
    BW_INT(struct params, detail, "detail", "2", 1, 8,
           "Cells between the points at which the velocity is evaluated: 1, 2, 4 or 8.", BW_PARAM_STATIC),
    BW_FIELD(struct params, density, "density", "density", "Field that takes the tracers' smoke; none: not wanted."),
    BW_FIELD(struct params, colour, "colour", "none",
             "Vector field that takes their colour times density, such as dye."),
    BW_FIELD(struct params, velocity, "velocity", "none", "Staggered field that takes the velocity, such as vel."),
};

enum { PORT_TRACERS, PORT_DENSITY, PORT_COLOUR, PORT_VELOCITY };
static const struct bw_port ports[] = {
    [PORT_TRACERS] = {.name = "tracers",
                      .kind = BW_PARTICLES,
                      .access = BW_UPDATE,
                      .doc = "What is splatted; they are put in the order of tiles.",
                      .attributes = tracer_attributes,
                      .n_attributes = BW_COUNT(tracer_attributes),
                      .flags = BW_PORT_NO_CREATE},
    [PORT_DENSITY] = {.name = "density_field",
                      .kind = BW_SCALAR,
                      .access = BW_WRITE,
                      .doc = "Smoke.",
                      .flags = BW_PORT_LIST,
                      .kinds = BW_KIND_BIT(BW_SCALAR),
                      .from = "density"},
    [PORT_COLOUR] = {.name = "colour_field",
                     .kind = BW_VECTOR,
                     .access = BW_WRITE,
                     .doc = "Colour times density.",
                     .flags = BW_PORT_LIST,
                     .kinds = BW_KIND_BIT(BW_VECTOR),
                     .from = "colour"},
    [PORT_VELOCITY] = {.name = "velocity_field",
                       .kind = BW_MAC,
                       .access = BW_WRITE,
                       .doc = "The flow.",
                       .flags = BW_PORT_LIST,
                       .kinds = BW_KIND_BIT(BW_MAC),
                       .from = "velocity"},
};

/* ---- tiles ---- */

/// A small set of tiles already asked for, so that a million tracers ask a few hundred times.
enum { SEEN = 1 << 12 };

/// Tiles between where a tracer is and where a step of a frame's length would take it, and a cell around.
static enum bw_status activate(struct bw_stage *s)
{
    struct tracer_arrays t = tracer_arrays(s, s->ports[PORT_TRACERS].particles);
    const struct bw_domain_info *d = s->grid;
    double(*seen)[6] = s->host->scratch(s, SEEN * sizeof *seen), frame = 1.25 / s->fps;
    if (!seen) return BW_ERR_MEMORY;
    memset(seen, 0xff, SEEN * sizeof *seen); // not a number: nothing is seen
    for (int64_t i = 0; i < t.count; i++) {
        double box[6];
        uint64_t hash = 0;
        for (int a = 0; a < 3; a++) {
            double x = (t.pos[i][a] - d->origin[a]) / d->h, y = x + (double)t.velocity[3 * i + a] * frame / d->h;
            box[a] = floor((fmin(x, y) - 2) / d->tile[a]);
            box[3 + a] = floor((fmax(x, y) + 2) / d->tile[a]);
        }
        for (int a = 0; a < 6; a++) hash = hash * 31 + (uint64_t)(int64_t)fmin(fmax(box[a], -1e9), 1e9);
        double *slot = seen[bw_mix64(hash) % SEEN];
        if (!memcmp(slot, box, sizeof box)) continue;
        memcpy(slot, box, sizeof box);
        double lo[3], hi[3];
        for (int a = 0; a < 3; a++) {
            lo[a] = d->origin[a] + (box[a] + 0.5 / d->tile[a]) * d->tile[a] * d->h;
            hi[a] = d->origin[a] + (box[3 + a] + 0.5 / d->tile[a]) * d->tile[a] * d->h;
        }
        enum bw_status st = s->host->activate(s, lo, hi);
        if (st) return st;
    }
    return BW_OK;
}

/* ---- smoke and colour ---- */

struct splat {
    struct bw_particles *tracers;
    int has_density, has_colour;
};

/// Weights of the three cells from `low` on for a tracer at x (in cells).
static void spline(double x, int32_t *low, double w[3])
{
    double c = floor(x), f = x - c - 0.5;
    *low = (int32_t)c - 1;
    w[0] = 0.5 * (0.5 - f) * (0.5 - f);
    w[1] = 0.75 - f * f;
    w[2] = 0.5 * (0.5 + f) * (0.5 + f);
}

/// One tracer's share in a block: `to` has four rows of n cells, density first.
static void tracer_splat(const struct bw_block *b, const struct tracer_arrays *t, int64_t q, int colour, double *to,
                         int64_t cells)
{
    const struct bw_domain_info *d = b->grid;
    int32_t low[3];
    double w[3][3], per = (double)t->amount[q] / (d->h * d->h * d->h);
    for (int a = 0; a < 3; a++) {
        double x = (t->pos[q][a] - d->origin[a]) / d->h;
        if (!(x > b->lo[a] - 2 && x < b->lo[a] + b->n[a] + 2)) return;
        spline(x, &low[a], w[a]);
        low[a] -= b->lo[a];
    }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                int32_t x = low[0] + i, y = low[1] + j, z = low[2] + k;
                if (x < 0 || y < 0 || z < 0 || x >= b->n[0] || y >= b->n[1] || z >= b->n[2]) continue;
                double part = per * w[0][i] * w[1][j] * w[2][k];
                int64_t at = x + (int64_t)b->n[0] * (y + (int64_t)b->n[1] * z);
                to[at] += part;
                for (int c = 0; c < 3 && colour; c++) to[(1 + c) * cells + at] += part * (double)t->colour[3 * q + c];
            }
}

static void splat_body(const struct bw_block *b, void *user)
{
    const struct splat *sp = user;
    struct tracer_arrays t = tracer_arrays(b->stage, sp->tracers); // here: the sweep has sorted them
    int64_t cells = (int64_t)b->n[0] * b->n[1] * b->n[2];
    double *sum = b->stage->host->body_scratch(b, 4 * (size_t)cells * sizeof *sum);
    if (!sum) return;
    memset(sum, 0, 4 * (size_t)cells * sizeof *sum);
    for (uint32_t r = 0; r < b->n_particles; r++)
        for (int64_t q = b->particles[r].begin; q < b->particles[r].end; q++)
            tracer_splat(b, &t, q, sp->has_colour, sum, cells);
    double h3 = b->grid->h * b->grid->h * b->grid->h;
    for (int64_t i = 0; i < cells; i++) b->sum[0] += sum[i] * h3;
    for (int row = 0; row < sp->has_density + sp->has_colour; row++) {
        const struct bw_view *v = &b->view[row];
        for (int c = 0; c < v->comps; c++) {
            const double *from = sum + (v->comps == 1 ? 0 : (1 + c) * cells);
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++)
                    for (int32_t i = 0; i < b->n[0]; i++) bw_put(v, c, i + j * v->sy + k * v->sz, *from++);
        }
    }
}

static enum bw_status smoke_make(struct bw_stage *s)
{
    struct bw_particles *tracers = s->ports[PORT_TRACERS].particles;
    struct splat sp = {.tracers = tracers,
                       .has_density = s->ports[PORT_DENSITY].count > 0,
                       .has_colour = s->ports[PORT_COLOUR].count > 0};
    struct bw_access access[2];
    uint32_t n = 0;
    double all = 0, splatted = 0;
    if (sp.has_density) access[n++] = (struct bw_access){bw_port_field(s, PORT_DENSITY), BW_WRITE, 0};
    if (sp.has_colour) access[n++] = (struct bw_access){bw_port_field(s, PORT_COLOUR), BW_WRITE, 0};
    if (!n) return BW_OK;
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                             .n_access = n,
                                                             .block = 2,
                                                             .body = splat_body,
                                                             .user = &sp,
                                                             .particles = tracers,
                                                             .sums = &splatted,
                                                             .n_sums = 1});
    struct tracer_arrays t = tracer_arrays(s, tracers);
    for (int64_t i = 0; i < t.count; i++) all += (double)t.amount[i];
    s->host->metric(s, "smoke", splatted, BW_METRIC_LAST);
    s->host->metric(s, "outside", all - splatted, BW_METRIC_LAST);
    return st;
}

/* ---- velocity ---- */

struct lattice {
    const struct bw_tiles_api *api;
    int32_t detail, nodes[3]; ///< points a tile and axis
    int64_t a_tile;
    const double *velocity; ///< a_tile × 3 a tile, tiles in their order
};

/// Component `axis` at face (i, j, k) of a tile, counted in cells from its corner.
static double face_value(const struct lattice *l, const double *tile, int axis, double i, double j, double k)
{
    double x[3] = {i, j, k}, sum = 0;
    int32_t at[3];
    double f[3];
    for (int a = 0; a < 3; a++) {
        double p = (x[a] + (a == axis ? 0 : 0.5)) / l->detail;
        at[a] = (int32_t)fmin(floor(p), l->nodes[a] - 2);
        f[a] = p - at[a];
    }
    for (int e = 0; e < 8; e++) {
        double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]);
        sum +=
            w * tile[3 * (at[0] + (e & 1) +
                          (int64_t)l->nodes[0] * (at[1] + (e >> 1 & 1) + (int64_t)l->nodes[1] * (at[2] + (e >> 2)))) +
                     axis];
    }
    return sum;
}

static void velocity_body(const struct bw_block *b, void *user)
{
    const struct lattice *l = user;
    const struct bw_view *v = &b->view[0];
    const double *tile = l->velocity + 3 * l->a_tile * tile_of_block(l->api, b);
    for (int axis = 0; axis < 3; axis++)
        for (int32_t k = 0; k < b->n[2] + (axis == 2); k++)
            for (int32_t j = 0; j < b->n[1] + (axis == 1); j++)
                for (int32_t i = 0; i < b->n[0] + (axis == 0); i++)
                    bw_put(v, axis, i + j * v->sy + k * v->sz, face_value(l, tile, axis, i, j, k));
}

static void places_list(const struct bw_stage *s, const struct lattice *l, const struct bw_topology *topo, bw_vec3 *pos)
{
    for (int64_t t = 0; t < topo->count; t++)
        for (int64_t i = 0; i < l->a_tile; i++, pos++) {
            const int64_t n[3] = {i % l->nodes[0], i / l->nodes[0] % l->nodes[1], i / l->nodes[0] / l->nodes[1]};
            for (int a = 0; a < 3; a++)
                (*pos)[a] = s->grid->origin[a] +
                            s->grid->h * ((double)topo->coord[t][a] * s->grid->tile[a] + (double)(n[a] * l->detail));
        }
}

static enum bw_status velocity_make(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct lattice l = {.api = s->host->extension(BW_TILES), .detail = (int32_t)p->detail, .a_tile = 1};
    if (!s->ports[PORT_VELOCITY].count) return BW_OK;
    const struct bw_topology *topo = l.api->topology(s->domain);
    for (int a = 0; a < 3; a++) l.a_tile *= l.nodes[a] = s->grid->tile[a] / l.detail + 1;
    int64_t n = topo->count * l.a_tile;
    bw_vec3 *pos = s->host->scratch(s, (size_t)n * sizeof *pos + 1);
    double *velocity = s->host->scratch(s, 3 * (size_t)n * sizeof *velocity + 1);
    if (!pos || !velocity) return BW_ERR_MEMORY;
    places_list(s, &l, topo, pos);
    enum bw_status st = flow_at(s, &(struct flow){0}, n, (const bw_vec3 *)pos, velocity, NULL);
    l.velocity = velocity;
    struct bw_access access = {bw_port_field(s, PORT_VELOCITY), BW_WRITE, 0};
    return st ? st
              : s->host->sweep(s,
                               &(struct bw_sweep){.access = &access, .n_access = 1, .body = velocity_body, .user = &l});
}

static enum bw_status init(struct bw_stage *s)
{
    const struct params *p = s->params;
    if (p->detail & (p->detail - 1))
        return s->host->fail(s, BW_ERR_PRESET, "detail is %lld: 1, 2, 4 or 8 is wanted", (long long)p->detail);
    if (s->grid->thin >= 0)
        return s->host->fail(s, BW_ERR_PRESET, "the domain is one cell thick, and vortons live in space");
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    int frame_ends = s->step == 0 || fabs(s->frame - nearbyint(s->frame)) < 1e-6;
    if (p->when == 0 && !frame_ends) return BW_OK;
    enum bw_status st = smoke_make(s);
    return st ? st : velocity_make(s);
}

const struct bw_stage_desc to_grid_desc = {
    .id = "to_grid",
    .version = "1.0",
    .brief = "Tracers as density and dye, the flow as vel: what vortons do, as volumes.",
    .params_size = sizeof(struct params),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .step = step,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
};
