// SPDX-License-Identifier: Apache-2.0
/* potential: irrotational flow, u = -grad phi, from sources to sinks round walls.
 *
 * multigrid: the steady flow of each step, div u = source (steady.c); cut cells as in mac.project: open area
 * fractions of faces (common/solids/cut.c). relaxation: Schaefer's (Approximating Gas Flow in
 * a Real-Time Environment, 2001; relax.c),
 *   phi <- (1 - w) phi + w·mean of the neighbours + b/|N|,
 * a few iterations a frame from the last step's values, so that flow spreads with time, like heat: by D = w h²/(2
 * dim)·iterations a second. Given `spread` = D, w follows from voxel and frame rate, and the front is where it is
 * whatever they are. A wall removes a neighbour from the mean, by a table of 64 masks (mask_table.h). The fixed point
 * is |N| phi - sum of neighbours = b/w: with b = w h²·source it is the steady flow. 0 < w < 1 converges.
 *
 * Schaefer's own differences, phi[x+1] - phi[x], point into sources, and his strength is b/w: `as_printed` keeps both.
 */
#include "potential.h"
#include <common/tiles.h>
#include <math.h>

static const struct bw_param relaxation_rows[] = {
    BW_F64(struct potential_relaxation, w, "w", "0.5", -1e9, 1e9, NULL,
           "Weight of the neighbours, between 0 and 1; not used with spread."),
    BW_F64(struct potential_relaxation, spread, "spread", "0 m^2/s", 0, 1e9, "m^2/s",
           "How fast flow spreads: w follows from it; 0: w as given."),
    BW_INT(struct potential_relaxation, iterations, "iterations", "8", 1, 1000000, "Iterations a frame."),
    BW_BOOL(struct potential_relaxation, as_printed, "as_printed", "false",
            "Sources are Schaefer's b (outflow b/w) and the flow points up the potential, into them."),
};

static const struct bw_param params[] = {
    {.key = "mode",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct potential, mode, int32_t),
     .def = "multigrid",
     .choices = "multigrid|relaxation",
     .doc = "The steady flow; or so many sweeps a frame of a relaxation (relax.c), in double: flow spreads with time.",
     .flags = BW_PARAM_STATIC,
     .was = "modern=multigrid|seed=relaxation"},
    BW_CHOICE(struct potential, balance, "balance", "open", "open|spread|nearest|reject",
              "Where sources and sinks of a region do not cancel: the rest leaves by open sides, and a sealed region "
              "is refused; "
              "spread: a sealed region takes it evenly; nearest: each source's share goes to its nearest sink; reject: "
              "always refused."),
    BW_CHOICE(struct potential, obstacles, "obstacles", "cut", "cut|cells",
              "Multigrid: how obstacles stand in it: their surfaces cut cells; or cells whose centre is inside one are "
              "walls, as in a relaxation."),
    BW_F64(struct potential, tolerance, "tolerance", "1e-5", 1e-12, 1, NULL,
           "Multigrid: residual to stop at, relative to the sources (2-norms)."),
    BW_INT(struct potential, max_iterations, "max_iterations", "50", 1, 10000, "Multigrid: most cycles in a step."),
    BW_BOOL(struct potential, whole, "whole", "true",
            "Compute the whole box; else only where other stages keep cells awake: beyond them the potential is 0."),
    {.key = "relaxation",
     .type = BW_PARAM_GROUP,
     .offset = BW_OFFSET(struct potential, relaxation, struct potential_relaxation),
     .doc = "Constants of mode relaxation.",
     .n_sub = BW_COUNT(relaxation_rows),
     .sub = relaxation_rows,
     .sub_size = sizeof(struct potential_relaxation),
     .was = "seed"},
};

static const struct bw_port ports[POTENTIAL_PORTS] = {
    [PHI] = {.name = "potential",
             .kind = BW_SCALAR,
             .access = BW_UPDATE,
             .unit = "m^2/s",
             .doc = "The flow runs down it.",
             .precise_from = "mode"},
    [SOURCE] = {.name = "divergence",
                .kind = BW_SCALAR,
                .access = BW_UPDATE,
                .lifetime = BW_STEP,
                .unit = "1/s",
                .doc = "Sources (> 0) and sinks (< 0): volume a second and volume."},
    [VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "The flow."},
    [SOLID] = {.name = "solid",
               .kind = BW_SCALAR,
               .access = BW_READ,
               .unit = "m",
               .flags = BW_PORT_OPTIONAL,
               .doc = "Distance to obstacles."},
    [WALL] = {.name = "wall",
              .kind = BW_MAC,
              .access = BW_READ,
              .unit = "1",
              .flags = BW_PORT_OPTIONAL,
              .doc = "Walls between cells: a low face with 0.5 or more lets nothing through."},
};

