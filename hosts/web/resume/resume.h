// SPDX-License-Identifier: Apache-2.0
/* Bakes that the page goes on with: one that was stopped or killed, or a finished one that is made longer. Each runs as
 * `billow resume FOLDER` would, on the threads that the library gives it. */
#ifndef WEB_RESUME_H
#define WEB_RESUME_H

#include "http/events.h"
#include "shelf/shelf.h"

enum { RESUMES = 4 }; ///< at once

struct resume {
    struct resumes *all;
    struct source *source; ///< NULL: free
    struct bw_bake *bake;
    pthread_t thread;
    int over; ///< the thread has nothing more to do
};

struct resumes {
    struct shelf *shelf;
    struct events *events; ///< of those who look
    pthread_mutex_t lock;
    struct resume each[RESUMES];
    int stop;
};

void resumes_init(struct resumes *r, struct shelf *shelf, struct events *events);
/// All of them are stopped, with checkpoints; no others begin.
void resumes_stop(struct resumes *r);
void resumes_free(struct resumes *r);
/// How many run.
int32_t resumes_count(struct resumes *r);
/// Go on with a source's bake; `last` 0: to the frame that it was to end with. NULL: it begins; what hinders it after
/// that is told where the bake is shown. Else the sentence, new memory.
char *resume_begin(struct resumes *r, struct source *s, int64_t last);

#endif
