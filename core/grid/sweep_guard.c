// SPDX-License-Identifier: Apache-2.0
/* Values round views, for tests: a body that reads beyond its halo, or takes one view's strides for another's or for a
 * tile's, does other things with them than without. */
#include "sweep.h"

void sweep_guard_fill(const struct sweep_job *j, void *to, size_t values, size_t elem)
{
    for (size_t i = 0; i < values; i++)
        if (elem == 8) ((double *)to)[i] = (double)j->env->guard;
        else ((float *)to)[i] = j->env->guard;
}

void sweep_guard_planes(const struct sweep_job *j, const int32_t n[3], uint32_t c, const struct bw_view *v, char *m,
                        size_t elem)
{
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t y = 0; y < n[1]; y++)
            for (int32_t i = 0; i < n[0]; i++)
                if ((c != 0 && i == n[0] - 1) || (c != 1 && y == n[1] - 1) || (c != 2 && k == n[2] - 1))
                    sweep_guard_fill(j, m + (size_t)(i + y * v->sy + k * v->sz) * elem, 1, elem);
}
