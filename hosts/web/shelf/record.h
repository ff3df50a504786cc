// SPDX-License-Identifier: Apache-2.0
/* What a bake's folder says of itself: bake.json beside resolved.yaml, by which it can be gone on with. */
#ifndef WEB_RECORD_H
#define WEB_RECORD_H

#include <jansson.h>
#include <stdint.h>
#include <time.h>

struct record {
    int known;           ///< 0: there is none, and nothing can be gone on with
    int complete;        ///< all frames are made
    int64_t first, last; ///< frames that it was to have
    char simd[16];       ///< the level that it was made with
    struct timespec changed;
    int64_t size;
};

/// Read it again where it has changed. 1: it says something else than before.
int record_look(struct record *r, const char *folder);
/// For a page: {"first", "last", "complete"}, or null. New.
json_t *record_tell(const struct record *r);

#endif
