// SPDX-License-Identifier: Apache-2.0
/* What can be asked for: a table of names, none of which is a path. The page's own files are inside the module; of the
 * bake's folder two tables are read, by names that stand here. */
#include "page_files.h"
#include "reply.h"
#include "tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 32 << 20, PICTURE_MOST = 16 << 20 };

/* ---- pictures ---- */

/// Letters, digits: a page's name for itself.
static void client_copy(struct visit *v, char out[CLIENT + 1])
{
    const char *name = visit_query("client", v->c);
    for (int i = 0; name && i < CLIENT && name[i] > ' ' && name[i] < 127; i++) *out++ = name[i];
    *out = '\0';
}

static enum MHD_Result request_send(struct visit *v, struct request *r)
{
    *v->waits = r;
    if (queue_add(v->s->queue, r)) return MHD_YES;
    return reply_sentence(v->c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pictures are waited for");
}

static struct request *request_new(struct visit *v)
{
    struct request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->connection = v->c;
    client_copy(v, r->client);
    return r;
}

static enum MHD_Result wish_answer(struct visit *v, int kind)
{
    struct wish wish;
    const char *wrong = wish_read(&wish, visit_query, v->c);
    if (wrong) return reply_sentence(v->c, MHD_HTTP_BAD_REQUEST, wrong);
    struct request *r = request_new(v);
    if (!r) return MHD_NO;
    r->wish = wish;
    r->kind = kind;
    struct request *carried = *v->waits; // what is sent goes over to the one that waits
    if (carried) {
        r->sent = carried->body;
        r->sent_size = carried->body_size;
        carried->body = NULL;
        request_free(carried);
    }
    if (kind >= REQUEST_KEEP) r->wish.rest = 2; // one thread saves
    if (kind >= REQUEST_KEEP) r->wish.thumb = 1;
    return request_send(v, r);
}

static enum MHD_Result picture_answer(struct visit *v) { return wish_answer(v, REQUEST_PICTURE); }
static enum MHD_Result marks_answer(struct visit *v) { return wish_answer(v, REQUEST_MARKS); }
static enum MHD_Result probe_answer(struct visit *v) { return wish_answer(v, REQUEST_PROBE); }

static enum MHD_Result scene_answer(struct visit *v)
{
    struct request *r = request_new(v);
    const char *frame = visit_query("frame", v->c), *of = visit_query("of", v->c);
    if (!r) return MHD_NO;
    r->kind = REQUEST_SCENE;
    r->wish.frame = frame ? strtoll(frame, NULL, 10) : 0;
    r->wish.of = of ? (int32_t)strtol(of, NULL, 10) : 0;
    return request_send(v, r);
}

/// It is done.
static enum MHD_Result request_finish(struct visit *v, struct request *r)
{
    struct drawn a = r->answer;
    char seconds[32], processor[32];
    struct MHD_Response *out = MHD_create_response_from_buffer(a.size, a.bytes, MHD_RESPMEM_MUST_FREE);
    if (!out) return MHD_NO;
    r->answer.bytes = NULL;
    snprintf(seconds, sizeof seconds, "%.4f", a.seconds);
    MHD_add_response_header(out, "X-Seconds", seconds);
    snprintf(processor, sizeof processor, "%.4f", a.processor);
    MHD_add_response_header(out, "X-Processor", processor);
    if (*a.eye) MHD_add_response_header(out, "X-Eye", a.eye);
    char range[64];
    snprintf(range, sizeof range, "%.9g,%.9g", a.range[0], a.range[1]);
    if (a.range[0] < a.range[1]) MHD_add_response_header(out, "X-Range", range);
    char box[160];
    snprintf(box, sizeof box, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", a.box[0][0], a.box[0][1], a.box[0][2], a.box[1][0],
             a.box[1][1], a.box[1][2]);
    if (a.box[0][2] < a.box[1][2]) MHD_add_response_header(out, "X-Box", box);
    if (a.empty) MHD_add_response_header(out, "X-Empty", "1");
    return reply_send(v->c, a.code, a.type, out);
}

/* ---- files and state ---- */

static enum MHD_Result table_answer(struct visit *v, const char *name)
{
    struct source *s = visit_source(v);
    size_t size = 0;
    char *path = s ? source_path(s, name) : NULL, *bytes = file_read(path, FILE_MOST, &size);
    free(path);
    shelf_give(v->s->shelf, s);
    return bytes ? reply_bytes(v->c, MHD_HTTP_OK, "text/csv", bytes, size)
                 : reply_bytes(v->c, MHD_HTTP_NO_CONTENT, NULL, NULL, 0);
}

static enum MHD_Result metrics_answer(struct visit *v) { return table_answer(v, "metrics.csv"); }
static enum MHD_Result timings_answer(struct visit *v) { return table_answer(v, "timings.csv"); }

static enum MHD_Result plotter_answer(struct visit *v)
{
    static const char absent[] = "the plotting library is not installed";
    size_t size = 0;
    char *bytes = file_read(v->s->plotter, FILE_MOST, &size);
    return bytes ? reply_bytes(v->c, MHD_HTTP_OK, "text/javascript; charset=utf-8", bytes, size)
                 : reply_sentence(v->c, MHD_HTTP_NOT_FOUND, absent);
}

static enum MHD_Result state_answer(struct visit *v)
{
    struct source *s = visit_source(v);
    if (!s) return reply_sentence(v->c, MHD_HTTP_NOT_FOUND, "nothing is shown");
    source_refresh(s);
    json_t *state = source_state(s, 1);
    char *text = json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(state);
    shelf_give(v->s->shelf, s);
    return text ? reply_bytes(v->c, MHD_HTTP_OK, "application/json", text, strlen(text)) : MHD_NO;
}

static enum MHD_Result stream_answer(struct visit *v) { return events_answer(&v->s->events, v->c); }

/* ---- a running bake ---- */

static enum MHD_Result ask_answer(struct visit *v, enum bw_status (*ask)(struct bw_bake *bake), const char *done)
{
    struct source *s = visit_source(v);
    const int runs = s && source_ask(s, ask);
    shelf_give(v->s->shelf, s);
    return runs ? reply_sentence(v->c, MHD_HTTP_OK, done)
                : reply_sentence(v->c, MHD_HTTP_CONFLICT, "no bake runs here");
}

static enum MHD_Result stop_answer(struct visit *v)
{
    return ask_answer(v, bw_bake_cancel, "it stops after this step, with a checkpoint");
}

static enum MHD_Result checkpoint_answer(struct visit *v)
{
    return ask_answer(v, bw_bake_checkpoint, "a checkpoint is kept when this frame is whole");
}

/// The last frame of a query: a whole number above 0. 0: it is none.
static int64_t last_read(const char *text)
{
    char *end;
    const long long last = strtoll(text, &end, 10);
    return end == text || *end || last < 1 ? 0 : last;
}

/// Go on with what was stopped, or make what is finished longer.
static enum MHD_Result resume_answer(struct visit *v)
{
    const char *text = visit_query("last", v->c);
    const int64_t last = text ? last_read(text) : 0;
    if (text && !last) return reply_sentence(v->c, MHD_HTTP_BAD_REQUEST, "the last frame is a whole number above 0");
    struct source *s = visit_source(v);
    char *why = s ? resume_begin(v->s->resumes, s, last) : strdup("nothing is shown");
    shelf_give(v->s->shelf, s);
    if (!why) return reply_sentence(v->c, MHD_HTTP_OK, "it goes on");
    return reply_bytes(v->c, MHD_HTTP_CONFLICT, "text/plain; charset=utf-8", why, strlen(why));
}

/* ---- what is saved ---- */

static enum MHD_Result keep_answer(struct visit *v) { return wish_answer(v, REQUEST_KEEP + KEEP_PICTURE); }
static enum MHD_Result frame_answer(struct visit *v) { return wish_answer(v, REQUEST_KEEP + KEEP_FRAME); }
static enum MHD_Result film_answer(struct visit *v) { return wish_answer(v, REQUEST_KEEP + KEEP_FILM); }
static enum MHD_Result drop_answer(struct visit *v) { return wish_answer(v, REQUEST_KEEP + KEEP_DROP); }

/* ---- the table ---- */

static const struct routing routes[] = {
    {"GET", "state", state_answer, 0},
    {"GET", "events", stream_answer, 0},
    {"GET", "picture", picture_answer, 0},
    {"GET", "scene", scene_answer, 0},
    {"GET", "probe", probe_answer, 0},
    {"GET", "metrics.csv", metrics_answer, 0},
    {"GET", "timings.csv", timings_answer, 0},
    {"GET", "plotter.js", plotter_answer, 0},
    {"GET", "marks", marks_answer, 0},
    {"POST", "keep", keep_answer, PICTURE_MOST},
    {"POST", "movie-frame", frame_answer, PICTURE_MOST},
    {"POST", "movie-end", film_answer, 0},
    {"POST", "movie-drop", drop_answer, 0},
    {"POST", "stop", stop_answer, 0},
    {"POST", "checkpoint", checkpoint_answer, 0},
    {"POST", "resume", resume_answer, 0},
};

static const struct page_file *page_find(const char *path)
{
    for (const struct page_file *f = page_files; f->name; f++)
        if (!strcmp(f->name, *path ? path : "index.html")) return f;
    return NULL;
}

long route_takes_body(const struct server *s, const char *path)
{
    const struct routing *r = s->tune ? tuning_find(path) : NULL;
    if (r && r->body) return r->body;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(routes[i].path, path)) return routes[i].body;
    return 0;
}

enum MHD_Result route(struct server *s, struct MHD_Connection *c, const char *method, const char *path, void **waits)
{
    struct request *r = *waits;
    struct visit v = {s, c, waits, r ? r->body : NULL};
    if (r && !r->body) return r->done ? request_finish(&v, r) : MHD_NO;
    const struct routing *tuning = s->tune || !strcmp(path, "preset") ? tuning_find(path) : NULL;
    int known = tuning != NULL;
    if (tuning && !strcmp(tuning->method, method) && !tuning->body == !v.body) return tuning->answer(&v);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, path) != 0) continue;
        if (!strcmp(routes[i].method, method) && !routes[i].body == !v.body) return routes[i].answer(&v);
        known = 1;
    }
    const struct page_file *f = page_find(path);
    if (f && !strcmp(method, "GET")) return reply_static(c, f->type, f->bytes, f->size);
    if (known || f) return reply_sentence(c, MHD_HTTP_METHOD_NOT_ALLOWED, "this is not asked for in that way");
    return reply_sentence(c, MHD_HTTP_NOT_FOUND, "there is nothing of that name");
}