struct state {
    struct cell_data level;
    struct steady *steady;
};

/* ---- the flow -----------------------------------------------------------------------------------------------------
 */

/* Velocity of the face below cell x along `axis`, or of the one above the last. */
static double face_velocity(const struct potential_task *t, const struct bw_block *b, int64_t tile, const int32_t x[3],
                            int axis)
{
    const struct bw_view *v = &b->view[0];
    const struct bw_domain_info *d = b->grid;
    const ptrdiff_t step[3] = {1, v->sy, v->sz}, at = x[0] + x[1] * step[1] + x[2] * step[2];
    const int above = x[axis] == b->n[axis], face = b->lo[axis] + x[axis];
    const int side = 2 * axis + (d->n[axis] > 0 && face == d->n[axis]);
    int32_t cell[3] = {x[0], x[1], x[2]};
    cell[axis] -= above;
    const int walls = t->l->walls[tile * TILE_CELLS + potential_at(d, cell[0], cell[1], cell[2])];
    const int edge = d->n[axis] > 0 && (face == 0 || face == d->n[axis]);
    if (edge && d->side[side].kind == BW_INFLOW && walls != ALL_WALLS) return d->side[side].velocity[axis];
    if (walls >> (2 * axis + above) & 1) return 0;
    return -t->gradient * (bw_get(v, 0, at) - bw_get(v, 0, at - step[axis]));
}

/* A row of faces below cells, none of them on a side of the box. */
static void row_velocity(const struct potential_task *t, const struct bw_block *b, const uint8_t *walls, int axis,
                         ptrdiff_t at, float *out)
{
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t back = at - (const ptrdiff_t[]){1, v->sy, v->sz}[axis];
    const int n = b->n[0];
    double rise[64]; // as long as a tile
    if (v->precision == BW_F64P)
        for (int i = 0; i < n; i++) rise[i] = bw_f64(v, 0)[at + i] - bw_f64(v, 0)[back + i];
    else
        for (int i = 0; i < n; i++) rise[i] = (double)bw_f32(v, 0)[at + i] - (double)bw_f32(v, 0)[back + i];
    for (int i = 0; i < n; i++) out[i] = walls[i] >> (2 * axis) & 1 ? 0 : (float)(-t->gradient * rise[i]);
}

static void velocity_body(const struct bw_block *b, void *user)
{
    const struct potential_task *t = user;
    const struct bw_view *in = &b->view[0], *out = &b->view[1];
    const struct bw_domain_info *d = b->grid;
    const int64_t tile = tile_of_block(t->tiles, b);
    int32_t x[3];
    for (int axis = 0; axis < 3; axis++)
        for (x[2] = 0; x[2] < b->n[2] + (axis == 2); x[2]++)
            for (x[1] = 0; x[1] < b->n[1] + (axis == 1); x[1]++) {
                float *row = bw_f32(out, axis) + x[1] * out->sy + x[2] * out->sz;
                const int last = axis > 0 && x[axis] == b->n[axis], first = axis > 0 && b->lo[axis] + x[axis] == 0;
                const int inside = axis != d->thin && !first && !last;
                if (inside)
                    row_velocity(t, b, t->l->walls + tile * TILE_CELLS + potential_at(d, 0, x[1], x[2]), axis,
                                 x[1] * in->sy + x[2] * in->sz, row);
                for (x[0] = 0; x[0] < b->n[0] + (axis == 0); x[0]++)
                    if (!inside || (axis == 0 && (x[0] == 0 || x[0] == b->n[0])))
                        row[x[0]] = axis == d->thin ? 0 : (float)face_velocity(t, b, tile, x, axis);
            }
}

static enum bw_status velocity_update(struct potential_task *t)
{
    const struct bw_access access[] = {{bw_port_field(t->s, PHI), BW_READ, 1}, {bw_port_field(t->s, VEL), BW_WRITE, 0}};
    return t->s->host->sweep(t->s,
                             &(struct bw_sweep){.access = access, .n_access = 2, .body = velocity_body, .user = t});
}

