// SPDX-License-Identifier: Apache-2.0
/* A preset that is tuned from the page. Its text is parsed whenever it changes. A thread bakes each new flow as a
 * preview in coarser voxels, and cancels the one before. Previews are kept for a while, to go back to and to be resumed
 * from. */
#ifndef WEB_TUNE_H
#define WEB_TUNE_H

#include "http/events.h"
#include "preset_parse.h"
#include "sources/sources.h"

struct tune;

/// A preset's name or path; it may have mistakes. NULL: there is none, see bw_error_last.
/// `live`: one simulation of it runs on (live.h), and waits while `events` has no page.
struct tune *tune_open(struct sources *sources, struct events *events, const char *preset, int live);
/// Before the event stream ends: nothing begins any more, and what runs on is stopped.
void tune_stop(struct tune *t);
/// Cancel all bakes and remove the previews.
void tune_close(struct tune *t);

/// {"name", "path", "text", "folder": where it is saved, "live", "stage_types"}, of the preset as it was opened.
json_t *tune_preset(struct tune *t);
/// Parameters of a stage, an exporter or a section (bw_text_free); NULL: there is none of that name.
char *tune_parameters(struct tune *t, const char *name);
/// Parse a text and preview it. The answer of preset_parse.
json_t *tune_try(struct tune *t, const char *text);
/// "restart", "pause" or "run" the simulation that runs on. NULL: it is done; else why not, from malloc.
char *tune_live(struct tune *t, const char *what);
/// Bake a text at full resolution, into out/NAME. The sentence, from malloc; *good 0: it has a mistake.
char *tune_bake(struct tune *t, const char *text, int *good);
/// Save a text as NAME.yaml, a new file. The sentence, from malloc; *good 0: nothing is written.
char *tune_save(struct tune *t, const char *name, const char *text, int *good);

#endif
