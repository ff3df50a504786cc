// SPDX-License-Identifier: Apache-2.0
/* What went wrong, in sentences. Functions that read from outside take a bw_diag, add one sentence for each
 * mistake they find (going on where that makes sense), and answer the first one's status. */
#ifndef BW_DIAG_H
#define BW_DIAG_H

#include <billow/status.h>
#include <stdint.h>

/// A place in a file, 1-based; file NULL: no place. `text`: the whole line for the caret, may be NULL.
struct bw_place {
    const char *file;
    int32_t line, column;
    const char *source; ///< the file's whole text, to show the line with a caret
};

struct bw_diag {
    enum bw_status status; ///< of the first error; BW_OK: none
    int32_t errors;
    char *text;           ///< all sentences, a line each (with source line and caret below), NULL when none
    char *first;          ///< the first error's sentence alone, with file:line:column, for --json
    char *file;           ///< where the first error is, or NULL …
    int32_t line, column; ///< … 1-based, or 0
};

/// A place for an error about a file whose sentence names it.
#define BW_NAMED(path) (&(struct bw_place){.file = (path), .line = BW_LINE_NAMED})
enum { BW_LINE_NAMED = -1 };

/// Add an error: `place` may be NULL. Answers `status`.
enum bw_status bw_diag_error(struct bw_diag *d, const struct bw_place *place, enum bw_status status, const char *format,
                             ...) __attribute__((format(printf, 4, 5)));
/// Append the errors of `from` to `d`; `from` is left as it is.
void bw_diag_append(struct bw_diag *d, const struct bw_diag *from);
void bw_diag_free(struct bw_diag *d);
/// The word of `words` (n of them) that is nearest to `word` (Damerau–Levenshtein ≤ 1 + length/3), or NULL.
const char *bw_did_you_mean(const char *word, const char *const *words, uint32_t n);

#endif
