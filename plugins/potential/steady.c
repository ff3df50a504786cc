// SPDX-License-Identifier: Apache-2.0
/* The steady potential by the multigrid of mac.project: the sum over open sides of (phi - phi') is h² times the source;
 * phi is 0 beyond open sides and in inactive tiles. It is the limit of the relaxation. A wall is a face of open area
 * fraction 0; obstacles give others a fraction between 0 and 1. */
#include "potential.h"
#include <common/multigrid/multigrid.h>
#include <common/ranks.h>
#include <common/solids/cut.h>
#include <common/tiles.h>
#include <string.h>

struct steady {
    struct multigrid mg;
    int32_t built;
};

/// Permutes a cell's coordinates from the solver's axes to the domain's.
static void cell_permute(const struct mg_shape *sh, const int32_t at[3], int32_t cell[3])
{
    for (int q = 0; q < 3; q++) cell[sh->axis[q]] = at[q];
}

static int32_t cells_along(const struct potential_task *t, int64_t tile, int axis)
{
    const struct bw_domain_info *d = t->s->grid;
    const int32_t left = d->n[axis] - t->topology->coord[tile][axis] * d->tile[axis];
    return d->n[axis] > 0 && left < d->tile[axis] ? left : d->tile[axis];
}

/* Steps `at` through the cells of a tile, first axis fastest, along the solver's axes; 0 after the last one. */
static int cell_next(const struct potential_task *t, const struct mg_shape *sh, int64_t tile, int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        if (++at[a] < cells_along(t, tile, sh->axis[a])) return 1;
        at[a] = 0;
    }
    return 0;
}

struct job {
    struct potential_task *t;
    struct multigrid *mg;
    const struct mg_result *result;
};

static void kinds_set(int64_t tile, uint32_t worker, void *user)
{
    const struct job *q = user;
    const struct mg_shape *sh = &q->mg->shape;
    uint8_t *kind = q->mg->kind + tile * MG_CELLS;
    int32_t at[3] = {0, 0, 0}, cell[3], to[3];
    (void)worker;
    memset(kind, 0, MG_CELLS);
    q->mg->has_cut[tile] = q->t->l->mark[tile] != 0;
    do {
        cell_permute(sh, at, cell);
        const int walls = q->t->l->walls[tile * TILE_CELLS + potential_at(q->t->s->grid, cell[0], cell[1], cell[2])];
        int fluid = 0, open = 0;
        for (int s = 0; s < 2 * sh->dim; s++) {
            const int side = 2 * sh->axis[s >> 1] + (s & 1);
            const int64_t next = potential_next(q->t, tile, cell, side, to);
            if (walls >> side & 1) q->mg->has_cut[tile] |= next >= 0;
            else if (next >= 0) fluid++;
            else open++;
        }
        kind[mg_index(sh->dim, at[0], at[1], at[2])] = fluid + open ? (uint8_t)MG_KIND(fluid, open) : 0;
    } while (cell_next(q->t, sh, tile, at));
}

static void weights_body(const struct bw_block *b, void *user)
{
    const struct job *q = user;
    const struct mg_shape *sh = &q->mg->shape;
    const int64_t tile = tile_of_block(q->t->tiles, b);
    float *weight = mg_weights(q->mg->level, tile);
    int32_t at[3] = {0, 0, 0}, cell[3];
    struct cut cut;
    const int is_cut = q->t->l->mark[tile] != 0;
    b->max[0] = 0;
    if (!weight) return;
    if (is_cut && !cut_make(b, &b->view[0], 0, &cut)) {
        b->max[0] = 1;
        return;
    }
    do {
        cell_permute(sh, at, cell);
        const int walls = q->t->l->walls[tile * TILE_CELLS + potential_at(q->t->s->grid, cell[0], cell[1], cell[2])];
        for (int s = 0; s < 2 * sh->dim; s++) {
            const int side = 2 * sh->axis[s >> 1] + (s & 1);
            weight[s * MG_CELLS + mg_colour_index(sh->dim, at[0], at[1], at[2])] = walls >> side & 1 ? 0
                                                                                   : is_cut ? cut_side(&cut, cell, side)
                                                                                            : 1;
        }
    } while (cell_next(q->t, sh, tile, at));
}

/* Tiles without a cut face have no weights. */
static enum bw_status weights_make(struct job *q)
{
    struct bw_stage *s = q->t->s;
    struct bw_field *solid = bw_port_field(s, SOLID);
    const struct bw_access access = {solid ? solid : bw_port_field(s, SOURCE), BW_READ, solid ? CUT_HALO : 0};
    double failed = 0;
    const enum bw_status status = s->host->sweep(
        s, &(struct bw_sweep){
               .access = &access, .n_access = 1, .body = weights_body, .user = q, .maxs = &failed, .n_maxs = 1});
    return status == BW_OK && failed > 0 ? BW_ERR_MEMORY : status;
}

