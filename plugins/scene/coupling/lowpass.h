// SPDX-License-Identifier: Apache-2.0
/* The large scales of a velocity on sparse tiles: gathered onto a coarse lattice, smoothed there, read back between its
 * nodes. The lattice is a whole number of cells wide and begins at the domain's first cell, wherever smoke is. */
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
    float *value[3], *weight[3]; ///< what was gathered, times its weight, and that weight
    float *wanted[3], *known;    ///< what it shall become there, and where that is known: 0 … 1
    float *push[3];              ///< the difference, smoothed
    float *spare[2];
};

/// 1 when cells are so much finer than `size` (m) that scales can be told apart.
int lattice_wanted(const struct bw_stage *s, double size);
/// Lay the lattice out for scales larger than `size`, which is wanted. Errors: BW_ERR_MEMORY.
enum bw_status lattice_make(struct bw_stage *s, double size, struct lattice *l);
/// Gather `vel` from the active tiles, of all ranks, as `force` (m/s²; or NULL) has it go on in this step.
/// Errors: BW_ERR_MEMORY.
enum bw_status lattice_gather(struct bw_stage *s, const struct bw_field *vel, const struct bw_field *force,
                              struct lattice *l);
/// push = the large scales of wanted - value, where both are known.
void lattice_compare(struct bw_stage *s, struct lattice *l);
static inline int64_t lattice_count(const struct lattice *l) { return (int64_t)l->n[0] * l->n[1] * l->n[2]; }
/// Component c of `push` at world x, trilinear.
double lattice_push(const struct lattice *l, int c, const double x[3]);

#endif
