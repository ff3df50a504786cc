// SPDX-License-Identifier: Apache-2.0
/* Texts from outside: what is UTF-8, what a terminal may be sent, and names of files that are no text. */
#ifndef BW_UTF8_H
#define BW_UTF8_H

#include <stdint.h>

/// Names of files may hold any byte. In a text the bytes 0x80 … 0xFF that are no UTF-8 stand as U+EF80 … U+EFFF, of the
/// area for private use.
enum { BW_UTF8_BYTES = 0xEF00, BW_UTF8_BYTES_FIRST = 0xEF80, BW_UTF8_BYTES_LAST = 0xEFFF };

/// Bytes of the character at `text`, and its code; 0: it is no UTF-8, or half a surrogate pair.
int bw_utf8_next(const char *text, uint32_t *code);
/// Does a character move the cursor, or command the terminal: C0, DEL, C1, and what ends a line in Unicode.
int bw_utf8_is_control(uint32_t code);
/// In place: a question mark for each byte of a control character.
void bw_utf8_one_line(char *text);
/// In place: the bytes that U+EF80 … U+EFFF stand for.
void bw_utf8_to_bytes(char *text);

/// Why no file's name holds this text, or NULL: it is UTF-8 without a control character.
const char *bw_text_fault(const char *text);
/// Why a thing may not be called so, as what follows "NAME …"; NULL: it may. The one rule for names of presets,
/// exporters' files and whatever else becomes a part of a path or of a script.
const char *bw_name_fault(const char *name);

#endif
