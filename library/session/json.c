// SPDX-License-Identifier: Apache-2.0
/* JSON helpers: texts of files' names that may be no UTF-8. */
#include "session.h"

#include "base/text/utf8.h"
#include <string.h>

char *json_text(json_t *root, size_t flags, struct bw_diag *d)
{
    char *text = root ? json_dumps(root, flags) : NULL;
    json_decref(root);
    if (!text) out_of_memory(d);
    return text;
}

/* ---- texts that may be no UTF-8, as names of files may ---- */

int utf8_length(const char *text)
{
    uint32_t code;
    const int n = bw_utf8_next(text, &code);
    return code >= BW_UTF8_BYTES_FIRST && code <= BW_UTF8_BYTES_LAST ? 0 : n;
}

json_t *json_bytes(const char *text)
{
    char *out = text ? bw_calloc(3 * strlen(text) + 1) : NULL, *end = out;
    for (const unsigned char *s = (const unsigned char *)text; out && *s;) {
        int n = utf8_length((const char *)s);
        for (int i = 0; i < n; i++) *end++ = (char)*s++;
        if (n) continue;
        *end++ = (char)(0xE0 | BW_UTF8_BYTES >> 12);
        *end++ = (char)(*s < 0xC0 ? 0xBE : 0xBF);
        *end++ = (char)(0x80 | (*s++ & 0x3F));
    }
    json_t *o = out ? json_string(out) : NULL;
    bw_free(out);
    return o;
}
