// SPDX-License-Identifier: Apache-2.0
/* Is a text UTF-16? Texts of others are read as UTF-8, and some programs write the other. */
#ifndef BILLOW_UTF16_H
#define BILLOW_UTF16_H

#include <stddef.h>

enum bw_utf16 { BW_UTF16_NOT, BW_UTF16_LITTLE, BW_UTF16_BIG };

/// By its mark, two bytes; without one by its first four letters, each with a zero before or behind it.
static inline enum bw_utf16 bw_utf16_find(const char *text, size_t n)
{
    const unsigned char *t = (const unsigned char *)text;
    if (n >= 2 && t[0] == 0xff && t[1] == 0xfe) return BW_UTF16_LITTLE;
    if (n >= 2 && t[0] == 0xfe && t[1] == 0xff) return BW_UTF16_BIG;
    if (n < 8) return BW_UTF16_NOT;
    const int big = !t[0];
    for (int i = 0; i < 8; i += 2) {
        const unsigned char letter = t[i + big];
        if (t[i + !big] || letter > '~' || letter < '\t' || (letter > '\r' && letter < ' ')) return BW_UTF16_NOT;
    }
    return big ? BW_UTF16_BIG : BW_UTF16_LITTLE;
}

#endif
