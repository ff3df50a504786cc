// SPDX-License-Identifier: Apache-2.0
/* A preset's text, read: what is wrong with it, or all of its values, and a bake that was opened but not started, by
 * which its pictures are made. */
#ifndef TUNE_READING_H
#define TUNE_READING_H

#include <billow/bake.h>
#include <jansson.h>

/// Who reads.
struct reader {
    struct bw_session *session;
    const char *path; ///< of the preset: where paths inside it start
    json_t *known;    ///< object: texts of the preset as it was, which may name files anywhere
};

struct reading {
    char *text;
    json_t *values;       ///< of the whole preset, bases included: plain objects, lists and texts
    char *flow;           ///< the same text: the same flow, whatever the pictures are like
    struct bw_bake *look; ///< open
    double work;          ///< cells in a full box, times frames until a second of film is there
    int32_t flat;         ///< one cell thick
    int32_t caches;       ///< exporters that write VDB files
    char *mute[64];       ///< ids of the others; then NULL
};

/// What a page is told, new: {"good": true, "tree", "values"}, or {"good": false, "sentence", "text", "line",
/// "column"} and *out NULL.
json_t *reading_make(const struct reader *r, const char *text, struct reading **out);
void reading_free(struct reading *g);
/// Texts of a preset's tree that may stand in it, into the object `known`.
void reading_know(const char *text, json_t *known);
/// changes.c: what differs between two readings' values, in words; new memory. `before` NULL: "".
char *changes_words(const json_t *before, const json_t *after);

#endif
