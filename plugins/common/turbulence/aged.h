// SPDX-License-Identifier: Apache-2.0
/* Eddies by the age of the smoke. */
#ifndef AGED_H
#define AGED_H

#include <billow/plugin.h>

enum { AGED_CELLS = 64 + 2 }; // of a row

/// What the weights of octaves go by.
struct aged {
    int smoke, age;      ///< views with a halo of 2
    double radius, size; ///< of the source; of the largest eddies, m
    int octaves;         ///< each half as large as the one before
};

/// The weights of the octaves in cells -1 … n of row (j,k), `share` times as much: of[octave]. Once a SIMD level.
typedef void aged_row_fn(const struct aged *t, const struct bw_block *b, int j, int k, const float *share,
                         float *const of[]);
extern aged_row_fn aged_row_baseline, aged_row_avx2, aged_row_avx512;

#endif
