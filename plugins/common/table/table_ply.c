// SPDX-License-Identifier: Apache-2.0
/* PLY: values of any of the format's types. Another element must not come before `vertex`; what comes after is left. */
#include "ply_types.h"
#include "table_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the heading has said so far. */
struct heading {
    bool format, vertex, other_before;
    bool in_vertex; ///< what comes are properties of `vertex`
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

static enum bw_status property_read(struct table *t, const char *type, const char *name)
{
    if (!strcmp(type, "list")) return table_fail(t, "a vertex with a list in it cannot be read");
    const int n = t->n_columns;
    const struct ply_type *is = ply_type_find(type);
    if (!is) return table_fail(t, "a property's type is unknown");
    enum bw_status status = table_column(t, name);
    if (!status) t->type[n] = is;
    return status;
}

static enum bw_status heading_line(struct table *t, struct heading *h, const char *line)
{
    char word[3][64] = {"", "", ""};
    long long count = 0;
    if (sscanf(line, "format %63s", word[0]) == 1) {
        h->format = true;
        return format_read(t, word[0]);
    }
    if (sscanf(line, "element %63s %lld", word[0], &count) == 2) {
        h->in_vertex = !strcmp(word[0], "vertex");
        if (h->in_vertex) t->rows = count;
        if (!h->in_vertex && !h->vertex && count > 0) h->other_before = true;
        h->vertex = h->vertex || h->in_vertex;
        return count < 0 ? table_fail(t, "an element's count is negative") : BW_OK;
    }
    if (sscanf(line, "property %63s %63s", word[0], word[1]) == 2)
        return h->in_vertex ? property_read(t, word[0], word[1]) : BW_OK; // others' are nothing of ours
    return !strncmp(line, "comment", 7) || !strncmp(line, "obj_info", 8) ? BW_OK
                                                                         : table_fail(t, "the line is none of PLY");
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
    if (h.other_before) return table_fail(t, "another element comes before vertex");
    if (t->rows > (int64_t)t->file.n) return table_fail(t, "the heading promises more rows than the file holds");
    return BW_OK;
}

static enum bw_status row_binary(struct table *t, double *value)
{
    for (int q = 0; q < t->n_columns; q++) {
        if (t->end - t->at < t->type[q]->bytes) return table_fail(t, "the file is cut short");
        if (t->column[q] >= 0) value[t->column[q]] = ply_type_value(t->type[q], t->at, t->form == TABLE_PLY_BIG);
        t->at += t->type[q]->bytes;
    }
    return BW_OK;
}

static enum bw_status row_text(struct table *t, double *value)
{
    char *at = table_line(t, true), *stop;
    if (!at) return table_fail(t, "the file is cut short");
    for (int q = 0; q < t->n_columns; q++, at = stop) {
        double v = strtod(at, &stop);
        if (stop == at) return table_fail(t, "a number is missing, or is none");
        if (t->column[q] >= 0) value[t->column[q]] = v;
    }
    return at[strspn(at, " \t")] ? table_fail(t, "more values than the heading says") : BW_OK;
}

enum bw_status table_ply_row(struct table *t, double *value)
{
    return t->form == TABLE_PLY_TEXT ? row_text(t, value) : row_binary(t, value);
}
