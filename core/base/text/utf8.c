// SPDX-License-Identifier: Apache-2.0
#include "utf8.h"

#include <string.h>

int bw_utf8_next(const char *text, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int n = *s < 0x80 ? 1 : *s < 0xC0 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : *s < 0xF8 ? 4 : 0;
    *code = n > 1 ? *s & (0x7Fu >> n) : *s;
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (s[i] & 0x3F);
    }
    return n < 1 || *code < least[n] || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000) ? 0 : n;
}

int bw_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

void bw_utf8_to_bytes(char *text)
{
    uint32_t code;
    char *end = text;
    for (int n; *text; text += n) {
        n = bw_utf8_next(text, &code);
        if (n == 3 && code >= BW_UTF8_BYTES_FIRST && code <= BW_UTF8_BYTES_LAST) {
            *end++ = (char)(code & 0xFF);
            continue;
        }
        if (!n) n = 1;
        memmove(end, text, (size_t)n);
        end += n;
    }
    *end = '\0';
}

void bw_utf8_one_line(char *text)
{
    uint32_t code;
    for (int n; *text; text += n ? n : 1) {
        n = bw_utf8_next(text, &code);
        if (n && bw_utf8_is_control(code)) memset(text, '?', (size_t)n);
    }
}

const char *bw_text_fault(const char *text)
{
    uint32_t code;
    for (int n; *text; text += n) {
        n = bw_utf8_next(text, &code);
        if (!n) return "is no UTF-8";
        if (bw_utf8_is_control(code)) return "has a control character in it";
    }
    return NULL;
}

const char *bw_name_fault(const char *name)
{
    enum { MOST = 200 };
    if (!*name) return "is empty";
    if (strpbrk(name, "/\\")) return "has a slash in it";
    if (*name == '.') return "begins with a dot";
    if (strlen(name) > MOST) return "is longer than 200 bytes";
    return bw_text_fault(name);
}
