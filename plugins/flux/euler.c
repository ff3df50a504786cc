// SPDX-License-Identifier: Apache-2.0
/* flux, modern mode: compressible gas, Euler's equations in conserved form,
 *
 *   d/dt (rho, rho u, E) + div (rho u, rho u u + p, u (E + p)) = 0,   p = (gamma - 1)(E - ½ rho u²)   or   p = c² rho.
 *
 * Finite volumes: slopes of rho, u, p limited (MC), half a step in primitive variables (MUSCL–Hancock: van Leer 1979,
 * 1984; Toro, ch. 14), HLLC or Rusanov at the faces, all axes at once. Second order where it is smooth; conserves to
 * rounding. Stable for dt·Σ(|u_a| + c) ≤ h; substeps keep to `cfl` of it. E is kept as excess over the ambient gas.
 * A substep that leaves a cell without mass or pressure is taken back and made at first order in two halves: with HLLC
 * or Rusanov that keeps both positive (Einfeldt 1991; Batten 1997).
 * Walls mirror the gas: nothing but pressure passes. What is carried goes with the mass flux, as share of the mass. */
#include "flux.h"
#include <math.h>
#include <string.h>

enum { STRIP = 512 };

/* Kernels work on strips: several rows, halos included, as one long one. What they make of the halos at the rows' ends,
 * out of neighbours that are none, is not used. */

/// A block at work: arrays in the shape of the views that are read.
struct work {
    const struct flux_task *t;
    const struct bw_block *b;
    struct flux_shape sh;
    int vars, all; ///< of the gas; and with what is carried
    float *w[FLUX_VARS + 3 * FLUX_CARRIED], *later[FLUX_VARS + 3 * FLUX_CARRIED], *open;
    float *slope[3][FLUX_VARS + 3 * FLUX_CARRIED];   ///< strips
    float *flux[2][2][FLUX_VARS + 3 * FLUX_CARRIED]; ///< strips: two in turn, as the cells below and above see them
    float *turn[2][FLUX_VARS + 3 * FLUX_CARRIED];    ///< strips: slopes in turn
    int rows;                                        ///< of a strip
    size_t strip;                                    ///< values it has room for
    int first_order;
};

/* Component `v` of the gas or of what is carried, in a block's views from `base` on. */
static float *value_of(const struct work *w, int v, uint32_t base)
{
    const struct flux_task *t = w->t;
    const struct bw_view *view = w->b->view + base;
    if (v == 0) return bw_f32(&view[0], 0);
    if (v <= t->dim) return bw_f32(&view[1], t->axis[v - 1]);
    if (v < w->vars) return bw_f32(&view[t->energy], 0);
    int c = v - w->vars;
    for (int32_t i = 0; i < t->n_carried; i++) {
        const struct bw_view *q = &view[t->carried + i];
        if (c < q->comps) return bw_f32(q, c);
        c -= q->comps;
    }
    return NULL;
}

static int work_begin(struct work *w, const struct flux_task *t, const struct bw_block *b, int first_order)
{
    *w = (struct work){
        .t = t, .b = b, .sh = flux_shape_of(b, &b->view[0], FLUX_HALO), .vars = t->g.vars, .first_order = first_order};
    w->all = w->vars;
    for (int32_t i = 0; i < t->n_carried; i++) w->all += b->view[t->carried + i].comps;
    const int walls = flux_walls_near(t, b), strips = 9 * w->all, fit = STRIP / (int)w->sh.step[1];
    const size_t plane = (w->sh.cells + 31) & ~(size_t)15;
    w->rows = fit < 1 ? 1 : fit;
    w->strip = ((size_t)(w->rows + 2) * (size_t)w->sh.step[1] + 16 + 15) & ~(size_t)15;
    float *at = b->stage->host->body_scratch(b, ((size_t)(2 * w->all + walls) * plane + (size_t)strips * w->strip) *
                                                    sizeof *at);
    if (!at) return 0;
    for (int v = 0; v < w->all; v++, at += 2 * plane) {
        w->w[v] = at + w->sh.origin;
        w->later[v] = at + plane + w->sh.origin;
    }
    if (walls) {
        w->open = at + w->sh.origin;
        at += plane;
        flux_open_fill(t, b, &w->sh, w->open, NULL);
    }
    for (int v = 0; v < w->all; v++, at += 9 * w->strip) {
        for (int a = 0; a < 3; a++) w->slope[a][v] = at + (size_t)a * w->strip;
        for (int e = 0; e < 4; e++) w->flux[e >> 1][e & 1][v] = at + (size_t)(3 + e) * w->strip;
        for (int e = 0; e < 2; e++) w->turn[e][v] = at + (size_t)(7 + e) * w->strip;
    }
    return 1;
}

