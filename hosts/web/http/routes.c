// SPDX-License-Identifier: Apache-2.0
/* The table of routes: every path that the server answers, its method and its handler.
 *
 * No path of a request becomes a path of the file system. The page's static files are compiled in (static_files.py); of
 * a bake's folder two tables are sent, whose names stand here. Routes that end in a job (pictures, probes, saving)
 * suspend the connection until a worker of the job queue has made the response. */
#include "json_text.h"
#include "look/look.h"
#include "look/look_settings.h"
#include "respond.h"
#include "server.h"
#include "tune/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 32 << 20, MAX_PICTURE = 16 << 20, MAX_PRESET = 256 << 10 }; ///< bytes

/// A request that passed the checks of auth.h.
struct request {
    struct server *server;
    struct MHD_Connection *connection;
    void **context;   ///< libmicrohttpd's per-request pointer: the struct job of an upload or of a waiting request
    const char *body; ///< of a POST, NUL-terminated; NULL: it has none
};

/// A parameter of the query string, or NULL.
static const char *param(const char *key, void *connection)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
}

/// The source that the parameter "source" names, to be released (sources_release); NULL: there is none.
static struct source *source_acquire(struct request *r)
{
    const char *source = param("source", r->connection);
    return sources_acquire(r->server->sources, source ? (int32_t)strtol(source, NULL, 10) : 0);
}

/// A text in new memory, which the response takes over; NULL: out of memory.
static enum MHD_Result text_respond(struct request *r, unsigned code, const char *type, char *text)
{
    return text ? respond_buffer(r->connection, code, type, text, strlen(text)) : MHD_NO;
}

/// A JSON value, which is given up.
static enum MHD_Result json_respond(struct request *r, json_t *value)
{
    return text_respond(r, MHD_HTTP_OK, "application/json", json_to_text(value));
}

/// What an action answers in one sentence.
static enum MHD_Result sentence_respond(struct request *r, char *sentence, int good)
{
    return text_respond(r, good ? MHD_HTTP_OK : MHD_HTTP_CONFLICT, "text/plain; charset=utf-8", sentence);
}

/* ---- jobs: pictures, scenes, probes, overlays, saving ---- */

/// The page's name for itself: printable ASCII, cut to its length.
static void client_copy(struct request *r, char out[CLIENT + 1])
{
    const char *name = param("client", r->connection);
    for (int i = 0; name && i < CLIENT && name[i] > ' ' && name[i] < 127; i++) *out++ = name[i];
    *out = '\0';
}

