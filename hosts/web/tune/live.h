// SPDX-License-Identifier: Apache-2.0
/* A preset that is tuned while one simulation of it runs on (billow tune --live): in voxels so wide that it makes many
 * steps a second, with nothing written. It takes changed values between two steps; what can't change starts it anew.
 * It runs no faster than the film, waits while it is paused, and while no page is open. */
#ifndef WEB_LIVE_H
#define WEB_LIVE_H

#include "http/events.h"
#include "preset_parse.h"
#include "sources/sources.h"

struct live;

/// `path`: of the preset; borrowed, like the others. NULL: out of memory.
struct live *live_open(struct sources *sources, struct events *events, const char *path);
/// Stop what runs.
void live_stop(struct live *l);
/// Stop it, and remove its source.
void live_free(struct live *l);

/* From the preset's thread alone. */

/// Show a valid preset, which is taken over: by its look, by values of what runs, or anew.
void live_show(struct live *l, struct parsed_preset *p);
/// Start anew from the first frame.
void live_restart(struct live *l);
/// Notice its end, and start it anew in wider voxels where it is too slow. 1: it runs.
int live_poll(struct live *l);

/* From any thread. */

void live_pause(struct live *l, int on);

#endif
