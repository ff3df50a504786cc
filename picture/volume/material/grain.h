// SPDX-License-Identifier: Apache-2.0
/* Noise in space, 0 … 1: values at whole numbers and a quintic between them. */
#ifndef BW_GRAIN_H
#define BW_GRAIN_H

/// At a place in waves.
float bw_grain(const double at[3]);
/// Mean ½: waves from `length` down to twice the footprint, each half as long and `keep` times as strong as the last.
float bw_grain_waves(const double at[3], double length, int octaves, float keep, double footprint);
/// Cells round scattered points, at most one point a cube of 1 (Worley 1996): how far the wall to the next cell is,
/// about ½ at most; *which, 0 … 1, tells cells apart.
float bw_grain_cells(const double at[3], float *which);

#endif
