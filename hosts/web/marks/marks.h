// SPDX-License-Identifier: Apache-2.0
/* What is drawn over a picture: particles, outlines, domains, active tiles. What a frame's are made of is read when it
 * is first wanted, and kept as long as the frame is open. */
#ifndef WEB_MARKS_H
#define WEB_MARKS_H

#include "paint.h"
#include "shelf/source.h"
#include "tiles.h"

enum { MARK_PARTICLES = 1, MARK_OUTLINES = 2, MARK_DOMAIN = 4, MARK_TILES = 8 };

struct marks {
    int32_t had; ///< of MARK_…: what has been read
    struct bw_snapshot *points;
    char why[180]; ///< there are none, or ""
    json_t *outlines;
    struct tiles tiles;
};

/// "pod": those of the letters p, o, d, t. -1: there is another one.
int32_t marks_of(const char *letters);
/// Read what of `wanted` is not there yet; somebody keeps others from doing so. What can't be had is left out.
void marks_take(struct marks *m, struct source *s, int64_t frame, int32_t wanted);
void marks_free(struct marks *m);
/// Draw; `said` gets what there is: "574 vortons".
void marks_draw(const struct marks *m, const struct paint *p, const struct bw_view_facts *f, int32_t wanted,
                char said[200]);

#endif
