// SPDX-License-Identifier: Apache-2.0
/* The sweeps of mac.diffuse, compiled once for each type that the correction is kept in (diffuse_kernels.c). */
#ifndef DIFFUSE_H
#define DIFFUSE_H

#include <billow/plugin.h>

/// One field's solve: (1 - implicit L) x = number L q, then q += x. L q: sum of (neighbour - self).
/// Views by number, -1 where there is none.
struct diffuse_task {
    int32_t field, force, pressure, x, x_out, rhs, direction, solid, solid_vel;
    int32_t mac;          ///< the field is a mac field
    int32_t field_is_f64; ///< and it is kept in double
    int32_t slip;         ///< the flow slides along obstacles
    double force_dt;      ///< s, of the flow: the force gets x / force_dt; else 1
    double known;         ///< theta, with a force: q = vel + theta (force_dt force - gradient (p - p'))
    double gradient;      ///< dt / (density h), m/s a Pa
    double number;        ///< diffusivity dt / h²
    double implicit;      ///< theta times that: the part that acts on the new values
    double beta, alpha;   ///< Chebyshev: direction = beta direction + alpha residual
    const struct bw_tiles_api *tiles;
    uint8_t *near_solid; ///< by tile: 1 where obstacles are in reach; NULL without `solid`
};

enum { DIFFUSE_LINK_MOST = 10000 }; ///< largest factor of a difference to an obstacle's velocity

struct diffuse_kernels {
    /// rhs = number L q, x = direction = alpha P rhs, P the preconditioner; sets near_solid. Reads field and force
    /// (halo 1), pressure (2), solid (2), solid_vel (1); writes rhs, x, direction. max[0] = largest |P rhs|.
    bw_body_fn begin;
    /// A Chebyshev step from x to x_out. Reads x (halo 1), rhs (faces: halo 1), solid (2); updates direction. max[0] =
    /// largest |residual| of x.
    bw_body_fn iterate;
    /// field += x / force_dt. Reads x (halo 1), updates field.
    bw_body_fn finish;
};

/// Is there a wall at side s that the flow sticks to, with two values beside it?
static inline int diffuse_side_bends(const struct bw_domain_info *grid, int s)
{
    return grid->side[s].kind == BW_CLOSED && grid->side[s].no_slip && grid->n[s >> 1] > 1;
}

extern const struct diffuse_kernels diffuse_f32, diffuse_f64;

#endif
