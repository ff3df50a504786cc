// SPDX-License-Identifier: Apache-2.0
/* Fronts: the gradient of a field that was smoothed by a hat of half-width width/2 along each axis in turn. The share
 * then changes over lengths like `width` however sharp the front is, and a finer grid gives the same, up to O(h²).
 * Scratch has the background 0, and so should the field. */
#include "front.h"
#include <common/ranks.h>
#include <common/tiles.h>

#include <math.h>

enum { MOST_CELLS = 16 }; // of a halo

struct smoothing {
    int axis, reach;
    float tap[MOST_CELLS + 1]; ///< [0]: the middle
    double least;
    const struct bw_tiles_api *tiles;
    uint8_t *holds; ///< by tile: more than `least` somewhere in it; NULL: nobody asks
};

static int axis_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct smoothing *m = user;
    (void)b;
    for (int side = 0; side < 6 && row == 0; side++) reach[side] = side / 2 == m->axis ? m->reach : 0;
    return 1;
}

static void tile_note(const struct bw_block *b, const struct smoothing *m)
{
    const struct bw_view *v = &b->view[1];
    float most[64] = {0}, all = 0; // one a column: a single one would not vectorise
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            const float *q = bw_f32(v, 0) + j * v->sy + k * v->sz;
            for (int i = 0; i < b->n[0]; i++) most[i] = fabsf(q[i]) > most[i] ? fabsf(q[i]) : most[i];
        }
    for (int i = 0; i < b->n[0]; i++) all = most[i] > all ? most[i] : all;
    m->holds[tile_of_block(m->tiles, b)] = (double)all > m->least;
}

static void axis_smooth(const struct bw_block *b, void *user)
{
    const struct smoothing *m = user;
    const struct bw_view *in = &b->view[0], *out = &b->view[1];
    const ptrdiff_t step = m->axis == 0 ? 1 : m->axis == 1 ? in->sy : in->sz;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            const float *from = bw_f32(in, 0) + j * in->sy + k * in->sz;
            float *to = bw_f32(out, 0) + j * out->sy + k * out->sz;
            for (int i = 0; i < b->n[0]; i++) to[i] = m->tap[0] * from[i];
            for (int q = 1; q <= m->reach; q++)
                for (int i = 0; i < b->n[0]; i++) to[i] += m->tap[q] * (from[i - q * step] + from[i + q * step]);
        }
    if (m->holds) tile_note(b, m);
}

/* Tiles that hold anything, and those beside them. */
static void tiles_spread(struct bw_stage *s, const struct smoothing *m, uint8_t *near)
{
    const struct bw_topology *t = m->tiles->topology(s->domain);
    for (int64_t i = 0; i < t->count; i++) {
        near[i] = 0;
        for (int q = 0; q < 27 && !near[i]; q++) {
            const int32_t *c = t->coord[i], at[3] = {c[0] + q % 3 - 1, c[1] + q / 3 % 3 - 1, c[2] + q / 9 - 1};
            const int64_t tile = m->tiles->find(s->domain, at);
            near[i] = tile >= 0 && m->holds[tile];
        }
    }
}

static enum bw_status tiles_alloc(struct bw_stage *s, struct smoothing *m, uint8_t **near)
{
    m->tiles = s->host->extension(BW_TILES);
    const size_t count = (size_t)m->tiles->topology(s->domain)->count + 1;
    m->holds = s->host->scratch(s, count);
    *near = s->host->scratch(s, count);
    return m->holds && *near ? BW_OK : BW_ERR_MEMORY;
}

enum bw_status front_smooth(struct bw_stage *s, struct bw_field *field, double width, double least,
                            struct bw_field **out, uint8_t **near)
{
    struct smoothing m = {.least = least};
    /* the central difference that follows smooths by a variance of h²/3: the hat is narrower by that */
    const double cells = 0.5 * width / s->grid->h, half = fmin(sqrt(fmax(cells * cells - 2, 1)), MOST_CELLS);
    double sum = 0;
    m.reach = (int)ceil(half) - 1;
    for (int q = 0; q <= m.reach; q++) sum += (q ? 2 : 1) * (1 - q / half);
    for (int q = 0; q <= m.reach; q++) m.tap[q] = (float)((1 - q / half) / sum);
    *out = s->host->scratch_field(s, BW_SCALAR, BW_F32);
    if (!*out) return BW_ERR_MEMORY;
    enum bw_status status = near ? tiles_alloc(s, &m, near) : BW_OK;
    struct bw_field *from = field;
    for (m.axis = 0; m.axis < 3 && status == BW_OK; m.axis++) {
        if (m.axis == s->grid->thin) continue;
        struct bw_access access[] = {{from, BW_READ, m.reach}, {*out, BW_WRITE, 0}};
        status = s->host->sweep(
            s,
            &(struct bw_sweep){.access = access, .n_access = 2, .body = axis_smooth, .reach = axis_reach, .user = &m});
        from = *out;
    }
    if (!near || status) return status;
    status = ranks_allgather(s, m.holds, NULL, 1);
    if (!status) tiles_spread(s, &m, *near);
    return status;
}
