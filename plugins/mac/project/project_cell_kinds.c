// SPDX-License-Identifier: Apache-2.0
/* The matrix of the pressure projection: cell types (fluid or solid, number of fluid and open neighbours) and, where
 * obstacles cut faces, face weights by open area fractions. Loops run over the solver's axes 0, 1, 2, which in 2D leave
 * the thin axis for last. */
#include "project.h"
#include <common/solids/cut.h>
#include <common/tiles.h>
#include <string.h>

int project_side_is_wall(const struct projection *t, const struct bw_block *b, int64_t tile, int s)
{
    return t->topology->neighbour[tile][s] == BW_TILE_OUTSIDE && b->grid->side[s].kind != BW_OPEN;
}

/* What a neighbour adds to a cell's MG_KIND: nothing, a fluid side, an open side (p = 0). */
enum { BESIDE_WALL = 0, BESIDE_FLUID = 8, BESIDE_OPEN = 1 };
enum { PAD = 66 * 66 * 3 > 18 * 18 * 18 ? 66 * 66 * 3 : 18 * 18 * 18 };

int project_is_cut(const struct projection *t, const struct bw_block *b)
{
    return t->mg->has_cut[tile_of_block(t->tiles, b)];
}

int project_is_plain(const struct projection *t, int64_t tile)
{
    return t->mg->shape.dim == 3 && t->mg->level->coef[tile] < 0;
}

int project_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct projection *t = user;
    if ((int32_t)row == t->solid && t->near_solid) return t->near_solid[tile_of_block(t->tiles, b)];
    if ((int32_t)row == t->solid || (int32_t)row == t->solid_vel) return project_is_cut(t, b);
    const int plain = (int32_t)row == t->vel && project_is_plain(t, tile_of_block(t->tiles, b));
    for (int s = 0; s < 6 && (int32_t)row == t->vel; s++) reach[s] = (s & 1) && !plain;
    return 1;
}

struct near_job {
    const struct projection *t;
    const struct bw_field *solid;
    float h;
};

static void near_tile(int64_t tile, uint32_t worker, void *user)
{
    const struct near_job *j = user;
    int any = 0;
    (void)worker;
    if (!mg_owns_tile(j->t->mg, tile)) return;
    const float *d = j->t->tiles->data(j->solid, 0, tile);
    for (int i = 0; i < MG_CELLS; i++) any |= d[i] < j->h;
    j->t->near_solid[tile] = any != 0;
}

/* Obstacles are in few tiles: the others need no halo of `solid`. */
enum bw_status project_find_solid_tiles(struct bw_stage *s, struct projection *t, const struct bw_field *solid)
{
    struct near_job job = {t, solid, (float)s->grid->h};
    enum { OWN = 1, BESIDE = 2 };
    s->host->parallel_for(s, t->topology->count, near_tile, &job);
    const enum bw_status status = mg_allgather(t->mg, t->near_solid, NULL, 1);
    for (int64_t tile = 0; tile < t->topology->count; tile++)
        for (int q = 0; q < 27 && (t->near_solid[tile] & OWN); q++) {
            const int32_t *c = t->topology->coord[tile];
            const int64_t n =
                t->tiles->find(t->domain, (int32_t[3]){c[0] + q % 3 - 1, c[1] + q / 3 % 3 - 1, c[2] + q / 9 - 1});
            if (n >= 0) t->near_solid[n] |= BESIDE;
        }
    return status;
}

/// A tile's cells and one layer around them, BESIDE_…, without obstacles.
struct neighbours {
    uint8_t at[PAD];
    ptrdiff_t step[3]; ///< along the solver's axes
};

static const uint8_t *neighbours_row(const struct neighbours *s, int j, int k)
{
    return s->at + (k + 1) * s->step[2] + (j + 1) * s->step[1] + s->step[0];
}

/// What a cell's neighbour beyond side s of the tile is.
static uint8_t kind_beyond(const struct projection *t, const struct bw_block *b, int64_t tile, int s)
{
    const int a = s >> 1, to_itself = b->grid->n[a] == 1 && b->grid->side[s].kind == BW_PERIODIC;
    if (a == b->grid->thin || to_itself || project_side_is_wall(t, b, tile, s)) return BESIDE_WALL;
    return t->topology->neighbour[tile][s] >= 0 ? BESIDE_FLUID : BESIDE_OPEN;
}

static void neighbours_fill(const struct projection *t, const struct bw_block *b, int64_t tile,
                            struct neighbours *around)
{
    const int32_t *axis = t->mg->shape.axis;
    const ptrdiff_t pad[3] = {1, b->n[0] + 2, (b->n[0] + 2) * (b->n[1] + 2)};
    int32_t at[3];
    for (int q = 0; q < 3; q++) around->step[q] = pad[axis[q]];
    memset(around->at, BESIDE_WALL, PAD);
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            memset(around->at + pad[0] + (j + 1) * pad[1] + (k + 1) * pad[2], BESIDE_FLUID, (size_t)b->n[0]);
    for (int s = 0; s < 6; s++) {
        const int a = s >> 1, u = (a + 1) % 3, w = (a + 2) % 3;
        const uint8_t what = kind_beyond(t, b, tile, s);
        at[a] = s & 1 ? b->n[a] : -1;
        for (at[w] = 0; at[w] < b->n[w]; at[w]++)
            for (at[u] = 0; at[u] < b->n[u]; at[u]++)
                around->at[(at[0] + 1) * pad[0] + (at[1] + 1) * pad[1] + (at[2] + 1) * pad[2]] = what;
    }
}

