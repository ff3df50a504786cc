// SPDX-License-Identifier: Apache-2.0
/* Dithering, in place of a denoiser: a pixel's ray starts in its first step where blue noise says, so that what steps
 * miss comes out as fine grain, which eye and encoder pass over, and never as bands. */
#ifndef BW_JITTER_H
#define BW_JITTER_H

#include <stdint.h>

enum { BW_JITTER = 32 }; ///< pixels, then it repeats
extern const uint8_t bw_jitter_table[BW_JITTER][BW_JITTER];

/// In (0, 1), of the pixel and of the sample in it.
static inline float bw_jitter(int x, int y, int sample)
{
    const int turn = bw_jitter_table[(unsigned)y % BW_JITTER][(unsigned)x % BW_JITTER] + 158 * sample; // 256/φ
    return ((float)(turn & 255) + 0.5f) / 256;
}

#endif
