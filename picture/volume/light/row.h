// SPDX-License-Identifier: Apache-2.0
/* Light in a row of cells, one channel at a time: arithmetic alone, for many cells at once. */
#ifndef BW_ROW_H
#define BW_ROW_H

#include <picture/volume/scattering/discrete_ordinates.h>

/// A lamp: optical depths from it, a cell; of its light what arrives through clear air, and times what of that goes to
/// the eye.
struct bw_row_lamp {
    int n;
    const float *depth;
    float *share, *phase;
};
/// What is left of it where extinction is times `more`, and of that all but `ahead` of what is scattered, `albedo`,
/// is lost.
void bw_row_left(const struct bw_row_lamp *lamp, float more, float ahead, const float *albedo, float *left);
/// Add what it is `rgb` of, `left` of it.
void bw_row_scattered(const struct bw_row_lamp *lamp, float rgb, const float *left, float *sum);
/// Add what it sends straight, by its direction instead of evenly.
void bw_row_shadow_rays(const struct bw_row_lamp *lamp, float rgb, float more, float *sum);

/// Smoke, and soot the last of four a cell, or NULL, 1/m; what of light that meets smoke is scattered.
struct bw_row_smoke {
    int n;
    const float *dense, *soot, *albedo;
};
/// Add what comes from smoke, `more`; of a cell's own light what it sees beyond that, of `around`, in which that was
/// found: NULL, there is none. `m`: box, more, ahead.
void bw_row_multiple(const struct bw_scatter_medium *m, const struct bw_row_smoke *smoke, const float *more,
                     const float *around, float *light);
/// What is sent out where light arrives: BW_BRIGHTEST · exp(-x) times extinction, as x; `times`: extinction's of the
/// channel.
void bw_row_logs(int n, float times, const float *albedo, float *light);
/// The same by the metre.
void bw_row_sent(int n, float times, const float *albedo, const float *dense, float *light);

#endif
