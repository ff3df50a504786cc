// SPDX-License-Identifier: Apache-2.0
/* Packets into a file. */
#ifndef BW_MOVIE_MUX_H
#define BW_MOVIE_MUX_H

#include "packets.h"
#include <libavcodec/codec_par.h>
#include <libavutil/rational.h>

/// An MP4 at `path`, index first. Returns 0 or an AVERROR.
int bw_mux(const struct bw_packets *p, const AVCodecParameters *what, AVRational rate, const char *path);

#endif
