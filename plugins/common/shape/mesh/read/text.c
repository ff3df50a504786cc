// SPDX-License-Identifier: Apache-2.0
/* Words and numbers; text.h says what it does. */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void text_blanks(struct text *t)
{
    for (; t->at < t->end; t->at++) {
        if (*t->at == ' ' || *t->at == '\t' || *t->at == '\r') continue;
        const size_t more = *t->at != '\\' ? 0 : t->at[1] == '\n' ? 1 : t->at[1] == '\r' && t->at[2] == '\n' ? 2 : 0;
        if (!more) return;
        t->at += more, t->line++;
    }
}

bool text_line_ends(struct text *t)
{
    text_blanks(t);
    return t->at >= t->end || *t->at == '\n' || *t->at == '#';
}

bool text_line_next(struct text *t)
{
    const char *stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    t->at = stop ? stop + 1 : t->end;
    t->line++;
    return t->at < t->end;
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
