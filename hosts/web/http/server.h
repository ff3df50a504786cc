// SPDX-License-Identifier: Apache-2.0
/* The HTTP server (libmicrohttpd): one thread accepts connections, reads requests and writes responses. Pictures are
 * made by the workers of the job queue, while the connection is suspended. */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include "connection_limit.h"
#include "events.h"
#include "auth.h"
#include "resume/resume.h"
#include "render/job_queue.h"

struct tune;

struct server {
    struct MHD_Daemon *daemon;
    struct auth auth;
    struct connection_limit connection_limit;
    struct events events;
    struct sources *sources;
    struct tune *tune; ///< NULL: no preset is tuned
    struct queue *queue;
    struct resumes *resumes;
    const char *plotter; ///< path of Dygraphs
    char address[200];
};

/// Listen on the address `listen` at `port` (0: the first free port from the default one on). Errors: BW_ERR_USAGE,
/// BW_ERR_IO, with a sentence in `why`.
enum bw_status server_start(struct server *s, const char *listen, int32_t port, char *why, size_t why_size);
/// After the job queue has been stopped, so that no connection is suspended any more.
void server_stop(struct server *s);

/// routes.c: the most bytes that a request's body may have at this path; 0: it takes none.
long route_max_body(const struct server *s, const char *path);
/// routes.c: answer a request. `path`: what follows "/TOKEN/". `context`: libmicrohttpd's per-request pointer, the job
/// of an upload or of a suspended request; such a request comes back here when its job is done.
enum MHD_Result route_request(struct server *s, struct MHD_Connection *c, const char *method, const char *path,
                              void **context);

#endif
