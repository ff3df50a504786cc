// SPDX-License-Identifier: Apache-2.0
#include "far_field_kernels.h"
#include <common/simd.h>
#include <math.h>

/* Vectorises only so: `restrict` counts for parameters alone, and moments passed by pointer might alias the sums. */
static void lanes_potential_3d(const float *restrict tx, const float *restrict ty, const float *restrict tz,
                               const struct far_moments n, const float d[3], float *restrict sum)
{
    const float trace = n.q[0] + n.q[1] + n.q[2], dx = d[0], dy = d[1], dz = d[2];
    for (int i = 0; i < FAR_LANES; i++) {
        const float x = tx[i] + dx, y = ty[i] + dy, z = tz[i] + dz;
        const float r = x * x + y * y + z * z, w = 1 / (r > 4 ? r : 4), w1 = sqrtf(w);
        const float first = n.d[0] * x + n.d[1] * y + n.d[2] * z;
        const float second =
            n.q[0] * x * x + n.q[1] * y * y + n.q[2] * z * z + 2 * (n.q[3] * x * y + n.q[4] * x * z + n.q[5] * y * z);
        sum[i] += w1 * (n.m + w * (first + .5f * (3 * w * second - trace)));
    }
}

static void potential_3d(const struct far_moments *n, const float t[3][FAR_LANES], const float d[3], float *sum)
{
    lanes_potential_3d(t[0], t[1], t[2], *n, d, sum);
}

static void potential_2d(const struct far_moments *n, const float t[3][FAR_LANES], const float d[3], float *sum)
{
    const float trace = n->q[0] + n->q[1];
    for (int i = 0; i < FAR_LANES; i++) {
        const float x = t[0][i] + d[0], y = t[1][i] + d[1], r = x * x + y * y, r2 = r > 4 ? r : 4, w = 1 / r2;
        const float first = n->d[0] * x + n->d[1] * y;
        const float second = n->q[0] * x * x + n->q[1] * y * y + 2 * n->q[3] * x * y;
        sum[i] += -.5f * n->m * logf(r2) + w * (first + .5f * (2 * w * second - trace));
    }
}

static void side_velocity(struct far_velocity_nodes *k, int dim, const float at[3], const float u[3], int a, float out)
{
    const float n[3] = {a == 0 ? out : 0, a == 1 ? out : 0, a == 2 ? out : 0}, across = out * u[a];
    const float *restrict px = k->x[0], *restrict py = k->x[1], *restrict pz = k->x[2];
    float *restrict sx = k->sum[0], *restrict sy = k->sum[1], *restrict sz = k->sum[2];
    for (int i = 0; i < k->n; i++) {
        const float x = px[i] - at[0], y = py[i] - at[1], z = pz[i] - at[2];
        const float w = 1 / (x * x + y * y + z * z), c = dim == 3 ? w * sqrtf(w) : w;
        const float along = n[0] * x + n[1] * y + n[2] * z, down = u[0] * x + u[1] * y + u[2] * z;
        sx[i] += c * (across * x + along * u[0] - n[0] * down);
        sy[i] += c * (across * y + along * u[1] - n[1] * down);
        sz[i] += c * (across * z + along * u[2] - n[2] * down);
    }
}

const struct far_field_kernels SIMD_NAME(far_field_kernels) = {potential_3d, potential_2d, side_velocity};
