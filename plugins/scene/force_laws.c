// SPDX-License-Identifier: Apache-2.0
/* What else pushes the gas: the acceleration f of a face. c: how much of it the shape covers (1 everywhere).
 *   wind        f takes u to W + (u - W)·exp(-rate·c·s) in a step that is s long, whatever else pushes: exact for any s
 *   vortex      f += c·strength·g(r/R)·(axis × r)/|axis × r|, r = distance from the axis
 *   attractor   f += c·strength·g(r/R)·(towards the point)
 *   turbulence  f += c·strength·curl ψ, ψ = three gradient noises that evolve in time
 * With `front` ψ is multiplied by the share of front.c, so the eddies live where that field changes, and are still
 * without divergence: heads of hot gas break up, and the air around and the gas within stay calm.
 * g(q) = q·exp((1-q²)/2) rises from 0 to its greatest value 1 at q = 1 and fades beyond.
 * ψ lives on cell edges and the curl is the discrete one, so turbulence has no divergence at all on the grid
 * (Bridson, Hourihan, Nordenstam 2007, with edges for their finite differences); in a domain one cell thick only the
 * component of ψ along the thin axis is there. */
#include "force.h"
#include <common/vec3.h>

#include <math.h>
#include <stdbool.h>

static double profile(double q) { return q * exp(0.5 * (1 - q * q)); }

static double vortex_push(const struct force_plan *a, const double x[3], int axis)
{
    const struct vortex *v = &a->kind->vortex;
    double d[3], turn[3];
    vec3_sub(x, v->center, d);
    vec3_cross(a->axis, d, turn);
    const double r = vec3_length(turn);
    return r > 0 ? v->strength * profile(r / v->radius) * turn[axis] / r : 0;
}

static double attractor_push(const struct force_plan *a, const double x[3], int axis)
{
    const struct attractor *v = &a->kind->attractor;
    double d[3];
    vec3_sub(v->center, x, d);
    const double r = vec3_length(d);
    return r > 0 ? v->strength * profile(r / v->radius) * d[axis] / r : 0;
}

/* ψ on the edges of one block: component c at edge (i,j,k) is [c][i + stride·…], n+1 edges along each axis. */
struct edges {
    float *psi[3];
    ptrdiff_t sy, sz;
    int first[3], last[3]; ///< along y and z: elsewhere it is 0; last < first: everywhere
};

/* Add one octave of one component of ψ to its edges; `plane`: room for bw_noise_plane. */
static void edges_add(const struct bw_block *b, struct edges *e, int comp, const struct bw_noise_lattice *l,
                      double factor, double *plane)
{
    const double at[3] = {comp == 0 ? 0.5 : 0, comp == 1 ? 0.5 : 0, comp == 2 ? 0.5 : 0};
    struct bw_noise_row x;
    struct bw_noise_step y[BW_NOISE_COLUMNS];
    for (int i = 0; i <= b->n[0]; i++) bw_noise_row_add(&x, l, i, block_coord(b, 0, i + at[0]));
    for (int j = e->first[1]; j <= e->last[1]; j++) y[j] = bw_noise_locate(l, 1, block_coord(b, 1, j + at[1]));
    for (int k = e->first[2]; k <= e->last[2]; k++) {
        const struct bw_noise_step z = bw_noise_locate(l, 2, block_coord(b, 2, k + at[2]));
        bw_noise_plane(l, &z, factor, plane);
        for (int j = e->first[1]; j <= e->last[1]; j++)
            bw_noise_add_row(l, &x, &y[j], plane, e->psi[comp] + j * e->sy + k * e->sz);
    }
}

/// Shares of a block's cells and of one more on each side.
struct shares {
    float *at;
    ptrdiff_t sy, sz;
};

static float row_most(const float *row, ptrdiff_t n)
{
    float most = 0;
    for (ptrdiff_t i = 0; i < n; i++) most = row[i] > most ? row[i] : most;
    return most;
}

/* Edges on both sides of row (j,k), counted from the one below the block's first. */
static void edges_meet(const struct bw_block *b, struct edges *e, int j, int k)
{
    const int at[3] = {0, j, k};
    for (int q = 1; q < 3; q++) {
        if (at[q] - 1 < e->first[q]) e->first[q] = at[q] > 0 ? at[q] - 1 : 0;
        if (at[q] > e->last[q]) e->last[q] = at[q] < b->n[q] ? at[q] : b->n[q];
    }
}

