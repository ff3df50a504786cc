// SPDX-License-Identifier: Apache-2.0
/* Parser of value lists: commas outside of brackets and quotes separate values; A..B are whole numbers; A..B/N are N
 * equidistant numbers from A to B, with the unit of either. */
#include "wedge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A..B/N
struct span {
    double a, b;
    char unit[32];
    int whole, decimals; ///< decimals: A or B has a point
    long long n;         ///< 0: not given
};

static const char *unit_end(const char *text, const char *end)
{
    while (end > text && end[-1] == ' ') end--;
    return end;
}

/* A number and what stands behind it up to `end`. 0: it is none. */
static int number_parse(const char *text, const char *end, double *value, struct span *s)
{
    char *after;
    *value = strtod(text, &after);
    if (after == text || after > end || !isfinite(*value)) return 0;
    s->decimals |= memchr(text, '.', (size_t)(after - text)) != NULL;
    end = unit_end(after, end);
    size_t n = (size_t)(end - after);
    if (!n) return 1;
    if (n >= sizeof s->unit || (*s->unit && (strlen(s->unit) != n || memcmp(s->unit, after, n)))) return 0;
    memcpy(s->unit, after, n);
    s->unit[n] = '\0';
    return 1;
}

/* Is it a span at all? A text with ".." that begins with no number is a value. 1: yes; 0: no; -1: a wrong one. */
static int span_read(const char *text, struct span *s)
{
    const char *dots = strstr(text, ".."), *slash = dots ? strchr(dots, '/') : NULL;
    char *after;
    *s = (struct span){.n = 0};
    if (!dots || strcspn(text, "[{\"'=") < strlen(text)) return 0;
    strtod(text, &after);
    if (after == text) return 0;
    char head[64]; // strtod would take the first of two points along, as in "1."
    snprintf(head, sizeof head, "%.*s", (int)(dots - text), text);
    if (slash) {
        s->n = strtoll(slash + 1, &after, 10);
        while (*after == ' ') after++;
        // units are divided, too: 1 1/s..2 1/s
        if (*after || s->n < 1) slash = NULL, s->n = 0;
    }
    const char *end = slash ? slash : dots + strlen(dots);
    if (!number_parse(head, head + strlen(head), &s->a, s) || !number_parse(dots + 2, end, &s->b, s)) return -1;
    s->whole = !*s->unit && !s->decimals && s->a == floor(s->a) && s->b == floor(s->b);
    return 1;
}

static json_t *number_text(double x, const struct span *s)
{
    char text[80];
    snprintf(text, sizeof text, "%.6g%s", x, s->unit);
    return json_string(text);
}

static int range_error(const char *text, const char *place)
{
    cli_usage("%s: \"%s\" is no range; A..B of whole numbers, or A..B/N, is wanted", place, text);
    return 0;
}

static int span_add(json_t *out, const char *text, struct span *s, const char *place)
{
    if (!s->n && !s->whole) return range_error(text, place);
    const double n = s->n ? (double)s->n : fabs(s->b - s->a) + 1;
    if (n > WEDGE_MEMBERS_MOST) {
        cli_usage("%s: \"%s\" is %.0f values; a wedge has %d members at most", place, text, n, WEDGE_MEMBERS_MOST);
        return 0;
    }
    for (int i = 0; i < (int)n; i++)
        json_array_append_new(out, number_text(n > 1 ? s->a + (s->b - s->a) * i / (n - 1) : s->a, s));
    return 1;
}

static int piece_add(json_t *out, const char *text, size_t n, const char *place)
{
    while (n && *text == ' ') text++, n--;
    while (n && text[n - 1] == ' ') n--;
    char *piece = cli_printf("%.*s", (int)n, text);
    struct span s;
    int good = piece && n, kind = good ? span_read(piece, &s) : 0;
    if (!good) cli_usage("%s: a value is missing", place);
    else if (kind < 0) good = range_error(piece, place);
    else if (kind) good = span_add(out, piece, &s, place);
    else json_array_append_new(out, json_string(piece));
    free(piece);
    return good;
}

json_t *values_of(const char *text, const char *place)
{
    json_t *out = json_array();
    int depth = 0, good = 1;
    char quote = 0;
    const char *from = text, *s = text;
    for (; good; s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'') quote = quote ? 0 : *s;
        if (!quote) depth += (*s == '[' || *s == '{' || *s == '(') - (*s == ']' || *s == '}' || *s == ')');
        if (*s && (*s != ',' || depth || quote)) continue;
        good = piece_add(out, from, (size_t)(s - from), place);
        from = s + 1;
        if (!*s) break;
    }
    if (good) return out;
    json_decref(out);
    return NULL;
}

json_t *value_interpolate(const char *text, double part, const char *place)
{
    struct span s;
    if (span_read(text, &s) != 1 || s.n) {
        cli_usage("%s: \"%s\" is nothing to draw from; A..B or a list is wanted", place, text);
        return NULL;
    }
    if (s.whole) return number_text(s.a + floor(part * (s.b - s.a + 1)), &s);
    return number_text(s.a + part * (s.b - s.a), &s);
}
