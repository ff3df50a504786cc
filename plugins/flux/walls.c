// SPDX-License-Identifier: Apache-2.0
/* Closed cells and faces: cells whose centre is inside an obstacle, cells beyond closed sides, and faces that the field
 * `wall` closes (½ or more). A diagonal neighbour is connected if some path to it along the axes is open. */
#include "flux.h"

/* Cells beyond a closed side of the box, along axis a. */
static int beyond_wall(const struct bw_block *b, int a, int cell)
{
    const struct bw_domain_info *d = b->grid;
    if (a == d->thin || d->n[a] <= 0) return 0;
    return (cell < 0 && d->side[2 * a].kind == BW_CLOSED) || (cell >= d->n[a] && d->side[2 * a + 1].kind == BW_CLOSED);
}

size_t flux_walls_size(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh)
{
    const struct flux_obstacles by = flux_obstacles_near(t, b);
    int near = by.solid || by.wall;
    for (int a = 0; a < 3; a++)
        near |= beyond_wall(b, a, b->lo[a] - FLUX_HALO) || beyond_wall(b, a, b->lo[a] + b->n[a] - 1 + FLUX_HALO);
    return near ? (size_t)(1 + (by.wall ? 3 : 0)) * sh->cells : 0;
}

static void open_fill(const struct bw_block *b, const struct bw_view *v, const struct flux_shape *sh, float *open)
{
    for (int k = -sh->halo[2]; k < sh->n[2] + sh->halo[2]; k++)
        for (int j = -sh->halo[1]; j < sh->n[1] + sh->halo[1]; j++) {
            const int beyond = beyond_wall(b, 1, b->lo[1] + j) || beyond_wall(b, 2, b->lo[2] + k);
            const ptrdiff_t at = flux_at(sh, j, k);
            const float *solid = v ? bw_f32(v, 0) + at : NULL;
            for (int i = -sh->halo[0]; i < sh->n[0] + sh->halo[0]; i++)
                open[at + i] = (float)!(beyond || (solid && solid[i] < 0));
            for (int i = 1; i <= sh->halo[0]; i++) {
                if (beyond_wall(b, 0, b->lo[0] - i)) open[at - i] = 0;
                if (beyond_wall(b, 0, b->lo[0] + sh->n[0] - 1 + i)) open[at + sh->n[0] - 1 + i] = 0;
            }
        }
}

void flux_walls_fill(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh, float *memory,
                     struct flux_walls *w)
{
    const struct flux_obstacles by = flux_obstacles_near(t, b);
    *w = (struct flux_walls){.open = memory + sh->origin,
                             .solid_vel = by.solid_speed > 0 ? &b->view[t->solid_vel] : NULL};
    open_fill(b, by.solid ? &b->view[t->solid] : NULL, sh, w->open);
    for (int a = 0; a < 3 && by.wall; a++) {
        const float *wall = bw_f32(&b->view[t->wall], a) - sh->origin;
        float *pass = memory + (size_t)(1 + a) * sh->cells;
        for (size_t i = 0; i < sh->cells; i++) pass[i] = wall[i] < 0.5f;
        w->pass[a] = pass + sh->origin;
    }
}

int flux_walls_pass(const struct flux_walls *w, const ptrdiff_t step[3], ptrdiff_t c, const int d[3])
{
    int steps = 0;
    for (int a = 0; a < 3; a++) {
        int left[3] = {d[0], d[1], d[2]};
        if (!d[a]) continue;
        left[a] = 0;
        steps++;
        if (w->pass[a][c + (d[a] > 0 ? step[a] : 0)] > 0 && flux_walls_pass(w, step, c + d[a] * step[a], left))
            return 1;
    }
    return !steps;
}
