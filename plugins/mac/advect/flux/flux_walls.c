// SPDX-License-Identifier: Apache-2.0
/* Fluxes beside obstacles. A face that is open by the share w lets through
 *     U = w u + (1 - w) u_solid
 * the gas's flow and the obstacle's together, as mac.project has balanced them: in and out sum to 0 as long as a cell,
 * cut or not, counts as a whole one, so that small cells do no harm. Obstacles and gas go as one medium whose border
 * moves with the surface; nothing enters an obstacle that stands. It is the flow of the last projection, for which
 * obstacles stood where they stood when this step began.
 *
 * What an obstacle holds says nothing of the gas beside it, so parabolas there are held to what is around.
 *
 * What the projection lets seep through slanted walls about a cell thick seeps here too.
 *
 * Without a projection, or before the first one: the flow where a face is open, the obstacle's where it is shut. */
#include "flux.h"
#include <string.h>

enum { VIEW_FLOW, VIEW_VEL, VIEW_SOLID };

static void faces_copy(const struct bw_block *b, const struct bw_view *out, int a, const float *from, ptrdiff_t sy,
                       ptrdiff_t sz)
{
    for (int32_t k = 0; k < b->n[2] + (a == 2); k++)
        for (int32_t j = 0; j < b->n[1] + (a == 1); j++)
            memcpy(bw_f32(out, a) + j * out->sy + k * out->sz, from + j * sy + k * sz,
                   (size_t)(b->n[0] + (a == 0)) * sizeof *from);
}

/// What stands at a block's cells and those beside them as the step begins, x fastest.
struct stands {
    const uint8_t *cells; ///< of cell (0,0,0), as openings.h says
    ptrdiff_t step[3];
    const struct bw_view *vel; ///< the obstacles', NULL: they stand
};

/* A face of a covered cell, or one that is shut, goes with the obstacle. */
static void faces_shut(const struct bw_block *b, const struct bw_view *out, int a, const struct stands *s)
{
    for (int32_t k = 0; k < b->n[2] + (a == 2); k++)
        for (int32_t j = 0; j < b->n[1] + (a == 1); j++)
            for (int32_t i = 0; i < b->n[0] + (a == 0); i++) {
                const uint8_t *high = s->cells + i + j * s->step[1] + k * s->step[2], *low = high - s->step[a];
                if (*low & *high & WALLS_FLUID && *high >> a & 1) continue;
                bw_f32(out, a)[i + j * out->sy + k * out->sz] =
                    s->vel ? bw_f32(s->vel, a)[i + j * s->vel->sy + k * s->vel->sz] : 0;
            }
}

static bool stands_find(const struct flux *f, const struct bw_block *b, struct stands *s)
{
    const int32_t lo[3] = {b->lo[0] - 1, b->lo[1] - 1, b->lo[2] - 1}, n[3] = {b->n[0] + 2, b->n[1] + 2, b->n[2] + 2};
    uint8_t *cells = b->stage->host->body_scratch(b, (size_t)n[0] * (size_t)n[1] * (size_t)n[2]);
    if (!cells) return false;
    walls_fill(f->pass->walls, 1, lo, n, cells);
    *s = (struct stands){.step = {1, n[0], (ptrdiff_t)n[0] * n[1]}, .vel = f->moves ? &b->view[VIEW_SOLID] : NULL};
    s->cells = cells + s->step[0] + s->step[1] + s->step[2];
    return true;
}

static bool obstacle_is_near(const struct flux *f, const struct bw_block *b)
{
    return walls_touch(f->pass->walls, b, (const int32_t[6]){1, 1, 1, 1, 1, 1});
}

static void block_flow(const struct bw_block *b, void *user)
{
    const struct flux *f = user;
    const struct bw_view *out = &b->view[VIEW_FLOW], *vel = &b->view[VIEW_VEL];
    const int32_t *td = b->grid->tile, *coord = f->topology->coord[tile_of_block(f->pass->tiles, b)];
    struct stands stands = {.cells = NULL};
    if (!f->open && obstacle_is_near(f, b) && !stands_find(f, b, &stands))
        return; // the host sees that scratch memory ran out
    for (int a = 0; a < 3; a++) {
        const float *through = open_flux_at(f->open, b->grid, coord, a);
        if (through) faces_copy(b, out, a, through, td[0] + 1, (ptrdiff_t)(td[0] + 1) * (td[1] + 1));
        else faces_copy(b, out, a, bw_f32(vel, a), vel->sy, vel->sz);
        if (stands.cells && a != b->grid->thin) faces_shut(b, out, a, &stands);
    }
}

