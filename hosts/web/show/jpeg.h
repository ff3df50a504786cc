// SPDX-License-Identifier: Apache-2.0
/* Pictures as JPEG. */
#ifndef WEB_JPEG_H
#define WEB_JPEG_H

#include <billow/bake.h>

/// New memory (free), or NULL: out of it. `quality`: 1 … 100.
unsigned char *jpeg_make(const struct bw_pixels *pixels, int quality, size_t *size);

/// The pixels of one, in new memory. 0: it is none, or too large.
int jpeg_read(const void *jpeg, size_t size, struct bw_pixels *out);

#endif
