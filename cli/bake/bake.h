// SPDX-License-Identifier: Apache-2.0
/* What the files of `billow bake` share. */
#ifndef BW_CLI_BAKE_H
#define BW_CLI_BAKE_H

#include "page/page.h"

/* ---- bake.c ---- */

/// `billow bake` with this line; *message, if wanted, gets what went wrong, new memory.
int bake_line_run(int argc, char **argv, char **message);

/* ---- progress.c: the live line and the events ---- */

struct progress {
    int wants_page; ///< asked for by --view
    int json, live; ///< events on stdout; or one line rewritten on stderr
    int line_shown;
    double last_drawn; ///< s, monotonic
    char *output[4];   ///< the last path announced as progress_what[i]
    json_t *waiting;   ///< events of frames that are made, but not on the disk yet
    struct page page;  ///< that is told as well, if there is one
};

extern const char *const progress_what[4]; ///< movie, picture, cache, particles
/// *p is zero, but for what was asked of the page.
void progress_init(struct progress *p, int json);
void progress_free(struct progress *p);
/// Point the callbacks of `o` at `p`.
void progress_attach(struct progress *p, struct bw_bake_options *o);
/// No more frames are written: tell those that never were.
void progress_end(struct progress *p);
/// End the live line, so that words can follow.
void progress_break(struct progress *p);
/// Print one event with --json; takes `event` (an object) in any case.
void event_print(const struct progress *p, const char *name, json_t *event);

/* ---- patience.c: who is waited for ---- */

struct patience {
    double seconds; ///< before it is said that a callback takes long; 0: a minute
    double next;    ///< s in one callback, when it is said next
    double asked_at;
    int asked, told;
};

/// Now and then while a bake runs; `asked`: how often the user has asked for its end.
void patience_look(struct patience *p, const struct progress *progress, struct bw_bake *bake, int asked);

/* ---- closing.c: estimates before, commands after ---- */

/// Memory, disk and wiring on stdout; an exit code.
int estimate_print(struct bw_bake *bake);
/// What people type to get here.
const char *command_name(void);
/// How to go on: what to open, what to type.
void closing_print(const struct progress *p, const char *name, const char *out);

#endif