/* And which edges they leave. false: out of memory. */
static bool shares_make(const struct force_plan *a, const struct bw_block *b, struct shares *s, struct edges *e)
{
    s->sy = b->n[0] + 2;
    s->sz = s->sy * (b->n[1] + 2);
    s->at = b->stage->host->body_scratch(b, (size_t)(s->sz * (b->n[2] + 2)) * sizeof *s->at);
    if (!s->at) return false;
    front_shares(b, &b->view[a->fronts], a->front_width, a->front_change, s->at);
    for (int q = 1; q < 3; q++) e->first[q] = b->n[q] + 1, e->last[q] = -1;
    const float *row = s->at;
    for (int k = 0; k < b->n[2] + 2; k++)
        for (int j = 0; j < b->n[1] + 2; j++, row += s->sy)
            if (row_most(row, s->sy) > 0) edges_meet(b, e, j, k);
    return true;
}

/* ψ times the mean of the shares of the four cells round each edge. */
static void edges_front(const struct bw_block *b, const struct shares *s, struct edges *e)
{
    const ptrdiff_t step[3] = {1, s->sy, s->sz};
    for (int c = 0; c < 3; c++) {
        const ptrdiff_t u = step[(c + 1) % 3], v = step[(c + 2) % 3];
        const int n[3] = {b->n[0] + (c != 0), b->n[1] + (c != 1), b->n[2] + (c != 2)}; // edges: those along c no more
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++) {
                const float *w = s->at + 1 + (j + 1) * s->sy + (k + 1) * s->sz;
                float *psi = e->psi[c] + j * e->sy + k * e->sz;
                for (int i = 0; i < n[0]; i++, w++) psi[i] *= 0.25f * ((w[0] + w[-u]) + (w[-v] + w[-u - v]));
            }
    }
}

/* No ψ where no front is: most of the air around is far from any. 0: out of memory. */
static int edges_make(const struct force_plan *a, const struct bw_block *b, struct edges *e)
{
    const struct bw_host *host = b->stage->host;
    size_t count = (size_t)(b->n[0] + 1) * (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1);
    struct shares shares = {0};
    for (int q = 0; q < 3; q++) e->first[q] = 0, e->last[q] = b->n[q];
    if (a->fronts && !shares_make(a, b, &shares, e)) return 0;
    if (e->last[2] < e->first[2]) return 1;
    float *memory = host->body_scratch(b, 3 * count * sizeof(float));
    if (!memory) return 0;
    for (size_t i = 0; i < 3 * count; i++) memory[i] = 0;
    e->sy = b->n[0] + 1;
    e->sz = e->sy * (b->n[1] + 1);
    double lo[3], hi[3], size = a->kind->turbulence.size;
    for (int i = 0; i < 3; i++) {
        e->psi[i] = memory + (size_t)i * count;
        lo[i] = block_coord(b, i, 0);
        hi[i] = block_coord(b, i, b->n[i] + 1);
    }
    for (int o = 0; o < a->octaves; o++, size /= 2)
        for (int c = 0; c < 3; c++) {
            if (b->grid->thin >= 0 && c != b->grid->thin) continue;
            struct bw_noise_lattice l;
            uint64_t seed = bw_rng(a->seed, (uint64_t)(3 * o + c));
            l.g = host->body_scratch(b, bw_noise_place(&l, seed, size, lo, hi));
            double *plane = host->body_scratch(b, 3 * sizeof *plane * (size_t)l.n[0] * (size_t)l.n[1]);
            if (!l.g || !plane) return 0;
            bw_noise_fill(&l, seed, a->time * a->kind->turbulence.speed / size);
            edges_add(b, e, c, &l, a->octave[o], plane);
        }
    if (a->fronts) edges_front(b, &shares, e);
    return 1;
}

enum { ROW_FACES = 65 };

/* The faces of one row, from face `from` of row (j,k), along x. */
struct row {
    const struct force_plan *plan;
    const struct bw_block *block;
    const struct edges *edges;
    int axis, from, j, k, n;
    double cover[ROW_FACES];
};

static void row_place(const struct row *r, int i, double x[3])
{
    const int at[3] = {r->from + i, r->j, r->k};
    for (int a = 0; a < 3; a++) x[a] = block_coord(r->block, a, at[a] + (a == r->axis ? 0 : 0.5));
}

/* Everywhere: the same share of all. */
static void row_wind_whole(float *restrict f, const float *restrict vel, double goal, double share, double span, int n)
{
    for (int i = 0; i < n; i++)
        f[i] = (float)(f[i] + bw_force_towards(goal, share, (double)vel[i], (double)f[i], span));
}

