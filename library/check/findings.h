// SPDX-License-Identifier: Apache-2.0
/* Findings of a check: one of each kind and grid, with the number of files. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

/// A kind of finding, a constant.
struct finding_kind {
    const char *id; ///< "nan"
    bool problem;   ///< false: a note: some host shows it unexpectedly
    const char *advice;
};

struct finding {
    const struct finding_kind *kind;
    char *about;  ///< key among findings of its kind: a grid's name, or ""
    char *text;   ///< of the first file
    char *advice; ///< NULL: the kind's
    long long files;
};

struct findings {
    struct finding *list;
    size_t n;
};

/// Add one; if there is one of that kind and key `about`, only count it. `about` NULL: always add.
void finding_add(struct findings *f, const struct finding_kind *kind, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Specific advice for the last one added. Takes the text (bw_alloc).
void finding_advise(struct findings *f, char *advice);
/// Does a problem's text begin with that path?
bool findings_has(const struct findings *f, const char *path);
/// [{"kind", "problem", "text", "advice"}]
json_t *findings_json(const struct findings *f);
/// The texts of problems alone.
json_t *findings_problems(const struct findings *f);
void findings_free(struct findings *f);

#endif
