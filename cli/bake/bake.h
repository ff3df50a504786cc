// SPDX-License-Identifier: Apache-2.0
/* What the files of `billow bake` share. */
#ifndef BW_CLI_BAKE_H
#define BW_CLI_BAKE_H

#include "page/page.h"

/* ---- bake.c ---- */

/// `billow bake` with these arguments; *message, unless NULL, gets the error, new memory.
int bake_run_arguments(int argc, char **argv, char **message);

/* ---- progress.c: the live line and the events ---- */

struct progress {
    int wants_page; ///< asked for by --view
    int json, live; ///< events on stdout; or one line rewritten on stderr
    int line_shown;
    double last_drawn; ///< s, monotonic
    char *output[4];   ///< the last path announced as progress_what[i]
    json_t *waiting;   ///< events of frames that are made, but not on the disk yet
    struct page page;  ///< gets progress, too, if there is one
};

extern const char *const progress_what[4]; ///< movie, picture, cache, particles
/// *p is zero, except for the options of the page.
void progress_init(struct progress *p, int json);
void progress_free(struct progress *p);
/// Point the callbacks of `o` at `p`.
void progress_attach(struct progress *p, struct bw_bake_options *o);
/// No more frames are written: report those that never were.
void progress_end(struct progress *p);
/// End the live line, so that messages can follow.
void progress_break(struct progress *p);
/// Print one event with --json; takes `event` (an object) in any case.
void event_print(const struct progress *p, const char *name, json_t *event);

/* ---- watchdog.c: reports plugins that stall ---- */

struct watchdog {
    double seconds;      ///< time in one callback before it is reported (--patience); 0: a minute
    double next;         ///< time in one callback of the next report, s
    double requested_at; ///< when the user requested the end last
    int requests, reported;
};

/// Called regularly while a bake runs; `requests`: how often the user has requested its end.
void watchdog_poll(struct watchdog *p, const struct progress *progress, struct bw_bake *bake, int requests);

/* ---- summary.c: estimates before, next commands after ---- */

/// Memory, disk and wiring on stdout; an exit code.
int estimate_print(struct bw_bake *bake);
/// The name by which the program was started.
const char *command_name(void);
/// How large the cache's files are, by frame.
void cache_size_print(const struct progress *p, double frames);
/// What to open and which commands come next.
void summary_print(const struct progress *p, const char *name, const char *out);

#endif
