// SPDX-License-Identifier: Apache-2.0
/* How fast the flow is, for mac.advect: the largest velocity component by tile and overall. A displacement has no
 * component longer than dt/h times that, so it bounds every trace and with it the halo. */
#include "advect_pass.h"

/// Measuring the velocity: the largest component on each tile's faces.
struct speeds {
    const struct advect_kernels *kernels;
    const struct bw_tiles_api *tiles;
    float *tile;
};

static float part_speed(const struct bw_block *b, const struct speeds *s, const int32_t lo[3], const int32_t n[3])
{
    const struct bw_view *v = &b->view[0];
    float most = 0;
    for (int c = 0; c < 3; c++) {
        if (c == b->grid->thin) continue;
        const float *u = bw_f32(v, c) + lo[0] + lo[1] * v->sy + lo[2] * v->sz;
        for (int32_t k = 0; k < n[2] + (c == 2); k++)
            for (int32_t j = 0; j < n[1] + (c == 1); j++) {
                float row = s->kernels->largest(u + j * v->sy + k * v->sz, n[0] + (c == 0));
                if (row > most) most = row;
            }
    }
    return most;
}

static void block_speed(const struct bw_block *b, void *user)
{
    const struct speeds *s = user;
    const int32_t *td = b->grid->tile;
    int32_t at[3];
    for (at[2] = 0; at[2] < b->n[2]; at[2] += td[2])
        for (at[1] = 0; at[1] < b->n[1]; at[1] += td[1])
            for (at[0] = 0; at[0] < b->n[0]; at[0] += td[0]) {
                int32_t coord[3], n[3];
                for (int a = 0; a < 3; a++) {
                    int32_t cell = b->lo[a] + at[a];
                    coord[a] = cell / td[a] - (cell % td[a] < 0);
                    n[a] = b->n[a] - at[a] < td[a] ? b->n[a] - at[a] : td[a];
                }
                float most = part_speed(b, s, at, n);
                int64_t t = s->tiles->find(b->stage->domain, coord);
                if (t >= 0) s->tile[t] = most;
                b->max[0] = fmax(b->max[0], (double)most);
            }
}

/* Largest velocity component that a trace can meet where there are no tiles: the background, and beyond the sides,
 * where a moving wall's mirror image adds twice its own to what is inside. */
static double speed_still(const struct bw_stage *s, const struct bw_field *vel)
{
    double most = 0, wall = 0;
    for (int c = 0; c < 3; c++) {
        most = fmax(most, fabs(s->host->field_info(vel)->background[c]));
        for (int side = 0; side < 6; side++) wall = fmax(wall, fabs(s->grid->side[side].velocity[c]));
    }
    return most + 2 * wall;
}

enum bw_status pass_measure(struct pass *p)
{
    struct bw_stage *s = p->stage;
    const struct bw_access access = {p->vel, BW_READ, 1}; // the halo has the high faces
    struct speeds by = {p->kernels, p->tiles, NULL};
    double most = 0;
    p->tile_speed = by.tile = s->host->scratch(s, sizeof *by.tile * (size_t)(p->tiles->topology(s->domain)->count + 1));
    if (!by.tile) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the tiles' speeds.");
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &access,
                                                             .n_access = 1,
                                                             .block = 2,
                                                             .body = block_speed,
                                                             .user = &by,
                                                             .maxs = &most,
                                                             .n_maxs = 1});
    p->still = speed_still(s, p->vel);
    p->speed = fmax(most, 0) + p->still;
    return st;
}
