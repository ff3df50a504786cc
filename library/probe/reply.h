// SPDX-License-Identifier: Apache-2.0
/* What billow-probe says of `n` files, a line each: "load I" before it loads one, "good I" behind. The plugins that it
 * loads can write to the same descriptor, so a line that is out of turn counts as not said. */
#ifndef REPLY_H
#define REPLY_H

#include <stddef.h>
#include <stdint.h>

struct reply {
    int32_t n, at, whole; ///< at: the file it is at, -1 before the first; whole: how many came out well
    char line[32];
    size_t used;
};

void reply_begin(struct reply *r, int32_t n);
void reply_take(struct reply *r, const char *bytes, size_t n);

#endif
