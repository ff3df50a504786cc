// SPDX-License-Identifier: Apache-2.0
/* Volume flux beside obstacles. The flux through a face with the open area fraction w is
 *     U = w u + (1 - w) u_solid
 * of gas and obstacle together, as mac.project balanced them: they sum to 0 over a cell, cut or not, with its whole
 * volume, so small cut cells do no harm. Obstacles and gas are one medium whose interface moves with the surface;
 * nothing enters an obstacle at rest. Cut faces use the flux of the last projection, when obstacles stood where they
 * stood at the start of this step; other faces use the velocity, so that a stage that changes it in between leaves no
 * seam around the tiles of obstacles.
 *
 * Values inside obstacles are meaningless, so parabolas beside them use the monotone limiter.
 *
 * The projection leaks through slanted walls thinner than a cell. That is suppressed here: faces of solid cells that
 * separate gas from gas move with the obstacle.
 *
 * Without a projection, or before the first one: the velocity through open faces, 0 through shut ones, since the gas
 * does not follow moving obstacles then. */
#include "flux.h"
#include <common/stage_find.h>
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

/* Cut faces: the projection's flux. */
static void faces_fill(const struct bw_block *b, const struct bw_view *out, int a, const float *through)
{
    const int32_t *td = b->grid->tile;
    for (int32_t k = 0; k < b->n[2] + (a == 2); k++)
        for (int32_t j = 0; j < b->n[1] + (a == 1); j++) {
            const float *from = through + (td[0] + 1) * (j + (td[1] + 1) * k);
            float *to = bw_f32(out, a) + j * out->sy + k * out->sz;
            for (int32_t i = 0; i < b->n[0] + (a == 0); i++)
                if (!isnan(from[i])) to[i] = from[i];
        }
}

/// Obstacles in a block and around it at the start of the step, x fastest.
struct solid_cells {
    const uint8_t *cells; ///< of cell (0,0,0), as walls.h says
    uint8_t *closed;      ///< the same: 1: a closed cell; of the block's cells and those beside them
    ptrdiff_t step[3];
    int32_t thin;
    const struct bw_view *vel; ///< the obstacles'; NULL: at rest
};

/* Is a cell connected to the next one along axis a, up or down? */
static bool cells_connected(const struct solid_cells *s, const uint8_t *cell, int a, int up)
{
    const uint8_t *to = cell + (up ? s->step[a] : -s->step[a]);
    return *(up ? to : cell) >> a & 1 && *to & WALLS_FLUID;
}

enum { AROUND = 2, WIDE = 2 * AROUND + 1, SEEN = AROUND + 1 }; ///< cells of a block, and of those beside it

/// Cells up to AROUND away from one, x fastest: are they connected to it?
struct window {
    bool is[WIDE * WIDE * WIDE];
};

static int32_t window_at(int side)
{
    static const int32_t step[3] = {1, WIDE, WIDE * WIDE};
    const int32_t middle = AROUND * (step[0] + step[1] + step[2]);
    return middle + (side & 1 ? step[side >> 1] : -step[side >> 1]);
}

/* Flood fill through open faces from cell `first` of the window. Is any cell reached wholly open? In a pocket of an
 * obstacle's surface none is. */
static bool gas_flood_fill(const struct solid_cells *s, const uint8_t *cell, int32_t first, struct window *w)
{
    int32_t queue[WIDE * WIDE * WIDE], n = 0;
    bool is_open = false;
    queue[n++] = first;
    w->is[first] = true;
    for (int32_t next = 0; next < n; next++) {
        const int32_t e = queue[next], at[3] = {e % WIDE, e / WIDE % WIDE, e / WIDE / WIDE};
        const uint8_t *from = cell;
        for (int a = 0; a < 3; a++) from += (at[a] - AROUND) * s->step[a];
        is_open = is_open || *from == WALLS_FREE;
        for (int side = 0; side < 6; side++) {
            const int a = side >> 1, to = at[a] + (side & 1 ? 1 : -1);
            const int32_t beside = e + window_at(side) - AROUND * (1 + WIDE + WIDE * WIDE);
            if (a == s->thin || to < 0 || to >= WIDE || !cells_connected(s, from, a, side & 1) || w->is[beside])
                continue;
            w->is[beside] = true;
            queue[n++] = beside;
        }
    }
    return is_open;
}

/* Does a covered cell with open faces separate gas from gas: is the gas on one side not connected to that on another
 * nearby? Such a cell is part of a wall about one cell thick, and would leak. */
