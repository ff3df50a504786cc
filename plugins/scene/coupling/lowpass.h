// SPDX-License-Identifier: Apache-2.0
/* Low-pass filter of a velocity on sparse tiles: restricted to a coarse lattice, smoothed there, interpolated back. A
 * step of the lattice is a whole number of cells. It begins at the domain's first cell, wherever smoke is. */
#ifndef LOWPASS_H
#define LOWPASS_H

#include <billow/plugin.h>

/// Nodes round the active tiles; node (i,j,k) stands at origin + (lo + (i,j,k))·step. Memory is the stage's scratch.
struct lattice {
    int32_t lo[3], n[3];
    double origin[3], step;      ///< m
    int32_t cells;               ///< of the domain along a step
    int32_t round[3];            ///< periodic axes: 1, node n is node 0, and all of the period is there
    double blur;                 ///< standard deviation of the smoothing on the lattice, in steps
    float *value[3], *weight[3]; ///< gathered value times its weight, and the weight
    float *target[3], *known;    ///< velocity to follow, and the weight where it is known: 0 … 1
    float *difference[3];        ///< target - value, smoothed
    float *spare[2];
};

/// 1 when cells are so fine against `size` (m) that large scales and small ones can be separated.
int lattice_is_needed(const struct bw_stage *s, double size);
/// Allocates the lattice for scales larger than `size`, for which lattice_is_needed(). Errors: BW_ERR_MEMORY.
enum bw_status lattice_make(struct bw_stage *s, double size, struct lattice *l);
/// Gathers `vel` + dt·`force` (m/s²; or NULL) from the active tiles of all ranks.
/// Errors: BW_ERR_MEMORY.
enum bw_status lattice_gather(struct bw_stage *s, const struct bw_field *vel, const struct bw_field *force,
                              struct lattice *l);
/// difference = low-pass of target - value, where both are known.
void lattice_filter(struct bw_stage *s, struct lattice *l);
static inline int64_t lattice_count(const struct lattice *l) { return (int64_t)l->n[0] * l->n[1] * l->n[2]; }
/// Component c of `difference` at x, m, trilinear.
double lattice_difference(const struct lattice *l, int c, const double x[3]);

#endif