static void row_wind(const struct row *r, float *restrict f)
{
    const struct bw_view *v = &r->block->view[VIEW_VEL];
    const float *vel = bw_f32(v, r->axis) + r->from + r->j * v->sy + r->k * v->sz;
    const double goal = r->plan->kind->wind.velocity[r->axis], keep = r->plan->keep, span = r->plan->span;
    const bool everywhere = r->plan->region.kind == SHAPE_EVERYWHERE;
    if (everywhere) row_wind_whole(f, vel, goal, 1 - keep, span, r->n);
    for (int i = 0; !everywhere && i < r->n; i++) {
        const double left = r->cover[i] >= 1 ? keep : r->cover[i] > 0 ? pow(keep, r->cover[i]) : 1;
        f[i] = (float)(f[i] + bw_force_towards(goal, 1 - left, (double)vel[i], (double)f[i], span));
    }
}

/* The curl's component `axis`: (ψ_w(v+1) - ψ_w(v) - ψ_v(w+1) + ψ_v(w))/h with v, w the axes that follow. */
static void row_turbulence(const struct row *r, float *restrict f)
{
    const struct edges *e = r->edges;
    const ptrdiff_t stride[3] = {1, e->sy, e->sz}, first = r->from + r->j * e->sy + r->k * e->sz;
    int v = (r->axis + 1) % 3, w = (r->axis + 2) % 3;
    const float *pv = e->psi[v] + first, *pw = e->psi[w] + first, *pv1 = pv + stride[w], *pw1 = pw + stride[v];
    const double scale = 1 / r->block->grid->h, *cover = r->cover;
    for (int i = 0; i < r->n; i++)
        f[i] = (float)(f[i] + scale * cover[i] * (((double)pw1[i] - pw[i]) - ((double)pv1[i] - pv[i])));
}

static void row_centred(const struct row *r, float *f)
{
    bool vortex = r->plan->kind->kind == FORCE_VORTEX;
    for (int i = 0; i < r->n; i++) {
        double x[3];
        if (r->cover[i] <= 0) continue;
        row_place(r, i, x);
        double push = vortex ? vortex_push(r->plan, x, r->axis) : attractor_push(r->plan, x, r->axis);
        f[i] = (float)(f[i] + r->cover[i] * push);
    }
}

/* 0: the shape leaves the row alone. */
static int row_cover(struct row *r)
{
    int any = 0;
    for (int i = 0; i < r->n; i++) {
        double x[3];
        row_place(r, i, x);
        r->cover[i] = pose_cover(&r->plan->region, x, r->plan->width);
        any |= r->cover[i] > 0;
    }
    return any;
}

static void axis_push(const struct force_plan *a, const struct bw_block *b, const struct edges *e,
                      const struct cells *c, int axis)
{
    const struct bw_view *v = &b->view[VIEW_FORCE];
    int end[3] = {c->hi[0], c->hi[1], c->hi[2]}; // of the faces
    if (end[axis] < b->n[axis] || b->high[axis]) end[axis]++;
    struct row r = {.plan = a, .block = b, .edges = e, .axis = axis, .from = c->lo[0], .n = end[0] - c->lo[0]};
    for (int i = 0; i < r.n; i++) r.cover[i] = 1;
    for (r.k = c->lo[2]; r.k < end[2]; r.k++)
        for (r.j = c->lo[1]; r.j < end[1]; r.j++) {
            float *f = bw_f32(v, axis) + r.from + r.j * v->sy + r.k * v->sz;
            if (a->region.kind != SHAPE_EVERYWHERE && !row_cover(&r)) continue;
            if (a->kind->kind == FORCE_WIND) row_wind(&r, f);
            else if (a->kind->kind == FORCE_TURBULENCE) row_turbulence(&r, f);
            else row_centred(&r, f);
        }
}

/* Blocks away from the shape are left alone; of the velocity a block needs its own faces. */
int force_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct force_plan *a = user;
    struct cells c;
    if (a->kind->kind == FORCE_WIND && row == VIEW_VEL)
        for (int q = 0; q < 6; q++) reach[q] = (q & 1) && b->high[q / 2];
    return box_cells(&a->bounds, b, &c);
}

void force_add(const struct bw_block *b, void *user)
{
    const struct force_plan *a = user;
    struct cells cells;
    struct edges edges = {0};
    if (!box_cells(&a->bounds, b, &cells)) return;
    const bool turbulent = a->kind->kind == FORCE_TURBULENCE;
    if (turbulent && !edges_make(a, b, &edges)) b->sum[0] += 1;
    if (turbulent && !edges.psi[0]) return;
    for (int axis = 0; axis < 3; axis++)
        if (axis != b->grid->thin) axis_push(a, b, &edges, &cells, axis);
}