/* Primitive variables everywhere, halo included; what is carried as share of the mass. */
static void primitives_make(const struct work *w)
{
    const ptrdiff_t at = -w->sh.origin;
    const int n = (int)w->sh.cells;
    const float *u[FLUX_VARS];
    float *to[FLUX_VARS];
    for (int v = 0; v < w->vars; v++) {
        u[v] = value_of(w, v, 0) + at;
        to[v] = w->w[v] + at;
    }
    w->t->k->primitive(&w->t->g, n, u, to);
    for (int v = w->vars; v < w->all; v++) {
        const float *q = value_of(w, v, 0) + at;
        float *share = w->w[v] + at;
        for (int i = 0; i < n; i++) share[i] = q[i] / u[0][i];
    }
}

/* Slopes of every variable along active axis `a`, of the cells at `at` and the n - 1 after it. */
static void slopes_make(const struct work *w, int a, ptrdiff_t at, int n, float *const out[])
{
    const ptrdiff_t step = w->sh.step[w->t->axis[a]];
    for (int v = 0; v < w->all; v++) {
        if (w->first_order) {
            memset(out[v], 0, (size_t)n * sizeof(float));
            continue;
        }
        struct flux_slope s = {.n = n,
                               .normal = v == 1 + a,
                               .limiter = w->t->g.limiter,
                               .at = w->w[v] + at,
                               .low = w->w[v] + at - step,
                               .high = w->w[v] + at + step,
                               .slope = out[v]};
        if (w->open) s.open[0] = w->open + at - step, s.open[1] = w->open + at + step;
        w->t->k->slope(&s);
    }
}

/* The strip from row (j, k) on, which ends before row `end`; *n: its cells. */
static ptrdiff_t strip_at(const struct work *w, int j, int k, int end, int *n)
{
    const int rows = end - j < w->rows ? end - j : w->rows;
    *n = rows * (int)w->sh.step[1];
    return flux_at(&w->sh, j, k) - w->sh.halo[0];
}

/* Values half a step later, in the block's cells and one round them. */
static void later_make(const struct work *w)
{
    const struct flux_shape *sh = &w->sh;
    const struct flux_task *t = w->t;
    const int ring[3] = {0, sh->halo[1] > 0, sh->halo[2] > 0}, end = sh->n[1] + ring[1];
    for (int k = -ring[2]; k < sh->n[2] + ring[2]; k++)
        for (int j = -ring[1]; j < end; j += w->rows) {
            int n;
            const ptrdiff_t at = strip_at(w, j, k, end, &n);
            if (w->first_order) {
                for (int v = 0; v < w->all; v++) memcpy(w->later[v] + at, w->w[v] + at, (size_t)n * sizeof(float));
                continue;
            }
            struct flux_predict p = {.n = n, .gas = &t->g};
            for (int a = 0; a < t->dim; a++) slopes_make(w, a, at, n, w->slope[a]);
            for (int v = 0; v < w->vars; v++) {
                p.w[v] = w->w[v] + at;
                p.out[v] = w->later[v] + at;
                for (int a = 0; a < t->dim; a++) p.slope[a][v] = w->slope[a][v];
            }
            t->k->predict(&p);
            for (int v = w->vars; v < w->all; v++) {
                const float *q = w->w[v] + at;
                float *to = w->later[v] + at;
                memcpy(to, q, (size_t)n * sizeof *to);
                for (int a = 0; a < t->dim; a++) {
                    const float *u = w->w[1 + a] + at, *s = w->slope[a][v];
                    for (int i = 0; i < n; i++) to[i] -= t->g.half * u[i] * s[i];
                }
            }
        }
}

/* Pressure on a wall that gas of (rho, u, p) runs into (u > 0): HLLC against its mirror image, not below 0. */
static float wall_pressure(const struct flux_task *t, float r, float u, float p)
{
    const float c = t->g.ideal ? sqrtf(t->g.gamma * p / r) : t->g.sound;
    return fmaxf(p + r * u * (fabsf(u) + c), 0.0f);
}

/// Where the cells below a row of faces are, and their slopes; the same above.
struct beside {
    ptrdiff_t low, high;
    float *const *low_slope, *const *high_slope;
};

