// SPDX-License-Identifier: Apache-2.0
#include "jpeg.h"

#include <stdlib.h>
#include <turbojpeg.h>

/// Without chroma subsampling at high quality: it would fray the edges of flames.
unsigned char *jpeg_encode(const struct bw_pixels *pixels, int quality, size_t *size)
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

int jpeg_decode(const void *jpeg, size_t size, struct bw_pixels *out)
{
    enum { MOST = 4096, ALL = 1 << 24 };
    int w = 0, h = 0, sampling, colours;
    tjhandle coder = tjInitDecompress();
    *out = (struct bw_pixels){.channels = 3};
    const int good = coder && !tjDecompressHeader3(coder, jpeg, size, &w, &h, &sampling, &colours) && w > 0 && h > 0 &&
                     w <= MOST && h <= MOST && w * h <= ALL && (out->memory = malloc(3 * (size_t)w * (size_t)h)) &&
                     !tjDecompress2(coder, jpeg, size, out->memory, w, 0, h, TJPF_RGB, TJFLAG_STOPONWARNING);
    if (coder) tjDestroy(coder);
    if (!good) free(out->memory);
    out->width = w;
    out->height = h;
    return good;
}