static bool cell_separates(const struct solid_cells *s, const uint8_t *cell)
{
    struct window w;
    int joined = 0, open = 0;
    for (int side = 0; side < 6; side++)
        joined += side >> 1 != s->thin && cells_connected(s, cell, side >> 1, side & 1);
    if (joined < 2) return false;
    memset(&w, 0, sizeof w);
    for (int side = 0; side < 6; side++)
        if (side >> 1 != s->thin && cells_connected(s, cell, side >> 1, side & 1) && !w.is[window_at(side)])
            open += gas_flood_fill(s, cell, window_at(side), &w);
    return open > 1;
}

/* Closed cells: where the flux is known, those covered cells that separate gas; else all covered cells. */
static void closed_cells_mark(const struct bw_block *b, const struct solid_cells *s, bool flow_is_known)
{
    for (int32_t k = -1; k <= b->n[2]; k++)
        for (int32_t j = -1; j <= b->n[1]; j++) {
            const ptrdiff_t row = j * s->step[1] + k * s->step[2];
            for (ptrdiff_t i = row - 1; i <= row + b->n[0]; i++) s->closed[i] = !(s->cells[i] & WALLS_FLUID);
            for (ptrdiff_t i = row - 1; flow_is_known && i <= row + b->n[0]; i++)
                if (s->closed[i]) s->closed[i] = cell_separates(s, s->cells + i);
        }
}

/* Faces of closed cells move with the obstacle. */
static void faces_close(const struct bw_block *b, const struct bw_view *out, int a, const struct solid_cells *s)
{
    for (int32_t k = 0; k < b->n[2] + (a == 2); k++)
        for (int32_t j = 0; j < b->n[1] + (a == 1); j++)
            for (int32_t i = 0; i < b->n[0] + (a == 0); i++) {
                const ptrdiff_t high = i + j * s->step[1] + k * s->step[2];
                if (!(s->closed[high] | s->closed[high - s->step[a]]) && s->cells[high] >> a & 1) continue;
                bw_f32(out, a)[i + j * out->sy + k * out->sz] =
                    s->vel ? bw_f32(s->vel, a)[i + j * s->vel->sy + k * s->vel->sz] : 0;
            }
}

static bool solid_cells_find(const struct flux *f, const struct bw_block *b, struct solid_cells *s)
{
    const int32_t lo[3] = {b->lo[0] - SEEN, b->lo[1] - SEEN, b->lo[2] - SEEN};
    const int32_t n[3] = {b->n[0] + 2 * SEEN, b->n[1] + 2 * SEEN, b->n[2] + 2 * SEEN};
    const size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    uint8_t *cells = b->stage->host->body_scratch(b, 2 * size);
    if (!cells) return false;
    walls_fill(f->pass->walls, 1, lo, n, cells);
    *s = (struct solid_cells){.step = {1, n[0], (ptrdiff_t)n[0] * n[1]},
                              .thin = b->grid->thin,
                              .vel = f->moves && f->open ? &b->view[VIEW_SOLID] : NULL};
    s->cells = cells + SEEN * (s->step[0] + s->step[1] + s->step[2]);
    s->closed = cells + size + (s->cells - cells);
    closed_cells_mark(b, s, f->open != NULL);
    return true;
}

static void block_flow(const struct bw_block *b, void *user)
{
    const struct flux *f = user;
    const struct bw_view *out = &b->view[VIEW_FLOW], *vel = &b->view[VIEW_VEL];
    const int32_t *coord = f->topology->coord[tile_of_block(f->pass->tiles, b)];
    struct solid_cells solids = {.cells = NULL};
    if (walls_near(f->pass->walls, b, SEEN) && !solid_cells_find(f, b, &solids))
        return; // the host sees that scratch memory ran out
    for (int a = 0; a < 3; a++) {
        const float *through = open_flux_at(f->open, b->grid, coord, a);
        faces_copy(b, out, a, bw_f32(vel, a), vel->sy, vel->sz);
        if (through) faces_fill(b, out, a, through);
        if (solids.cells && a != b->grid->thin) faces_close(b, out, a, &solids);
    }
}

/* High faces are the low faces of the next cells. */
static int flow_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    for (int s = 0; s < 6; s++) reach[s] = s & 1;
    const struct flux *f = user;
    return row < VIEW_SOLID || (f->open && walls_near(f->pass->walls, b, SEEN));
}

static const struct open_flux *open_find(struct bw_stage *s)
{
    const void *api;
    const struct bw_stage *projection = stage_in_domain(s, OPEN_FLUX, &api);
    const struct open_flux *open = projection ? ((const struct open_flux_api *)api)->last(projection) : NULL;
    return open && open->count ? open : NULL;
}

bool flux_is_possible(const struct pass *p)
{
    const void *api;
    return !p->walls || !(p->walls->speed > 0) || stage_in_domain(p->stage, OPEN_FLUX, &api);
}

/* Marks the cells of a line within FLUX_STENCIL cells of a covered one, at the step's start or its end. `n`: of the
 * bytes along each axis, FLUX_STENCIL more than asked for at both ends of axis a. */
