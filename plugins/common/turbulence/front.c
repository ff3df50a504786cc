// SPDX-License-Identifier: Apache-2.0
/* Fronts: the gradient of a field that was smoothed by a hat of half-width width/2 along each axis in turn. The share
 * then changes over lengths like `width` however sharp the front is, and a finer grid gives the same, up to O(h²).
 * Scratch has the background 0, and so should the field. */
#include "front.h"

#include <math.h>

enum { MOST_CELLS = 16 }; // of a halo

struct smoothing {
    int axis, reach;
    float tap[MOST_CELLS + 1]; ///< [0]: the middle
};

static int axis_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct smoothing *m = user;
    (void)b;
    for (int side = 0; side < 6 && row == 0; side++) reach[side] = side / 2 == m->axis ? m->reach : 0;
    return 1;
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
}

enum bw_status front_smooth(struct bw_stage *s, struct bw_field *field, double width, struct bw_field **out)
{
    struct smoothing m = {.reach = 0};
    /* the central difference that follows smooths by a variance of h²/3: the hat is narrower by that */
    const double cells = 0.5 * width / s->grid->h, half = fmin(sqrt(fmax(cells * cells - 2, 1)), MOST_CELLS);
    double sum = 0;
    m.reach = (int)ceil(half) - 1;
    for (int q = 0; q <= m.reach; q++) sum += (q ? 2 : 1) * (1 - q / half);
    for (int q = 0; q <= m.reach; q++) m.tap[q] = (float)((1 - q / half) / sum);
    *out = s->host->scratch_field(s, BW_SCALAR, BW_F32);
    if (!*out) return BW_ERR_MEMORY;
    enum bw_status status = BW_OK;
    struct bw_field *from = field;
    for (m.axis = 0; m.axis < 3 && status == BW_OK; m.axis++) {
        if (m.axis == s->grid->thin) continue;
        struct bw_access access[] = {{from, BW_READ, m.reach}, {*out, BW_WRITE, 0}};
        status = s->host->sweep(
            s,
            &(struct bw_sweep){.access = access, .n_access = 2, .body = axis_smooth, .reach = axis_reach, .user = &m});
        from = *out;
    }
    return status;
}

void front_shares(const struct bw_block *b, const struct bw_view *v, double width, double change, float *out)
{
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    const float scale = (float)(width / (2 * b->grid->h * change));
    for (int k = -1; k <= b->n[2]; k++)
        for (int j = -1; j <= b->n[1]; j++) {
            const float *q = bw_f32(v, 0) + j * v->sy + k * v->sz;
            for (int i = -1; i <= b->n[0]; i++, out++) {
                float square = 0;
                for (int a = 0; a < 3; a++) {
                    if (a == b->grid->thin) continue;
                    const float d = scale * (q[i + step[a]] - q[i - step[a]]);
                    square += d * d;
                }
                *out = square / (1 + square);
            }
        }
}
