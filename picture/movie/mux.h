// SPDX-License-Identifier: Apache-2.0
/* Packets into a file, and out of one. */
#ifndef BW_MOVIE_MUX_H
#define BW_MOVIE_MUX_H

#include "packets.h"
#include <libavcodec/codec_par.h>
#include <libavutil/rational.h>

/// An MP4 at `path`, index first. Returns 0 or an AVERROR.
int bw_mux(const struct bw_packets *p, const AVCodecParameters *what, AVRational rate, const char *path);
/// The packets of a movie of ours go behind those in `p`, of which *frames were and then are shown. *what and *rate are
/// set where *what is NULL; AVERROR_PATCHWELCOME: the movie is of another kind than they say. Returns 0 or an AVERROR.
int bw_demux(struct bw_packets *p, const struct bw_tools *tools, const char *path, int64_t *frames,
             AVCodecParameters **what, AVRational *rate);

#endif
