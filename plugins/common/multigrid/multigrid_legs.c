// SPDX-License-Identifier: Apache-2.0
/* Runs the half-sweeps of a leg of a V-cycle, by planes in one pass over memory.
 *
 * A half-sweep over plane p reads the other colour on planes p-1 … p+1, so number s of a leg may follow one plane
 * behind number s-1, while the planes between are still in the cache. Each worker takes a slab of planes; next to
 * another's slab, number s stops s planes short of it, and the wedge that is left is done by all together, half-sweep
 * by half-sweep. Every cell sees exactly the values that whole half-sweeps one after the other would give it: the same
 * bits, for any number of workers. (Wonnacott 2000; Treibig, Wellein, Hager 2011.)
 *
 * Levels that are flat, dealt out over ranks, or have periodic seams, or less than two wedges a slab, go half-sweep by
 * half-sweep. */
#include "multigrid.h"
#include <string.h>

/* ---- periodic seams ---------------------------------------------------------------------------------------------- */

/// Copies plane `pf` of tile `from` to plane `pt` of tile `to`, planes across `axis`.
static void plane_copy(const struct mg_shape *s, char *x, size_t size, int axis, int32_t from, int pf, int32_t to,
                       int pt)
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    int32_t f[3] = {0}, t[3] = {0};
    f[axis] = pf, t[axis] = pt;
    for (f[b] = t[b] = 0; f[b] < s->edge[b]; f[b]++, t[b]++)
        for (f[a] = t[a] = 0; f[a] < s->edge[a]; f[a]++, t[a]++)
            memcpy(x + ((size_t)to * MG_CELLS + (size_t)mg_place(s->dim, t[0], t[1], t[2])) * size,
                   x + ((size_t)from * MG_CELLS + (size_t)mg_place(s->dim, f[0], f[1], f[2])) * size, size);
}

void mg_seams_refresh(const struct mg_crew *c, const struct mg_level *l, void *x, size_t size)
{
    if (!l->n_seam) return;
    for (int64_t i = 0; i < l->n_seam && c->rank == 0; i++) {
        const struct mg_seam *m = &l->seam[i];
        plane_copy(&c->mg->shape, x, size, m->axis, m->first, 0, m->last, m->cells);
        plane_copy(&c->mg->shape, x, size, m->axis, m->last, m->cells - 1, m->ghost, c->mg->shape.edge[m->axis] - 1);
    }
    mg_meet(c);
}

/* ---- half-sweeps ------------------------------------------------------------------------------------------------- */

/// What a leg works on.
struct leg {
    const struct mg_crew *crew;
    const struct mg_level *l, *coarse;
    const uint8_t *op;
    int n;
};

/* How far half-sweeps go, 2D and 3D, red and black: least cycles a digit of closed and open boxes with balls and walls,
 * 64³ … 128³ and 512². In 3D .07 a cycle (.086 with 1 and two half-sweeps more); 1.1 is as good within a tenth, 1.2 is
 * worse than 1. */
static const float over[2][2] = {{1.05f, 1.05f}, {1.15f, 1.05f}};

static int writes_black(int op) { return op == MG_RELAX_BLACK || op == MG_OVER_BLACK; }

/// One step of a leg on planes k0 … k1-1 of a tile; a pair of planes when it coarsens.
static void tile_do(const struct leg *g, int op, int64_t tile, int k0, int k1)
{
    const struct mg_level *l = g->l;
    const struct mg_kernels *kernels = g->crew->mg->kernels;
    const float *factor = over[g->crew->mg->shape.dim == 3];
    const struct mg_tile *t = &l->tile[tile];
    const int64_t parent = (int64_t)l->parent[tile] * MG_CELLS;
    switch (op) {
    case MG_FIRST: kernels->first(t, k0, k1); break;
    case MG_RELAX_RED: kernels->relax(t, MG_RED, 1, k0, k1); break;
    case MG_RELAX_BLACK: kernels->relax(t, MG_BLACK, 1, k0, k1); break;
    case MG_OVER_RED: kernels->relax(t, MG_RED, factor[MG_RED], k0, k1); break;
    case MG_OVER_BLACK: kernels->relax(t, MG_BLACK, factor[MG_BLACK], k0, k1); break;
    case MG_REFINE: kernels->refine(t, g->coarse->x + parent, l->octant[tile], k0, k1); break;
    default:
        l->square[tile * MG_PAIRS + k0 / 2] =
            kernels->coarsen(t, g->coarse ? g->coarse->b + parent : NULL, g->coarse ? l->octant[tile] : 0, k0, k1);
    }
}

/* ---- half-sweep by half-sweep ------------------------------------------------------------------------------------ */

