// SPDX-License-Identifier: Apache-2.0
/* Small things that everything which describes something needs. */
#include "session.h"

#include <string.h>

char *json_text(json_t *root, size_t flags, struct bw_diag *d)
{
    char *text = root ? json_dumps(root, flags) : NULL;
    json_decref(root);
    if (!text) out_of_memory(d);
    return text;
}

/* ---- texts that may be no UTF-8, as names of files may ---- */

enum { FIRST = 0xEF80, LAST = 0xEFFF }; ///< what the bytes 0x80 … 0xFF stand as, of the plane for private use

int character_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = *s < 0x80 ? 1 : *s < 0xC0 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : *s < 0xF8 ? 4 : 0;
    uint32_t code = n > 1 ? *s & (0x7Fu >> n) : *s;
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3F);
    }
    if (n < 1 || code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    return code >= FIRST && code <= LAST ? 0 : n;
}

json_t *json_bytes(const char *text)
{
    char *out = text ? bw_calloc(3 * strlen(text) + 1) : NULL, *end = out;
    for (const unsigned char *s = (const unsigned char *)text; out && *s;) {
        int n = character_length((const char *)s);
        for (int i = 0; i < n; i++) *end++ = (char)*s++;
        if (n) continue;
        *end++ = (char)(0xE0 | FIRST >> 12);
        *end++ = (char)(*s < 0xC0 ? 0xBE : 0xBF);
        *end++ = (char)(0x80 | (*s++ & 0x3F));
    }
    json_t *o = out ? json_string(out) : NULL;
    bw_free(out);
    return o;
}
