// SPDX-License-Identifier: Apache-2.0
/* A layer of pixels, smoothed. */
#ifndef BW_BLUR_H
#define BW_BLUR_H

#include <stdint.h>

/// a[w·h] with nearly a Gaussian of `sigma` pixels, whose edges go on for ever; `spare` is as large. What is less than
/// about a pixel stays as it was.
void bw_layer_blur(float *a, float *spare, int32_t w, int32_t h, double sigma);

#endif
