// SPDX-License-Identifier: Apache-2.0
/* A cube of cells that is one metre wide, and slabs in it. */
#ifndef TEST_CUBE_H
#define TEST_CUBE_H

#include "unit/render/image_tools.h"
#include <picture/volume/scene/dense.h>

#include <math.h>

enum { N = 48 };
static const struct bw_dense unit_box = {{N, N, N}, {-0.5, -0.5, 0}, 1.0 / N};

static inline float *cells_make(void) { return take(NULL, (size_t)N * N * N * sizeof(float)); }

static inline size_t cell(int i, int j, int k) { return ((size_t)k * N + (size_t)j) * N + (size_t)i; }

/// A horizontal slab over the whole box, cells [from, to) in z.
static inline float *slab_make(int from, int to, float value)
{
    float *f = cells_make();
    for (int k = from; k < to; k++)
        for (int i = 0; i < N * N; i++) f[(size_t)k * N * N + (size_t)i] = value;
    return f;
}

static inline double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

#endif
