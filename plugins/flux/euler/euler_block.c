// SPDX-License-Identifier: Apache-2.0
/* flux, mode euler: one MUSCL–Hancock substep of a block (see euler.c).
 *
 * The block is processed slice by slice along the slowest axis: rows in 2D, planes in 3D, halos included, several
 * slices at once as one long row. For each strip of slices: limited slopes along all axes and the predicted values half
 * a step later, then the fluxes inside the slices and those to the slices before. So all but the block itself stays in
 * the cache. Values that kernels compute in halos at the ends of rows, from wrong neighbours, are not used. */
#include "wall_flux.h"
#include "flux.h"
#include <math.h>
#include <string.h>

enum { STRIP = 512, RING = 4, VALUES = FLUX_VARS + 3 * FLUX_SCALARS };

/// Working memory of a block: strips of some slices, and values of slices that their neighbours read, in the shape of
/// the input views. Where a strip is one slice, these are a ring of RING slices: three copies of the block would not
/// fit in the second-level cache.
struct work {
    const struct flux_task *t;
    const struct bw_block *b;
    struct flux_shape sh;
    int vars, all;          ///< variables of the gas; with advected scalars
    int slow, rows, slices; ///< axis of the slices, rows in one, slices in a strip
    int ring;               ///< 1: a ring of RING slices
    ptrdiff_t line, in;     ///< values of a slice; of these, halo before its first own cell
    struct flux_walls walls;
    float *gate[3], *speed[3]; ///< by active axis, low faces: 0 at a wall; its speed. NULL: no wall; at rest
    /// At ring_at(): primitive variables, predicted values, slopes along the slow axis; strips: slopes along the
    /// others.
    float *w[VALUES], *predicted[VALUES], *slow_slope[VALUES], *slope[2][VALUES];
    float *flux[3][2][VALUES]; ///< strips, as the cells below and above see them; the slow ones of one slice more
    int first_order;
};

