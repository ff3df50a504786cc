// SPDX-License-Identifier: Apache-2.0
/* Bodies of mac.project's sweeps.
 *
 * A face with no open share, or on a closed or inflow side of the box, has a given velocity; all others
 * are corrected by u -= dt/(rho h) (p - p_low), where p is 0 beyond an open side, and a share of the cell's own in
 * inactive tiles, so that the difference is the face's conductance times p (multigrid_rim.c). Loops run
 * over the solver's axes 0, 1, 2, which in 2D leave the thin axis for last. */
#include "project.h"
#include <common/tiles.h>
#include <math.h>
#include <string.h>

/// Three face arrays of one block, with strides along the domain's axes.
struct faces {
    float *f[3];
    ptrdiff_t stride[3];
};

static struct faces faces_of(const struct bw_view *v)
{
    return (struct faces){{bw_f32(v, 0), bw_f32(v, 1), bw_f32(v, 2)}, {1, v->sy, v->sz}};
}

/* ---- walls ------------------------------------------------------------------------------------------------------- */

/// Open share of the face below cell `at` along solver axis q; `at` may lie one beyond the block's high side.
static float face_share(const struct task *t, int64_t tile, const int32_t n[3], const int32_t at[3], int q)
{
    const float *weight = mg_weights(t->mg->level, tile);
    const int beyond = at[q] == n[q];
    const int32_t cell[3] = {at[0] - (q == 0 && beyond), at[1] - (q == 1 && beyond), at[2] - (q == 2 && beyond)};
    const float w = weight[(2 * q + beyond) * MG_CELLS + mg_place(t->mg->shape.dim, cell[0], cell[1], cell[2])];
    const float rim = mg_rim_at(t->mg, tile, cell, 2 * q + beyond);
    return rim > 0 ? w / rim : w;
}

/* What to do with faces that are not wholly open: give closed ones the solid's velocity; or give all what flows through
 * them as a whole, w u + (1-w) u_solid. */
enum wall_use { CLOSE, BLEND };

static void solids_set(const struct bw_block *b, const struct task *t, int64_t tile, const struct faces *u,
                       enum wall_use use)
{
    const struct mg_shape *sh = &t->mg->shape;
    const int cut = mg_weights(t->mg->level, tile) != NULL;
    const int32_t n[3] = {b->n[sh->axis[0]], b->n[sh->axis[1]], b->n[sh->axis[2]]};
    const struct bw_view *v = t->solid_vel >= 0 ? &b->view[t->solid_vel] : NULL;
    const ptrdiff_t step[3] = {1, v ? v->sy : 0, v ? v->sz : 0};
    int32_t at[3];
    for (int q = 0; cut && q < sh->dim; q++)
        for (at[2] = 0; at[2] < n[2] + (q == 2); at[2]++)
            for (at[1] = 0; at[1] < n[1] + (q == 1); at[1]++)
                for (at[0] = 0; at[0] < n[0] + (q == 0); at[0]++) {
                    const float w = face_share(t, tile, n, at, q);
                    if (w == 1 || (use == CLOSE && w > 0)) continue;
                    ptrdiff_t to = 0, from = 0;
                    for (int a = 0; a < 3; a++) {
                        to += at[a] * u->stride[sh->axis[a]];
                        from += at[a] * step[sh->axis[a]];
                    }
                    float *f = &u->f[sh->axis[q]][to];
                    const float solid = v ? bw_f32(v, sh->axis[q])[from] : 0;
                    *f = w > 0 ? w * *f + (1 - w) * solid : solid;
                }
}

/// One plane of faces, number `at` along `a`.
static void plane_set(const struct bw_block *b, const struct faces *u, int a, int at, float value)
{
    const int p = (a + 1) % 3, q = (a + 2) % 3;
    float *f = u->f[a] + at * u->stride[a];
    for (int j = 0; j < b->n[q]; j++)
        for (int i = 0; i < b->n[p]; i++) f[i * u->stride[p] + j * u->stride[q]] = value;
}

/// Gives the faces on solids and walls, and all faces across the thin axis, their velocity.
static void walls_set(const struct task *t, const struct bw_block *b, int64_t tile, const struct faces *u,
                      enum wall_use use)
{
    solids_set(b, t, tile, u, use);
    for (int a = 0; a < 3; a++)
        for (int s = 2 * a; s < 2 * a + 2; s++) {
            const int at = s & 1 ? b->n[a] : 0;
            if (a == b->grid->thin) plane_set(b, u, a, at, 0.0f);
            else if (project_side_is_wall(t, b, tile, s)) plane_set(b, u, a, at, (float)b->grid->side[s].velocity[a]);
        }
}