static void beside_mark(const uint8_t *cells, const int32_t n[3], int a, float *out)
{
    const ptrdiff_t step[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    const int32_t m[3] = {n[0] - (a == 0) * 2 * FLUX_STENCIL, n[1] - (a == 1) * 2 * FLUX_STENCIL,
                          n[2] - (a == 2) * 2 * FLUX_STENCIL};
    for (int32_t k = 0; k < m[2]; k++)
        for (int32_t j = 0; j < m[1]; j++)
            for (int32_t i = 0; i < m[0]; i++, out++)
                for (int32_t q = 0; q <= 2 * FLUX_STENCIL; q++)
                    if (!(cells[i + j * step[1] + k * step[2] + q * step[a]] & WALLS_FLUID)) *out = 1;
}

bool flux_mark_near_solid(const struct flux *f, const struct bw_block *b, struct flux_tile *t)
{
    const struct walls *w = f->pass->walls;
    const int a = t->axis;
    int32_t reach[6] = {0}, lo[3] = {b->lo[0], b->lo[1], b->lo[2]}, n[3] = {b->n[0], b->n[1], b->n[2]};
    for (int high = 0; high < 2; high++) reach[2 * a + high] = t->around[high] + FLUX_STENCIL;
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
    n[a] -= 2 * FLUX_STENCIL;
    t->near_solid = (struct flux_cells){.step = {1, n[0], (ptrdiff_t)n[0] * n[1]}};
    t->near_solid.at = beside + t->around[0] * t->near_solid.step[a];
    return true;
}

bool flux_marks_begin(const struct bw_block *b, int32_t far, struct region_marks *m)
{
    *m = (struct region_marks){.far = far, .size = 1};
    for (int a = 0; a < 3; a++) {
        const int32_t pad = a == b->grid->thin ? 0 : far;
        m->lo[a] = b->lo[a] - pad;
        m->n[a] = b->n[a] + 2 * pad;
        m->step[a] = m->size;
        m->zero += pad * m->step[a];
        m->size *= m->n[a];
    }
    m->cells = b->stage->host->body_scratch(b, (size_t)(3 * m->size));
    m->is = m->cells + m->size;
    m->next = m->is + m->size;
    if (m->cells) memset(m->is, 0, (size_t)m->size);
    return m->cells != NULL;
}

/* Ends of rows are ignored: marks that wrap around fall outside the block, where they are not used. */
void flux_marks_spread(struct region_marks *m)
{
    for (int a = 0; a < 3; a++) {
        if (m->n[a] == 1) continue;
        uint8_t *const is = m->is;
        marks_dilate(m->next, is, (size_t)m->size, m->step[a], m->far, m->far);
        m->is = m->next;
        m->next = is;
    }
}

bool flux_mark_moving_solid(const struct flux *f, const struct bw_block *b, struct flux_tile *t)
{
    enum { FAR = FLUX_STENCIL };
    const struct walls *w = f->pass->walls;
    struct region_marks m;
    if (!t->keep_amount || !w || !(w->speed > 0) || !f->open || !walls_near(w, b, FAR)) return true;
    if (!flux_marks_begin(b, FAR, &m)) return false;
    float *near = b->stage->host->body_scratch(b, (size_t)m.size * sizeof *near);
    for (int old = 0; old < 2; old++) {
        walls_fill(w, old, m.lo, m.n, m.cells);
        for (ptrdiff_t i = 0; i < m.size; i++) m.is[i] |= !(m.cells[i] & WALLS_FLUID);
    }
    flux_marks_spread(&m);
    for (ptrdiff_t i = 0; near && i < m.size; i++) near[i] = m.is[i];
    t->moving_solid = (struct flux_cells){near + m.zero, {m.step[0], m.step[1], m.step[2]}};
    return near != NULL;
}

enum bw_status flux_through_faces(struct flux *f)
{
    struct bw_stage *s = f->pass->stage;
    f->open = open_find(s);
    f->flow = s->host->scratch_field(s, BW_MAC, BW_F32);
    if (!f->flow) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the flow past obstacles.");
    struct bw_field *solid_vel = bw_port_field(s, PORT_SOLID_VEL);
    f->moves = solid_vel != NULL;
    const struct bw_access row[] = {[VIEW_FLOW] = {f->flow, BW_WRITE, 0},
                                    [VIEW_VEL] = {f->pass->vel, BW_READ, 1},
                                    [VIEW_SOLID] = {solid_vel, BW_READ, 1}};
    return s->host->sweep(
        s, &(struct bw_sweep){
               .access = row, .n_access = f->moves ? 3 : 2, .body = block_flow, .reach = flow_reach, .user = f});
}
