// SPDX-License-Identifier: Apache-2.0
/* How tiles are dealt out over ranks: by what they cost, which is thought anew of what ranks have spent. */
#include "grid/ranks/ranks.h"

#include <criterion/criterion.h>

enum { EDGE = 12, TILES = EDGE * EDGE * EDGE, RANKS = 4 };

static const struct bw_domain_info info = {.size = sizeof info, .h = 1, .tile = {16, 16, 16}, .thin = -1};

static struct bw_topo *cube(void)
{
    static int32_t coord[TILES][3];
    for (int i = 0; i < TILES; i++)
        for (int a = 0; a < 3; a++) coord[i][a] = a == 0 ? i % EDGE : a == 1 ? i / EDGE % EDGE : i / EDGE / EDGE;
    return bw_topo_create(&info, coord, TILES, 1);
}

/* What each rank would spend of tiles that truly cost this; the most of it, over the mean. */
static double spend(const struct bw_partition *partition, const double *truth, double spent[RANKS])
{
    double sum = 0, most = 0;
    for (int r = 0; r < RANKS; r++) spent[r] = 0;
    for (int t = 0; t < TILES; t++) spent[partition->owner[t]] += truth[t];
    for (int r = 0; r < RANKS; r++) sum += spent[r], most = spent[r] > most ? spent[r] : most;
    return most * RANKS / sum;
}

Test(partition, follows_what_tiles_cost)
{
    static double truth[TILES];
    double spent[RANKS];
    struct bw_topo *t = cube();
    for (int i = 0; i < TILES; i++) truth[i] = t->coord[i][2] < EDGE / 3 ? 4 : 1; // fire at the bottom
    struct bw_partition *partition = bw_partition_create(t, &info, NULL, RANKS, 0);
    const double before = spend(partition, truth, spent);
    cr_assert_gt(before, 1.4, "%g", before);
    cr_assert_eq(partition->n_mine, TILES / RANKS);
    double now = before;
    for (int i = 0; i < 5; i++) {
        bw_partition_rebalance(partition, TILES, spent, RANKS);
        struct bw_partition *next = bw_partition_create(t, &info, partition->cost, RANKS, 0);
        bw_partition_free(partition);
        partition = next;
        now = spend(partition, truth, spent);
    }
    cr_assert_lt(now, 1.15, "%g", now);
    bw_partition_free(partition);
    bw_topo_unref(t);
}

Test(partition, lets_small_differences_be)
{
    struct bw_topo *t = cube();
    struct bw_partition *partition = bw_partition_create(t, &info, NULL, RANKS, 0);
    bw_partition_rebalance(partition, TILES, (double[RANKS]){1.05, 0.95, 1, 1}, RANKS);
    for (int i = 0; i < TILES; i++) cr_assert_eq(partition->cost[i], 1);
    bw_partition_rebalance(partition, TILES, (double[RANKS]){9, 1, 1, 1}, RANKS); // at most twice as much at once
    double least = 9, most = 0, sum = 0;
    for (int i = 0; i < TILES; i++) {
        const double c = partition->cost[i];
        least = c < least ? c : least, most = c > most ? c : most, sum += c;
    }
    cr_assert_float_eq(most / least, 4, 1e-9);
    cr_assert_float_eq(sum, TILES, 1e-6);
    bw_partition_free(partition);
    bw_topo_unref(t);
}
