// SPDX-License-Identifier: Apache-2.0
/* Files, lines and CSV; PLY: table_ply.c. Cells are parted by commas or semicolons, or by tabs where the heading has
 * neither; blanks and quotes around a cell are dropped, empty lines and those that begin with # are skipped. */
#include "table_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum bw_status table_fail(const struct table *t, const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (t->form >= TABLE_PLY_LITTLE && t->row)
        return t->stage->host->fail(t->stage, BW_ERR_IO, "%s: row %lld of %lld: %s", t->path, (long long)t->row,
                                    (long long)t->rows, what);
    return t->stage->host->fail(t->stage, BW_ERR_IO, "%s:%lld: %s", t->path, (long long)t->line, what);
}

/* ---- lines ---- */

char *table_line(struct table *t, bool full)
{
    while (t->at < t->end) {
        char *line = t->at, *stop = memchr(line, '\n', (size_t)(t->end - line));
        t->at = stop ? stop + 1 : t->end;
        t->line++;
        if (!stop) stop = t->end;
        if (stop > line && stop[-1] == '\r') stop--;
        *stop = '\0';
        const char *begin = line + strspn(line, " \t");
        if (!full || (*begin && *begin != '#')) return line;
    }
    return NULL;
}

enum bw_status table_column(struct table *t, const char *name)
{
    int column = -1;
    for (size_t i = 0; i < t->n_names && column < 0; i++)
        if (!strcasecmp(name, t->names[i].name)) column = t->names[i].column;
    if (t->n_columns == TABLE_FILE_COLUMNS) return table_fail(t, "more than %d columns", TABLE_FILE_COLUMNS);
    if (column >= 0 && t->has[column]) return table_fail(t, "there are two columns %s", name);
    if (column >= 0) t->has[column] = true;
    t->column[t->n_columns++] = column;
    return BW_OK;
}

/* ---- CSV ---- */

/* Cut one cell off the row; the row goes on behind the separator, NULL: it is the last. */
static char *cell_cut(const struct table *t, char **row)
{
    const char *blanks = t->tabs ? " \"" : " \t\"";
    char *cell = *row + strspn(*row, blanks), *stop = cell + strcspn(cell, t->tabs ? "\t" : ",;");
    *row = *stop ? stop + 1 : NULL;
    *stop = '\0';
    while (stop > cell && strchr(blanks, stop[-1])) *--stop = '\0';
    return cell;
}

static enum bw_status csv_heading(struct table *t)
{
    char *row = table_line(t, true);
    if (!row) return t->stage->host->fail(t->stage, BW_ERR_IO, "%s: the file is empty", t->path);
    t->tabs = !strpbrk(row, ",;") && strchr(row, '\t');
    while (row) {
        enum bw_status status = table_column(t, cell_cut(t, &row));
        if (status) return status;
    }
    t->rows = 1;
    for (const char *at = t->at; (at = memchr(at, '\n', (size_t)(t->end - at))); at++) t->rows++;
    return BW_OK;
}

static enum bw_status csv_row(const struct table *t, char *row, double *value)
{
    int n = 0;
    for (; row && n < t->n_columns; n++) {
        char *cell = cell_cut(t, &row), *stop;
        if (t->column[n] < 0) continue;
        value[t->column[n]] = strtod(cell, &stop);
        if (stop == cell || *stop) return table_fail(t, "\"%.40s\" is no number", cell);
    }
    if (n == t->n_columns && !row) return BW_OK;
    return table_fail(t, "the line has %s cells than the heading has names, %d", row ? "more" : "fewer", t->n_columns);
}

/* ---- any ---- */

enum bw_status table_open(struct table *t, struct bw_stage *s, const char *path, const struct table_name *names,
                          size_t n_names)
{
    *t = (struct table){.stage = s, .path = path, .names = names, .n_names = n_names};
    enum bw_status status = file_read(s, path, &t->file);
    if (status) return status;
    t->at = t->file.text;
    t->end = t->at + t->file.n;
    int ply = t->end - t->at > 3 && !memcmp(t->at, "ply", 3) && (t->at[3] == '\n' || t->at[3] == '\r');
    return ply ? table_ply_heading(t) : csv_heading(t);
}

bool table_row(struct table *t, double value[TABLE_COLUMNS], enum bw_status *status)
{
    *status = BW_OK;
    if (t->form != TABLE_CSV) {
        if (t->row == t->rows) return false;
        t->row++;
        *status = table_ply_row(t, value);
        return !*status;
    }
    char *row = table_line(t, true);
    if (!row) return false;
    t->row++;
    *status = csv_row(t, row, value);
    return !*status;
}

void table_close(struct table *t) { file_free(t->stage, &t->file); }
