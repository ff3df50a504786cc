// SPDX-License-Identifier: Apache-2.0
/* Files, lines and CSV; PLY: table_ply.c. Cells as RFC 4180 has them, by libcsv; they are parted by what parts the
 * heading's: a comma, a semicolon or a tab. Empty lines and those that begin with # are skipped. */
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
        char *line = t->at, *stop = line;
        while (stop < t->end && *stop != '\n' && *stop != '\r') stop++;
        t->at = stop < t->end ? stop + (stop + 1 < t->end && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1) : t->end;
        t->line++;
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

/* A row in the making: its cells come one after the other. */
struct cells {
    struct table *t;
    double *value; ///< NULL: it is the heading
    int n;
    bool whole;
    enum bw_status status;
};

/* Where semicolons part the cells, a comma is the point. */
static double number_read(const struct table *t, char *cell, char **stop)
{
    double x = strtod(cell, stop);
    if (t->csv.delim_char != ';' || **stop != ',' || strchr(cell, '.')) return x;
    **stop = '.';
    return strtod(cell, stop);
}

static void cell_take(void *text, size_t n, void *user)
{
    struct cells *c = user;
    struct table *t = c->t;
    char *cell = text, *stop;
    const int column = c->value && c->n < t->n_columns ? t->column[c->n] : -1;
    c->n++;
    if (c->status) return;
    if (!c->value) c->status = table_column(t, cell);
    if (column < 0) return;
    while (n && memchr(" \t", cell[n - 1], 2)) cell[--n] = '\0';
    c->value[column] = number_read(t, cell, &stop);
    if (!n || stop != cell + n) c->status = table_fail(t, "\"%.40s\" is no number", cell);
}

static void row_end(int end, void *user)
{
    struct cells *c = user;
    (void)end;
    c->whole = true;
}

/* Bytes up to the end of the line and with it: LF, CR LF, or the CR of old Macs. */
static size_t line_bytes(const struct table *t)
{
    const char *at = t->at;
    while (at < t->end && *at != '\n' && *at != '\r') at++;
    if (at < t->end) at += at + 1 < t->end && at[0] == '\r' && at[1] == '\n' ? 2 : 1;
    return (size_t)(at - t->at);
}

static bool is_remark(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && memchr(" \t", line[i], 2)) i++;
    return i == n || memchr("#\r\n", line[i], 3);
}

/* Goes to the next line that is no remark. Bytes of it; 0: there is none. */
static size_t line_next(struct table *t)
{
    size_t n;
    while ((n = line_bytes(t)) && is_remark(t->at, n)) t->at += n, t->lines++;
    t->line = t->lines + 1;
    return n;
}

/* One row, of several lines where a cell in quotes has them. false: there is none, or c->status says why not. */
static bool cells_read(struct table *t, struct cells *c)
{
    size_t n = line_next(t);
    if (!n) return false;
    for (; n && !c->whole; n = c->whole ? n : line_bytes(t)) {
        if (csv_parse(&t->csv, t->at, n, cell_take, row_end, c) != n) c->status = BW_ERR_MEMORY;
        t->at += n, t->lines++;
    }
    csv_set_opts(&t->csv, CSV_APPEND_NULL | (n ? 0 : CSV_STRICT | CSV_STRICT_FINI)); // strict at its end alone
    if (!c->whole && csv_fini(&t->csv, cell_take, row_end, c)) c->status = table_fail(t, "a quote is not closed");
    return !c->status;
}

/* The first that stands outside of quotes; Excel may say it in a line of its own. */
static char delimiter_find(struct table *t)
{
    size_t n = line_next(t);
    bool quoted = false;
    if (n > 4 && !strncasecmp(t->at, "sep=", 4)) {
        const char said = t->at[4];
        t->at += n, t->lines++;
        return said;
    }
    for (size_t i = 0; i < n; i++) {
        if (t->at[i] == '"') quoted = !quoted;
        else if (!quoted && memchr(",;\t", t->at[i], 3)) return t->at[i];
    }
    return ',';
}

static enum bw_status csv_heading(struct table *t)
{
    struct cells c = {.t = t};
    csv_init(&t->csv, CSV_APPEND_NULL);
    csv_set_blk_size(&t->csv, 1 << 14);
    csv_set_delim(&t->csv, (unsigned char)delimiter_find(t));
    if (!cells_read(t, &c))
        return c.status ? c.status : t->stage->host->fail(t->stage, BW_ERR_IO, "%s: the file is empty", t->path);
    t->rows = 1;
    for (const char *at = t->at; at < t->end; at++) t->rows += *at == '\n' || *at == '\r';
    return BW_OK;
}

static bool csv_row(struct table *t, double *value, enum bw_status *status)
{
    struct cells c = {.t = t, .value = value};
    const bool good = cells_read(t, &c);
    *status = c.status;
    if (!good) return false;
    t->row++;
    if (c.n != t->n_columns)
        *status = table_fail(t, "the line has %s cells than the heading has names, %d",
                             c.n > t->n_columns ? "more" : "fewer", t->n_columns);
    return !*status;
}

/* ---- any ---- */

enum bw_status table_open(struct table *t, struct bw_stage *s, const char *path, const struct table_name *names,
                          size_t n_names)
{
    *t = (struct table){.stage = s, .path = path, .names = names, .n_names = n_names};
    enum bw_status status = file_read(s, path, &t->file);
    if (!status) status = file_text_begin(s, path, &t->file, &t->at);
    if (status) return status;
    t->end = t->file.text + t->file.n;
    int ply = t->end - t->at > 3 && !memcmp(t->at, "ply", 3) && (t->at[3] == '\n' || t->at[3] == '\r');
    return ply ? table_ply_heading(t) : csv_heading(t);
}

bool table_row(struct table *t, double value[TABLE_COLUMNS], enum bw_status *status)
{
    *status = BW_OK;
    if (t->form != TABLE_CSV) {
        if (t->row == t->rows) return table_ply_end(t), false;
        t->row++;
        *status = table_ply_row(t, value);
        return !*status;
    }
    return csv_row(t, value, status);
}

void table_close(struct table *t)
{
    if (t->form == TABLE_CSV) csv_free(&t->csv);
    file_free(t->stage, &t->file);
}
