// SPDX-License-Identifier: Apache-2.0
/* The two sweeps of the pressure projection: the divergence as right-hand side, and the subtraction of the pressure
 * gradient.
 *
 * A face that is closed, or on a closed or inflow side of the box, has a given velocity. All others are corrected by u
 * -= dt/(rho h) (p - p_low). Beyond open sides of a channel p is 0; in the exterior it is a fraction of the cell's own,
 * so that the difference is the face's conductance times p (multigrid_exterior.c), and what far_field.c adds. Loops run
 * over the solver's axes 0, 1, 2, which in 2D leave the thin axis for last. */
#include "project.h"
#include "project_kernels.h"
#include <common/tiles.h>
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

/// Open area fraction of the low face of cell `at` along solver axis q; `at` may lie one beyond the block's high side.
static float open_fraction(const struct projection *t, int64_t tile, const int32_t n[3], const int32_t at[3], int q)
{
    const float *weight = mg_weights(t->mg->level, tile);
    const int beyond = at[q] == n[q];
    const int32_t cell[3] = {at[0] - (q == 0 && beyond), at[1] - (q == 1 && beyond), at[2] - (q == 2 && beyond)};
    const float w = weight[(2 * q + beyond) * MG_CELLS + mg_colour_index(t->mg->shape.dim, cell[0], cell[1], cell[2])];
    const float exterior = mg_exterior_conductance(t->mg, tile, cell, 2 * q + beyond);
    return exterior > 0 ? w / exterior : w;
}

/* What to do at solids: CLOSE sets closed faces to the solid's velocity; BLEND sets all cut faces to the mean velocity
 * over the whole face, w u + (1-w) u_solid; MARK_OPEN marks the faces that are not cut. */
enum wall_use { CLOSE, BLEND, MARK_OPEN };

