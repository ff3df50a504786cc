// SPDX-License-Identifier: Apache-2.0
/* Numbers in named columns from a file: CSV with a heading, or PLY (G. Turk 1994; text or binary of either byte order)
 * by its element `vertex`. Columns that nobody asks for are skipped. Whatever is wrong is said with file and line, or
 * row of a binary file, and whatever number of rows a file promises, memory is bounded by its size. */
#ifndef TABLE_H
#define TABLE_H

#include <billow/plugin.h>
#include <common/file/file.h>
#include <csv.h>
#include <stdbool.h>

enum { TABLE_COLUMNS = 16, TABLE_FILE_COLUMNS = 256 };

/// A name that a column may have, in any case, and the caller's number of that column: below TABLE_COLUMNS. Several
/// names may lead to one number.
struct table_name {
    const char *name;
    int column;
};

struct table {
    struct bw_stage *stage;
    const char *path;
    bool has[TABLE_COLUMNS]; ///< the caller's columns that there are
    int64_t rows;            ///< there are no more than that

    /* ---- the reader's own ---- */
    const struct table_name *names;
    size_t n_names;
    struct file_bytes file;
    char *at, *end;    ///< what is not read yet
    int64_t line, row; ///< read last, a row's first line; 0: none
    int form;          ///< enum table_form
    int64_t lines;     ///< of CSV: those behind `at`
    struct csv_parser csv;
    int n_columns, column[TABLE_FILE_COLUMNS];       ///< of the file: the caller's number, or -1
    const struct ply_type *type[TABLE_FILE_COLUMNS]; ///< of PLY …
    const struct ply_type *list[TABLE_FILE_COLUMNS]; ///< … and of a list's length; NULL: a single value
    bool rest;                                       ///< of PLY: other elements come behind
    int64_t long_rows, first_long;                   ///< of PLY as text: with more numbers than the heading says
};
enum table_form { TABLE_CSV, TABLE_PLY_TEXT, TABLE_PLY_LITTLE, TABLE_PLY_BIG };

/// Reads the file and its heading; table_close() afterwards, whatever comes back. Errors are said: BW_ERR_IO,
/// BW_ERR_MEMORY.
enum bw_status table_open(struct table *t, struct bw_stage *s, const char *path, const struct table_name *names,
                          size_t n_names);
/// Reads the next row: value[column] of the columns that there are. false: there is no more, or *status says why not.
bool table_row(struct table *t, double value[TABLE_COLUMNS], enum bw_status *status);
void table_close(struct table *t);
/// Says what is wrong in the line or row read last. Returns BW_ERR_IO.
enum bw_status table_fail(const struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
