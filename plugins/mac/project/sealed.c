// SPDX-License-Identifier: Apache-2.0
/* Finds the sealed region (a connected component of the fluid without open sides) whose sources are most out of
 * balance, and where it is, for the warning. Called only where there may be sources: expansion, moving walls,
 * inflow. */
#include "project.h"
#include <math.h>

enum { SUM, SQUARE, CELLS, X, Y, Z, N_SUMS };

struct tally {
    const struct projection *projection;
    double (*piece)[N_SUMS];
    double square; ///< of the whole right-hand side
};

static void cell_add(const struct tally *m, int64_t tile, int c)
{
    const struct multigrid *mg = m->projection->mg;
    const struct mg_regions *r = &mg->regions;
    const struct mg_shape *s = &mg->shape;
    const int edge = s->edge[0], at[3] = {c % edge, c / edge % edge, c / edge / edge};
    const int64_t p = r->label[tile] < 0 ? r->tile_first[tile]
                                         : r->tile_first[tile] + r->labels[(int64_t)r->label[tile] * MG_CELLS + c] - 1;
    const double b = (double)mg->level->b[tile * MG_CELLS + mg_colour_index(s->dim, at[0], at[1], at[2])];
    double *sums = m->piece[p];
    sums[SUM] += b;
    sums[SQUARE] += b * b;
    sums[CELLS] += 1;
    for (int q = 0; q < 3; q++) sums[X + s->axis[q]] += at[q];
}

static void tile_tally(int64_t tile, uint32_t worker, void *user)
{
    const struct tally *m = user;
    const struct mg_regions *r = &m->projection->mg->regions;
    const uint8_t *kind = m->projection->mg->kind + tile * MG_CELLS;
    const struct bw_domain_info *g = m->projection->mg->stage->grid;
    (void)worker;
    if (!mg_owns_tile(m->projection->mg, tile)) return;
    for (int c = 0; c < MG_CELLS; c++)
        if (kind[c]) cell_add(m, tile, c);
    for (int32_t p = r->tile_first[tile]; p < r->tile_first[tile + 1]; p++)
        for (int a = 0; a < 3; a++)
            m->piece[p][X + a] += m->piece[p][CELLS] * m->projection->topology->coord[tile][a] * g->tile[a];
}

/// Sums the pieces of each region; returns the most unbalanced region's first piece, or -1.
static int64_t worst_find(struct tally *m)
{
    const struct mg_regions *r = &m->projection->mg->regions;
    double most = 0;
    int64_t worst = -1;
    for (int64_t p = 0; p < r->n_pieces; p++) {
        m->square += m->piece[p][SQUARE];
        for (int s = 0; s < N_SUMS && r->piece[p] != p; s++) m->piece[r->piece[p]][s] += m->piece[p][s];
    }
    for (int64_t p = 0; p < r->n_pieces; p++) {
        if (r->piece[p] != p || r->open[p] || m->piece[p][CELLS] == 0) continue;
        const double lost = m->piece[p][SUM] * m->piece[p][SUM] / m->piece[p][CELLS];
        if (lost > most) {
            most = lost;
            worst = p;
        }
    }
    return worst;
}

enum bw_status project_find_sealed(struct bw_stage *s, const struct projection *t, struct sealed *out)
{
    const struct mg_regions *r = &t->mg->regions;
    struct tally m = {.projection = t};
    *out = (struct sealed){.cells = 0};
    if (!r->n_singular) return BW_OK;
    m.piece = s->host->scratch(s, (size_t)r->n_pieces * sizeof *m.piece);
    if (!m.piece) return BW_ERR_MEMORY;
    for (int64_t p = 0; p < r->n_pieces; p++)
        for (int i = 0; i < N_SUMS; i++) m.piece[p][i] = 0;
    s->host->parallel_for(s, t->topology->count, tile_tally, &m);
    if (mg_allgather_pieces(t->mg, m.piece, sizeof *m.piece) != BW_OK) return BW_ERR_MEMORY;
    const int64_t worst = worst_find(&m);
    if (worst < 0) return BW_OK;
    const double *sums = m.piece[worst];
    out->cells = sums[CELLS];
    out->rate = sums[SUM] / sums[CELLS] / t->source;
    for (int a = 0; a < 3; a++) out->at[a] = s->grid->origin[a] + (sums[X + a] / sums[CELLS] + 0.5) * s->grid->h;
    return BW_OK;
}
