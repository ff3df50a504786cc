// SPDX-License-Identifier: Apache-2.0
/* A preset that is tuned from the page. Its text is parsed whenever it changes. A thread bakes each new flow as a
 * preview in coarser voxels, and cancels the one before. Previews are kept for a while, to go back to and to be resumed
 * from. */
#ifndef WEB_TUNE_H
#define WEB_TUNE_H

#include "preset_parse.h"
#include "sources/sources.h"

struct tune;

/// A preset's name or path; it may have mistakes. NULL: there is none, see bw_error_last.
struct tune *tune_open(struct sources *sources, const char *preset);
/// Cancel all bakes and remove the previews.
void tune_close(struct tune *t);

/// {"name", "path", "text", "folder": where it is saved}, of the preset as it was opened.
json_t *tune_preset(struct tune *t);
/// Parameters of a stage, an exporter or a section (bw_text_free); NULL: there is none of that name.
char *tune_parameters(struct tune *t, const char *name);
/// Parse a text and preview it. The answer of preset_parse.
json_t *tune_try(struct tune *t, const char *text);
/// Bake a text at full resolution, into out/NAME. The sentence, from malloc; *good 0: it has a mistake.
char *tune_bake(struct tune *t, const char *text, int *good);
/// Save a text as NAME.yaml, a new file. The sentence, from malloc; *good 0: nothing is written.
char *tune_save(struct tune *t, const char *name, const char *text, int *good);

#endif
