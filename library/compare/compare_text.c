// SPDX-License-Identifier: Apache-2.0
/* Texts by line, tables by column, the record by member. */
#include "compare.h"

#include "base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 512 };

/* The next line of *at, ended with a 0; NULL: there is none. */
static char *line_cut(char **at)
{
    char *line = *at;
    if (!*line) return NULL;
    char *stop = line + strcspn(line, "\n");
    *at = *stop ? stop + 1 : stop;
    *stop = '\0';
    return line;
}

void compare_text(const struct compared *c)
{
    size_t n, m;
    char *a = compare_read(c, c->a, &n), *b = a ? compare_read(c, c->b, &m) : NULL, *at_a = a, *at_b = b;
    for (long long line = 1; a && b; line++) {
        const char *x = line_cut(&at_a), *y = line_cut(&at_b);
        if (!x && !y) break;
        if (x && y && !strcmp(x, y)) continue;
        compare_add(c, "line", json_pack("{s:I}", "line", (json_int_t)line), "line %lld: \"%.200s\", \"%.200s\"", line,
                    x ? x : "", y ? y : "");
        break;
    }
    bw_free(a);
    bw_free(b);
}

/* ---- the record ---- */

static void member_compare(const struct compared *c, const char *key, const json_t *a, const json_t *b)
{
    if (!strcmp(key, "files") || json_equal(a, b)) return;
    char *x = a ? json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *y = b ? json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    compare_add(c, "record", NULL, "%s: %.200s, %.200s", key, x ? x : "nothing", y ? y : "nothing");
    free(x);
    free(y);
}

static json_t *record_read_text(const struct compared *c, const char *path)
{
    size_t n;
    char *text = compare_read(c, path, &n);
    json_t *root = text ? json_loads(text, 0, NULL) : NULL;
    bw_free(text);
    return root;
}

void compare_record(const struct compared *c)
{
    json_t *a = record_read_text(c, c->a), *b = record_read_text(c, c->b), *value;
    const char *key;
    if (!a || !b) compare_add(c, "unreadable", NULL, "%s is no JSON", a ? c->b : c->a);
    json_object_foreach (a, key, value)
        if (b) member_compare(c, key, value, json_object_get(b, key));
    json_object_foreach (b, key, value)
        if (a && !json_object_get(a, key)) member_compare(c, key, NULL, value);
    json_decref(a);
    json_decref(b);
}

/* ---- tables ---- */

struct table_text {
    char *text, *at;
    char *name[COLUMNS_MOST];
    int n;
};

static int cells_cut(char *line, char *cell[COLUMNS_MOST])
{
    int n = 0;
    for (char *at = line; at && n < COLUMNS_MOST; n++) {
        cell[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return n;
}

static bool table_begin(const struct compared *c, const char *path, struct table_text *t)
{
    size_t n;
    t->at = t->text = compare_read(c, path, &n);
    char *heading = t->text ? line_cut(&t->at) : NULL;
    t->n = heading ? cells_cut(heading, t->name) : 0;
    return t->text != NULL;
}

static int column_find(const struct table_text *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->name[i], name)) return i;
    return -1;
}

struct column {
    int other; ///< its number in the second table, or -1
    struct spread spread;
    size_t words; ///< rows whose cells differ and are no numbers
};

static void cell_compare(struct column *col, const char *a, const char *b, size_t row)
{
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    if (end_a != a && end_b != b && !*end_a && !*end_b) spread_add(&col->spread, x, y, row);
    else if (strcmp(a, b)) col->words++;
}

/* Answers how many rows the two have. */
static void rows_compare(struct table_text *a, struct table_text *b, struct column *col, size_t rows[2])
{
    char *cell_a[COLUMNS_MOST], *cell_b[COLUMNS_MOST], *x, *y;
    do {
        x = line_cut(&a->at), y = line_cut(&b->at);
        rows[0] += x != NULL, rows[1] += y != NULL;
        if (!x || !y) continue;
        int n = cells_cut(x, cell_a), m = cells_cut(y, cell_b);
        for (int i = 0; i < a->n; i++)
            if (col[i].other >= 0)
                cell_compare(&col[i], i < n ? cell_a[i] : "", col[i].other < m ? cell_b[col[i].other] : "", rows[0]);
    } while (x || y);
}

static void column_tell(const struct compared *c, const char *name, const struct column *col)
{
    const struct spread *s = &col->spread;
    if (s->differ)
        compare_add(c, "column",
                    json_pack("{s:s, s:I, s:o, s:o, s:I}", "column", name, "differ", (json_int_t)s->differ, "max",
                              compare_number(s->most), "mean", compare_number(spread_mean(s)), "row",
                              (json_int_t)s->at),
                    "column %s: %zu rows differ, by %.4g at most, in row %zu: %.9g, %.9g; mean %.4g", name, s->differ,
                    s->most, s->at, s->a, s->b, spread_mean(s));
    if (col->words) compare_add(c, "column", NULL, "column %s: %zu rows hold other words", name, col->words);
}

static void tables_compare(const struct compared *c, struct table_text *a, struct table_text *b, struct column *col)
{
    size_t rows[2] = {0, 0};
    for (int i = 0; i < a->n; i++) {
        col[i].other = column_find(b, a->name[i]);
        if (col[i].other < 0) compare_add(c, "column-only-a", NULL, "column %s is in the first alone", a->name[i]);
    }
    for (int i = 0; i < b->n; i++)
        if (column_find(a, b->name[i]) < 0)
            compare_add(c, "column-only-b", NULL, "column %s is in the second alone", b->name[i]);
    rows_compare(a, b, col, rows);
    if (rows[0] != rows[1])
        compare_add(c, "rows", json_pack("{s:I, s:I}", "a", (json_int_t)rows[0], "b", (json_int_t)rows[1]),
                    "has %zu rows, %zu", rows[0], rows[1]);
    for (int i = 0; i < a->n; i++) column_tell(c, a->name[i], &col[i]);
}

void compare_csv(const struct compared *c)
{
    struct table_text *t = bw_calloc(2 * sizeof *t);
    struct column *col = bw_calloc(COLUMNS_MOST * sizeof *col);
    if (t && col && table_begin(c, c->a, &t[0]) && table_begin(c, c->b, &t[1])) tables_compare(c, &t[0], &t[1], col);
    for (int i = 0; t && i < 2; i++) bw_free(t[i].text);
    bw_free(t);
    bw_free(col);
}
