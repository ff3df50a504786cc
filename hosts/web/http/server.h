// SPDX-License-Identifier: Apache-2.0
/* The HTTP server: one thread that listens, reads and writes; pictures are made elsewhere. */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include "admission/admission.h"
#include "events.h"
#include "guard.h"
#include "resume/resume.h"
#include "show/queue.h"

struct tune;

struct server {
    struct MHD_Daemon *daemon;
    struct guard guard;
    struct admission admission;
    struct events events;
    struct shelf *shelf;
    struct tune *tune; ///< NULL: no preset is tuned
    struct queue *queue;
    struct resumes *resumes;
    const char *plotter; ///< path of a script
    char address[200];
};

/// Listen on `listen` at `port` (0: the usual one, or the next that is free). Errors with a sentence in `why`.
enum bw_status server_start(struct server *s, const char *listen, int32_t port, char *why, size_t why_size);
/// The queue has been stopped: nothing waits any more.
void server_stop(struct server *s);

/// routes.c: answer a request whose sender may ask; `path` is what follows the token. `waits`: MHD's place for what a
/// connection keeps.
/// How many bytes may come with that? They are whole when `route` is called, in the request in `waits`.
long route_takes_body(const struct server *s, const char *path);
enum MHD_Result route(struct server *s, struct MHD_Connection *c, const char *method, const char *path, void **waits);

#endif
