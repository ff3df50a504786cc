// SPDX-License-Identifier: Apache-2.0
/* A preset that somebody plays with: its text is read as it changes, and each new flow is baked in coarse cells by a
 * thread of its own, which gives up the bake before it. What was baked stays for a while, to go back to. */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include "reading.h"
#include "sources/sources.h"

struct tune;

/// A preset's name or path. NULL: bw_error_last says why, where the preset cannot be found; one with mistakes is good.
struct tune *tune_open(struct sources *sources, const char *preset);
/// All that runs is ended, what was baked in coarse cells is removed.
void tune_close(struct tune *t);

/// Where it came from: {"name", "path", "text", "folder"}; folder: where it is saved.
json_t *tune_preset(struct tune *t);
/// Parameters of a stage, an exporter or a section; new memory (bw_text_free), NULL: there is none of that name.
char *tune_table(struct tune *t, const char *name);
/// Read a text, and show it: at once, or as a coarse bake makes it. What reading_make says.
json_t *tune_try(struct tune *t, const char *text);
/// Bake a text in its own cells, in the working folder's out/NAME. The sentence, new memory; *good 0: nothing is done.
char *tune_bake(struct tune *t, const char *text, int *good);
/// Save it as NAME.yaml, which must be new. The sentence, new memory; *good 0: nothing is done.
char *tune_save(struct tune *t, const char *name, const char *text, int *good);

#endif
