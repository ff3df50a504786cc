// SPDX-License-Identifier: Apache-2.0
/* Pictures as encoders take them: planes Y, Cb, Cr of 8 bits, without gaps, the colours at half the resolution. */
#ifndef BW_MOVIE_RAW_H
#define BW_MOVIE_RAW_H

#include <libavutil/frame.h>
#include <picture/image/image.h>

/// Bytes of a picture of even sides.
size_t bw_raw_bytes(int32_t w, int32_t h);
/// A picture into `out`.
void bw_raw_fill(uint8_t *out, const struct bw_image *img);
/// From there into a frame that has room.
void bw_raw_frame(AVFrame *f, const uint8_t *raw);

#endif
