// SPDX-License-Identifier: Apache-2.0
/* Parsing the text of a preset that is tuned: its values and an open bake, or what is wrong with it. */
#ifndef WEB_PRESET_PARSE_H
#define WEB_PRESET_PARSE_H

#include <billow/bake.h>
#include <jansson.h>
#include <stdint.h>

struct parse_context {
    struct bw_session *session;
    const char *path; ///< of the preset: relative paths in it start there
    json_t *allowed;  ///< object whose keys are the texts of the preset as it was opened: they may be paths anywhere
};

struct parsed_preset {
    char *text;
    json_t *values;       ///< of the whole preset, bases included: plain objects, arrays and strings
    char *flow;           ///< flow_values as text: presets with the same one differ in their pictures alone
    struct bw_bake *look; ///< open, not started: pictures are rendered with its look
    double cells;         ///< of the full box
    double work;          ///< cells of the full box, times frames in the first second of film
    int32_t flat;         ///< 1: one cell thick
    int32_t caches;       ///< exporters that write VDB files
    char *mute[64];       ///< ids of the other exporters; then NULL
};

/// Parse a text. The answer for the page, new: {"good": true, "tree", "values"}, or {"good": false, "sentence", "text",
/// "line", "column"} and *out NULL.
json_t *preset_parse(const struct parse_context *c, const char *text, struct parsed_preset **out);
void parsed_preset_free(struct parsed_preset *p);
/// A node of bw_preset_tree ({"map"}, {"list"} or {"text"}) as a plain object, array or string; new.
json_t *preset_plain_value(const json_t *node);
/// The answer for a text with a mistake, new.
json_t *preset_error_json(const char *sentence, const char *text, int line, int column);
/// The same of bw_error_last. It has a line only where that is one of this text, not of another file.
json_t *preset_last_error_json(const char *path);
/// Add all texts of a preset to the object `allowed`.
void preset_allow_texts(const char *text, json_t *allowed);
/// The values without those that only pictures depend on; new.
json_t *flow_values(const json_t *values);

/// preset_diff.c: the changes between two presets' values, in one line; from malloc. `before` NULL: "".
char *preset_diff(const json_t *before, const json_t *after);
/// preset_diff.c: the first frame whose flow may differ: by keyframes that change later, a stage's or the bake's last
/// frame. INT64_MAX: none; INT64_MIN: all may.
int64_t first_changed_frame(const json_t *before, const json_t *after);

#endif
