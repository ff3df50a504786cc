// SPDX-License-Identifier: Apache-2.0
/* The list of sources that the page can show, each by its id, with reference counts. One of them is current. */
#ifndef WEB_SOURCES_H
#define WEB_SOURCES_H

#include "source.h"

enum { MAX_SOURCES = 16 };

struct sources {
    struct bw_session *session;
    pthread_mutex_t lock;
    struct source *source[MAX_SOURCES]; ///< in the order in which they were added; then NULL
    int32_t last_id;
    int32_t current; ///< id of the one that pages show unless the user chooses another; 0: none
    int64_t revision;
    int64_t cores; ///< that this process may use
};

void sources_init(struct sources *s, struct bw_session *session);
/// No source is acquired any more.
void sources_free(struct sources *s);
/// Add a source, acquired and current; `kind` is static. NULL: out of memory, or there are MAX_SOURCES.
struct source *sources_add(struct sources *s, const char *kind);
/// The source with that id (0: the current one), to be released. NULL: there is none.
struct source *sources_acquire(struct sources *s, int32_t id);
/// Free it where it was removed and this was the last reference. NULL: nothing.
void sources_release(struct sources *s, struct source *source);
/// Take it from the list; the caller's reference stays.
void sources_remove(struct sources *s, struct source *source);
void sources_set_current(struct sources *s, int32_t id);
/// source_refresh of all.
void sources_refresh(struct sources *s);
/// Increases with every change of what sources_json tells.
int64_t sources_revision(struct sources *s);
/// The state for the pages, new: "current", "sources" and "machine". Only the current one has its log.
json_t *sources_json(struct sources *s);
/// Does a bake run here that is no preview?
int sources_baking(struct sources *s);

#endif
