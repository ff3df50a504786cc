// SPDX-License-Identifier: Apache-2.0
/* Records beside bakes, wedge.json, job.json and the like, are untrusted input. No link is followed out of their
 * folder, and every value is checked before use. */
#ifndef BW_CLI_RECORD_H
#define BW_CLI_RECORD_H

#include "cli.h"

enum { RECORD_MOST = 16 << 20, TABLE_MOST = 256 << 20 }; ///< bytes

/// The object in FOLDER/NAME; 0 and NULL: there is none. Else an exit code after an error message with its place.
int record_read(const char *folder, const char *name, json_t **root);
/// Open FOLDER/NAME for reading; NULL: it is missing, no regular file, or larger than `most`.
FILE *record_open_text(const char *folder, const char *name, size_t most);
/// FOLDER/NAME, made where it is not there; an exit code, after an error message where a link or a file has the name.
int record_folder(const char *folder, const char *name);

/* ---- record_error.c ---- */

/// Where in the record FOLDER/NAME: keys and, where a key is NULL, numbers of entries.
struct record_place {
    const char *folder, *name;
    const char *key[4];
    size_t index[4];
    int depth;
};

/// "FOLDER/NAME:LINE:COLUMN: WHAT" on stderr, and as JSON where that is asked for; line 0: none. An exit code.
int record_error_at(const char *folder, const char *name, int line, int column, const char *what);
/// "FOLDER/NAME:LINE:COLUMN: PLACE …" on stderr; an exit code.
int record_error(const struct record_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- wedge_record.c ---- */

/// OUT/wedge.json, checked; 0 and NULL: there is none. Else an exit code after an error message.
int wedge_record_read(const char *out, json_t **plan);

#endif
