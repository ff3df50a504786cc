// SPDX-License-Identifier: Apache-2.0
/* Bakes that were resumed from the page: one that was stopped or killed, or a finished one with more frames. Each runs
 * as `billow resume FOLDER` would, in a thread of its own. */
#ifndef WEB_RESUME_H
#define WEB_RESUME_H

#include "http/events.h"
#include "sources/sources.h"

enum { MAX_RESUMES = 4 }; ///< at a time

struct resume {
    struct resumes *all;
    struct source *source; ///< NULL: free
    struct bw_bake *bake;
    pthread_t thread;
    int finished; ///< the thread can be joined
};

struct resumes {
    struct sources *sources;
    struct events *events;
    pthread_mutex_t lock;
    struct resume slot[MAX_RESUMES];
    int stop;
};

void resumes_init(struct resumes *r, struct sources *sources, struct events *events);
/// Stop all, with checkpoints; no others begin.
void resumes_stop(struct resumes *r);
void resumes_free(struct resumes *r);
/// How many run.
int32_t resumes_count(struct resumes *r);
/// Resume a source's bake, up to frame `last` (0: its own last one). NULL: it begins; a later error is shown with the
/// source. Else the sentence, from malloc.
char *resume_begin(struct resumes *r, struct source *s, int64_t last);

#endif