/* ---- the relaxation's pace ----------------------------------------------------------------------------------------
 */

static int dimensions(const struct bw_stage *s) { return s->grid->thin < 0 ? 3 : 2; }

static enum bw_status relaxation_weight(struct bw_stage *s, double *w)
{
    const struct potential_relaxation *p = &((const struct potential *)s->params)->relaxation;
    const double per_w =
        (double)p->iterations * s->fps * s->grid->h * s->grid->h / (2 * dimensions(s)); // spread of w = 1
    *w = p->spread > 0 ? p->spread / per_w : p->w;
    if (p->spread > 0 && *w >= 1)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "relaxation.spread %g m2/s makes w %.3g, which must lie below 1: take more than %.0f iterations a frame",
            p->spread, *w, floor(*w * (double)p->iterations));
    if (!(*w > 0 && *w < 1))
        return s->host->fail(s, BW_ERR_PRESET, "relaxation.w is %g: it must lie between 0 and 1", *w);
    return BW_OK;
}

/* Iterations that end within this step: the same however a frame is cut. */
static int64_t iterations_due(const struct bw_stage *s, const struct potential_relaxation *p)
{
    const double rate = (double)p->iterations * s->fps;
    return (int64_t)(floor((s->time + s->dt) * rate + 1e-6) - floor(s->time * rate + 1e-6));
}

static enum bw_status relax(struct potential_task *t)
{
    struct bw_stage *s = t->s;
    const struct potential_relaxation *p = &t->p->relaxation;
    const double h = s->grid->h;
    double w;
    const enum bw_status status = relaxation_weight(s, &w);
    if (status != BW_OK) return status;
    const int64_t n = iterations_due(s, p);
    t->strength = p->as_printed ? 1 : w * h * h;
    if (p->as_printed) t->gradient = -t->gradient;
    table_make(&t->table, w);
    s->host->metric(s, "iterations", (double)n, BW_METRIC_SUM);
    return relax_run(t, n);
}

/* ---- the stage -----------------------------------------------------------------------------------------------------
 */

static enum bw_status init(struct bw_stage *s)
{
    double w;
    return ((const struct potential *)s->params)->mode == POTENTIAL_RELAXATION ? relaxation_weight(s, &w) : BW_OK;
}

static enum bw_status activate(struct bw_stage *s)
{
    const struct bw_domain_info *d = s->grid;
    double hi[3];
    if (!((const struct potential *)s->params)->whole || d->n[0] <= 0) return BW_OK;
    for (int a = 0; a < 3; a++) hi[a] = d->origin[a] + (d->n[a] - 0.5) * d->h;
    return s->host->activate(s, d->origin, hi);
}

static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    struct potential_task t = {.s = s,
                               .p = s->params,
                               .l = &st->level,
                               .tiles = s->host->extension(BW_TILES),
                               .dim = dimensions(s),
                               .base = s->grid->thin < 0 ? 0 : 3 << 2 * s->grid->thin,
                               .gradient = 1 / s->grid->h};
    t.cut = t.p->mode == POTENTIAL_MULTIGRID && t.p->obstacles == OBSTACLES_CUT;
    if (!t.tiles) return s->host->fail(s, BW_ERR_PLUGIN, "the host offers no %s", BW_TILES);
    t.topology = t.tiles->topology(s->domain);
    if (t.topology->count == 0) return BW_OK;
    enum bw_status status = walls_update(&t);
    if (status == BW_OK) status = sources_balance(&t);
    if (status == BW_OK) status = t.p->mode == POTENTIAL_RELAXATION ? relax(&t) : steady_run(&t, &st->steady);
    return status == BW_OK ? velocity_update(&t) : status;
}

const struct bw_stage_desc potential_desc = {
    .id = "potential",
    .version = "1.0",
    .brief = "A flow without eddies from sources to sinks round walls: gas that finds its way through a level.",
    .references = "Schaefer 2001 (Hive Assault).",
    BW_PARAMS(params),
    BW_PORTS(ports),
    .params_size = sizeof(struct potential),
    .state_size = sizeof(struct state),
    .flags =
        BW_STAGE_RANKS | BW_STAGE_REBUILT_STATE, // what is kept fits walls and sources; the last potential is a field
    .init = init,
    .activate = activate,
    .step = step,
};
