// SPDX-License-Identifier: Apache-2.0
/* Places that are spread evenly in several directions at once, whichever power of two of them is taken. */
#ifndef BW_SOBOL_H
#define BW_SOBOL_H

#include <stdint.h>

enum { BW_SOBOL = 5 }; ///< directions
/// The n-th of a pixel's places, each in [0, 1); n < 2^16.
void bw_sobol(uint32_t n, int x, int y, double place[BW_SOBOL]);

#endif
