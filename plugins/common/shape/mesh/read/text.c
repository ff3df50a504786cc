// SPDX-License-Identifier: Apache-2.0
/* Words and numbers; text.h says what it does. */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *text_line_end(const char *at, const char *end)
{
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    const char *back = memchr(at, '\r', (size_t)((feed ? feed : end) - at));
    return back ? back : feed ? feed : end;
}

const char *text_line_behind(const char *stop, const char *end)
{
    if (stop >= end) return end;
    return stop + (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
static bool is_end(char c) { return c == '\n' || c == '\r'; }

void text_blanks(struct text *t)
{
    for (; t->at < t->end; t->at++) {
        if (is_blank(*t->at)) continue;
        if (*t->at != '\\' || !is_end(t->at[1])) return;
        t->at = text_line_behind(t->at + 1, t->end) - 1, t->line++;
    }
}

bool text_line_ends(struct text *t)
{
    text_blanks(t);
    return t->at >= t->end || is_end(*t->at) || *t->at == '#';
}

bool text_line_next(struct text *t)
{
    t->at = text_line_behind(text_line_end(t->at, t->end), t->end);
    t->line++;
    return t->at < t->end;
}

const char *text_any_word(struct text *t, size_t *n)
{
    while (t->at < t->end && (is_blank(*t->at) || is_end(*t->at) || *t->at == '#')) {
        if (is_blank(*t->at)) t->at++;
        else text_line_next(t);
    }
    const char *word = t->at;
    while (t->at < t->end && !is_blank(*t->at) && !is_end(*t->at)) t->at++;
    *n = (size_t)(t->at - word);
    return *n ? word : NULL;
}

bool text_word(struct text *t, const char *word)
{
    const size_t n = strlen(word);
    text_blanks(t);
    if ((size_t)(t->end - t->at) < n || strncasecmp(t->at, word, n)) return false;
    const char behind = t->at[n];
    if (behind && !strchr(" \t\r\n\\", behind)) return false;
    t->at += n;
    return true;
}

/* strto… steps over a line's end on its own. */
static bool number_begins(struct text *t) { return !text_line_ends(t) && *t->at != '\0'; }

bool text_number(struct text *t, double *out)
{
    char *stop;
    if (!number_begins(t)) return false;
    *out = strtod(t->at, &stop);
    if (stop == t->at || stop > t->end) return false;
    t->at = stop;
    return true;
}

bool text_integer(struct text *t, int64_t *out)
{
    char *stop;
    if (!number_begins(t)) return false;
    *out = strtoll(t->at, &stop, 10);
    if (stop == t->at || stop > t->end) return false;
    t->at = stop;
    return true;
}
