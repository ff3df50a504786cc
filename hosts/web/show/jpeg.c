// SPDX-License-Identifier: Apache-2.0
#include "jpeg.h"

#include <stdlib.h>
#include <turbojpeg.h>

/// Sharp pictures keep their colours whole: edges of flames would fray.
unsigned char *jpeg_make(const struct bw_pixels *pixels, int quality, size_t *size)
{
    const int sampling = quality >= 90 ? TJSAMP_444 : TJSAMP_420;
    unsigned long length = tjBufSize(pixels->width, pixels->height, sampling);
    unsigned char *out = malloc(length);
    tjhandle coder = tjInitCompress();
    const int bad = !out || !coder ||
                    tjCompress2(coder, pixels->memory, pixels->width, 0, pixels->height, TJPF_RGB, &out, &length,
                                sampling, quality, TJFLAG_NOREALLOC);
    if (coder) tjDestroy(coder);
    if (bad) {
        free(out);
        return NULL;
    }
    *size = length;
    return out;
}
