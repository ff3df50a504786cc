// SPDX-License-Identifier: Apache-2.0
/* Deals the tiles of a checkpoint out to ranks that are not there, by the core's own rule, and counts what each would
 * have: partition CHECKPOINT [REFINE]. REFINE 2: the same cloud with voxels half as large, eight tiles for one. A line
 * for each number of ranks: ranks, tiles in all, most and mean of a rank's tiles, most and mean of its ghosts (others'
 * tiles that touch its own), most other ranks beside it, most faces of the multigrid that it sends. */
#include "base/alloc.h"
#include "grid/ranks/ranks.h"
#include "run/checkpoint/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cloud {
    int32_t (*coord)[3];
    int64_t n;
};

/* The largest domain's tiles. */
static bool cloud_read(struct cloud *c, const char *path)
{
    struct bw_diag d = {0};
    struct checkpoint_reader *r = checkpoint_open(path, &d);
    const char *name;
    size_t bytes;
    while (r && checkpoint_next(r, &name, &bytes, &d) == 1) {
        struct {
            uint64_t version;
            int64_t n;
        } head;
        if (strncmp(name, "tiles/", 6) != 0 || !checkpoint_read(r, &head, sizeof head, &d) || head.n <= c->n) continue;
        free(c->coord);
        c->coord = malloc((size_t)head.n * sizeof *c->coord);
        if (!c->coord || !checkpoint_read(r, c->coord, (size_t)head.n * sizeof *c->coord, &d)) break;
        c->n = head.n;
    }
    checkpoint_reader_free(r);
    if (!c->n) fprintf(stderr, "%s\n", d.first ? d.first : "no tiles in it");
    bw_diag_free(&d);
    return c->n > 0;
}

static struct bw_topo *topo_of(const struct cloud *c, const struct bw_domain_info *info, int32_t refine)
{
    const int64_t each = (int64_t)refine * refine * refine;
    int32_t(*all)[3] = malloc((size_t)(c->n * each) * sizeof *all);
    for (int64_t i = 0; all && i < c->n * each; i++) {
        const int32_t e = (int32_t)(i % each), at[3] = {e % refine, e / refine % refine, e / (refine * refine)};
        for (int a = 0; a < 3; a++) all[i][a] = c->coord[i / each][a] * refine + at[a];
    }
    struct bw_topo *t = all ? bw_topo_create(info, all, c->n * each, 1) : NULL;
    free(all);
    return t;
}

struct count {
    int64_t tiles[BW_RANKS_MOST], ghosts[BW_RANKS_MOST], faces[BW_RANKS_MOST];
    uint64_t beside[BW_RANKS_MOST];
};

static void tile_count(const struct bw_topo *t, const struct bw_partition *partition, int64_t i, struct count *c)
{
    const int32_t own = partition->owner[i];
    c->tiles[own]++;
    for (int32_t r = 0; r < BW_RANKS_MOST; r++) {
        if (r == own || !(partition->near[i] >> r & 1)) continue;
        c->ghosts[r]++;
        c->beside[r] |= (uint64_t)1 << own;
    }
    for (int s = 0; s < 6; s++) {
        const int32_t n = t->neighbour[i][s];
        c->faces[own] += n >= 0 && partition->owner[n] != own;
    }
}

static void line_print(const struct bw_topo *t, const struct count *c, int32_t ranks)
{
    int64_t tiles = 0, ghosts = 0, faces = 0, sum = 0;
    int beside = 0;
    for (int32_t r = 0; r < ranks; r++) {
        const int b = __builtin_popcountll(c->beside[r]);
        tiles = c->tiles[r] > tiles ? c->tiles[r] : tiles;
        ghosts = c->ghosts[r] > ghosts ? c->ghosts[r] : ghosts;
        faces = c->faces[r] > faces ? c->faces[r] : faces;
        beside = b > beside ? b : beside;
        sum += c->ghosts[r];
    }
    printf("%d %lld %lld %.2f %lld %.2f %d %lld\n", (int)ranks, (long long)t->pub.count, (long long)tiles,
           (double)t->pub.count / ranks, (long long)ghosts, (double)sum / ranks, beside, (long long)faces);
}

int main(int argc, char **argv)
{
    const struct bw_domain_info info = {.size = sizeof info, .h = 1, .tile = {16, 16, 16}, .thin = -1};
    struct cloud cloud = {0};
    const int32_t refine = argc > 2 ? atoi(argv[2]) : 1;
    if (argc < 2 || refine < 1 || refine > 16 || !cloud_read(&cloud, argv[1])) return 2;
    struct bw_topo *t = topo_of(&cloud, &info, refine);
    for (int32_t ranks = 1; t && ranks <= BW_RANKS_MOST; ranks *= 2) {
        struct bw_partition *partition = bw_partition_create(t, &info, NULL, ranks, 0);
        struct count c = {.tiles = {0}};
        for (int64_t i = 0; partition && i < t->pub.count; i++) tile_count(t, partition, i, &c);
        if (partition) line_print(t, &c, ranks);
        bw_partition_free(partition);
    }
    if (t) bw_topo_unref(t);
    free(cloud.coord);
    return t ? 0 : 7;
}
