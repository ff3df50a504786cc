// SPDX-License-Identifier: Apache-2.0
/* A preset that was changed, saved: beside the preset where that is the user's own, never among the installed ones or
 * over another file. */
#ifndef WEB_SAVE_PRESET_H
#define WEB_SAVE_PRESET_H

#include <billow/bake.h>

struct save_place {
    char folder[4096];
    int moved; ///< 1: not where the preset was, so that paths inside it lead elsewhere
};

/// The preset's own folder, or, of one that is installed or may not be written to, the working folder.
void save_place_find(struct save_place *p, struct bw_session *session, const char *preset);
/// NULL: it may be a preset's name; else the sentence, new memory.
char *save_name_check(const char *name);
/// The sentence, new memory; *good 0: nothing is written.
char *save_preset(const struct save_place *p, struct bw_session *session, const char *name, const char *text,
                  int *good);

#endif
