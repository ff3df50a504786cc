// SPDX-License-Identifier: Apache-2.0
/* One bake of a preset that is tuned. */
#ifndef TUNE_ATTEMPT_H
#define TUNE_ATTEMPT_H

#include "reading.h"
#include "sources/sources.h"
#include <stdatomic.h>

struct attempt {
    struct source *source;
    struct bw_bake *bake; ///< NULL: it is over
    char *folder, *flow;  ///< folder: removed with it; NULL: it stays
    json_t *before;       ///< values that its changes are told against, or NULL
    json_t *values;       ///< its own
    double work;
    int64_t second;         ///< the frame with which a second of film is there
    _Atomic int frames;     ///< that are made
    _Atomic double seconds; ///< that it took until then; 0: not yet
    int whole;              ///< all frames are made
    int resumed;            ///< it went on from another one's checkpoint
};

/// What is to be baked.
struct plan {
    struct bw_session *session;
    struct sources *sources;
    const char *path;   ///< of the preset
    const char *folder; ///< that coarse bakes are kept in; NULL: in its own cells, into out/NAME
    double coarse;
    const json_t *before;
    const struct attempt *base; ///< one that is the same until `since`, in as wide voxels; NULL: there is none
    int64_t since;
};

/// Begin; takes the reading over. NULL: out of memory or of places. One that fails says so on the page.
struct attempt *attempt_begin(const struct plan *plan, struct reading *g);
/// Go on with one that was given up, from its last checkpoint; takes the reading over where it can. 0: it can't.
int attempt_again(struct attempt *a, const struct plan *plan, struct reading *g);
/// Is it over? Then its end has been told.
int attempt_over(struct attempt *a);
/// End it now, if it runs.
void attempt_stop(struct attempt *a);
/// Another look of the same flow; takes the reading over.
void attempt_look(struct attempt *a, struct reading *g);
/// With its folder.
void attempt_free(struct sources *sources, struct attempt *a);
/// A folder and all inside.
void folder_remove(const char *folder);

#endif