static void tile_whole(const struct leg *g, int op, int64_t tile)
{
    const int planes = g->l->planes;
    /* across a seam with an odd number of cells, cells see others of their own colour */
    if (op == MG_FIRST && g->l->n_seam) memset(g->l->x + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    if (op != MG_COARSEN) {
        tile_do(g, op, tile, 0, planes);
        return;
    }
    for (int k = 0; k < planes; k += 2) tile_do(g, op, tile, k, k + 1);
}

static void leg_plain(const struct leg *g)
{
    const int dealt = mg_is_dealt(g->l);
    for (int s = 0; s < g->n; s++) {
        if (dealt && g->op[s] == MG_REFINE) mg_share_solved(g->crew, g->l, g->coarse);
        for (int64_t n = mg_first(g->crew, g->l), end = mg_end(g->crew, g->l); n < end; n++)
            tile_whole(g, g->op[s], mg_tile_of(g->l, n));
        mg_meet(g->crew);
        if (g->op[s] != MG_COARSEN) mg_seams_refresh(g->crew, g->l, g->l->x, sizeof *g->l->x);
        if (dealt && g->op[s] == MG_COARSEN) mg_share_restricted(g->crew, g->l, g->coarse);
        else if (dealt) mg_halo(g->crew, g->l, g->l->x, sizeof *g->l->x, writes_black(g->op[s]) ? MG_BLACK : MG_RED);
    }
}

/* ---- by planes --------------------------------------------------------------------------------------------------- */

enum { EDGE = 16 };

/// One step on plane p (or, coarsening, that and the next), tiles first … last-1 of its layer.
static void plane_do(const struct leg *g, int s, int p, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++) tile_do(g, g->op[s], i, p % EDGE, p % EDGE + 1);
}

/// Planes of step s in a slab: it keeps s away from neighbours. Pairs of planes stay together.
static int slab_low(const struct leg *g, int cut, int s)
{
    const int p = cut > 0 ? cut + s : 0;
    return g->op[s] == MG_COARSEN ? (p + 1) & ~1 : p;
}

static int slab_high(const struct leg *g, int cut, int s)
{
    const int p = cut < g->l->n_layers * EDGE ? cut - s : cut;
    return g->op[s] == MG_COARSEN ? p & ~1 : p;
}

static void slab_run(const struct leg *g, int low, int high)
{
    for (int t = low; t < high + g->n; t++)
        for (int s = 0; s < g->n; s++) {
            int p = t - s;
            if (g->op[s] == MG_COARSEN && !(p-- & 1)) continue; // the pair is complete with its odd plane
            if (p < slab_low(g, low, s) || p >= slab_high(g, high, s)) continue;
            plane_do(g, s, p, g->l->layer[p / EDGE], g->l->layer[p / EDGE + 1]);
        }
}

/// The wedge round the plane at which two slabs meet, this worker's share of each layer.
static void wedge_step(const struct leg *g, int cut, int s)
{
    const struct mg_crew *c = g->crew;
    const int step = g->op[s] == MG_COARSEN ? 2 : 1;
    for (int p = slab_high(g, cut, s); p < slab_low(g, cut, s); p += step) {
        const int64_t first = g->l->layer[p / EDGE], count = g->l->layer[p / EDGE + 1] - first;
        plane_do(g, s, p, first + count * c->rank / c->size, first + count * (c->rank + 1) / c->size);
    }
}

/// Where worker `rank`'s slab begins: an even plane, with as many tiles' planes below as is its due.
static int slab_cut(const struct mg_level *l, uint32_t rank, uint32_t size)
{
    const int64_t due = l->count * EDGE * rank / size;
    int z = 0;
    if (rank == size) return l->n_layers * EDGE;
    while (z + 1 < l->n_layers && (int64_t)l->layer[z + 1] * EDGE <= due) z++;
    const int64_t count = l->layer[z + 1] - l->layer[z];
    return z * EDGE + (count ? (int)((due - (int64_t)l->layer[z] * EDGE) / count) & ~1 : 0);
}

static int leg_has_slabs(const struct leg *g)
{
    const struct mg_level *l = g->l;
    if (mg_is_dealt(l)) return 0;
    if (g->crew->mg->shape.dim != 3 || l->n_seam || l->planes != EDGE || l->periodic[2]) return 0;
    for (uint32_t r = 0; r < g->crew->size; r++)
        if (slab_cut(l, r + 1, g->crew->size) - slab_cut(l, r, g->crew->size) < 2 * g->n) return 0;
    return 1;
}

static void leg_slabs(const struct leg *g)
{
    const struct mg_crew *c = g->crew;
    slab_run(g, slab_cut(g->l, c->rank, c->size), slab_cut(g->l, c->rank + 1, c->size));
    mg_meet(c);
    for (int s = 1; s < g->n && c->size > 1; s++) {
        for (uint32_t r = 1; r < c->size; r++) wedge_step(g, slab_cut(g->l, r, c->size), s);
        mg_meet(c);
    }
}

void mg_leg(const struct mg_crew *crew, const struct mg_level *level, const struct mg_level *coarse, const uint8_t *op,
            int n)
{
    const struct leg g = {crew, level, coarse, op, n};
    if (leg_has_slabs(&g)) leg_slabs(&g);
    else leg_plain(&g);
}
