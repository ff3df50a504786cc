// SPDX-License-Identifier: Apache-2.0
#include "reply.h"

#include <stdio.h>
#include <string.h>

void reply_begin(struct reply *r, int32_t n) { *r = (struct reply){.n = n, .at = -1}; }

static void line_parse(struct reply *r)
{
    char next[32];
    snprintf(next, sizeof next, "load %d", (int)r->whole);
    if (!strcmp(r->line, next) && r->whole < r->n) r->at = r->whole;
    snprintf(next, sizeof next, "good %d", (int)r->at);
    if (!strcmp(r->line, next) && r->at == r->whole) r->whole++;
}

void reply_parse(struct reply *r, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') { // overlong lines are none of the probe's
            if (r->used + 1 < sizeof r->line) r->line[r->used++] = bytes[i];
            continue;
        }
        r->line[r->used] = '\0';
        r->used = 0;
        line_parse(r);
    }
}
