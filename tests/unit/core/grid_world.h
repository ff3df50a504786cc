// SPDX-License-Identifier: Apache-2.0
/* A domain and what a sweep runs in, for tests straight on the grid. */
#ifndef GRID_WORLD_H
#define GRID_WORLD_H

#include "grid/grid.h"
#include <criterion/criterion.h>
#include <string.h>

static const uint32_t sides_closed[6] = {0};

static inline struct bw_domain_info make_info(int nx, int ny, int nz, const uint32_t kind[6])
{
    struct bw_domain_info d = {
        .size = sizeof d, .name = "main", .n = {nx, ny, nz}, .tile = {16, 16, 16}, .thin = -1, .h = .5};
    for (int s = 0; s < 6; s++) {
        d.side[s].kind = kind[s];
        d.side[s].velocity[s / 2] = .25 * (s + 1);
    }
    int n[3] = {nx, ny, nz};
    for (int a = 0; a < 3; a++)
        if (n[a] == 1) {
            d.thin = a;
            for (int b = 0; b < 3; b++) d.tile[b] = b == a ? 1 : 64;
        }
    return d;
}

static inline void activate_all(struct bw_domain *d)
{
    int64_t lo[3] = {0, 0, 0}, hi[3] = {d->info.n[0] - 1, d->info.n[1] - 1, d->info.n[2] - 1};
    bw_domain_request_cells(d, lo, hi);
    cr_assert_eq(bw_domain_commit(d), BW_OK);
}

/* Runs without a chain: the bare environment of a sweep. */
struct world {
    struct bw_domain *d;
    struct bw_workers *w;
    struct bw_arena *arena[4];
    struct bw_stage stage;
    struct bw_sweep_env env;
};

static inline void world_open(struct world *x, struct bw_domain_info info, uint32_t threads)
{
    memset(x, 0, sizeof *x);
    x->d = bw_domain_create(&info, 2);
    x->w = bw_workers_create(threads);
    for (int i = 0; i < 4; i++) x->arena[i] = bw_arena_create();
    x->stage.domain = x->d;
    x->env = (struct bw_sweep_env){x->w, x->arena, &x->stage, NULL};
}

static inline void world_close(struct world *x)
{
    for (int i = 0; i < 4; i++) bw_arena_destroy(x->arena[i]);
    bw_workers_destroy(x->w);
    bw_domain_destroy(x->d);
}

#endif
