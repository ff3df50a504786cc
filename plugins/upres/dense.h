// SPDX-License-Identifier: Apache-2.0
/* Dense boxes of values on a lattice of cubes: what is read from a cache, at the cache's own resolution, over the box
 * of what is there. Cells outside the box count as 0. Blocks of a finer domain take values from it by separable
 * interpolation, and give theirs back as means. Every value is a function of its own place alone, so neither blocks
 * nor threads show in it. */
#ifndef UPRES_DENSE_H
#define UPRES_DENSE_H

#include <billow/plugin.h>

/// Cell (i,j,k) spans origin + [i,i+1]·h × …
struct lattice {
    double h, origin[3];
};

/// Values of the cells lo … lo+n-1, x fastest, one array a component.
struct dense {
    int32_t lo[3], n[3];
    float *v[3];
    int32_t comps;
};

static inline size_t dense_count(const struct dense *d) { return (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2]; }

static inline int dense_same_box(const struct dense *a, const struct dense *b)
{
    for (int i = 0; i < 3; i++)
        if (a->lo[i] != b->lo[i] || a->n[i] != b->n[i]) return 0;
    return 1;
}

/// Give `d` the box of `like` and `comps` arrays, all 0; what it held before is given back. Errors: BW_ERR_MEMORY,
/// said.
enum bw_status dense_make(struct bw_stage *s, struct dense *d, const struct dense *like, int32_t comps);
/// Move `d` to the box of `like`: what both boxes hold stays, the rest is 0. Errors: BW_ERR_MEMORY, said.
enum bw_status dense_move(struct bw_stage *s, struct dense *d, const struct dense *like);
void dense_free(struct bw_stage *s, struct dense *d);
/// Save or restore a box and its values under keys that begin with `name`. Errors are said.
enum bw_status dense_checkpoint(struct bw_stage *s, struct bw_archive *a, const char *name, struct dense *d);

/// Mean over 5 cells along each axis, weights (1 4 6 4 1)/16, `gap` cells apart, of component c of `d`, into `out`;
/// `work` is as large as `out`. Beyond the box counts as 0.
void dense_blur(struct bw_stage *s, const struct dense *d, const float *in, int32_t gap, float *work, float *out);

/// Trilinear values of all components at lattice coordinates (a cell's centre has its index).
void dense_sample(const struct dense *d, const double x[3], float out[3]);
/// The same by Catmull-Rom's tricubic, kept within the eight values around.
void dense_sample_cubic(const struct dense *d, const double x[3], float out[3]);

/* ---- from the lattice to a block ---- */

enum dense_kernel {
    DENSE_SMOOTH, ///< quadratic B-spline: no value beyond its neighbours, a continuous slope
    DENSE_CUBIC,  ///< Catmull-Rom: goes through the values
};

/// Where the places of a block lie along one axis: place i takes taps at[i] … at[i]+3.
struct dense_axis {
    int32_t n, lo, span; ///< places; first lattice cell touched; how many are
    int32_t *at;         ///< from `lo`
    float (*w)[4];
};

/// Places first … first+n-1 of the finer grid `g` along `axis`, each `shift` of a cell above its low side. Memory comes
/// from the block; 0: out of memory.
int dense_axis_fill(struct dense_axis *a, const struct bw_block *b, const struct lattice *l, int axis, int32_t first,
                    int32_t n, double shift, enum dense_kernel kernel);
/// Values of component c at all places of three axes, x fastest, in the block's memory. NULL: out of memory.
float *dense_expand(const struct bw_block *b, const struct dense *d, int c, const struct dense_axis ax[3]);
/// Is any value of component c that dense_expand would use above `least`?
int dense_any(const struct dense *d, int c, const struct dense_axis ax[3], float least);

/* ---- from a field to the lattice ---- */

/// Component c of `out` becomes the mean of `field` over each cell of the lattice, as a difference from its background.
enum bw_status dense_restrict(struct bw_stage *s, const struct lattice *l, struct bw_field *field, int c,
                              struct dense *out);

#endif
