// SPDX-License-Identifier: Apache-2.0
/* The record that a bake leaves in its folder: bake.json beside resolved.yaml. With both it can be resumed. */
#ifndef WEB_BAKE_RECORD_H
#define WEB_BAKE_RECORD_H

#include <jansson.h>
#include <stdint.h>
#include <time.h>

struct bake_record {
    int present;         ///< 0: there is none, and nothing can be resumed
    int complete;        ///< all frames are made
    int64_t first, last; ///< frames of the whole bake
    char simd[16];       ///< level of instructions
    struct timespec changed;
    int64_t size;
};

/// Read it again where the file has changed. 1: its content has.
int bake_record_refresh(struct bake_record *r, const char *folder);
/// {"first", "last", "complete"}, or null; new.
json_t *bake_record_json(const struct bake_record *r);

#endif
