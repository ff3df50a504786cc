// SPDX-License-Identifier: Apache-2.0
/* The encoder of one group of pictures. */
#ifndef BW_MOVIE_CODEC_H
#define BW_MOVIE_CODEC_H

#include "options.h"
#include <libavcodec/avcodec.h>

/// Frames a second: 24000/1001 and its like exactly, everything else as the nearest fraction.
AVRational bw_codec_rate(double fps);
/// Pictures of a group: about a second, so that scrubbing stays quick, few enough to be kept raw, and more than one:
/// no key frame follows another at once.
int32_t bw_codec_group(const struct bw_movie_options *o);
/// A fresh encoder called `name`, or, for NULL, the best that opens: H.264 of any kind, else MPEG-4. NULL: none does.
AVCodecContext *bw_codec_open(const struct bw_movie_options *o, const char *name);

#endif
