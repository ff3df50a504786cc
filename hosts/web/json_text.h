// SPDX-License-Identifier: Apache-2.0
/* JSON as text: from the library, and for the page. */
#ifndef WEB_JSON_TEXT_H
#define WEB_JSON_TEXT_H

#include <billow/bake.h>
#include <jansson.h>
#include <math.h>

/// Parse a text of the library, which is freed. NULL: there is none, or it is no JSON.
static inline json_t *json_from_text(char *text)
{
    json_t *value = text ? json_loads(text, 0, NULL) : NULL;
    bw_text_free(text);
    return value;
}

/// A number; null where it is not finite.
static inline json_t *json_number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

/// A value, which is released, as compact text from malloc. NULL: out of memory, or the value is.
static inline char *json_to_text(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(value);
    return text;
}

#endif
