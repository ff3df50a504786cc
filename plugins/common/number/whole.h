// SPDX-License-Identifier: Apache-2.0
/* Whole numbers of what is counted in doubles: steps, frames, things a second. The time is negative before the first
 * frame, and a preset may ask for any rate: the cast of a double beyond the integer's range is undefined. */
#ifndef NUMBER_WHOLE_H
#define NUMBER_WHOLE_H

#include <math.h>
#include <stdint.h>

/// The whole number at or below x, within ±2^62; of NaN 0.
static inline int64_t whole_below(double x)
{
    const double whole = floor(x);
    return whole > 0x1p62    ? (int64_t)1 << 62
           : whole < -0x1p62 ? -((int64_t)1 << 62)
           : whole == whole  ? (int64_t)whole
                             : 0;
}

#endif