static void solids_set(const struct bw_block *b, const struct projection *t, int64_t tile, const struct faces *u,
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
                    const float w = open_fraction(t, tile, n, at, q);
                    if ((w == 1) != (use == MARK_OPEN) || (use == CLOSE && w > 0)) continue;
                    ptrdiff_t to = 0, from = 0;
                    for (int a = 0; a < 3; a++) {
                        to += at[a] * u->stride[sh->axis[a]];
                        from += at[a] * step[sh->axis[a]];
                    }
                    float *f = &u->f[sh->axis[q]][to];
                    const float solid = v ? bw_f32(v, sh->axis[q])[from] : 0;
                    if (w == 1) *f = OPEN_FLUX_AS_IT_IS;
                    else *f = w > 0 ? w * *f + (1 - w) * solid : solid;
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

/// Sets the velocity of faces on solids and on walls of the box, and of all faces across the thin axis.
static void walls_set(const struct projection *t, const struct bw_block *b, int64_t tile, const struct faces *u,
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

/// A block as the row kernels take it; missing fields are NULL.
static struct project_tile kernel_tile(const struct projection *t, const struct bw_block *b, int64_t tile,
                                       const struct faces *u)
{
    const struct mg_shape *sh = &t->mg->shape;
    const int32_t view[2] = {t->divergence, t->pressure};
    struct project_tile r = {.dim = sh->dim, .kind = t->mg->kind + tile * MG_CELLS};
    struct project_scalar *cells[2] = {&r.divergence, &r.pressure};
    for (int q = 0; q < 3; q++) {
        const int a = sh->axis[q];
        r.n[q] = b->n[a];
        r.u[q] = u->f[a];
        r.step[q] = u->stride[a];
        for (int c = 0; c < 2; c++) {
            if (view[c] < 0) continue;
            const struct bw_view *v = &b->view[view[c]];
            const ptrdiff_t stride[3] = {1, v->sy, v->sz};
            cells[c]->at = bw_f32(v, 0);
            cells[c]->step[q] = stride[a];
        }
    }
    return r;
}

static const struct project_kernels *kernels_of(const struct bw_block *b)
{
    return project_kernels_for(b->stage->host->simd);
}

/* ---- right-hand side --------------------------------------------------------------------------------------------- */

/// Copies a plain tile's high faces, which are the low ones of the next tiles, to the body's scratch memory.
static int high_faces_read(const struct projection *t, const struct bw_block *b, int64_t tile, struct project_tile *r)
{
    enum { EDGE = 16 };
    float *to = b->stage->host->body_scratch(b, 3 * EDGE * EDGE * sizeof *to);
    if (!to) return 0;
    for (int a = 0; a < 3; a++) {
        const float *from = t->tiles->data(t->flow, (uint32_t)a, t->topology->neighbour[tile][2 * a + 1]);
        const int p = a == 0 ? EDGE : 1, q = a == 2 ? EDGE : EDGE * EDGE;
        r->high[a] = to;
        for (int j = 0; j < EDGE; j++)
            for (int i = 0; i < EDGE; i++) *to++ = from[i * p + j * q];
    }
    return 1;
}

void project_rhs(const struct bw_block *b, void *user)
{
    const struct projection *t = user;
    const int64_t tile = tile_of_block(t->tiles, b);
    const struct faces given = faces_of(&b->view[t->vel]);
    struct faces u = given;
    float *x = t->mg->level->x + tile * MG_CELLS;
    const int plain = project_is_plain(t, tile);
    if (t->mg->level->coef[tile] >= 0) {
        if (!faces_copy(b, &given, &u)) return;
        walls_set(t, b, tile, &u, BLEND);
    }
    struct project_tile rows = kernel_tile(t, b, tile, &u);
    if (plain && !high_faces_read(t, b, tile, &rows)) return;
    kernels_of(b)->rhs(&rows, (float)t->rhs, (float)t->source, t->mg->level->b + tile * MG_CELLS);
    if (t->pressure >= 0) kernels_of(b)->guess(&rows, x);
    else memset(x, 0, MG_CELLS * sizeof *x);
}

/* ---- correction -------------------------------------------------------------------------------------------------- */

static double pressure_at(const struct projection *t, int64_t tile, const int32_t c[3])
{
    const int64_t at = tile * MG_CELLS + mg_colour_index(t->mg->shape.dim, c[0], c[1], c[2]);
    return t->result->used_double ? t->mg->solution[at] : (double)t->mg->level->x[at];
}

/// Row (j,k) of a tile's pressure, n cells.
static void pressure_row(const struct projection *t, int64_t tile, int j, int k, int n, double *restrict row)
{
    const int dim = t->mg->shape.dim;
    const int64_t even = tile * MG_CELLS + mg_colour_index(dim, 0, j, k),
                  odd = tile * MG_CELLS + mg_colour_index(dim, 1, j, k);
    if (t->result->used_double) {
        const double *restrict sol = t->mg->solution;
        for (int i = 0; i < n; i++) row[i] = sol[(i & 1 ? odd : even) + i / 2];
    } else {
        const float *restrict x = t->mg->level->x;
        for (int i = 0; i < n / 2; i++) {
            row[2 * i] = (double)x[even + i];
            row[2 * i + 1] = (double)x[odd + i];
        }
        if (n & 1) row[n - 1] = (double)x[even + n / 2];
    }
}

/// Fills the ghost layer beyond side `s` from the tile there, whose next plane is `plane`.
static void ghost_from_tile(const struct projection *t, int64_t other, int32_t plane, const struct project_tile *d,
                            int s)
{
    const int a = s >> 1;
    double *side = d->p + (s & 1 ? d->n[a] : -1) * d->p_step[a];
    for (int32_t k = 0; k < (a == 2 ? 1 : d->n[2]); k++)
        for (int32_t j = 0; j < (a == 1 ? 1 : d->n[1]); j++) {
            double *row = side + j * d->p_step[1] + k * d->p_step[2];
            if (a == 0) *row = pressure_at(t, other, (const int32_t[3]){plane, j, k});
            else pressure_row(t, other, a == 1 ? plane : j, a == 2 ? plane : k, d->n[0], row);
        }
}

/// The same where the tile is its own neighbour, or the exterior lies beyond (far_field.c).
static void ghost_from_exterior(const struct projection *t, int64_t tile, const struct project_tile *d, int s)
{
    const int a = s >> 1, u = (a + 1) % 3, w = (a + 2) % 3, row = d->dim == 3 ? t->mg->shape.edge[0] : 1;
    const double exterior = (double)t->mg->exterior[tile][s];
    const float *robin = far_field_robin(t->far, tile, s);
    double *side = d->p + (s & 1 ? d->n[a] : -1) * d->p_step[a], *own = d->p + (s & 1 ? d->n[a] - 1 : 0) * d->p_step[a];
    for (int32_t j = 0; j < d->n[w]; j++)
        for (int32_t i = 0; i < d->n[u]; i++) {
            const ptrdiff_t cell = i * d->p_step[u] + j * d->p_step[w];
            side[cell] =
                exterior > 0 ? (1 - exterior) * own[cell] + (robin ? (double)robin[i + j * row] : 0) : own[cell];
        }
}

/// Fills the ghost layer beyond side `s` (solver's order); where nothing is set, p stays 0.
static void ghost_fill(const struct projection *t, int64_t tile, const struct project_tile *d, int s)
{
    const int a = s >> 1, to_itself = t->mg->shape.periodic[a] && t->mg->shape.cells[a] == 1;
    int32_t at[3] = {0}, to[3];
    at[a] = s & 1 ? d->n[a] - 1 : 0;
    const int64_t other =
        mg_neighbour_cell(t->mg, t->mg->level, (int32_t)tile, at, s, to); // the same for the whole side
    if (to_itself || t->mg->exterior[tile][s] > 0) ghost_from_exterior(t, tile, d, s);
    else if (other >= 0) ghost_from_tile(t, other, to[a], d, s);
}

/// The pressure of one tile with a ghost layer, in natural order. 0: out of memory.
static int pressure_fill(const struct projection *t, const struct bw_block *b, int64_t tile, struct project_tile *d)
{
    const ptrdiff_t step[3] = {1, d->n[0] + 2, (d->n[0] + 2) * (d->n[1] + 2)};
    const size_t size = (size_t)(step[2] * (d->n[2] + 2)) * sizeof *d->p;
    double *memory = b->stage->host->body_scratch(b, size);
    if (!memory) return 0;
    memset(memory, 0, size);
    memcpy(d->p_step, step, sizeof step);
    d->p = memory + step[0] + step[1] + step[2];
    for (int32_t k = 0; k < d->n[2] && t->result->used_double; k++)
        for (int32_t j = 0; j < d->n[1]; j++) pressure_row(t, tile, j, k, d->n[0], d->p + j * step[1] + k * step[2]);
    if (!t->result->used_double) kernels_of(b)->from_red_black(d, t->mg->level->x + tile * MG_CELLS);
    for (int s = 0; s < 2 * d->dim; s++) ghost_fill(t, tile, d, s);
    return 1;
}

/// Copies the faces that the block owns.
static void faces_store(const struct bw_block *b, const struct faces *from, const struct faces *to)
{
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < b->n[2] + (a == 2 && b->high[2]); k++)
            for (int j = 0; j < b->n[1] + (a == 1 && b->high[1]); j++)
                memcpy(to->f[a] + j * to->stride[1] + k * to->stride[2],
                       from->f[a] + j * from->stride[1] + k * from->stride[2],
                       (size_t)(b->n[0] + (a == 0 && b->high[0])) * sizeof(float));
}

/* High faces that another tile owns get the same bits here as there, so the divergence is that of the stored flow. */
void project_subtract_gradient(const struct bw_block *b, void *user)
{
    const struct projection *t = user;
    const int64_t tile = tile_of_block(t->tiles, b);
    const struct faces old = faces_of(&b->view[t->vel]), out = faces_of(&b->view[t->out]);
    const int plain = project_is_plain(t, tile);
    struct faces u = out;
    if (!plain && !faces_copy(b, &old, &u)) return;
    struct project_tile rows = kernel_tile(t, b, tile, &u);
    for (int q = 0; q < 3 && plain; q++) rows.old[q] = old.f[q];
    if (plain && !high_faces_read(t, b, tile, &rows)) return;
    if (!pressure_fill(t, b, tile, &rows)) return;
    kernels_of(b)->correct(&rows, t->gradient);
    if (!plain) {
        if (t->mg->level->coef[tile] >= 0 || b->grid->thin >= 0) walls_set(t, b, tile, &u, CLOSE);
        faces_store(b, &u, &out);
        if (mg_weights(t->mg->level, tile)) walls_set(t, b, tile, &u, BLEND);
    }
    b->max[0] = (double)kernels_of(b)->max_divergence(&rows, (float)(1 / b->grid->h));
    if (plain || !t->open || !mg_weights(t->mg->level, tile)) return;
    solids_set(b, t, tile, &u, MARK_OPEN);
    open_flux_store(t->open, b, tile, u.f, u.stride);
}