/* At walls nothing passes, and each side feels a pressure of its own. */
static void walls_close(const struct work *w, int a, const struct beside *s, int n, float *const low[],
                        float *const high[])
{
    const struct flux_task *t = w->t;
    const int e = w->vars - 1;
    for (int i = 0; i < n; i++) {
        const float below = w->open[s->low + i], above = w->open[s->high + i];
        if (below > 0 && above > 0) continue;
        for (int v = 0; v < w->all; v++) low[v][i] = high[v][i] = 0;
        const float *const *q = (const float *const *)w->later;
        const float square = t->g.sound * t->g.sound;
        const float pl = t->g.ideal ? q[e][s->low + i] : square * q[0][s->low + i];
        const float ph = t->g.ideal ? q[e][s->high + i] : square * q[0][s->high + i];
        if (below > 0)
            low[1 + a][i] =
                wall_pressure(t, q[0][s->low + i], q[1 + a][s->low + i] + 0.5f * s->low_slope[1 + a][i], pl);
        if (above > 0)
            high[1 + a][i] =
                wall_pressure(t, q[0][s->high + i], -(q[1 + a][s->high + i] - 0.5f * s->high_slope[1 + a][i]), ph);
    }
}

/* A row of faces; `low` and `high` are what the cells on either side see. */
static void faces_make(const struct work *w, int a, const struct beside *s, int n, float *const low[],
                       float *const high[])
{
    const struct flux_task *t = w->t;
    struct flux_faces f = {.n = n, .axis = a, .gas = &t->g};
    for (int v = 0; v < w->vars; v++) {
        f.low[v] = w->later[v] + s->low;
        f.high[v] = w->later[v] + s->high;
        f.low_slope[v] = s->low_slope[v];
        f.high_slope[v] = s->high_slope[v];
        f.flux[v] = low[v];
    }
    t->k->faces(&f);
    for (int v = w->vars; v < w->all; v++)
        t->k->carry(n, low[0], w->later[v] + s->low, s->low_slope[v], w->later[v] + s->high, s->high_slope[v], low[v]);
    if (!w->open) return;
    for (int v = 0; v < w->all; v++) memcpy(high[v], low[v], (size_t)n * sizeof(float));
    walls_close(w, a, s, n, low, high);
}

/* The first active axis starts from the old values, the others go on. */
static void row_update(const struct work *w, int a, int j, int k, float *const below[], float *const above[])
{
    const uint32_t base = w->t->n_in;
    const struct bw_view *out = &w->b->view[base];
    const ptrdiff_t at = flux_at(&w->sh, j, k), to = j * out->sy + k * out->sz;
    for (int v = 0; v < w->all; v++) {
        float *row = value_of(w, v, base) + to;
        w->t->k->update(w->sh.n[0], w->t->ratio, below[v], above[v], a == 0 ? value_of(w, v, 0) + at : row, row);
    }
}

/* The rows of a strip from row (j, k) on: face i below cell i is at [i], the one above at [i + up] of `above`. */
static void strip_update(const struct work *w, int a, int j, int k, int n, float *const below[], float *const above[],
                         ptrdiff_t up)
{
    for (int row = 0; row * w->sh.step[1] < n; row++) {
        float *low[FLUX_VARS + 3 * FLUX_CARRIED], *high[FLUX_VARS + 3 * FLUX_CARRIED];
        for (int v = 0; v < w->all; v++) {
            low[v] = below[v] + row * w->sh.step[1] + w->sh.halo[0];
            high[v] = above[v] + row * w->sh.step[1] + w->sh.halo[0] + up;
        }
        row_update(w, a, j + row, k, low, high);
    }
}

/* Along x, and along y: the faces of a strip are in the strip itself. */
static void sweep_inside(const struct work *w, int a)
{
    const struct flux_shape *sh = &w->sh;
    const ptrdiff_t step = sh->step[w->t->axis[a]];
    for (int k = 0; k < sh->n[2]; k++)
        for (int j = 0; j < sh->n[1]; j += w->rows) {
            int n;
            const ptrdiff_t at = strip_at(w, j, k, sh->n[1], &n);
            float *up[FLUX_VARS + 3 * FLUX_CARRIED];
            slopes_make(w, a, at - step, n + 2 * (int)step, w->turn[0]);
            for (int v = 0; v < w->all; v++) up[v] = w->turn[0][v] + step;
            const struct beside s = {at - step, at, w->turn[0], up};
            faces_make(w, a, &s, n + (int)step, w->flux[0][0], w->flux[0][1]);
            strip_update(w, a, j, k, n, w->flux[0][w->open ? 1 : 0], w->flux[0][0],
                         step); // 1: seen from above the face
        }
}

