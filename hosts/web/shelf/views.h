// SPDX-License-Identifier: Apache-2.0
/* Frames that are open to be looked around in: the last few, as many as memory allows. */
#ifndef WEB_VIEWS_H
#define WEB_VIEWS_H

#include "source.h"

enum { VIEWS = 8 };

struct open_view {
    struct bw_view *view; ///< NULL: free
    struct bw_view_facts facts;
    int32_t of;                      ///< number of its source
    int64_t frame, generation, used; ///< used: when last, by a count
    int users, passing;              ///< passing: it is not in the list
    json_t *fields;                  ///< [{name, unit, kind}] of the snapshot
    double time, fps;
};

struct views {
    pthread_mutex_t lock;
    struct open_view open[VIEWS];
    int64_t uses;
};

void views_init(struct views *v);
void views_free(struct views *v);
/// The view of a frame, to be given back. NULL: bw_error_last says why.
struct open_view *views_take(struct views *v, struct source *s, int64_t frame);
/// The same for one picture of many: where it is not open, it does not stay open, and drives no other one out.
struct open_view *views_pass(struct views *v, struct source *s, int64_t frame);
void views_give(struct views *v, struct open_view *o);

#endif
