// SPDX-License-Identifier: Apache-2.0
/* JPEG, by libjpeg-turbo. */
#ifndef WEB_JPEG_H
#define WEB_JPEG_H

#include <billow/bake.h>

/// Compress; memory from malloc, or NULL: out of memory. `quality`: 1 … 100.
unsigned char *jpeg_encode(const struct bw_pixels *pixels, int quality, size_t *size);

/// Decompress; pixels from malloc. 0: it is no JPEG, or too large.
int jpeg_decode(const void *jpeg, size_t size, struct bw_pixels *out);

#endif