/* Along z strip by strip, slopes and fluxes of two in turn. */
static void sweep_across(const struct work *w, int a)
{
    const struct flux_shape *sh = &w->sh;
    const ptrdiff_t step = sh->step[2];
    for (int j = 0; j < sh->n[1]; j += w->rows) {
        int n;
        const ptrdiff_t base = strip_at(w, j, 0, sh->n[1], &n);
        slopes_make(w, a, base - step, n, w->turn[1]);
        for (int q = 0; q <= sh->n[2]; q++) {
            float *const *below = w->turn[(q + 1) & 1], *const *here = w->turn[q & 1];
            slopes_make(w, a, base + q * step, n, here);
            const struct beside s = {base + (q - 1) * step, base + q * step, below, here};
            faces_make(w, a, &s, n, w->flux[q & 1][0], w->flux[q & 1][1]);
            if (q > 0) strip_update(w, a, j, q - 1, n, w->flux[(q - 1) & 1][w->open ? 1 : 0], w->flux[q & 1][0], 0);
        }
    }
}

/* Damping takes the energy of the motion with it; drain leads everything back to the ambient gas. */
static void row_calm(const struct work *w, int j, int k)
{
    const struct flux_task *t = w->t;
    const struct bw_view *out = &w->b->view[t->n_in];
    const ptrdiff_t to = j * out->sy + k * out->sz;
    const float lost = 0.5f * (1 - t->calm * t->calm), ambient = (float)t->p->ambient;
    float *r = value_of(w, 0, t->n_in) + to, *e = t->g.ideal ? value_of(w, w->vars - 1, t->n_in) + to : NULL, *m[3];
    for (int a = 0; a < t->dim; a++) m[a] = value_of(w, 1 + a, t->n_in) + to;
    for (int i = 0; i < w->sh.n[0]; i++) {
        float square = 0;
        for (int a = 0; a < t->dim; a++) {
            square += m[a][i] * m[a][i];
            m[a][i] *= t->calm * t->keep;
        }
        if (e) e[i] = t->keep * (e[i] - lost * square / r[i]);
        r[i] = ambient + t->keep * (r[i] - ambient);
    }
}

/* Cells behind walls keep what they hold. */
static void row_keep(const struct work *w, int j, int k)
{
    const struct bw_view *out = &w->b->view[w->t->n_in];
    const ptrdiff_t at = flux_at(&w->sh, j, k), to = j * out->sy + k * out->sz;
    for (int i = 0; i < w->sh.n[0]; i++) {
        if (w->open[at + i] > 0) continue;
        for (int v = 0; v < w->all; v++) value_of(w, v, w->t->n_in)[to + i] = value_of(w, v, 0)[at + i];
    }
}

static void row_survey(const struct work *w, int j, int k, float *most, float *least)
{
    const struct flux_task *t = w->t;
    const struct bw_view *out = &w->b->view[t->n_in];
    const float *u[FLUX_VARS];
    for (int v = 0; v < w->vars; v++) u[v] = value_of(w, v, t->n_in) + j * out->sy + k * out->sz;
    t->k->survey(&t->g, w->sh.n[0], u, (float)t->p->ambient, t->pressure, most, least);
}

/* What does not move across a plane: the momentum along its thin axis. */
static void row_thin(const struct work *w, int j, int k)
{
    const int thin = w->b->grid->thin;
    const struct bw_view *from = &w->b->view[1], *out = &w->b->view[w->t->n_in + 1];
    memcpy(bw_f32(out, thin) + j * out->sy + k * out->sz, bw_f32(from, thin) + flux_at(&w->sh, j, k),
           (size_t)w->sh.n[0] * sizeof(float));
}

static void euler_block(const struct bw_block *b, const struct flux_task *t, int first_order)
{
    struct work w;
    float most = 0, least = HUGE_VALF;
    if (!work_begin(&w, t, b, first_order)) return;
    primitives_make(&w);
    later_make(&w);
    for (int a = 0; a < t->dim; a++) {
        if (t->axis[a] < 2)
            sweep_inside(&w, a);
        else
            sweep_across(&w, a);
    }
    for (int k = 0; k < w.sh.n[2]; k++)
        for (int j = 0; j < w.sh.n[1]; j++) {
            if (t->keep < 1 || t->calm < 1) row_calm(&w, j, k);
            if (w.open) row_keep(&w, j, k);
            if (b->grid->thin >= 0) row_thin(&w, j, k);
            row_survey(&w, j, k, &most, &least);
        }
    b->max[0] = (double)most;
    b->max[1] = -(double)least;
}

static void second_body(const struct bw_block *b, void *user)
{
    euler_block(b, user, 0);
}
static void first_body(const struct bw_block *b, void *user)
{
    euler_block(b, user, 1);
}