/* Right-hand side, and the last step's potential as a first guess. */
static void rhs_set(int64_t tile, uint32_t worker, void *user)
{
    const struct job *q = user;
    if (!mg_owns_tile(q->mg, tile)) return;
    const struct mg_shape *sh = &q->mg->shape;
    const struct bw_domain_info *d = q->t->s->grid;
    const float *phi = q->t->tiles->data(bw_port_field(q->t->s, PHI), 0, tile);
    const uint8_t *kind = q->mg->kind + tile * MG_CELLS;
    float *b = q->mg->level->b + tile * MG_CELLS, *x = q->mg->level->x + tile * MG_CELLS;
    int32_t at[3] = {0, 0, 0}, cell[3];
    (void)worker;
    memset(b, 0, MG_CELLS * sizeof *b);
    memset(x, 0, MG_CELLS * sizeof *x);
    do {
        cell_permute(sh, at, cell);
        const int from = potential_at(d, cell[0], cell[1], cell[2]), to = mg_colour_index(sh->dim, at[0], at[1], at[2]);
        if (!kind[mg_index(sh->dim, at[0], at[1], at[2])]) continue;
        b[to] = (float)(q->t->l->source[tile * TILE_CELLS + from] * d->h * d->h);
        x[to] = phi[from];
    } while (cell_next(q->t, sh, tile, at));
}

static void solution_body(const struct bw_block *b, void *user)
{
    const struct job *q = user;
    const struct mg_shape *sh = &q->mg->shape;
    const int64_t tile = tile_of_block(q->t->tiles, b);
    const struct bw_view *out = &b->view[0];
    int32_t at[3] = {0, 0, 0}, cell[3];
    do {
        cell_permute(sh, at, cell);
        const int64_t from = tile * MG_CELLS + mg_colour_index(sh->dim, at[0], at[1], at[2]);
        bw_f32(out, 0)[cell[0] + cell[1] * out->sy + cell[2] * out->sz] =
            q->result->used_double ? (float)q->mg->solution[from] : q->mg->level->x[from];
    } while (cell_next(q->t, sh, tile, at));
}

static enum bw_status levels_make(struct job *q, struct steady *st)
{
    struct potential_task *t = q->t;
    if (st->built && !t->l->changed) return BW_OK;
    st->built = 0;
    enum bw_status status = mg_fit(&st->mg, t->topology);
    if (status != BW_OK) return status;
    t->s->host->parallel_for(t->s, t->l->count, kinds_set, q);
    status = mg_begin(&st->mg);
    if (status != BW_OK) return status;
    status = weights_make(q);
    if (status == BW_OK) status = mg_build(&st->mg);
    st->built = status == BW_OK;
    return status;
}

/* Where the multigrid cannot be partitioned, every rank holds all of it and solves the same system. */
static enum bw_status levels_build(struct job *q, struct steady *st)
{
    struct bw_stage *s = q->t->s;
    if (mg_is_partitionable(q->mg)) return levels_make(q, st);
    enum bw_status status = ranks_fetch(s, bw_port_field(s, SOLID));
    if (status == BW_OK) status = ranks_fetch(s, bw_port_field(s, SOURCE));
    if (status == BW_OK) status = ranks_fetch(s, bw_port_field(s, PHI));
    ranks_sweep_all(s, 1);
    if (status == BW_OK) status = levels_make(q, st);
    ranks_sweep_all(s, 0);
    return status;
}

enum bw_status steady_run(struct potential_task *t, struct steady **state)
{
    struct bw_stage *s = t->s;
    if (!*state) {
        *state = s->host->alloc(s, sizeof **state);
        if (!*state) return BW_ERR_MEMORY;
        mg_init(&(*state)->mg, s);
    }
    struct mg_result result = {.converged = 1};
    struct job q = {t, &(*state)->mg, &result};
    const struct mg_options options = {t->p->tolerance, (int32_t)t->p->max_iterations, MG_AUTO, 1};
    const struct bw_access access = {bw_port_field(s, PHI), BW_WRITE, 0};
    enum bw_status status = levels_build(&q, *state);
    if (status != BW_OK) return status;
    s->host->parallel_for(s, t->l->count, rhs_set, &q);
    status = mg_solve(&(*state)->mg, &options, &result);
    if (status != BW_OK) return status;
    s->host->metric(s, "iterations", result.cycles, BW_METRIC_SUM);
    s->host->metric(s, "residual", result.residual, BW_METRIC_MAX);
    if (result.grew)
        return s->host->fail(s, BW_ERR_DIVERGED, "the solve diverged: residual %.2g after %d cycles", result.residual,
                             (int)result.cycles);
    if (!result.converged)
        s->host->log(s, BW_LOG_WARNING, "the potential did not converge: residual %.2g after %d cycles, wanted %.2g",
                     result.residual, (int)result.cycles, t->p->tolerance);
    return s->host->sweep(s, &(struct bw_sweep){.access = &access, .n_access = 1, .body = solution_body, .user = &q});
}
