// SPDX-License-Identifier: Apache-2.0
/* Drawing on an image. Coordinates in pixels, (0, 0) is the corner of the top left pixel; colours as in the image. */
#ifndef BW_DRAW_H
#define BW_DRAW_H

#include "image.h"

/// Rectangle [x0, x1) × [y0, y1).
void bw_draw_rect(struct bw_image *img, double x0, double y0, double x1, double y1, const float rgb[3], float alpha);
/// Smooth line with round ends.
void bw_draw_line(struct bw_image *img, const double a[2], const double b[2], double width, const float rgb[3],
                  float alpha);

#endif
