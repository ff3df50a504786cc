// SPDX-License-Identifier: Apache-2.0
/* Samples a field from one block, in doubles and at any distance: beyond the halo by the host's sampler, exactly. */
#ifndef ADVECT_SAMPLER_H
#define ADVECT_SAMPLER_H

#include "advect/kernels/advect_kernels.h"

#include <billow/plugin.h>
#include <math.h>
#include <stdbool.h>

struct sampler {
    const struct bw_block *block;
    const struct bw_view *view;
    const struct bw_field *field;
    const struct bw_field_info *info;
    const struct bw_sample_api *sample;
    bool far; ///< out: a sample lay beyond the halo
};

static inline double sample_view(const struct sampler *r, int c, ptrdiff_t i)
{
    return r->info->precision == BW_F64P ? bw_f64(r->view, c)[i] : (double)bw_f32(r->view, c)[i];
}

/// Component c at x by the host's sampler, in its own nodes' coordinates.
static inline double sample_outside_halo(struct sampler *r, int c, const double x[3])
{
    const struct bw_block *b = r->block;
    bw_vec3 pos;
    double value;
    for (int a = 0; a < 3; a++) {
        double low = r->info->kind == BW_MAC && a == c ? 0 : 0.5;
        pos[a] = b->corner[a] + (x[a] + low) * b->grid->h;
    }
    r->far = true;
    r->sample->component(r->field, (uint32_t)c, 1, (const bw_vec3 *)&pos, &value);
    return value;
}

/// Does the view hold the nodes lo … lo + size?
static inline bool view_holds(const struct sampler *r, const int32_t lo[3], int32_t size)
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && lo[a] >= -r->view->halo && lo[a] + size < r->block->n[a] + r->view->halo;
    return in;
}

/// Value of component c at node `at` of the block.
static inline double sample_node(struct sampler *r, int c, const int32_t at[3])
{
    if (view_holds(r, at, 0)) return sample_view(r, c, at[0] + at[1] * r->view->sy + at[2] * r->view->sz);
    return sample_outside_halo(r, c, (const double[3]){at[0], at[1], at[2]});
}

/// v clamped to low … high; `low` for NaN. (fmin() and fmax() would be calls, 8 times a node.)
static inline double clamp_between(double v, double low, double high) { return v > low ? v < high ? v : high : low; }

/// Splits x into the node below and the fraction.
static inline void split_coordinates(const double x[3], int32_t lo[3], double f[3])
{
    for (int a = 0; a < 3; a++) {
        double low = floor(clamp_between(x[a], -0x1p28, 0x1p28)); // farther than any domain reaches
        lo[a] = (int32_t)low;
        f[a] = clamp_between(x[a] - low, 0, 1);
    }
}

/// Value of component c at x, in its own nodes' coordinates.
static inline double sample_linear(struct sampler *r, int c, const double x[3])
{
    int32_t lo[3];
    double f[3], sum = 0;
    split_coordinates(x, lo, f);
    if (!view_holds(r, lo, 1)) return sample_outside_halo(r, c, x);
    for (int e = 0; e < 8; e++) {
        const ptrdiff_t i = lo[0] + (e & 1) + (lo[1] + (e >> 1 & 1)) * r->view->sy + (lo[2] + (e >> 2)) * r->view->sz;
        const double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]);
        sum += w * sample_view(r, c, i);
    }
    return sum;
}

/// The least and greatest of the 8 nodes around x.
static inline void sample_range(struct sampler *r, int c, const double x[3], double range[2])
{
    int32_t lo[3];
    double f[3];
    split_coordinates(x, lo, f);
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (int e = 0; e < 8; e++) {
        const int32_t at[3] = {lo[0] + (e & 1), lo[1] + (e >> 1 & 1), lo[2] + (e >> 2)};
        bool counts = true;
        for (int a = 0; a < 3; a++) counts = counts && (at[a] > lo[a] ? f[a] : 1 - f[a]) >= (double)ADVECT_CORNER_LEAST;
        if (!counts) continue;
        const double v = sample_node(r, c, at);
        if (v < range[0]) range[0] = v;
        if (v > range[1]) range[1] = v;
    }
}

#endif
