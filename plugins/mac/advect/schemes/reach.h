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

/// The least (sign 1) or greatest (-1) of 8 values around, which count as ADVECT_CORNER_WHOLE says.
static inline double reach_bound(const double value[8], const double f[3], double sign)
{
    double v[8];
    for (int e = 0; e < 8; e++) v[e] = sign * value[e];
    for (int a = 0, n = 4; a < 3; a++, n /= 2) {
        const double low = (double)advect_corner_fade((float)(1 - f[a])),
                     high = (double)advect_corner_fade((float)f[a]);
        for (int e = 0; e < n; e++) {
            const double p = v[2 * e], q = v[2 * e + 1];
            v[e] = fmin(p + low * (q - p), q + high * (p - q));
        }
    }
    return sign * v[0];
}

/// Value of component c at x, in its own nodes' coordinates, with the bounds that the 8 nodes around set.
static inline double reach_value(struct reach *r, int c, const double x[3], double range[2])
{
    int32_t lo[3];
    double f[3], v[8], sum = 0;
    for (int a = 0; a < 3; a++) {
        double low = floor(fmin(fmax(x[a], -0x1p28), 0x1p28)); // farther than any domain reaches
        lo[a] = (int32_t)low;
        f[a] = fmin(fmax(x[a] - low, 0), 1);
    }
    for (int e = 0; e < 8; e++) {
        const int32_t at[3] = {lo[0] + (e & 1), lo[1] + (e >> 1 & 1), lo[2] + (e >> 2)};
        double w = 1;
        v[e] = reach_node(r, c, at);
        for (int a = 0; a < 3; a++) w *= at[a] > lo[a] ? f[a] : 1 - f[a];
        sum += w * v[e];
    }
    range[0] = reach_bound(v, f, 1);
    range[1] = reach_bound(v, f, -1);
    return sum;
}

#endif