/// A copy of the block's faces in the body's scratch memory, n+1 of them along each axis.
static int faces_copy(const struct bw_block *b, const struct faces *from, struct faces *to)
{
    const ptrdiff_t sy = b->n[0] + 1, sz = sy * (b->n[1] + 1), size = sz * (b->n[2] + 1);
    float *m = b->stage->host->body_scratch(b, 3 * (size_t)size * sizeof *m);
    if (!m) return 0;
    *to = (struct faces){{m, m + size, m + 2 * size}, {1, sy, sz}};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < b->n[2] + (a == 2); k++)
            for (int j = 0; j < b->n[1] + (a == 1); j++)
                memcpy(to->f[a] + j * sy + k * sz, from->f[a] + j * from->stride[1] + k * from->stride[2],
                       (size_t)(b->n[0] + (a == 0)) * sizeof *m);
    return 1;
}

/* ---- right-hand side --------------------------------------------------------------------------------------------- */

/// Net outflow of the faces of one row of cells (solver's j, k), m/s.
static void row_outflow(const struct task *t, const struct faces *u, int n, int j, int k, float *out)
{
    const struct mg_shape *sh = &t->mg->shape;
    const ptrdiff_t s[3] = {u->stride[sh->axis[0]], u->stride[sh->axis[1]], u->stride[sh->axis[2]]};
    const float *f[3];
    for (int q = 0; q < 3; q++) f[q] = u->f[sh->axis[q]] + j * s[1] + k * s[2];
    if (sh->dim == 3) { // and with it s[0] = 1: vectors
        for (int i = 0; i < n; i++)
            out[i] = (f[0][i + 1] - f[0][i]) + (f[1][i + s[1]] - f[1][i]) + (f[2][i + s[2]] - f[2][i]);
    } else {
        for (ptrdiff_t i = 0, c = 0; i < n; i++, c += s[0])
            out[i] = (f[0][c + s[0]] - f[0][c]) + (f[1][c + s[1]] - f[1][c]);
    }
}

/// A scalar view's row along the solver's axis 0: its first cell, *step apart.
static const float *row_scalar(const struct task *t, const struct bw_view *v, int j, int k, ptrdiff_t *step)
{
    const ptrdiff_t stride[3] = {1, v->sy, v->sz};
    const int32_t *axis = t->mg->shape.axis;
    *step = stride[axis[0]];
    return bw_f32(v, 0) + j * stride[axis[1]] + k * stride[axis[2]];
}

/// Writes a row (zeros past its end) into its red and black halves, 0 where there is no unknown.
static void row_split(const struct task *t, const float *row, const uint8_t *kind, int j, int k, float *tile)
{
    const int dim = t->mg->shape.dim, edge = t->mg->shape.edge[0];
    float *even = tile + mg_place(dim, 0, j, k), *odd = tile + mg_place(dim, 1, j, k);
    for (int i = 0; i < edge / 2; i++) {
        even[i] = kind[2 * i] ? row[2 * i] : 0.0f;
        odd[i] = kind[2 * i + 1] ? row[2 * i + 1] : 0.0f;
    }
}

static void row_rhs(const struct task *t, const struct bw_block *b, const struct faces *u, int j, int k, float *row)
{
    const int n = b->n[t->mg->shape.axis[0]];
    const float rhs = (float)t->rhs, source = (float)t->source;
    row_outflow(t, u, n, j, k, row);
    for (int i = 0; i < n; i++) row[i] *= rhs;
    if (t->divergence < 0) return;
    ptrdiff_t step;
    const float *d = row_scalar(t, &b->view[t->divergence], j, k, &step);
    for (int i = 0; i < n; i++) row[i] += source * d[i * step];
}

