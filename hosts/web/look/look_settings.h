// SPDX-License-Identifier: Apache-2.0
/* Values over a bake's own look, as a preset has them: "look: {exposure: 2}". They belong to a page: each query of a
 * picture carries them. */
#ifndef WEB_LOOK_SETTINGS_H
#define WEB_LOOK_SETTINGS_H

#include <jansson.h>

enum { MAX_LOOK = 2000 }; ///< bytes of a text

/// bw_preset_tree of a text, new. NULL: `why` says what is wrong with it.
json_t *look_tree(const char *text, char why[200]);
/// The values of a text as "look.KEY=VALUE", a new array of strings. NULL: `why` says what is wrong: it is no YAML, has
/// other keys beside `look`, or names a file.
json_t *look_settings(const char *text, char why[200]);

#endif