/// Open area fraction of a cell's face on one side (solver's order); walls of the box do not count.
static float face_fraction(const struct projection *t, const struct cut *c, const int32_t at[3], int side)
{
    const int32_t *axis = t->mg->shape.axis;
    const ptrdiff_t cell = at[0] * c->stride[axis[0]] + at[1] * c->stride[axis[1]] + at[2] * c->stride[axis[2]];
    const int a = axis[side >> 1];
    return c->w[a][cell + (side & 1 ? c->stride[a] : 0)];
}

/// Kinds of a tile without obstacles.
static void kinds_uncut(const struct projection *t, const struct bw_block *b, const struct neighbours *around,
                        uint8_t *kind)
{
    const struct mg_shape *sh = &t->mg->shape;
    const ptrdiff_t *step = around->step;
    for (int k = 0; k < b->n[sh->axis[2]]; k++)
        for (int j = 0; j < b->n[sh->axis[1]]; j++) {
            const uint8_t *c = neighbours_row(around, j, k);
            uint8_t *row = kind + mg_index(sh->dim, 0, j, k);
            for (int i = 0; i < b->n[sh->axis[0]]; i++, c += step[0]) {
                const int beside = c[-step[0]] + c[step[0]] + c[-step[1]] + c[step[1]] + c[-step[2]] + c[step[2]];
                row[i] = (uint8_t)(MG_FLUID + beside);
            }
        }
}

/// Kinds by open faces: a cell without any is no unknown. Returns whether any face is cut or closed.
static int kinds_cut(const struct projection *t, const struct bw_block *b, const struct neighbours *around,
                     const struct cut *cut, uint8_t *kind)
{
    const struct mg_shape *sh = &t->mg->shape;
    int32_t at[3], closed = 0;
    for (at[2] = 0; at[2] < b->n[sh->axis[2]]; at[2]++)
        for (at[1] = 0; at[1] < b->n[sh->axis[1]]; at[1]++)
            for (at[0] = 0; at[0] < b->n[sh->axis[0]]; at[0]++) {
                const uint8_t *c = neighbours_row(around, at[1], at[2]) + at[0] * around->step[0];
                int beside = 0;
                for (int s = 0; s < 2 * sh->dim; s++) {
                    const float w = face_fraction(t, cut, at, s);
                    if (w > 0) beside += c[s & 1 ? around->step[s >> 1] : -around->step[s >> 1]];
                    closed |= w < 1;
                }
                kind[mg_index(sh->dim, at[0], at[1], at[2])] = beside ? (uint8_t)(MG_FLUID + beside) : 0;
            }
    return closed;
}

void project_cell_kinds(const struct bw_block *b, void *user)
{
    const struct projection *t = user;
    const int64_t tile = tile_of_block(t->tiles, b);
    const struct bw_view *solid = t->near_solid && t->near_solid[tile] ? &b->view[t->solid] : NULL;
    b->max[0] = 0;
    if (!solid && t->same && !t->mg->mark[tile]) return; // unchanged
    uint8_t kind[MG_CELLS] = {0}, *old = t->mg->kind + tile * MG_CELLS;
    const int touched = solid && cut_touches(b, solid);
    const uint64_t mark = touched ? cut_mark(b, solid) | 1 : 0; // 0: no obstacle
    struct neighbours around;
    struct cut cut;
    if (t->same && mark == t->mg->mark[tile]) return;
    neighbours_fill(t, b, tile, &around);
    t->mg->has_cut[tile] = 0;
    if (touched) {
        if (!cut_make(b, solid, 0, &cut)) return;
        t->mg->has_cut[tile] = (uint8_t)kinds_cut(t, b, &around, &cut, kind);
    } else {
        kinds_uncut(t, b, &around, kind);
    }
    b->max[0] = 1;
    memcpy(old, kind, MG_CELLS);
    t->mg->mark[tile] = mark;
}

void project_face_weights(const struct bw_block *b, void *user)
{
    const struct projection *t = user;
    const struct mg_shape *sh = &t->mg->shape;
    const int64_t tile = tile_of_block(t->tiles, b);
    const uint8_t *kind = t->mg->kind + tile * MG_CELLS;
    float *weight = mg_weights(t->mg->level, tile);
    struct neighbours around;
    struct cut cut;
    int32_t at[3];
    if (!weight || !cut_make(b, &b->view[t->solid], 0, &cut)) return;
    neighbours_fill(t, b, tile, &around);
    for (at[2] = 0; at[2] < b->n[sh->axis[2]]; at[2]++)
        for (at[1] = 0; at[1] < b->n[sh->axis[1]]; at[1]++)
            for (at[0] = 0; at[0] < b->n[sh->axis[0]]; at[0]++) {
                const uint8_t *c = neighbours_row(&around, at[1], at[2]) + at[0] * around.step[0];
                if (!kind[mg_index(sh->dim, at[0], at[1], at[2])]) continue;
                for (int s = 0; s < 2 * sh->dim; s++)
                    if (c[s & 1 ? around.step[s >> 1] : -around.step[s >> 1]] != BESIDE_WALL) {
                        const float exterior = mg_exterior_conductance(t->mg, tile, at, s);
                        weight[s * MG_CELLS + mg_colour_index(sh->dim, at[0], at[1], at[2])] =
                            face_fraction(t, &cut, at, s) * (exterior > 0 ? exterior : 1);
                    }
            }
}