void project_rhs(const struct bw_block *b, void *user)
{
    const struct task *t = user;
    const struct mg_shape *sh = &t->mg->shape;
    const int64_t tile = tile_of_block(t->tiles, b);
    const uint8_t *kind = t->mg->kind + tile * MG_CELLS;
    float *rhs = t->mg->level->b + tile * MG_CELLS, *x = t->mg->level->x + tile * MG_CELLS;
    const struct faces given = faces_of(&b->view[t->vel]);
    struct faces u = given;
    memset(rhs, 0, MG_CELLS * sizeof *rhs);
    memset(x, 0, MG_CELLS * sizeof *x);
    if (t->mg->level->coef[tile] >= 0) {
        if (!faces_copy(b, &given, &u)) return;
        walls_set(t, b, tile, &u, BLEND);
    }
    for (int k = 0; k < b->n[sh->axis[2]]; k++)
        for (int j = 0; j < b->n[sh->axis[1]]; j++) {
            const uint8_t *at = kind + mg_index(sh->dim, 0, j, k);
            float row[64] = {0};
            row_rhs(t, b, &u, j, k, row);
            row_split(t, row, at, j, k, rhs);
            if (t->pressure < 0) continue;
            ptrdiff_t step;
            const float *p = row_scalar(t, &b->view[t->pressure], j, k, &step);
            for (int i = 0; i < b->n[sh->axis[0]]; i++) row[i] = p[i * step];
            row_split(t, row, at, j, k, x);
        }
}

/* ---- correction -------------------------------------------------------------------------------------------------- */

/// The pressure of one tile and of the cells beyond its faces, in natural order; p[0] is cell (0,0,0).
struct dense {
    double *p;
    ptrdiff_t step[3]; ///< along the solver's axes
};

static double pressure_at(const struct task *t, int64_t tile, const int32_t c[3])
{
    const int64_t at = tile * MG_CELLS + mg_place(t->mg->shape.dim, c[0], c[1], c[2]);
    return t->result->used_double ? t->mg->sol[at] : (double)t->mg->level->x[at];
}

/// Fills the layer beyond side `s` (solver's order); n: the block's cells along the solver's axes.
static void dense_side(const struct task *t, int64_t tile, const int32_t n[3], int s, const struct dense *d)
{
    const int a = s >> 1, u = (a + 1) % 3, w = (a + 2) % 3;
    const int to_itself = t->mg->shape.periodic[a] && t->mg->shape.cells[a] == 1;
    int32_t at[3] = {0}, to[3];
    at[a] = s & 1 ? n[a] - 1 : 0;
    const int64_t other = mg_step(t->mg, t->mg->level, (int32_t)tile, at, s, to); // the same for the whole side
    const double rim = (double)t->mg->rim[tile][s];
    if (other < 0 && !to_itself && !(rim > 0)) return; // 0, as it is
    const float *lift = far_lift(t->far, tile, s);
    const int row = t->mg->shape.dim == 3 ? t->mg->shape.edge[0] : 1;
    double *side = d->p + (s & 1 ? n[a] : -1) * d->step[a], *own = d->p + at[a] * d->step[a];
    for (at[w] = 0; at[w] < n[w]; at[w]++)
        for (at[u] = 0; at[u] < n[u]; at[u]++) {
            const ptrdiff_t cell = at[u] * d->step[u] + at[w] * d->step[w];
            to[u] = at[u];
            to[w] = at[w];
            side[cell] = to_itself ? d->p[cell]
                         : rim > 0 ? (1 - rim) * own[cell] + (double)lift[at[u] + at[w] * row]
                                   : pressure_at(t, other, to);
        }
}

/// A row from its red and black halves.
static void row_join(const float *even, const float *odd, int n, double *row)
{
    for (int i = 0; i < n / 2; i++) {
        row[2 * i] = (double)even[i];
        row[2 * i + 1] = (double)odd[i];
    }
    if (n & 1) row[n - 1] = (double)even[n / 2];
}

static void row_join_wide(const double *even, const double *odd, int n, double *row)
{
    for (int i = 0; i < n; i++) row[i] = (i & 1 ? odd : even)[i / 2];
}

static void dense_fill(const struct task *t, int64_t tile, const int32_t n[3], const struct dense *d)
{
    const int dim = t->mg->shape.dim;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            double *row = d->p + j * d->step[1] + k * d->step[2];
            const int64_t even = tile * MG_CELLS + mg_place(dim, 0, j, k);
            const int64_t odd = tile * MG_CELLS + mg_place(dim, 1, j, k);
            if (t->result->used_double) row_join_wide(t->mg->sol + even, t->mg->sol + odd, n[0], row);
            else row_join(t->mg->level->x + even, t->mg->level->x + odd, n[0], row);
        }
    for (int s = 0; s < 2 * dim; s++) dense_side(t, tile, n, s, d);
}

