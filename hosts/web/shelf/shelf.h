// SPDX-License-Identifier: Apache-2.0
/* What there is to be looked at: a cache or a bake, or several, each by its number. */
#ifndef WEB_SHELF_H
#define WEB_SHELF_H

#include "source.h"

enum { SHELF = 16 };

struct shelf {
    struct bw_session *session;
    pthread_mutex_t lock;
    struct source *source[SHELF]; ///< in the order in which they came; then NULL
    int32_t last;                 ///< number that was given last
    int32_t current;              ///< the one that is shown by itself; 0: none
    int64_t seq;
    int64_t cores; ///< that there are for it
};

void shelf_init(struct shelf *s, struct bw_session *session);
/// Nobody uses any of them.
void shelf_free(struct shelf *s);
/// A new one, in use, shown by itself from now on; `kind` is static. NULL: out of memory, or all places are in use.
struct source *shelf_add(struct shelf *s, const char *kind);
/// That of a number (0: the one that is shown by itself), in use until shelf_give. NULL: there is none.
struct source *shelf_take(struct shelf *s, int32_t id);
void shelf_give(struct shelf *s, struct source *source);
/// Take it down; it goes when nobody uses it.
void shelf_drop(struct shelf *s, struct source *source);
/// Show this one by itself.
void shelf_show(struct shelf *s, int32_t id);
/// Look at all files again.
void shelf_refresh(struct shelf *s);
/// Changes with everything.
int64_t shelf_seq(struct shelf *s);
/// All that a page has to know, new: "current", "shelf" and "machine". The log is that of the current one.
json_t *shelf_state(struct shelf *s);

/// Does a bake run here that is more than a try?
int shelf_runs(struct shelf *s);

#endif
