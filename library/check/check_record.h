// SPDX-License-Identifier: Apache-2.0
/* A folder against what its bake has written down. */
#ifndef CHECK_RECORD_H
#define CHECK_RECORD_H

#include "findings.h"
#include <stdint.h>

/// Numbers of the first and the last file of a sequence.
struct range {
    const char *stem;
    int64_t first, last;
};

/// bake.json and bake.journal of `folder`, if it has any: did the bake come to its end, is every file what was written?
void record_check(struct findings *f, const char *folder, const struct range *sequence, size_t n);

#endif