/// u -= gradient · (p - p one cell lower) on the faces of solver axis q.
static void faces_correct(const struct task *t, const struct faces *u, const struct dense *d, const int32_t n[3], int q)
{
    const int32_t *axis = t->mg->shape.axis;
    const ptrdiff_t s[3] = {u->stride[axis[0]], u->stride[axis[1]], u->stride[axis[2]]};
    const double g = t->gradient;
    for (int k = 0; k < n[2] + (q == 2); k++)
        for (int j = 0; j < n[1] + (q == 1); j++) {
            float *f = u->f[axis[q]] + j * s[1] + k * s[2];
            const double *p = d->p + j * d->step[1] + k * d->step[2], *low = p - d->step[q];
            const int m = n[0] + (q == 0);
            if (s[0] == 1) { // vectors
                for (int i = 0; i < m; i++) f[i] = (float)((double)f[i] - g * (p[i] - low[i]));
            } else {
                for (int i = 0; i < m; i++) f[i * s[0]] = (float)((double)f[i * s[0]] - g * (p[i] - low[i]));
            }
        }
}

static void pressure_store(const struct task *t, const struct bw_block *b, const struct dense *d, const int32_t n[3])
{
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++) {
            ptrdiff_t step;
            float *out = (float *)row_scalar(t, &b->view[t->pressure], j, k, &step);
            const double *p = d->p + j * d->step[1] + k * d->step[2];
            for (int i = 0; i < n[0] && step == 1; i++) out[i] = (float)p[i];
            for (int i = 0; i < n[0] && step != 1; i++) out[i * step] = (float)p[i];
        }
}

/* Largest |div u - divergence| of the block's fluid cells. The block's own high faces have the bits that the tile
 * beyond gives them, so this is the divergence of what is stored. */
static double divergence_left(const struct task *t, const struct bw_block *b, int64_t tile, const struct faces *u)
{
    const struct mg_shape *sh = &t->mg->shape;
    const float per_h = (float)(1 / b->grid->h), none = 0;
    float worst = 0;
    for (int k = 0; k < b->n[sh->axis[2]]; k++)
        for (int j = 0; j < b->n[sh->axis[1]]; j++) {
            const uint8_t *at = t->mg->kind + tile * MG_CELLS + mg_index(sh->dim, 0, j, k);
            float row[64];
            ptrdiff_t step = 0;
            const float *d = t->divergence < 0 ? &none : row_scalar(t, &b->view[t->divergence], j, k, &step);
            row_outflow(t, u, b->n[sh->axis[0]], j, k, row);
            for (int i = 0; i < b->n[sh->axis[0]]; i++) {
                const float off = at[i] ? fabsf(row[i] * per_h - d[i * step]) : 0.0f;
                worst = off > worst ? off : worst;
            }
        }
    return (double)worst;
}

void project_correct(const struct bw_block *b, void *user)
{
    const struct task *t = user;
    const int32_t *axis = t->mg->shape.axis;
    const int32_t n[3] = {b->n[axis[0]], b->n[axis[1]], b->n[axis[2]]};
    const int64_t tile = tile_of_block(t->tiles, b);
    const struct faces u = faces_of(&b->view[t->vel]);
    struct dense d = {.step = {1, n[0] + 2, (n[0] + 2) * (n[1] + 2)}};
    const size_t size = (size_t)(d.step[2] * (n[2] + 2)) * sizeof *d.p;
    double *memory = b->stage->host->body_scratch(b, size);
    if (!memory) return;
    memset(memory, 0, size);
    d.p = memory + d.step[0] + d.step[1] + d.step[2];
    dense_fill(t, tile, n, &d);
    for (int q = 0; q < t->mg->shape.dim; q++) faces_correct(t, &u, &d, n, q);
    if (t->mg->level->coef[tile] >= 0 || b->grid->thin >= 0) walls_set(t, b, tile, &u, CLOSE);
    pressure_store(t, b, &d, n);
    struct faces whole = u;
    if (mg_weights(t->mg->level, tile)) {
        if (!faces_copy(b, &u, &whole)) return;
        walls_set(t, b, tile, &whole, BLEND);
        if (t->open) open_flux_put(t->open, b, tile, whole.f, whole.stride);
    }
    b->max[0] = divergence_left(t, b, tile, &whole);
}