/* Variable `v` of the gas or of the advected scalars, in a block's views from `base` on. */
static float *component(const struct work *w, int v, uint32_t base)
{
    const struct flux_task *t = w->t;
    const struct bw_view *view = w->b->view + base;
    if (v == 0) return bw_f32(&view[0], 0);
    if (v <= t->dim) return bw_f32(&view[1], t->axis[v - 1]);
    if (v < w->vars) return bw_f32(&view[t->energy], 0);
    int c = v - w->vars;
    for (int32_t i = 0; i < t->n_scalars; i++) {
        const struct bw_view *q = &view[t->scalars + i];
        if (c < q->comps) return bw_f32(q, c);
        c -= q->comps;
    }
    return NULL;
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

/* Does a wall stand between two cells along axis `axis` of the domain, one of which holds gas? */
static int axis_shut(const struct work *w, int axis)
{
    const struct flux_shape *sh = &w->sh;
    const float *pass = w->walls.pass[axis];
    int32_t from[3] = {-sh->halo[0], -sh->halo[1], -sh->halo[2]};
    from[axis]++;
    for (int k = from[2]; k < sh->n[2] + sh->halo[2]; k++)
        for (int j = from[1]; j < sh->n[1] + sh->halo[1]; j++) {
            const ptrdiff_t row = flux_at(sh, j, k);
            const float *high = w->walls.open + row, *low = high - sh->step[axis];
            const int n = sh->n[0] + sh->halo[0];
            int shut = memcmp(high + from[0], low + from[0], (size_t)(n - from[0]) * sizeof *high) != 0;
            for (int i = from[0]; pass && i < n; i++) shut |= pass[row + i] < 1;
            if (shut) return 1;
        }
    return 0;
}

/* Axes without walls between gas have no gates: both sides of a face then have the same flux. */
static void gates_fill(struct work *w, float *memory)
{
    const struct flux_shape *sh = &w->sh;
    for (int a = 0; a < w->t->dim; a++) {
        const int axis = w->t->axis[a];
        const ptrdiff_t step = sh->step[axis];
        const float *open = w->walls.open - sh->origin, *pass = w->walls.pass[axis];
        float *gate = memory + (size_t)a * sh->cells;
        if (!axis_shut(w, axis)) {
            memcpy(w->flux[a][1], w->flux[a][0], sizeof w->flux[a][0]);
            continue;
        }
        memset(gate, 0, (size_t)step * sizeof *gate);
        for (ptrdiff_t i = step; i < (ptrdiff_t)sh->cells; i++) gate[i] = open[i] * open[i - step];
        for (size_t i = 0; pass && i < sh->cells; i++) gate[i] *= pass[(ptrdiff_t)i - sh->origin];
        w->gate[a] = gate + sh->origin;
        if (w->walls.solid_vel) w->speed[a] = bw_f32(w->walls.solid_vel, axis);
    }
}

static int work_begin(struct work *w, const struct flux_task *t, const struct bw_block *b, int first_order)
{
    *w = (struct work){.t = t,
                       .b = b,
                       .sh = flux_shape_of(b, &b->view[0], FLUX_HALO),
                       .vars = t->g.vars,
                       .slow = t->axis[t->dim - 1],
                       .first_order = first_order};
    const struct flux_shape *sh = &w->sh;
    const int plane = w->slow == 2;
    w->all = w->vars;
    for (int32_t i = 0; i < t->n_scalars; i++) w->all += b->view[t->scalars + i].comps;
    w->rows = plane ? b->n[1] : 1;
    w->line = sh->step[w->slow];
    w->in = sh->halo[0] + (plane ? sh->halo[1] * sh->step[1] : 0);
    w->slices = w->line < STRIP ? (int)(STRIP / w->line) : 1;
    w->ring = w->slices == 1;
    const size_t walls = flux_walls_size(t, b, sh),
                 block = ((w->ring ? RING * (size_t)w->line : sh->cells) + 31) & ~(size_t)15,
                 strip = ((size_t)(w->slices + 1) * (size_t)w->line + 31) & ~(size_t)15, strips = 2 + (walls ? 6 : 3);
    float *at = b->stage->host->body_scratch(
        b, ((size_t)w->all * (3 * block + strips * strip) + walls + (walls ? 3 * sh->cells : 0)) * sizeof *at);
    if (!at) return 0;
    for (int v = 0; v < w->all; v++, at += 3 * block) {
        w->w[v] = at + (w->ring ? w->in : sh->origin);
        w->predicted[v] = w->w[v] + block;
        w->slow_slope[v] = w->predicted[v] + block;
    }
    for (int v = 0; v < w->all; v++, at += strips * strip) {
        for (int a = 0; a < 2; a++) w->slope[a][v] = at + (size_t)a * strip;
        for (int a = 0; a < 3; a++) {
            w->flux[a][0][v] = at + (size_t)(2 + a) * strip;
            w->flux[a][1][v] = walls ? at + (size_t)(5 + a) * strip : w->flux[a][0][v];
        }
    }
    if (!walls) return 1;
    flux_walls_fill(t, b, sh, at, &w->walls);
    gates_fill(w, at + walls);
    return 1;
}

/* Values from the first own cell of a slice to the last of the one `slices` - 1 further: halos before and after need
 * not be computed. */
static int own_span(const struct work *w, int slices)
{
    return (int)((slices - 1) * w->line + (w->rows - 1) * w->sh.step[1] + w->b->n[0]);
}

/* Offset of the first own cell of slice `s` in w, predicted and slow_slope; s >= -2. */
static ptrdiff_t ring_at(const struct work *w, int s) { return (w->ring ? (s + RING) % RING : s) * w->line; }

/* Values from a cell's to that of the one before it along all axes within a slice. */
static ptrdiff_t corner_step(const struct work *w)
{
    ptrdiff_t step = 0;
    for (int a = 0; a < w->t->dim - 1; a++) step += w->sh.step[w->t->axis[a]];
    return step;
}

/* ---- half a step ---------------------------------------------------------------------------------------------------
 */

/* Primitive variables of slices s to e - 1, halo included; scalars as mass fractions. */
static void primitive_variables(const struct work *w, int s, int e)
{
    const float *u[FLUX_VARS];
    float *to[FLUX_VARS];
    for (const int slices = w->ring ? 1 : e - s; s < e; s += slices) {
        const ptrdiff_t from = s * w->line - w->in, at = ring_at(w, s) - w->in;
        const int n = slices * (int)w->line;
        for (int v = 0; v < w->vars; v++) {
            u[v] = component(w, v, 0) + from;
            to[v] = w->w[v] + at;
        }
        w->t->k->primitive(&w->t->g, n, u, to);
        for (int v = w->vars; v < w->all; v++) {
            const float *q = component(w, v, 0) + from;
            float *fraction = w->w[v] + at;
            for (int i = 0; i < n; i++) fraction[i] = q[i] / u[0][i];
        }
    }
}

/* ---- open sides ---- */

/* Does the block end at an open side of the box? */
static int ends_open(const struct work *w, int a, int high)
{
    const struct bw_block *b = w->b;
    const struct bw_domain_info *d = b->grid;
    const int axis = w->t->axis[a], end = b->lo[axis] + b->n[axis];
    return d->n[axis] > 0 && d->side[2 * axis + high].kind == BW_OPEN && (high ? end == d->n[axis] : b->lo[axis] == 0);
}

/* A cell beyond: where gas leaves it goes on as it does at the edge, and only the pressure is the ambient one, which an
 * isothermal gas has by its density. Else it is ambient gas at rest, as it was read. */
static void outflow_set(const struct work *w, int a, int high, ptrdiff_t edge, ptrdiff_t beyond)
{
    const float u = w->w[1 + a][edge];
    const int pressure = w->t->g.ideal ? w->vars - 1 : 0;
    if (high ? !(u > 0) : !(u < 0)) return;
    for (int v = 0; v < w->all; v++)
        if (v != pressure) w->w[v][beyond] = w->w[v][edge];
}

/* Across axis `a` within a slice, all along the other one, halo included. */
static void outflow_inner(const struct work *w, int a, int high, int s)
{
    const struct flux_shape *sh = &w->sh;
    const int axis = w->t->axis[a], other = axis == 0 ? 1 : 0, halo = w->slow == 2 ? sh->halo[other] : 0;
    const int across = w->slow == 2 ? sh->n[other] : 1;
    const ptrdiff_t out = high ? sh->step[axis] : -sh->step[axis];
    for (int i = -halo; i < across + halo; i++) {
        const ptrdiff_t edge = ring_at(w, s) + i * sh->step[other] + (high ? (sh->n[axis] - 1) * sh->step[axis] : 0);
        for (int h = 1; h <= FLUX_HALO; h++) outflow_set(w, a, high, edge, edge + h * out);
    }
}

/* Slices beyond a side of the slow axis: the edge's has been made. */
static void outflow_outer(const struct work *w, int high, int s)
{
    const ptrdiff_t edge = ring_at(w, high ? w->b->n[w->slow] - 1 : 0) - w->in, beyond = ring_at(w, s) - w->in;
    for (ptrdiff_t i = 0; i < w->line; i++) outflow_set(w, w->t->dim - 1, high, edge + i, beyond + i);
}

/* Of the slices from s to e - 1, which have just been made. */
static void outflow(const struct work *w, int s, int e)
{
    const int last = w->t->dim - 1, n = w->b->n[w->slow];
    for (int high = 0; high < 2; high++) {
        for (int a = 0; a < last; a++)
            for (int q = s; q < e && ends_open(w, a, high); q++) outflow_inner(w, a, high, q);
        if (!ends_open(w, last, high)) continue;
        for (int h = 1; h <= FLUX_HALO && !high && s <= 0 && 0 < e; h++) outflow_outer(w, 0, -h);
        for (int q = s > n ? s : n; q < e && high; q++) outflow_outer(w, 1, q);
    }
}

/* Slopes of every variable along active axis `a`, of the n cells from `round` before the first of slice s on. */
static void limited_slopes(const struct work *w, int a, int s, ptrdiff_t round, int n, float *const out[])
{
    const int outer = a == w->t->dim - 1;
    const ptrdiff_t step = w->sh.step[w->t->axis[a]], at = ring_at(w, s) - round, face = s * w->line - round;
    const ptrdiff_t low = outer ? ring_at(w, s - 1) - round : at - step,
                    high = outer ? ring_at(w, s + 1) - round : at + step;
    for (int v = 0; v < w->all; v++) {
        if (w->first_order) {
            memset(out[v], 0, (size_t)n * sizeof(float));
            continue;
        }
        struct flux_slope q = {.n = n,
                               .normal = v == 1 + a,
                               .limiter = w->t->g.limiter,
                               .at = w->w[v] + at,
                               .low = w->w[v] + low,
                               .high = w->w[v] + high,
                               .slope = out[v]};
        if (w->gate[a]) q.open[0] = w->gate[a] + face, q.open[1] = w->gate[a] + face + step;
        if (w->speed[a] && q.normal) q.speed[0] = w->speed[a] + face, q.speed[1] = w->speed[a] + face + step;
        w->t->k->slope(&q);
    }
}

/* Predictor of scalars: advected with the old velocity. */
static void scalars_predict(const struct work *w, ptrdiff_t at, int n, float *const *const slope[3])
{
    for (int v = w->vars; v < w->all; v++) {
        const float *q = w->w[v] + at;
        float *to = w->predicted[v] + at;
        memcpy(to, q, (size_t)n * sizeof *to);
        for (int a = 0; a < w->t->dim; a++) {
            const float *u = w->w[1 + a] + at, *s = slope[a][v];
            for (int i = 0; i < n; i++) to[i] -= w->t->g.half * u[i] * s[i];
        }
    }
}

/* Hancock's predictor: slopes and values half a step later of slices s to e - 1, own cells and one around them. */
static void predictor(const struct work *w, int s, int e)
{
    const struct flux_task *t = w->t;
    const ptrdiff_t round = corner_step(w), at = ring_at(w, s) - round;
    const int n = own_span(w, e - s) + 2 * (int)round, last = t->dim - 1;
    float *strip[2][VALUES], *slow_slope[VALUES];
    float *const *slope[3] = {strip[0], strip[1], strip[1]};
    struct flux_predict p = {.n = n, .gas = &t->g};
    for (int v = 0; v < w->all; v++) {
        for (int a = 0; a < 2; a++) strip[a][v] = w->slope[a][v] + w->in - round;
        slow_slope[v] = w->slow_slope[v] + at;
    }
    slope[last] = slow_slope;
    for (int a = 0; a < t->dim; a++) limited_slopes(w, a, s, round, n, slope[a]);
    for (int v = 0; v < w->all && w->first_order; v++)
        memcpy(w->predicted[v] + at, w->w[v] + at, (size_t)n * sizeof(float));
    if (w->first_order) return;
    for (int v = 0; v < w->vars; v++) {
        p.w[v] = w->w[v] + at;
        p.out[v] = w->predicted[v] + at;
        for (int a = 0; a < t->dim; a++) p.slope[a][v] = slope[a][v];
    }
    t->k->predict(&p);
    scalars_predict(w, at, n, slope);
}

/* ---- fluxes --------------------------------------------------------------------------------------------------------
 */

/// Faces in a row: in the block's shape the cells above them from `high` on, those below `step` before.
struct faces {
    int a, n;
    ptrdiff_t high, step;
    float *const *low_cell, *const *high_cell; ///< predicted values
    float *const *low_slope, *const *high_slope;
    float *const *low, *const *up; ///< fluxes as the cells below and above see them
};

/* At walls each side has a flux of its own. */
static void wall_fluxes(const struct work *w, const struct faces *f)
{
    const int v = 1 + f->a;
    const float *gate = w->gate[f->a] + f->high;
    for (int i = flux_closed_next(gate, 0, f->n); i < f->n; i = flux_closed_next(gate, i + 1, f->n)) {
        const ptrdiff_t high = f->high + i, low = high - f->step;
        const float speed = w->speed[f->a] ? w->speed[f->a][high] : 0;
        if (w->walls.open[low] > 0)
            flux_wall_flux(&(struct flux_wall){&w->t->g, f->a, w->all, i, 1, speed, f->low_cell, f->low},
                           f->low_cell[v][i] + 0.5f * f->low_slope[v][i]);
        if (w->walls.open[high] > 0)
            flux_wall_flux(&(struct flux_wall){&w->t->g, f->a, w->all, i, -1, speed, f->high_cell, f->up},
                           f->high_cell[v][i] - 0.5f * f->high_slope[v][i]);
    }
}

static void face_fluxes(const struct work *w, const struct faces *f)
{
    const struct flux_task *t = w->t;
    struct flux_faces k = {.n = f->n, .axis = f->a, .gas = &t->g};
    for (int v = 0; v < w->vars; v++) {
        k.low[v] = f->low_cell[v];
        k.high[v] = f->high_cell[v];
        k.low_slope[v] = f->low_slope[v];
        k.high_slope[v] = f->high_slope[v];
        k.flux[v] = f->low[v];
    }
    t->k->faces(&k);
    for (int v = w->vars; v < w->all; v++)
        t->k->advect_scalar(f->n, f->low[0], f->low_cell[v], f->low_slope[v], f->high_cell[v], f->high_slope[v],
                            f->low[v]);
    if (!w->gate[f->a]) return;
    for (int v = 0; v < w->all; v++) memcpy(f->up[v], f->low[v], (size_t)f->n * sizeof(float));
    wall_fluxes(w, f);
}

/* Faces inside slices s to e - 1, across all axes but the slow one. In strips face i is the one below cell i. */
static void inner_faces(const struct work *w, int s, int e, int begin)
{
    const int n = own_span(w, e - begin);
    const ptrdiff_t skip = (begin - s) * w->line + w->in;
    for (int a = 0; a < w->t->dim - 1; a++) {
        const ptrdiff_t step = w->sh.step[w->t->axis[a]];
        float *low_cell[VALUES], *high_cell[VALUES], *low_slope[VALUES], *high_slope[VALUES], *low[VALUES], *up[VALUES];
        for (int v = 0; v < w->all; v++) {
            high_cell[v] = w->predicted[v] + ring_at(w, begin);
            low_cell[v] = high_cell[v] - step;
            high_slope[v] = w->slope[a][v] + skip;
            low_slope[v] = high_slope[v] - step;
            low[v] = w->flux[a][0][v] + skip;
            up[v] = w->flux[a][1][v] + skip;
        }
        const struct faces f = {a,         n + (int)step, begin * w->line, step, low_cell,
                                high_cell, low_slope,     high_slope,      low,  up};
        face_fluxes(w, &f);
    }
}

/* Faces below slices `begin` to e - 1. In strips the first slice is the one before s. */
static void outer_faces(const struct work *w, int s, int e, int begin)
{
    const int a = w->t->dim - 1;
    const ptrdiff_t above = ring_at(w, begin), below = ring_at(w, begin - 1), to = (begin - s + 1) * w->line + w->in;
    float *low_cell[VALUES], *high_cell[VALUES], *low_slope[VALUES], *high_slope[VALUES], *low[VALUES], *up[VALUES];
    for (int v = 0; v < w->all; v++) {
        low_cell[v] = w->predicted[v] + below;
        high_cell[v] = w->predicted[v] + above;
        low_slope[v] = w->slow_slope[v] + below;
        high_slope[v] = w->slow_slope[v] + above;
        low[v] = w->flux[a][0][v] + to;
        up[v] = w->flux[a][1][v] + to;
    }
    const struct faces f = {
        a, own_span(w, e - begin), begin * w->line, w->line, low_cell, high_cell, low_slope, high_slope, low, up};
    face_fluxes(w, &f);
}

/* ---- new values ----------------------------------------------------------------------------------------------------
 */

static ptrdiff_t out_at(const struct work *w, int s)
{
    const struct bw_view *out = &w->b->view[w->t->n_in];
    return s * (w->slow == 2 ? out->sz : out->sy);
}

/* Rows that one call may do from a slice on: where slices are rows, those of all. */
static int rows_from(const struct work *w, int slices) { return w->slow == 2 ? w->rows : slices; }

/* Updates slices begin to e - 1 by the fluxes through their inner faces, which lie `skip` values into the strips. */
static void inner_update(const struct work *w, int begin, int e, ptrdiff_t skip)
{
    const uint32_t base = w->t->n_in;
    const int axes = w->t->dim - 1;
    for (int v = 0; v < w->all; v++) {
        const float *from = component(w, v, 0);
        float *out = component(w, v, base);
        for (int s = begin; s < e; s += w->slow == 2 ? 1 : e - begin) {
            const ptrdiff_t at = skip + (s - begin) * w->line + w->in;
            struct flux_update u = {.n = w->b->n[0],
                                    .rows = rows_from(w, e - begin),
                                    .ratio = w->t->ratio,
                                    .from = from + s * w->line,
                                    .out = out + out_at(w, s),
                                    .stride = w->sh.step[1],
                                    .from_stride = w->sh.step[1],
                                    .out_stride = w->b->view[base].sy};
            for (int a = 0; a < axes; a++) { // a cell sees its lower face from above
                u.low[a] = w->flux[a][1][v] + at;
                u.high[a] = w->flux[a][0][v] + at + w->sh.step[w->t->axis[a]];
            }
            w->t->k->update(&u);
        }
    }
}

/* Updates slices begin to e - 1 by the fluxes from one slice to the next; `s`: the strips' first slice. */
static void outer_update(const struct work *w, int s, int begin, int e)
{
    const uint32_t base = w->t->n_in;
    const int a = w->t->dim - 1;
    for (int v = 0; v < w->all; v++) {
        float *out = component(w, v, base);
        for (int q = begin; q < e; q += w->slow == 2 ? 1 : e - begin) {
            const ptrdiff_t at = (q - s + 1) * w->line + w->in;
            float *to = out + out_at(w, q);
            const struct flux_update u = {.n = w->b->n[0],
                                          .rows = rows_from(w, e - begin),
                                          .ratio = w->t->ratio,
                                          .low = {w->flux[a][1][v] + at},
                                          .high = {w->flux[a][0][v] + at + w->line},
                                          .from = to,
                                          .out = to,
                                          .stride = w->sh.step[1],
                                          .from_stride = w->b->view[base].sy,
                                          .out_stride = w->b->view[base].sy};
            w->t->k->update(&u);
        }
    }
}

/* Damping removes kinetic energy; drain relaxes everything to the ambient gas. */
static void row_damp_and_drain(const struct work *w, int j, int k)
{
    const struct flux_task *t = w->t;
    const struct bw_view *out = &w->b->view[t->n_in];
    const ptrdiff_t to = j * out->sy + k * out->sz;
    const float lost = 0.5f * (1 - t->damping_factor * t->damping_factor), ambient = (float)t->p->ambient_density;
    float *r = component(w, 0, t->n_in) + to, *e = t->g.ideal ? component(w, w->vars - 1, t->n_in) + to : NULL, *m[3];
    for (int a = 0; a < t->dim; a++) m[a] = component(w, 1 + a, t->n_in) + to;
    for (int i = 0; i < w->sh.n[0]; i++) {
        float square = 0;
        for (int a = 0; a < t->dim; a++) {
            square += m[a][i] * m[a][i];
            m[a][i] *= t->damping_factor * t->drain_factor;
        }
        if (e) e[i] = t->drain_factor * (e[i] - lost * square / r[i]);
        r[i] = ambient + t->drain_factor * (r[i] - ambient);
    }
}

/* Cells inside obstacles keep their values. */
static void row_restore_solid(const struct work *w, int j, int k)
{
    const struct bw_view *out = &w->b->view[w->t->n_in];
    const ptrdiff_t at = flux_at(&w->sh, j, k), to = j * out->sy + k * out->sz;
    const float *open = w->walls.open + at;
    const int n = w->sh.n[0];
    for (int i = flux_closed_next(open, 0, n); i < n; i = flux_closed_next(open, i + 1, n))
        for (int v = 0; v < w->all; v++) component(w, v, w->t->n_in)[to + i] = component(w, v, 0)[at + i];
}

static void row_max_wave_speed(const struct work *w, int j, int k, int n, float *most, float *least)
{
    const struct flux_task *t = w->t;
    const struct bw_view *out = &w->b->view[t->n_in];
    const float *u[FLUX_VARS];
    for (int v = 0; v < w->vars; v++) u[v] = component(w, v, t->n_in) + j * out->sy + k * out->sz;
    t->k->max_wave_speed(&t->g, n, u, (float)t->p->ambient_density, t->pressure, most, least);
}

/* Copies the momentum along the thin axis, which no flux changes. */
static void row_thin(const struct work *w, int j, int k)
{
    const int thin = w->b->grid->thin;
    const struct bw_view *from = &w->b->view[1], *out = &w->b->view[w->t->n_in + 1];
    memcpy(bw_f32(out, thin) + j * out->sy + k * out->sz, bw_f32(from, thin) + flux_at(&w->sh, j, k),
           (size_t)w->sh.n[0] * sizeof(float));
}

static void slice_end(const struct work *w, int s, float *most, float *least)
{
    const int32_t n = w->b->n[0];
    const int dense = w->b->view[w->t->n_in].sy == n, first = w->slow == 2 ? 0 : s, k = w->slow == 2 ? s : 0;
    for (int j = first; j < first + w->rows; j++) {
        if (w->t->drain_factor < 1 || w->t->damping_factor < 1) row_damp_and_drain(w, j, k);
        if (w->walls.open) row_restore_solid(w, j, k);
        if (w->b->grid->thin >= 0) row_thin(w, j, k);
        if (!dense) row_max_wave_speed(w, j, k, n, most, least);
    }
    if (dense) row_max_wave_speed(w, first, k, n * w->rows, most, least);
}

/* Moves the fluxes above a strip's last slice to the start of the next strip. */
static void strip_shift(const struct work *w, int slices)
{
    const int a = w->t->dim - 1;
    for (int v = 0; v < w->all; v++)
        for (int q = 0; q < (w->gate[a] ? 2 : 1); q++)
            memcpy(w->flux[a][q][v], w->flux[a][q][v] + slices * w->line, (size_t)w->line * sizeof(float));
}

void flux_euler_block(const struct bw_block *b, const struct flux_task *t, int first_order)
{
    struct work w;
    float most = 0, least = HUGE_VALF;
    if (!work_begin(&w, t, b, first_order)) return;
    const int n = b->n[w.slow];
    for (int s = -1, e; s <= n; s = e) {
        e = s + w.slices < n + 1 ? s + w.slices : n + 1;
        const int begin = s < 0 ? 0 : s, own = e < n ? e : n;
        primitive_variables(&w, s < 0 ? -2 : s + 1, e + 1);
        outflow(&w, s < 0 ? -2 : s + 1, e + 1);
        predictor(&w, s, e);
        if (begin < own) {
            inner_faces(&w, s, own, begin);
            inner_update(&w, begin, own, (begin - s) * w.line);
        }
        if (begin < e) outer_faces(&w, s, e, begin);
        const int first = s > 0 ? s - 1 : 0;
        outer_update(&w, s, first, e - 1);
        for (int q = first; q < e - 1; q++) slice_end(&w, q, &most, &least);
        strip_shift(&w, e - s);
    }
    b->max[0] = (double)most;
    b->max[1] = -(double)least;
}