/// Suspend the request until a worker has answered it. The job of an upload is reused: it has the body.
static enum MHD_Result job_queue(struct request *r, int kind, const struct query *query)
{
    struct job *job = *r->context ? *r->context : calloc(1, sizeof *job);
    if (!job) return MHD_NO;
    *r->context = job;
    job->connection = r->connection;
    job->kind = kind;
    job->query = *query;
    client_copy(r, job->client);
    job->queued = 1;
    if (queue_add(r->server->queue, job)) return MHD_YES;
    return respond_text(r->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pictures are waited for");
}

/// Parse the query string and queue the job that answers it. 400: it is malformed.
static enum MHD_Result query_queue(struct request *r, int kind)
{
    struct query query;
    const char *error = query_parse(&query, param, r->connection);
    if (error) return respond_text(r->connection, MHD_HTTP_BAD_REQUEST, error);
    if (kind >= JOB_SAVE) { // one worker saves, and no save replaces another
        query.priority = PRIORITY_IDLE;
        query.independent = 1;
    }
    return job_queue(r, kind, &query);
}

static enum MHD_Result picture_get(struct request *r) { return query_queue(r, JOB_PICTURE); }
static enum MHD_Result overlay_get(struct request *r) { return query_queue(r, JOB_OVERLAY); }
static enum MHD_Result probe_get(struct request *r) { return query_queue(r, JOB_PROBE); }
static enum MHD_Result save_picture_post(struct request *r) { return query_queue(r, JOB_SAVE + SAVE_PICTURE); }
static enum MHD_Result movie_frame_post(struct request *r) { return query_queue(r, JOB_SAVE + SAVE_FRAME); }
static enum MHD_Result movie_end_post(struct request *r) { return query_queue(r, JOB_SAVE + SAVE_MOVIE); }
static enum MHD_Result movie_cancel_post(struct request *r) { return query_queue(r, JOB_SAVE + SAVE_CANCEL); }

static enum MHD_Result scene_get(struct request *r)
{
    const char *frame = param("frame", r->connection), *source = param("source", r->connection);
    const struct query query = {.frame = frame ? strtoll(frame, NULL, 10) : 0,
                                .source = source ? (int32_t)strtol(source, NULL, 10) : 0};
    return job_queue(r, JOB_SCENE, &query);
}

/// Send what the worker has made, with the headers that the page reads.
static enum MHD_Result job_respond(struct request *r, struct job *job)
{
    struct response a = job->response;
    char text[160];
    struct MHD_Response *out = MHD_create_response_from_buffer(a.size, a.bytes, MHD_RESPMEM_MUST_FREE);
    if (!out) return MHD_NO;
    job->response.bytes = NULL;
    snprintf(text, sizeof text, "%.4f", a.seconds);
    MHD_add_response_header(out, "X-Seconds", text);
    snprintf(text, sizeof text, "%.4f", a.cpu_seconds);
    MHD_add_response_header(out, "X-CPU-Seconds", text);
    if (*a.camera) MHD_add_response_header(out, "X-Camera", a.camera);
    snprintf(text, sizeof text, "%.9g,%.9g", a.range[0], a.range[1]);
    if (a.range[0] < a.range[1]) MHD_add_response_header(out, "X-Range", text);
    snprintf(text, sizeof text, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", a.box[0][0], a.box[0][1], a.box[0][2], a.box[1][0],
             a.box[1][1], a.box[1][2]);
    if (a.box[0][2] < a.box[1][2]) MHD_add_response_header(out, "X-Box", text);
    if (a.empty) MHD_add_response_header(out, "X-Empty", "1");
    return respond(r->connection, a.code, a.type, out);
}

/* ---- files, state, event stream ---- */

/// A table of the bake's folder.
static enum MHD_Result csv_respond(struct request *r, const char *name)
{
    struct source *s = source_acquire(r);
    size_t size = 0;
    char *path = s ? source_path(s, name) : NULL, *bytes = file_read(path, MAX_FILE, &size);
    free(path);
    sources_release(r->server->sources, s);
    return bytes ? respond_buffer(r->connection, MHD_HTTP_OK, "text/csv", bytes, size)
                 : respond_buffer(r->connection, MHD_HTTP_NO_CONTENT, NULL, NULL, 0);
}

static enum MHD_Result metrics_get(struct request *r) { return csv_respond(r, "metrics.csv"); }
static enum MHD_Result timings_get(struct request *r) { return csv_respond(r, "timings.csv"); }

static enum MHD_Result dygraphs_get(struct request *r)
{
    size_t size = 0;
    char *bytes = file_read(r->server->plotter, MAX_FILE, &size);
    if (!bytes) return respond_text(r->connection, MHD_HTTP_NOT_FOUND, "the plotting library is not installed");
    return respond_buffer(r->connection, MHD_HTTP_OK, "text/javascript; charset=utf-8", bytes, size);
}

static enum MHD_Result state_get(struct request *r)
{
    struct source *s = source_acquire(r);
    if (!s) return respond_text(r->connection, MHD_HTTP_NOT_FOUND, "nothing is shown");
    source_refresh(s);
    json_t *state = source_json(s, 1);
    sources_release(r->server->sources, s);
    return json_respond(r, state);
}

static enum MHD_Result events_get(struct request *r) { return events_subscribe(&r->server->events, r->connection); }

/* ---- the look of a cache ---- */

static enum MHD_Result look_get(struct request *r)
{
    struct source *s = source_acquire(r);
    json_t *look = s ? look_describe(s) : NULL;
    sources_release(r->server->sources, s);
    return look ? json_respond(r, look) : respond_text(r->connection, MHD_HTTP_NOT_FOUND, "no look can be had");
}

static enum MHD_Result look_post(struct request *r)
{
    return json_respond(r, look_check(r->server->sources->session, r->body));
}

/* ---- a running bake ---- */

static enum MHD_Result bake_command(struct request *r, enum bw_status (*command)(struct bw_bake *bake),
                                    const char *done)
{
    struct source *s = source_acquire(r);
    const int runs = s && source_command(s, command);
    sources_release(r->server->sources, s);
    return runs ? respond_text(r->connection, MHD_HTTP_OK, done)
                : respond_text(r->connection, MHD_HTTP_CONFLICT, "no bake runs here");
}

static enum MHD_Result stop_post(struct request *r)
{
    return bake_command(r, bw_bake_cancel, "the bake stops after this step, with a checkpoint");
}

static enum MHD_Result checkpoint_post(struct request *r)
{
    return bake_command(r, bw_bake_checkpoint, "a checkpoint is kept when this frame is complete");
}

/// The last frame of a query: a whole number above 0. 0: it is none.
static int64_t last_parse(const char *text)
{
    char *end;
    const long long last = strtoll(text, &end, 10);
    return end == text || *end || last < 1 ? 0 : last;
}

/// Resume a bake that was stopped, or add frames to one that is finished.
static enum MHD_Result resume_post(struct request *r)
{
    const char *text = param("last", r->connection);
    const int64_t last = text ? last_parse(text) : 0;
    if (text && !last)
        return respond_text(r->connection, MHD_HTTP_BAD_REQUEST, "the last frame is a whole number above 0");
    struct source *s = source_acquire(r);
    char *error = s ? resume_begin(r->server->resumes, s, last) : strdup("nothing is shown");
    sources_release(r->server->sources, s);
    return error ? sentence_respond(r, error, 0) : respond_text(r->connection, MHD_HTTP_OK, "the bake is resumed");
}

/* ---- a preset that is tuned ---- */

/// Every page asks for it; most have none.
static enum MHD_Result preset_get(struct request *r)
{
    if (!r->server->tune) return respond_buffer(r->connection, MHD_HTTP_NO_CONTENT, NULL, NULL, 0);
    return json_respond(r, tune_preset(r->server->tune));
}

/// The parameters of a stage, an exporter or a section.
static enum MHD_Result parameters_get(struct request *r)
{
    static const char absent[] = "there is no stage, exporter or section of that name";
    const char *name = param("name", r->connection);
    char *table = name ? tune_parameters(r->server->tune, name) : NULL, *text = table ? strdup(table) : NULL;
    bw_text_free(table);
    if (!text) return respond_text(r->connection, MHD_HTTP_NOT_FOUND, absent);
    return text_respond(r, MHD_HTTP_OK, "application/json", text);
}

/// The preset's text that a source was baked from.
static enum MHD_Result preset_text_get(struct request *r)
{
    struct source *s = source_acquire(r);
    char *text = s ? source_text(s) : NULL;
    sources_release(r->server->sources, s);
    if (!text) return respond_text(r->connection, MHD_HTTP_NOT_FOUND, "that is not here any more");
    return sentence_respond(r, text, 1);
}

static enum MHD_Result try_post(struct request *r) { return json_respond(r, tune_try(r->server->tune, r->body)); }

/// The simulation that runs on: start it anew, let it wait or run.
static enum MHD_Result live_post(struct request *r)
{
    const char *what = param("do", r->connection);
    char *error = tune_live(r->server->tune, what ? what : "");
    return error ? sentence_respond(r, error, 0) : respond_text(r->connection, MHD_HTTP_OK, "done");
}

static enum MHD_Result bake_post(struct request *r)
{
    int good;
    char *sentence = tune_bake(r->server->tune, r->body, &good);
    return sentence_respond(r, sentence, good);
}

static enum MHD_Result save_preset_post(struct request *r)
{
    const char *name = param("name", r->connection);
    int good;
    char *sentence = tune_save(r->server->tune, name ? name : "", r->body, &good);
    return sentence_respond(r, sentence, good);
}

/* ---- the table ---- */

static const struct route {
    const char *method, *path;
    enum MHD_Result (*handler)(struct request *r);
    long max_body; ///< bytes; 0: it takes no body. Else it needs one
    int tune;      ///< 1: only where a preset is tuned
} routes[] = {
    {"GET", "state", state_get, 0, 0},
    {"GET", "events", events_get, 0, 0},
    {"GET", "picture", picture_get, 0, 0},
    {"GET", "scene", scene_get, 0, 0},
    {"GET", "probe", probe_get, 0, 0},
    {"GET", "overlay", overlay_get, 0, 0},
    {"GET", "metrics.csv", metrics_get, 0, 0},
    {"GET", "timings.csv", timings_get, 0, 0},
    {"GET", "plotter.js", dygraphs_get, 0, 0},
    {"GET", "preset", preset_get, 0, 0},
    {"GET", "parameters", parameters_get, 0, 1},
    {"GET", "preset-text", preset_text_get, 0, 1},
    {"GET", "look", look_get, 0, 0},
    {"POST", "look-check", look_post, MAX_LOOK, 0},
    {"POST", "save-picture", save_picture_post, MAX_PICTURE, 0},
    {"POST", "movie-frame", movie_frame_post, MAX_PICTURE, 0},
    {"POST", "movie-end", movie_end_post, 0, 0},
    {"POST", "movie-cancel", movie_cancel_post, 0, 0},
    {"POST", "stop", stop_post, 0, 0},
    {"POST", "checkpoint", checkpoint_post, 0, 0},
    {"POST", "resume", resume_post, 0, 0},
    {"POST", "try", try_post, MAX_PRESET, 1},
    {"POST", "live", live_post, 0, 1},
    {"POST", "bake", bake_post, MAX_PRESET, 1},
    {"POST", "save-preset", save_preset_post, MAX_PRESET, 1},
};

static const struct route *route_find(const struct server *s, const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(routes[i].path, path) && (s->tune || !routes[i].tune)) return &routes[i];
    return NULL;
}

static const struct static_file *static_file_find(const char *path)
{
    for (const struct static_file *f = static_files; f->name; f++)
        if (!strcmp(f->name, *path ? path : "index.html")) return f;
    return NULL;
}

long route_max_body(const struct server *s, const char *path)
{
    const struct route *route = route_find(s, path);
    return route ? route->max_body : 0;
}

enum MHD_Result route_request(struct server *s, struct MHD_Connection *c, const char *method, const char *path,
                              void **context)
{
    struct job *job = *context;
    struct request r = {s, c, context, job ? job->body : NULL};
    if (job && job->queued) return job->done ? job_respond(&r, job) : MHD_NO;
    const struct route *route = route_find(s, path);
    const struct static_file *file = route ? NULL : static_file_find(path);
    if (!route && !file) return respond_text(c, MHD_HTTP_NOT_FOUND, "there is nothing of that name");
    if (strcmp(method, route ? route->method : "GET") != 0 || (route && !route->max_body != !r.body))
        return respond_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "this path does not take that method, or lacks its body");
    return route ? route->handler(&r) : respond_static(c, file);
}
