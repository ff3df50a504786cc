// SPDX-License-Identifier: Apache-2.0
/* The look that a page of `billow view` shows a cache in, for its form. */
#ifndef WEB_LOOK_H
#define WEB_LOOK_H

#include "sources/source.h"

/// Check a text (look_settings.h) with its keys and ranges. The answer for the page, new: {"good": true, "tree"}, or
/// {"good": false, "sentence", "text", "line", "column"}.
json_t *look_check(struct bw_session *session, const char *text);
/// What a form of it needs, new: {"cache": what `billow preview` takes, "parameters": of an exporter of renders,
/// "values": the bake's own, as far as its resolved.yaml has them}. NULL: there is no such exporter.
json_t *look_describe(struct source *s);

#endif
