// SPDX-License-Identifier: Apache-2.0
/* Saving a tuned preset as a new file: beside the preset where that is the user's own, never among the installed
 * presets or over another file. */
#ifndef WEB_SAVE_PRESET_H
#define WEB_SAVE_PRESET_H

#include <billow/bake.h>

struct save_target {
    char folder[4096];
    int moved; ///< 1: not the preset's own folder, so that relative paths in it lead elsewhere
};

/// The preset's own folder, or, of one that is installed or may not be written to, the working folder.
void save_target_find(struct save_target *p, struct bw_session *session, const char *preset);
/// NULL: it is a valid name of a preset; else the sentence, from malloc.
char *save_name_check(const char *name);
/// The sentence, from malloc; *good 0: nothing is written.
char *save_preset(const struct save_target *p, struct bw_session *session, const char *name, const char *text,
                  int *good);

#endif
