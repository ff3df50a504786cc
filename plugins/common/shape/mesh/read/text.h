// SPDX-License-Identifier: Apache-2.0
/* Words and numbers of a text, line by line; a line ends with LF, CR LF, or CR as on old Macs. Nothing is written into
 * it, and nothing read behind its end, where a 0 must be. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    const char *at, *end;
    int64_t line; ///< the present one, from 1 on
};

/// Over blanks, and over a line's end where a backslash stands before it.
void text_blanks(struct text *t);
/// Where the line ends that `at` is in.
const char *text_line_end(const char *at, const char *end);
/// Behind that end.
const char *text_line_behind(const char *stop, const char *end);
/// Is there nothing more in the line? A remark from # on counts as nothing.
bool text_line_ends(struct text *t);
/// To the next line; false: there is none.
bool text_line_next(struct text *t);
/// A word in any case, if it is the next one: then it is gone.
bool text_word(struct text *t, const char *word);
/// Over blanks and line ends to the next word, and over it: where it begins, and its length in *n. NULL: there is none.
const char *text_any_word(struct text *t, size_t *n);
/// The next number of the line; false: what comes is none.
bool text_number(struct text *t, double *out);
bool text_integer(struct text *t, int64_t *out);

#endif
