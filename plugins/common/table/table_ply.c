// SPDX-License-Identifier: Apache-2.0
/* PLY: values of any of the format's types, of the element `vertex`. Elements before it are stepped over, as are lists
 * in it; those behind it are left. A row of a text is a line: what there is too much of spoils no other row. */
#include "ply.h"
#include "table_private.h"

#include <stdlib.h>
#include <string.h>

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

static enum bw_status before_skip(struct table *t, const struct ply_heading *h, const struct ply_element *vertex)
{
    enum bw_status status = BW_OK;
    for (const struct ply_element *e = h->element; e < vertex; e++)
        for (int64_t row = 0; row < e->rows && e->n && !status; row++) {
            if (t->form == TABLE_PLY_TEXT && !table_line(t, true)) return table_fail(t, "the file is cut short");
            for (int q = e->first; q < e->first + e->n && t->form != TABLE_PLY_TEXT && !status; q++)
                status = value_skip(t, h->property[q].type, h->property[q].count);
        }
    return status;
}

enum bw_status table_ply_heading(struct table *t)
{
    struct ply_heading h;
    const bool good = ply_heading_read(&h, t->at, (size_t)(t->end - t->at), NULL, NULL);
    const struct ply_element *vertex = ply_element_find(&h, "vertex");
    t->line = good && h.odd ? h.odd : h.line;
    t->form = TABLE_PLY_TEXT;
    if (!good || h.odd) return table_fail(t, "%s", good ? "the line is none of PLY" : h.why);
    if (!vertex) return table_fail(t, "there is no element vertex");
    t->form = TABLE_PLY_TEXT + (int)h.form;
    t->at += h.rest - t->at;
    t->rows = vertex->rows;
    t->rest = vertex + 1 < h.element + h.n_elements;
    enum bw_status status = BW_OK;
    for (int q = vertex->first; q < vertex->first + vertex->n && !status; q++) {
        const int n = t->n_columns;
        status = table_column(t, h.property[q].count ? "" : h.property[q].name);
        if (!status) t->type[n] = h.property[q].type, t->list[n] = h.property[q].count;
    }
    return status ? status : before_skip(t, &h, vertex);
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
