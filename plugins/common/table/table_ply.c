// SPDX-License-Identifier: Apache-2.0
/* PLY: values of any of the format's types, of the element `vertex`. Elements before it are stepped over, as are lists
 * in it; those behind it are left. A row of a text is a line: what there is too much of spoils no other row. */
#include "ply_types.h"
#include "table_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 32, BEFORE_PROPERTIES = 256 };

/* What the heading has said so far. */
struct heading {
    bool format, vertex;
    bool in_vertex; ///< what comes are properties of `vertex`
    int n_before, n_properties;
    struct {
        int64_t rows;
        int first, n;
    } before[BEFORE]; ///< elements before it
    const struct ply_type *type[BEFORE_PROPERTIES], *list[BEFORE_PROPERTIES];
};

static enum bw_status format_read(struct table *t, const char *name)
{
    static const char *const names[] = {
        [TABLE_PLY_TEXT] = "ascii", [TABLE_PLY_LITTLE] = "binary_little_endian", [TABLE_PLY_BIG] = "binary_big_endian"};
    for (int i = TABLE_PLY_TEXT; i < (int)BW_COUNT(names); i++) {
        if (strcmp(name, names[i])) continue;
        t->form = i;
        return BW_OK;
    }
    return table_fail(t, "the format is unknown");
}

/* `list`: the type of its length; NULL: it is a single value. */
static enum bw_status property_read(struct table *t, struct heading *h, const char *list, const char *type,
                                    const char *name)
{
    const struct ply_type *is = ply_type_find(type), *length = list ? ply_type_find(list) : NULL;
    if (h->vertex && !h->in_vertex) return BW_OK; // what comes behind is nothing of ours
    if (!is || (list && (!length || length->is_float))) return table_fail(t, "a property's type is unknown");
    if (h->in_vertex) {
        const int n = t->n_columns;
        enum bw_status status = table_column(t, list ? "" : name);
        if (!status) t->type[n] = is, t->list[n] = length;
        return status;
    }
    if (!h->n_before || h->n_properties == BEFORE_PROPERTIES) return table_fail(t, "too many properties before vertex");
    h->type[h->n_properties] = is, h->list[h->n_properties++] = length;
    h->before[h->n_before - 1].n++;
    return BW_OK;
}

static enum bw_status element_read(struct table *t, struct heading *h, const char *name, long long rows)
{
    if (rows < 0) return table_fail(t, "an element's count is negative");
    t->rest = h->vertex;
    h->in_vertex = !h->vertex && !strcmp(name, "vertex");
    h->vertex = h->vertex || h->in_vertex;
    if (h->in_vertex) t->rows = rows;
    if (h->vertex) return BW_OK;
    if (h->n_before == BEFORE) return table_fail(t, "more than %d elements before vertex", BEFORE);
    h->before[h->n_before].rows = rows, h->before[h->n_before++].first = h->n_properties;
    return BW_OK;
}

static enum bw_status heading_line(struct table *t, struct heading *h, const char *line)
{
    char word[3][64] = {"", "", ""};
    long long count = 0;
    if (sscanf(line, "format %63s", word[0]) == 1) {
        h->format = true;
        return format_read(t, word[0]);
    }
    if (sscanf(line, "element %63s %lld", word[0], &count) == 2) return element_read(t, h, word[0], count);
    if (sscanf(line, "property list %63s %63s %63s", word[0], word[1], word[2]) == 3)
        return property_read(t, h, word[0], word[1], word[2]);
    if (sscanf(line, "property %63s %63s", word[0], word[1]) == 2) return property_read(t, h, NULL, word[0], word[1]);
    return !strncmp(line, "comment", 7) || !strncmp(line, "obj_info", 8) ? BW_OK
                                                                         : table_fail(t, "the line is none of PLY");
}

/* ---- what comes before ---- */

