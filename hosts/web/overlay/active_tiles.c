// SPDX-License-Identifier: Apache-2.0
#include "active_tiles.h"

#include <stdlib.h>
#include <string.h>

enum { EDGE = 16, EDGE_FLAT = 64 };  ///< cells of a tile, as a bake has them
static const double MAX_CELLS = 1e9; ///< of a grid that is scanned

/* ---- sets ---- */

static int coord_compare(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    for (int k = 2; k >= 0; k--)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

/// Sort by coordinate and drop duplicates.
static void set_sort(struct tile_set *s)
{
    int64_t n = 0;
    if (s->n) qsort(s->coord, (size_t)s->n, sizeof *s->coord, coord_compare);
    for (int64_t i = 0; i < s->n; i++)
        if (!n || coord_compare(s->coord[n - 1], s->coord[i])) memmove(s->coord[n++], s->coord[i], sizeof *s->coord);
    s->n = n;
}

/// The set of a grid's domain, which its origin and tiles identify; a new one, or NULL: all sets are taken.
static struct tile_set *set_of_grid(struct tiles *t, const struct bw_snapshot_grid *g, const int32_t tile[3])
{
    struct tile_set new = {0};
    for (int a = 0; a < 3; a++) {
        new.origin[a] = g->origin[a];
        new.edge[a] = tile[a] * g->voxel;
    }
    for (int i = 0; i < t->n; i++)
        if (!memcmp(t->set[i].origin, new.origin, sizeof new.origin) && t->set[i].edge[0] == new.edge[0])
            return &t->set[i];
    if (t->n == TILE_SETS) return NULL;
    t->set[t->n] = new;
    return &t->set[t->n++];
}

/// Append n coordinates. 0: out of memory.
static int set_add(struct tile_set *s, const int32_t (*coord)[3], int64_t n)
{
    void *more = realloc(s->coord, (size_t)(s->n + n + 1) * sizeof *s->coord);
    if (!more) return 0;
    s->coord = more;
    if (n) memcpy(s->coord + s->n, coord, (size_t)n * sizeof *coord);
    s->n += n;
    return 1;
}

/* ---- grids of a cache ---- */

static int32_t floor_div(int32_t x, int32_t d) { return x >= 0 ? x / d : -1 - (-1 - x) / d; }

/// Add the active tiles of one layer of tiles, from its cells' values.
static void layer_scan(struct tile_set *s, const struct bw_box *box, const int32_t tile[3], const float *value,
                       float background)
{
    const size_t row = (size_t)box->n[0], all = row * (size_t)box->n[1] * (size_t)box->n[2];
    for (size_t i = 0; i < all; i++) {
        if (value[i] == background) continue;
        const int32_t cell[3] = {(int32_t)(i % row), (int32_t)(i / row % (size_t)box->n[1]),
                                 (int32_t)(i / row / (size_t)box->n[1])};
        int32_t at[3];
        for (int a = 0; a < 3; a++) at[a] = floor_div(box->lo[a] + cell[a], tile[a]);
        if (s->n && !coord_compare(s->coord[s->n - 1], at)) continue; // as of the cell before
        if (!set_add(s, (const int32_t(*)[3]) & at, 1)) return;
    }
    set_sort(s);
}

/// Add the active tiles of a grid that has none of its own, read one layer of tiles at a time.
static void grid_scan(struct tiles *t, struct bw_snapshot *snapshot, const struct bw_snapshot_grid *g, uint32_t number)
{
    const int flat = g->n[0] == 1 || g->n[1] == 1 || g->n[2] == 1;
    int32_t tile[3], last = floor_div(g->lo[2] + g->n[2] - 1, 1);
    for (int a = 0; a < 3; a++) tile[a] = !flat ? EDGE : g->n[a] == 1 ? 1 : EDGE_FLAT;
    struct tile_set *s = (double)g->n[0] * g->n[1] * g->n[2] < MAX_CELLS ? set_of_grid(t, g, tile) : NULL;
    float *value = malloc((size_t)g->n[0] * (size_t)g->n[1] * (size_t)tile[2] * sizeof *value);
    for (int32_t z = g->lo[2]; s && value && z <= last;) {
        const int32_t next = (floor_div(z, tile[2]) + 1) * tile[2], end = next < last + 1 ? next : last + 1;
        const struct bw_box box = {{g->lo[0], g->lo[1], z}, {g->n[0], g->n[1], end - z}};
        if (bw_snapshot_read(snapshot, number, 0, &box, 0, value)) break;
        layer_scan(s, &box, tile, value, (float)g->background[0]);
        z = end;
    }
    free(value);
}

void tiles_collect(struct tiles *t, struct bw_snapshot *snapshot)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    *t = (struct tiles){0};
    if (bw_snapshot_facts(snapshot, &f)) return;
    for (uint32_t i = 0; i < f.n_grids; i++) {
        const struct bw_snapshot_grid *g = &f.grids[i];
        struct tile_set *s = g->domain ? set_of_grid(t, g, g->tile) : NULL;
        if (s && !s->n) set_add(s, g->coord, g->n_tiles); // all fields of a domain have the same ones
        if (!g->domain && g->comps == 1 && g->n[0] && strcmp(g->name, "solid") != 0) grid_scan(t, snapshot, g, i);
    }
    for (int i = 0; i < t->n; i++) set_sort(&t->set[i]);
}

void tiles_free(struct tiles *t)
{
    for (int i = 0; i < t->n; i++) free(t->set[i].coord);
    *t = (struct tiles){0};
}
