// SPDX-License-Identifier: Apache-2.0
/* What a page asks of a preset that is tuned. */
#include "tuning.h"

#include "reply.h"
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

static enum MHD_Result json_answer(struct visit *v, json_t *o)
{
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(o);
    return text ? reply_bytes(v->c, MHD_HTTP_OK, "application/json", text, strlen(text)) : MHD_NO;
}

static enum MHD_Result text_answer(struct visit *v, char *text, int good)
{
    const unsigned code = good ? MHD_HTTP_OK : MHD_HTTP_CONFLICT;
    return text ? reply_bytes(v->c, code, "text/plain; charset=utf-8", text, strlen(text)) : MHD_NO;
}

/// Every page asks for it; most have none.
static enum MHD_Result preset_answer(struct visit *v)
{
    if (!v->s->tune) return reply_bytes(v->c, MHD_HTTP_NO_CONTENT, NULL, NULL, 0);
    return json_answer(v, tune_preset(v->s->tune));
}

static enum MHD_Result table_answer(struct visit *v)
{
    const char *name = visit_query("name", v->c);
    char *said = name ? tune_table(v->s->tune, name) : NULL, *text = said ? strdup(said) : NULL;
    bw_text_free(said);
    if (!text) return reply_sentence(v->c, MHD_HTTP_NOT_FOUND, "there is no stage, exporter or section of that name");
    return reply_bytes(v->c, MHD_HTTP_OK, "application/json", text, strlen(text));
}

/// The text of something that was tried.
static enum MHD_Result text_of_answer(struct visit *v)
{
    struct source *s = visit_source(v);
    char *text = s ? source_text(s) : NULL;
    shelf_give(v->s->shelf, s);
    if (!text) return reply_sentence(v->c, MHD_HTTP_NOT_FOUND, "that is not here any more");
    return text_answer(v, text, 1);
}

static enum MHD_Result try_answer(struct visit *v) { return json_answer(v, tune_try(v->s->tune, v->body)); }

static enum MHD_Result bake_answer(struct visit *v)
{
    int good;
    char *said = tune_bake(v->s->tune, v->body, &good);
    return text_answer(v, said, good);
}

static enum MHD_Result save_answer(struct visit *v)
{
    const char *name = visit_query("name", v->c);
    int good;
    char *said = tune_save(v->s->tune, name ? name : "", v->body, &good);
    return text_answer(v, said, good);
}

enum { TEXT_MOST = 256 << 10 };

static const struct routing routes[] = {
    {"GET", "preset", preset_answer, 0},      {"GET", "table", table_answer, 0},
    {"GET", "text", text_of_answer, 0},       {"POST", "try", try_answer, TEXT_MOST},
    {"POST", "bake", bake_answer, TEXT_MOST}, {"POST", "save", save_answer, TEXT_MOST},
};

const struct routing *tuning_find(const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(routes[i].path, path)) return &routes[i];
    return NULL;
}
