// SPDX-License-Identifier: Apache-2.0
/* What the answers to single paths share. */
#ifndef WEB_VISIT_H
#define WEB_VISIT_H

#include "server.h"

/// One request.
struct visit {
    struct server *s;
    struct MHD_Connection *c;
    void **waits;
    const char *body; ///< of a POST, or NULL
};

struct routing {
    const char *method, *path;
    enum MHD_Result (*answer)(struct visit *v);
    long body; ///< most bytes of one; 0: it takes none
};

/// The value of a key of the request's query, or NULL.
const char *visit_query(const char *key, void *connection);
/// What the query's "of" means, in use (shelf_give), or NULL.
struct source *visit_source(struct visit *v);

#endif
