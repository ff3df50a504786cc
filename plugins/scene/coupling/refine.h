// SPDX-License-Identifier: Apache-2.0
/* Trilinear interpolation from a coarser lattice to the places of a block, an axis at a time: a line of the lattice
 * along x is brought to the block's places once, and serves all rows beside it; each plane mixes two of these along z,
 * and each row two of those along y. */
#ifndef REFINE_H
#define REFINE_H

#include <billow/plugin.h>

/// The lattice's places that one of the block's lies between, and their weights; n is 1 or 2.
struct refine_place {
    int32_t first, n;
    double w[2];
};

/// The lattice's line at y, z, at all places of the block along x.
typedef void (*refine_line_fn)(void *user, int32_t y, int32_t z, double *out);

struct refine {
    refine_line_fn line;
    void *user;
    int32_t n;            ///< numbers of a line
    int32_t first, lines; ///< lines along y that the block's rows lie between
    const struct refine_place *plane;
    int32_t *made[2]; ///< z of the lines of `along`, even and odd
    uint8_t *mixed;   ///< those of `across` that are made for this plane
    double *along[2], *across;
};

/// Memory for lines of n numbers between the block's first row and its last. 0: there is none.
int refine_begin(struct refine *r, const struct bw_block *b, int32_t n, const struct refine_place *first,
                 const struct refine_place *last);
/// Rows from now on lie at z, which stays the caller's. Planes and rows in any order; in theirs least is made twice.
void refine_plane(struct refine *r, const struct refine_place *z);
void refine_row(struct refine *r, const struct refine_place *y, double *out);

#endif
