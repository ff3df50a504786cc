// SPDX-License-Identifier: Apache-2.0
/* Text on an image. */
#ifndef BW_FONT_H
#define BW_FONT_H

#include "image.h"

/// A line of text whose capitals are `size` pixels high, top left corner at (x, y), light with a soft dark edge.
void bw_draw_label(struct bw_image *img, double x, double y, double size, const char *text);
/// How wide that text is, pixels.
double bw_text_width(double size, const char *text);

#endif
