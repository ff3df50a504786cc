// SPDX-License-Identifier: Apache-2.0
/* What a page asks to see. */
#ifndef WEB_WISH_H
#define WEB_WISH_H

#include <billow/bake.h>

enum { MARK_PARTICLES = 1, MARK_OUTLINES = 2, MARK_DOMAIN = 4, MARK_TILES = 8 };

struct wish {
    int32_t of; ///< number of what is shown; 0: what is shown by itself
    int64_t frame;
    int32_t slice;         ///< 0: a render
    int32_t width, height; ///< pixels; slices: `height` alone
    int32_t coarse, quality;
    int32_t rest;    ///< 1: nobody's hand is waiting for it; 2: it is made when nothing else is to be done
    int32_t thumb;   ///< 1: a small one beside others: newer ones do not make it stale
    int32_t has_eye; ///< 0: the movie's camera
    struct bw_eye eye;
    double point[2]; ///< of a probe: shares of the width and height, from the top left
    int32_t marks;   ///< MARK_…
    double fps;      ///< of a movie
    char look[512];  ///< of slices, as JSON
    char domain[64]; ///< likewise; "": the first
};

/// The value of a key of the query, or NULL.
typedef const char *(*wish_value)(const char *key, void *user);
/// NULL: *w is good; else what is wrong with it.
const char *wish_read(struct wish *w, wish_value value, void *user);
/// A domain of a bake's snapshot; those of files have but their own.
void wish_domain(struct wish *w);
/// Another height of a slice that was read.
void wish_height(struct wish *w, int32_t height);

#endif
