// SPDX-License-Identifier: Apache-2.0
/* OpenEXR files through the library's C interface: linear light, half floats, ZIP in blocks of 16 lines. */
#ifndef EXR_FILE_H
#define EXR_FILE_H

#include <picture/image/image.h>

/// Write linear Rec.709 light `img` with `alpha` (NULL: opaque) that it is multiplied by. `software` goes into the
/// header. Errors: BW_ERR_IO, BW_ERR_MEMORY, with a sentence in `why`.
enum bw_status exr_file_write(const struct bw_image *img, const float *alpha, const char *path, const char *software,
                              char *why, size_t why_size);

#endif
