// SPDX-License-Identifier: Apache-2.0
/* Where a fire has been: what is round it is black. */
#ifndef BW_SCORCH_H
#define BW_SCORCH_H

struct bw_scorch {
    double at[3], radius; ///< m; a radius of 0: there is none
    float ember[3];       ///< radiance of what smoulders in wood
};

/// 0 … 1 at a place, m, of a surface that faces `n` (NULL: the floor): half of it at the radius, less where it looks
/// away.
float bw_scorch_at(const struct bw_scorch *s, const double p[3], const double n[3]);

#endif