/* High faces are the low faces of the cells above. */
static int flow_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    for (int s = 0; s < 6; s++) reach[s] = s & 1;
    const struct flux *f = user;
    return row < VIEW_SOLID || (!f->open && obstacle_is_near(f, b));
}

/* Of the last projection in the stage's own domain. */
static const struct open_flux *open_find(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_stage *found = NULL;
    for (uint32_t k = 0; (found = s->host->find_stage(s, OPEN_FLUX, k, &table)); k++)
        if (found->domain == s->domain) break;
    const struct open_flux *open = found ? ((const struct open_flux_api *)table)->last(found) : NULL;
    return open && open->count ? open : NULL;
}

/* Which cells of a line lie within FLUX_BESIDE cells of a covered one, as obstacles stand at the step's start or its
 * end. `n`: of the bytes along each axis, FLUX_BESIDE more than asked for at both ends of axis a. */
static void beside_mark(const uint8_t *cells, const int32_t n[3], int a, float *out)
{
    const ptrdiff_t step[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    const int32_t m[3] = {n[0] - (a == 0) * 2 * FLUX_BESIDE, n[1] - (a == 1) * 2 * FLUX_BESIDE,
                          n[2] - (a == 2) * 2 * FLUX_BESIDE};
    for (int32_t k = 0; k < m[2]; k++)
        for (int32_t j = 0; j < m[1]; j++)
            for (int32_t i = 0; i < m[0]; i++, out++)
                for (int32_t q = 0; q <= 2 * FLUX_BESIDE; q++)
                    if (!(cells[i + j * step[1] + k * step[2] + q * step[a]] & WALLS_FLUID)) *out = 1;
}

bool flux_beside(const struct flux *f, const struct bw_block *b, struct flux_tile *t)
{
    const struct walls *w = f->pass->walls;
    const int a = t->axis;
    int32_t reach[6] = {0}, lo[3] = {b->lo[0], b->lo[1], b->lo[2]}, n[3] = {b->n[0], b->n[1], b->n[2]};
    for (int high = 0; high < 2; high++) reach[2 * a + high] = t->around[high] + FLUX_BESIDE;
    if (!w || !walls_touch(w, b, reach)) return true;
    lo[a] -= reach[2 * a];
    n[a] += reach[2 * a] + reach[2 * a + 1];
    const size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    uint8_t *cells = b->stage->host->body_scratch(b, size);
    float *beside = b->stage->host->body_scratch(b, size * sizeof *beside);
    if (!cells || !beside) return false;
    for (size_t i = 0; i < size; i++) beside[i] = 0;
    for (int old = 0; old <= (w->speed > 0); old++) {
        walls_fill(w, old, lo, n, cells);
        beside_mark(cells, n, a, beside);
    }
    n[a] -= 2 * FLUX_BESIDE;
    t->beside = (struct flux_cells){.step = {1, n[0], (ptrdiff_t)n[0] * n[1]}};
    t->beside.at = beside + t->around[0] * t->beside.step[a];
    return true;
}

enum bw_status flux_open(struct flux *f)
{
    struct bw_stage *s = f->pass->stage;
    f->open = open_find(s);
    f->flow = s->host->scratch_field(s, BW_MAC, BW_F32);
    if (!f->flow) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for what flows past obstacles.");
    struct bw_field *solid_vel = bw_port_field(s, PORT_SOLID_VEL);
    f->moves = solid_vel != NULL;
    const struct bw_access row[] = {[VIEW_FLOW] = {f->flow, BW_WRITE, 0},
                                    [VIEW_VEL] = {f->pass->vel, BW_READ, 1},
                                    [VIEW_SOLID] = {solid_vel, BW_READ, 1}};
    return s->host->sweep(
        s, &(struct bw_sweep){
               .access = row, .n_access = f->moves ? 3 : 2, .body = block_flow, .reach = flow_reach, .user = f});
}
