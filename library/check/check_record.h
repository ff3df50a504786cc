// SPDX-License-Identifier: Apache-2.0
/* Check of a folder against its bake's record. */
#ifndef CHECK_RECORD_H
#define CHECK_RECORD_H

#include "findings.h"
#include <stdint.h>

/// First and last frame of a sequence.
struct range {
    const char *stem;
    int64_t first, last;
};

/// By bake.json and bake.journal of `folder`, if any: is the bake finished, and has every file its checksum?
void record_check(struct findings *f, const char *folder, const struct range *sequence, size_t n);

#endif
