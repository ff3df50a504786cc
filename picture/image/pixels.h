// SPDX-License-Identifier: Apache-2.0
/* Pictures read back, as numbers of the file's own: pixels_png.c, pixels_exr.c. For those who compare. */
#ifndef BW_PIXELS_READ_H
#define BW_PIXELS_READ_H

#include <stdbool.h>

enum { BW_PIXELS_EDGE = 32768 }; ///< pixels, at most, along either edge
enum { BW_PIXELS_CHANNELS = 8 };

struct bw_read_pixels {
    int width, height, channels, bits;
    float *value;                      ///< `channels` each, top row first; free() it, of a failure too
    char name[BW_PIXELS_CHANNELS][16]; ///< of an EXR's channels
};
/// pixels_png.c: false: it is none, or memory ran out.
bool bw_pixels_read_png(const char *path, struct bw_read_pixels *out);
/// pixels_exr.c: the same, of one part of lines; channels by their names.
bool bw_pixels_read_exr(const char *path, struct bw_read_pixels *out);

#endif
