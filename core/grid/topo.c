// SPDX-License-Identifier: Apache-2.0
/* The set of active tiles: sorted by coordinate, with a hash from coordinate to index. */
#include "grid.h"
#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

static uint32_t hash_coord(const int32_t c[3])
{
    uint64_t h = (uint64_t)(uint32_t)c[0] * 0x9e3779b97f4a7c15ull;
    h = (h ^ (uint32_t)c[1]) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 29) ^ (uint32_t)c[2]) * 0x94d049bb133111ebull;
    return (uint32_t)(h >> 32);
}

static int compare_coord(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    for (int i = 2; i >= 0; i--)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

int64_t bw_topo_index(const struct bw_topo *t, const int32_t coord[3])
{
    for (uint32_t h = hash_coord(coord) & t->mask;; h = (h + 1) & t->mask) {
        int32_t i = t->table[h];
        if (!i) return BW_TILE_INACTIVE;
        if (!memcmp(t->coord[i - 1], coord, 12)) return i - 1;
    }
}

int64_t bw_topo_find(const struct bw_topo *t, const struct bw_domain_info *d, const int32_t coord[3])
{
    int32_t c[3];
    for (int a = 0; a < 3; a++) {
        c[a] = coord[a];
        if (!bw_bounded(d)) continue;
        int32_t tiles = (d->n[a] + d->tile[a] - 1) / d->tile[a];
        if (c[a] >= 0 && c[a] < tiles) continue;
        if (d->side[2 * a].kind != BW_PERIODIC) return BW_TILE_OUTSIDE;
        c[a] = ((c[a] % tiles) + tiles) % tiles;
    }
    return bw_topo_index(t, c);
}

static void table_fill(struct bw_topo *t)
{
    for (int64_t i = 0; i < t->pub.count; i++) {
        uint32_t h = hash_coord(t->coord[i]) & t->mask;
        while (t->table[h]) h = (h + 1) & t->mask;
        t->table[h] = (int32_t)i + 1;
    }
}

static void neighbours_fill(struct bw_topo *t, const struct bw_domain_info *d)
{
    for (int64_t i = 0; i < t->pub.count; i++)
        for (int e = 0; e < 6; e++) {
            int32_t c[3] = {t->coord[i][0], t->coord[i][1], t->coord[i][2]};
            c[e / 2] += e & 1 ? 1 : -1;
            t->neighbour[i][e] = (int32_t)bw_topo_find(t, d, c);
        }
}

/// Tiles of a group of 2×2×2, a bit each: x + 2 y + 4 z.
static unsigned group_active(const struct bw_topo *t, const int32_t even[3])
{
    unsigned mask = 0;
    for (int e = 0; e < 8; e++) {
        const int32_t probe[3] = {even[0] + (e & 1), even[1] + (e >> 1 & 1), even[2] + (e >> 2)};
        if (bw_topo_index(t, probe) >= 0) mask |= 1u << e;
    }
    return mask;
}

/* Of a group's tiles the largest blocks first: what is around a block is filled for each, and least for a cube. The one
 * that tile `e` is in; bits of `n`: axes along which it has two. Returns its first tile. */
static int group_block(unsigned mask, int e, int *n)
{
    static const int shape[] = {7, 3, 5, 6, 1, 2, 4, 0}; // of as many tiles, those longest along x
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int first = 0; first < 8; first++) {
            unsigned tiles = 0;
            if (first & shape[s]) continue;
            for (int q = 0; q < 8; q++)
                if ((q & ~shape[s]) == first) tiles |= 1u << q;
            if ((mask & tiles) != tiles) continue;
            *n = shape[s];
            if (tiles >> e & 1) return first;
            mask &= ~tiles;
        }
    return e;
}

/* Cut the active tiles into blocks for wide sweeps. */
static void runs_fill(struct bw_topo *t)
{
    for (int64_t i = 0; i < t->pub.count; i++) {
        const int32_t *c = t->coord[i], even[3] = {c[0] & ~1, c[1] & ~1, c[2] & ~1};
        const int e = (c[0] & 1) | (c[1] & 1) << 1 | (c[2] & 1) << 2;
        int n = 0;
        if (group_block(group_active(t, even), e, &n) != e) continue;
        t->runs[t->n_runs++] = (struct bw_run){{c[0], c[1], c[2]}, {1 + (n & 1), 1 + (n >> 1 & 1), 1 + (n >> 2)}};
    }
}

struct bw_topo *bw_topo_create(const struct bw_domain_info *d, int32_t (*coord)[3], int64_t n, uint64_t version)
{
    struct bw_topo *t = bw_calloc(sizeof *t);
    if (!t) return NULL;
    uint32_t size = 64;
    while (size < 3 * (uint64_t)n) size *= 2;
    t->mask = size - 1;
    size_t rows = (size_t)(n ? n : 1);
    t->coord = bw_calloc(rows * sizeof *t->coord);
    t->neighbour = bw_calloc(rows * sizeof *t->neighbour);
    t->runs = bw_calloc(rows * sizeof *t->runs);
    t->born = bw_calloc(rows);
    t->table = bw_calloc(size * sizeof *t->table);
    atomic_store(&t->refs, 1);
    if (!t->coord || !t->neighbour || !t->table || !t->runs || !t->born) {
        bw_topo_unref(t);
        return NULL;
    }
    if (n) memcpy(t->coord, coord, (size_t)n * sizeof *t->coord);
    qsort(t->coord, (size_t)n, sizeof *t->coord, compare_coord);
    t->pub = (struct bw_topology){
        sizeof t->pub, n, (const int32_t(*)[3])t->coord, (const int32_t(*)[6])t->neighbour, version, t->born};
    table_fill(t);
    neighbours_fill(t, d);
    runs_fill(t);
    return t;
}

struct bw_topo *bw_topo_ref(struct bw_topo *t)
{
    atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void bw_topo_unref(struct bw_topo *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1) return;
    bw_free(t->coord);
    bw_free(t->neighbour);
    bw_free(t->table);
    bw_free(t->runs);
    bw_free(t->born);
    bw_free(t);
}
