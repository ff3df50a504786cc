// SPDX-License-Identifier: Apache-2.0
#ifndef TABLE_PRIVATE_H
#define TABLE_PRIVATE_H

#include "table.h"

/// The next line, ended with a 0; `full`: that holds something and is no remark. NULL: there is none.
char *table_line(struct table *t, bool full);
/// Adds a column of the file.
enum bw_status table_column(struct table *t, const char *name);
enum bw_status table_ply_heading(struct table *t);
enum bw_status table_ply_row(struct table *t, double *value);
/// After the last row: a warning about what no row and no element is.
void table_ply_end(struct table *t);

#endif
