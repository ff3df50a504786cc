// SPDX-License-Identifier: Apache-2.0
/* Between mac.advect's two ways of carrying a block: the fast one (advect.c) and the plain one (advect_plain.c). */
#ifndef ADVECT_PASS_H
#define ADVECT_PASS_H

#include "advect_kernels.h"
#include "mac.h"
#include <math.h>
#include <stdbool.h>

enum { PORT_VEL, PORT_FIELDS };
enum { MAX_ITEMS = 8, BACK = 0, AHEAD = 1 };

/// One field on its way: itself, the first half's result, and where both are among a block's views.
struct item {
    struct bw_field *field, *hat;
    const struct bw_field_info *info;
    uint32_t view, view_hat, view_out;
};

/// One sweep over a group of fields.
struct pass {
    struct bw_stage *stage;
    const struct advect_kernels *kernels;
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    struct item item[MAX_ITEMS];
    uint32_t n_items;
    bool second, clamp, fast, euler;
    int32_t halo;
    double scale, limit; ///< cells moved per m/s; longest way, cells
    double still;        ///< largest velocity component that can be met where there are no tiles, m/s
    float *tile_speed;   ///< largest velocity component on each tile's faces, m/s
    float *block_limit;  ///< by worker: longest way from the block at hand, cells
    float *memory;       ///< displacements, `share` floats a worker
    size_t share, stride;
};

/* A trace ahead that ends beyond an open or inflow side finds the background there, which says nothing of the error of
 * the trace back: such cells keep the first half. (Faces have the side's velocity there, and closed sides mirror.) */
struct room {
    double low[3], high[3]; ///< where cell centres have values to compare with, in cells of the block
    bool bounded;           ///< some trace may leave it
};

static inline struct room room_init(double limit, const struct bw_block *b)
{
    struct room r = {.bounded = false};
    for (int a = 0; a < 3; a++) {
        const struct bw_side *side = &b->grid->side[2 * a];
        bool open[2];
        for (int high = 0; high < 2; high++)
            open[high] = b->grid->n[a] > 0 && (side[high].kind == BW_OPEN || side[high].kind == BW_INFLOW);
        r.low[a] = open[0] ? -b->lo[a] : -HUGE_VAL;
        r.high[a] = open[1] ? b->grid->n[a] - 1 - b->lo[a] : HUGE_VAL;
        r.bounded = r.bounded || r.low[a] > -limit - 1 || r.high[a] < b->n[a] + limit;
    }
    return r;
}

static inline bool room_has(const struct room *r, const double x[3])
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && x[a] >= r->low[a] && x[a] <= r->high[a];
    return in;
}

/// Body of a sweep: doubles, any distance, beyond the halo by the sampler; sum[0] counts nodes that needed it.
void advect_block_plain(const struct bw_block *b, void *user);

#endif
