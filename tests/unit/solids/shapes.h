// SPDX-License-Identifier: Apache-2.0
/* Obstacles that are upright, and vectors, for tests of how they look. */
#ifndef TEST_SHAPES_H
#define TEST_SHAPES_H

#include "../render/image_tools.h"
#include <picture/volume/shape/pixel.h>

#include <criterion/criterion.h>

#define UPRIGHT .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

static inline struct bw_shapes *shapes_of(const struct bw_shape *shape, int n)
{
    const struct bw_shape *list[40];
    struct bw_shapes *s = NULL;
    for (int i = 0; i < n; i++) list[i] = &shape[i];
    cr_assert_eq(bw_shapes_follow(&tools, list, NULL, n, &s), BW_OK);
    return s;
}

static uint32_t seed = 1;
/// -1 … 1.
static inline double some(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 8388608.0 - 1;
}

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

#endif
