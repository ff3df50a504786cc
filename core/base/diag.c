// SPDX-License-Identifier: Apache-2.0
/* Sentences about mistakes, each followed by the source line and a caret below the place, and the nearest known
 * word for a mistyped one (restricted Damerau-Levenshtein distance: neighbours swapped count as one edit). */
#include "diag.h"

#include "alloc.h"
#include "text/utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nobody reads the ten-thousandth mistake of a broken file, nor a sentence that quotes a megabyte. */
enum { LINE_WIDTH = 110, WORD_MAX = 63, SENTENCES_MAX = 100, SENTENCE_MAX = 6000 };

static char *text_format(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : bw_calloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

/* Appends to d->text; without memory the sentence is lost, the status and the count are not. */
static void diag_append(struct bw_diag *d, const char *text)
{
    size_t have = d->text ? strlen(d->text) : 0, more = strlen(text);
    char *grown = bw_realloc(d->text, have + more + 1);
    if (!grown) return;
    memcpy(grown + have, text, more + 1);
    d->text = grown;
}

static const char *source_line(const struct bw_place *place)
{
    const char *line = place->source;
    for (int32_t i = 1; line && i < place->line; i++) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    return line;
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* One UTF-8 character from `in` to `out`; what would move the caret (tabs, control characters) becomes a space. */
static size_t char_copy(const char *in, char *out)
{
    size_t n = 1;
    out[0] = (unsigned char)in[0] < 0x20 ? ' ' : in[0];
    while (n < 4 && is_continuation(in[n])) {
        out[n] = in[n];
        n++;
    }
    return n;
}

/* The source line, or the part of a long one around the column, and the caret below it. */
static void diag_append_source(struct bw_diag *d, const struct bw_place *place)
{
    const char *in = place->line > 0 ? source_line(place) : NULL;
    if (!in || !*in || place->column < 1) return;
    int32_t first = place->column > LINE_WIDTH ? place->column - LINE_WIDTH / 2 : 1, column = 1;
    char line[4 * LINE_WIDTH + 8] = "    ", caret[LINE_WIDTH + 8] = "";
    size_t n = 4;
    for (; *in && *in != '\n' && *in != '\r' && column < first + LINE_WIDTH; column++) {
        char c[4];
        size_t bytes = char_copy(in, c);
        in += bytes;
        if (column < first) continue;
        memcpy(line + n, c, bytes);
        n += bytes;
    }
    if (place->column > column) return;
    line[n] = '\0';
    snprintf(caret, sizeof caret, "\n    %*s\n", (int)(place->column - first + 1), "^");
    diag_append(d, line);
    diag_append(d, caret);
}

/* A sentence is one line that quotes a file, its name or a plugin: what is no text (half a character, a line end, a
 * terminal's commands) becomes '?', and what is too long ends early. */
static char *sentence_clean(char *sentence)
{
    char *s = sentence;
    while (s && *s) {
        uint32_t code;
        int n = bw_utf8_next(s, &code);
        if (n && bw_utf8_is_control(code)) memset(s, '?', (size_t)n);
        if (!n) *s = '?', n = 1;
        s += n;
        if (s - sentence < SENTENCE_MAX || !*s) continue;
        strcpy(s, strlen(s) > 3 ? "..." : "");
        break;
    }
    return sentence;
}

static char *sentence_place(const struct bw_place *place, const char *mark, const char *sentence)
{
    if (!place || !place->file || place->line == BW_LINE_NAMED) return bw_printf("%s%s", mark, sentence);
    if (place->line < 1) return bw_printf("%s: %s%s", place->file, mark, sentence);
    return bw_printf("%s:%d:%d: %s%s", place->file, (int)place->line, (int)place->column, mark, sentence);
}

static char *diag_add(struct bw_diag *d, const struct bw_place *place, const char *mark, const char *format,
                      va_list list)
{
    char *sentence = text_format(format, list);
    char *whole = sentence ? sentence_clean(sentence_place(place, mark, sentence)) : NULL;
    bw_free(sentence);
    if (!whole) return NULL;
    diag_append(d, whole);
    diag_append(d, "\n");
    if (place) diag_append_source(d, place);
    return whole;
}

enum bw_status bw_diag_error(struct bw_diag *d, const struct bw_place *place, enum bw_status status, const char *format,
                             ...)
{
    if (!d) return status;
    if (d->errors >= SENTENCES_MAX) {
        if (d->errors++ == SENTENCES_MAX) diag_append(d, "... and more mistakes like these\n");
        return status;
    }
    va_list list;
    va_start(list, format);
    char *whole = diag_add(d, place, "", format, list);
    va_end(list);
    d->errors++;
    if (d->errors == 1) {
        d->status = status;
        d->first = whole;
        if (place && place->file) {
            d->file = bw_strdup(place->file);
            d->line = place->line > 0 ? place->line : 0;
            d->column = place->line > 0 ? place->column : 0;
        }
    } else {
        bw_free(whole);
    }
    return status;
}

void bw_diag_append(struct bw_diag *d, const struct bw_diag *from)
{
    if (from->text) diag_append(d, from->text);
    if (!d->errors && from->errors) {
        d->status = from->status;
        d->first = bw_strdup(from->first);
        d->file = bw_strdup(from->file);
        d->line = from->line;
        d->column = from->column;
    }
    d->errors += from->errors;
}

void bw_diag_free(struct bw_diag *d)
{
    bw_free(d->text);
    bw_free(d->first);
    bw_free(d->file);
    memset(d, 0, sizeof *d);
}

static char char_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int min_int(int a, int b) { return a < b ? a : b; }

static int word_distance(const char *a, const char *b)
{
    int row[3][WORD_MAX + 1], n = (int)strlen(b);
    for (int j = 0; j <= n; j++) row[0][j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *two = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            char x = char_lower(a[i - 1]), y = char_lower(b[j - 1]);
            now[j] = min_int(min_int(before[j], now[j - 1]) + 1, before[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == char_lower(b[j - 2]) && y == char_lower(a[i - 2])) {
                now[j] = min_int(now[j], two[j - 2] + 1);
            }
        }
    }
    return row[strlen(a) % 3][n];
}

const char *bw_did_you_mean(const char *word, const char *const *words, uint32_t n)
{
    if (!word || strlen(word) > WORD_MAX) return NULL;
    int best = 2 + (int)strlen(word) / 3;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!words[i] || strlen(words[i]) > WORD_MAX) continue;
        if (abs((int)strlen(words[i]) - (int)strlen(word)) >= best) continue; // as far at least
        int distance = word_distance(word, words[i]);
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
