// SPDX-License-Identifier: Apache-2.0
/* A field as one block sees it, in doubles and at any distance: what lies beyond the halo comes from the host's
 * sampler, exactly. */
#ifndef ADVECT_REACH_H
#define ADVECT_REACH_H

#include "advect/kernels/advect_kernels.h"

#include <billow/plugin.h>
#include <math.h>
#include <stdbool.h>

struct reach {
    const struct bw_block *block;
    const struct bw_view *view;
    const struct bw_field *field;
    const struct bw_field_info *info;
    const struct bw_sample_api *sample;
    bool far; ///< out: had to look beyond the halo
};

/// Value of component c at node `at` of the block.
static inline double reach_node(struct reach *r, int c, const int32_t at[3])
{
    const struct bw_block *b = r->block;
    bool near = true;
    for (int a = 0; a < 3; a++) near = near && at[a] >= -r->view->halo && at[a] < b->n[a] + r->view->halo;
    if (near) {
        ptrdiff_t i = at[0] + at[1] * r->view->sy + at[2] * r->view->sz;
        return r->info->precision == BW_F64P ? bw_f64(r->view, c)[i] : (double)bw_f32(r->view, c)[i];
    }
    bw_vec3 pos;
    double value[3];
    for (int a = 0; a < 3; a++) {
        double low = r->info->kind == BW_MAC && a == c ? 0 : 0.5;
        pos[a] = b->corner[a] + (at[a] + low) * b->grid->h;
    }
    r->far = true;
    r->sample->sample(r->field, 1, (const bw_vec3 *)&pos, value);
    return value[c];
}

/// Value of component c at x, in its own nodes' coordinates, with the least and greatest of the 8 nodes around.
static inline double reach_value(struct reach *r, int c, const double x[3], double range[2])
{
    int32_t lo[3];
    double f[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double low = floor(fmin(fmax(x[a], -0x1p28), 0x1p28)); // farther than any domain reaches
        lo[a] = (int32_t)low;
        f[a] = fmin(fmax(x[a] - low, 0), 1);
    }
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (int e = 0; e < 8; e++) {
        const int32_t at[3] = {lo[0] + (e & 1), lo[1] + (e >> 1 & 1), lo[2] + (e >> 2)};
        double v = reach_node(r, c, at), w = 1;
        bool counts = true;
        for (int a = 0; a < 3; a++) {
            double share = at[a] > lo[a] ? f[a] : 1 - f[a];
            w *= share;
            counts = counts && share >= (double)ADVECT_CORNER_LEAST;
        }
        sum += w * v;
        if (!counts) continue;
        range[0] = fmin(range[0], v);
        range[1] = fmax(range[1], v);
    }
    return sum;
}

#endif