/* ---- substeps ------------------------------------------------------------------------------------------------------
 */

/* One substep into the scratch fields. *good: every cell has mass and pressure left. */
static enum bw_status substep(struct flux_task *t, double dt, int first_order, double *signal, int *good)
{
    struct bw_stage *s = t->s;
    double max[2] = {0, -1};
    t->ratio = (float)(dt / s->grid->h);
    t->g.half = 0.5f * t->ratio;
    t->keep = (float)exp(-t->p->drain * dt);
    t->calm = (float)exp(-t->p->damping * dt);
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = t->access,
                                                                 .n_access = t->n_access,
                                                                 .body = first_order ? first_body : second_body,
                                                                 .user = t,
                                                                 .reach = flux_reach,
                                                                 .maxs = max,
                                                                 .n_maxs = 2});
    *good = max[1] < -1e-6 && max[0] < HUGE_VAL;
    *signal = fmax(max[0], t->dim * t->p->sound_speed);
    return status;
}

static enum bw_status fields_swap(struct flux_task *t)
{
    enum bw_status status = BW_OK;
    for (uint32_t i = 0; i < t->n_in && status == BW_OK; i++)
        status = t->s->host->swap_fields(t->s, t->access[i].field, t->access[t->n_in + i].field);
    return status;
}

/// How a step is going.
struct course {
    double left, signal; ///< s, m/s
    int64_t made, taken_back;
    int halve; ///< substeps at first order and half the length that are still to come
};

/* The next substep's length: equal parts of what is left. */
static double course_dt(const struct flux_task *t, const struct course *c)
{
    const double longest = t->p->cfl * t->s->grid->h / c->signal;
    const double wanted = t->p->dt > 0 ? t->p->dt : longest;
    const double parts = ceil(c->left / wanted - 1e-6);
    return c->left / fmax(parts, 1);
}

static enum bw_status course_check(const struct flux_task *t, const struct course *c)
{
    struct bw_stage *s = t->s;
    const double limit = s->grid->h / c->signal;
    if (t->p->dt > limit)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "dt is %g s, but signals of %.4g m/s cross a cell of %g m in %.4g s: no longer step is stable", t->p->dt,
            c->signal / t->dim, s->grid->h, limit);
    if (c->made + c->left / (t->p->cfl * limit) > (double)t->p->max_substeps + 1)
        return s->host->fail(s, BW_ERR_DIVERGED, "%g s take %.0f substeps at %.4g m/s, more than max_substeps: %lld",
                             s->dt, (double)c->made + c->left / (t->p->cfl * limit), c->signal / t->dim,
                             (long long)t->p->max_substeps);
    return s->host->cancelled(s) ? BW_ERR_CANCELLED : BW_OK;
}

static enum bw_status scratch_make(struct flux_task *t)
{
    for (uint32_t i = 0; i < t->n_in; i++) {
        const struct bw_field_info *info = t->s->host->field_info(t->access[i].field);
        struct bw_field *f = t->s->host->scratch_field(t->s, info->kind, info->precision);
        if (!f) return BW_ERR_MEMORY;
        t->access[t->n_in + i].field = f;
    }
    return BW_OK;
}

/* One substep, made again at first order where it fails. */
static enum bw_status course_go(struct flux_task *t, struct course *c)
{
    double dt = course_dt(t, c), signal;
    int good;
    enum bw_status status = substep(t, dt, 0, &signal, &good);
    if (status == BW_OK && !good) {
        c->taken_back++;
        dt *= 0.5;
        status = substep(t, dt, 1, &signal, &good);
    }
    if (status == BW_OK && !good)
        status = t->s->host->fail(t->s, BW_ERR_DIVERGED, "a cell lost its mass or pressure in a substep of %g s", dt);
    if (status == BW_OK) status = fields_swap(t);
    c->signal = signal;
    c->left = dt < c->left * (1 - 1e-9) ? c->left - dt : 0;
    c->made++;
    return status;
}

enum bw_status flux_euler_run(struct flux_task *t)
{
    struct course c = {.left = t->s->dt};
    enum bw_status status = flux_look(t, &c.signal);
    if (status == BW_OK) status = scratch_make(t);
    while (status == BW_OK && c.left > 0) {
        status = course_check(t, &c);
        if (status == BW_OK) status = course_go(t, &c);
    }
    t->st->steps = c.made;
    if (status == BW_OK) t->s->host->metric(t->s, "taken_back", (double)c.taken_back, BW_METRIC_SUM);
    return status;
}
