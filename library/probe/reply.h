// SPDX-License-Identifier: Apache-2.0
/* Parser of billow-probe's output for `n` files: "load I" before it loads one, "good I" after. The plugins that it
 * loads can write to the same descriptor, so lines out of order are ignored. */
#ifndef REPLY_H
#define REPLY_H

#include <stddef.h>
#include <stdint.h>

struct reply {
    int32_t n, at, whole; ///< at: current file, -1 before the first; whole: how many have loaded
    char line[32];
    size_t used;
};

void reply_begin(struct reply *r, int32_t n);
void reply_parse(struct reply *r, const char *bytes, size_t n);

#endif