static enum bw_status bytes_skip(struct table *t, int64_t n, int width)
{
    if (n < 0 || n > (t->end - t->at) / width) return table_fail(t, "the file is cut short");
    t->at += n * width;
    return BW_OK;
}

/* A list, or a value. */
static enum bw_status value_skip(struct table *t, const struct ply_type *type, const struct ply_type *list)
{
    if (!list) return bytes_skip(t, 1, type->bytes);
    const char *at = t->at;
    enum bw_status status = bytes_skip(t, 1, list->bytes);
    return status ? status : bytes_skip(t, (int64_t)ply_type_value(list, at, t->form == TABLE_PLY_BIG), type->bytes);
}

static enum bw_status before_skip(struct table *t, const struct heading *h)
{
    enum bw_status status = BW_OK;
    for (int e = 0; e < h->n_before; e++)
        for (int64_t row = 0; row < h->before[e].rows && h->before[e].n && !status; row++) {
            if (t->form == TABLE_PLY_TEXT && !table_line(t, true)) return table_fail(t, "the file is cut short");
            const int first = h->before[e].first;
            for (int q = first; q < first + h->before[e].n && t->form != TABLE_PLY_TEXT && !status; q++)
                status = value_skip(t, h->type[q], h->list[q]);
        }
    return status;
}

enum bw_status table_ply_heading(struct table *t)
{
    struct heading h = {0};
    const char *line = table_line(t, false); // "ply"
    t->form = TABLE_PLY_TEXT;
    while ((line = table_line(t, false)) && strcmp(line, "end_header")) {
        enum bw_status status = heading_line(t, &h, line);
        if (status) return status;
    }
    if (!line) return table_fail(t, "the heading does not end");
    if (!h.format) return table_fail(t, "the heading does not say which format");
    if (!h.vertex) return table_fail(t, "there is no element vertex");
    if (t->rows > (int64_t)t->file.n) return table_fail(t, "the heading promises more rows than the file holds");
    return before_skip(t, &h);
}

/* ---- rows ---- */

static enum bw_status row_binary(struct table *t, double *value)
{
    for (int q = 0; q < t->n_columns; q++) {
        const char *at = t->at;
        const enum bw_status status = value_skip(t, t->type[q], t->list[q]);
        if (status) return status;
        if (t->column[q] >= 0) value[t->column[q]] = ply_type_value(t->type[q], at, t->form == TABLE_PLY_BIG);
    }
    return BW_OK;
}

static enum bw_status row_text(struct table *t, double *value)
{
    char *at = table_line(t, true), *stop;
    if (!at) return table_fail(t, "the file is cut short");
    for (int q = 0; q < t->n_columns; q++) {
        double v = strtod(at, &stop), left = t->list[q] ? v : 0; // of a list: its length comes first
        for (; stop > at && left > 0; left--) strtod(at = stop, &stop);
        if (stop == at) return table_fail(t, "a number is missing, or is none");
        if (t->column[q] >= 0) value[t->column[q]] = v;
        at = stop;
    }
    if (at[strspn(at, " \t")] && !t->long_rows++) t->first_long = t->line;
    return BW_OK;
}

void table_ply_end(struct table *t)
{
    if (t->long_rows)
        t->stage->host->log(t->stage, BW_LOG_WARNING,
                            "%s:%lld: from here on %lld rows have more numbers than the heading says; these are not "
                            "read",
                            t->path, (long long)t->first_long, (long long)t->long_rows);
    t->long_rows = 0;
    if (t->rest || (t->form == TABLE_PLY_TEXT ? !table_line(t, true) : t->end - t->at < 2)) return;
    t->rest = true;
    t->stage->host->log(t->stage, BW_LOG_WARNING, "%s: what stands behind its last row is not read", t->path);
}

enum bw_status table_ply_row(struct table *t, double *value)
{
    return t->form == TABLE_PLY_TEXT ? row_text(t, value) : row_binary(t, value);
}
