// SPDX-License-Identifier: Apache-2.0
/* What a movie is asked to be. */
#ifndef BW_MOVIE_OPTIONS_H
#define BW_MOVIE_OPTIONS_H

#include <stdint.h>

struct bw_movie_options {
    int32_t w, h; ///< even
    double fps;
    double crf; ///< constant quality: 18 is good, 28 is small
};

#endif
