// SPDX-License-Identifier: Apache-2.0
/* What billow-probe answers may be anything: a plugin that it loads can write to the same descriptor. */
#include "fuzz.h"
#include "probe/reply.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (!n) return 0;
    struct reply r;
    reply_begin(&r, bytes[0]);
    for (size_t at = 1; at < n; at += 5) reply_parse(&r, (const char *)bytes + at, n - at < 5 ? n - at : 5);
    if (r.whole < 0 || r.whole > r.n || r.at < -1 || r.at >= r.n || r.at < r.whole - 1) abort();
    return 0;
}
