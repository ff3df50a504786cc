// SPDX-License-Identifier: Apache-2.0
/* What a check of a cache has found: one of each kind for each grid, with how many files it was found in. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

/// A kind of finding, a constant.
struct finding_kind {
    const char *id; ///< "nan"
    bool problem;   ///< false: a notice: some host shows it otherwise than one expects
    const char *advice;
};

struct finding {
    const struct finding_kind *kind;
    char *about;  ///< what tells it from others of its kind: a grid's name, or ""
    char *text;   ///< of the first file
    char *advice; ///< better than the kind's; NULL: that one
    long long files;
};

struct findings {
    struct finding *list;
    size_t n;
};

/// Add one; of the same kind about the same as one before it is counted alone. `about` NULL: there is no such one.
void finding_add(struct findings *f, const struct finding_kind *kind, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Advise better than the kind does, about what was added last. Takes the text (bw_alloc).
void finding_advise(struct findings *f, char *advice);
/// Does a problem's text begin with that path?
bool findings_has(const struct findings *f, const char *path);
/// [{"kind", "problem", "text", "advice"}]
json_t *findings_json(const struct findings *f);
/// The texts of problems alone.
json_t *findings_problems(const struct findings *f);
void findings_free(struct findings *f);

#endif
