// SPDX-License-Identifier: Apache-2.0
/* YAML to a tree, from libfyaml's events. Events rather than its document, because they keep every place and let
 * us name duplicate keys, depth and runaway aliases in our own words. Anchors and aliases are copied in. */
#include "node_private.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/text/utf8.h"
#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

/* Of the texts that aliases repeat, as many bytes as a file may have. */
enum { DEPTH_MAX = 48, NODES_MAX = 1000000 };

struct anchor {
    char *name;
    const struct bw_node *node;
};

struct reader {
    struct bw_document *document;
    struct bw_diag *diag;
    struct bw_node *root, *stack[DEPTH_MAX]; ///< stack: the maps and sequences still open
    int32_t depth, nodes, documents;
    char *key; ///< of the map entry whose value comes next
    struct bw_place key_place;
    int64_t key_from, key_to;
    struct anchor *anchor;
    int32_t n_anchors, capacity;
    struct bw_names anchors; ///< the last one of each name
    int64_t repeated;        ///< bytes of text that aliases stood for
};

static struct bw_place reader_place(const struct reader *r, struct fy_event *e)
{
    const struct fy_mark *m = fy_event_start_mark(e);
    struct bw_place p = {r->document->name, m ? m->line + 1 : 1, m ? m->column + 1 : 1, r->document->text};
    return p;
}

static int64_t event_byte(const struct fy_mark *m) { return m ? (int64_t)m->input_pos : 0; }

static enum bw_status reader_memory(struct reader *r)
{
    return bw_diag_error(r->diag, NULL, BW_ERR_MEMORY, "out of memory while reading %s", r->document->name);
}

static char *token_text(struct fy_token *t)
{
    size_t length = 0;
    const char *text = t ? fy_token_get_text(t, &length) : "";
    char *copy = text ? bw_calloc(length + 1) : NULL;
    return copy ? memcpy(copy, text, length) : NULL;
}

static bool token_has_null(struct fy_token *t)
{
    size_t length = 0;
    const char *text = t ? fy_token_get_text(t, &length) : NULL;
    return text && memchr(text, 0, length);
}

/* The key of a map entry: the scalar that comes where a value can't. */
static enum bw_status reader_key(struct reader *r, struct fy_event *e)
{
    struct bw_place place = reader_place(r, e);
    if (e->type != FYET_SCALAR) {
        return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "a key has to be a plain word");
    }
    r->key = token_text(e->scalar.value);
    r->key_place = place;
    r->key_from = event_byte(fy_event_start_mark(e));
    r->key_to = event_byte(fy_event_end_mark(e));
    if (!r->key) return reader_memory(r);
    const struct bw_node *before = bw_node_get(r->stack[r->depth - 1], r->key);
    if (!before) return BW_OK;
    return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "\"%s\" is given twice; the first is in line %d", r->key,
                         (int)before->key_place.line);
}

/* A value that is left out has no mark: it stands behind the colon. */
static void span_empty(const struct reader *r, struct bw_node *n)
{
    if (n->type != BW_NODE_SCALAR || *n->text || n->quoted || n->to) return;
    const char *text = r->document->text, *colon = r->key ? strchr(text + r->key_to, ':') : NULL;
    n->from = colon ? colon + 1 - text : 0;
    n->to = colon ? n->from : -1;
}

static enum bw_status reader_attach(struct reader *r, struct bw_node *n)
{
    if (!r->depth) {
        r->root = n;
        return BW_OK;
    }
    struct bw_node *parent = r->stack[r->depth - 1];
    span_empty(r, n);
    if (parent->type == BW_NODE_MAP) {
        n->key = r->key;
        n->key_place = r->key_place;
        n->key_from = r->key_from;
        r->key = NULL;
        if (bw_node_put(parent, n->key, n) != BW_OK) return reader_memory(r);
    } else if (bw_node_append(parent, n) != BW_OK) {
        return reader_memory(r);
    }
    return BW_OK;
}

static enum bw_status reader_anchor(struct reader *r, struct fy_token *token, const struct bw_node *n)
{
    if (!token) return BW_OK;
    if (r->n_anchors == r->capacity) {
        int32_t capacity = r->capacity ? 2 * r->capacity : 8;
        struct anchor *grown = bw_realloc(r->anchor, (size_t)capacity * sizeof *grown);
        if (!grown) return reader_memory(r);
        r->anchor = grown;
        r->capacity = capacity;
    }
    char *name = token_text(token);
    if (!name) return reader_memory(r);
    r->anchor[r->n_anchors++] = (struct anchor){name, n};
    return bw_names_put(&r->anchors, name, r->n_anchors - 1) ? reader_memory(r) : BW_OK;
}

/* How many values there are, and how many bytes of text. */
static int32_t node_total(const struct bw_node *n, int64_t *bytes)
{
    int32_t total = 1;
    *bytes += (int64_t)(n->text ? strlen(n->text) : 0) + (int64_t)(n->key ? strlen(n->key) : 0);
    for (int32_t i = 0; i < n->count; i++) total += node_total(n->child[i], bytes);
    return total;
}

static int reader_is_open(const struct reader *r, const struct bw_node *n)
{
    for (int32_t i = 0; i < r->depth; i++) {
        if (r->stack[i] == n) return 1;
    }
    return 0;
}

/* What an alias stands for is written elsewhere. */
static void spans_forget(struct bw_node *n)
{
    n->to = -1;
    for (int32_t i = 0; i < n->count; i++) spans_forget(n->child[i]);
}

static enum bw_status reader_alias(struct reader *r, struct fy_event *e)
{
    struct bw_place place = reader_place(r, e);
    char *name = token_text(e->alias.anchor);
    if (!name) return reader_memory(r);
    int32_t at = bw_names_get(&r->anchors, name);
    const struct bw_node *target = at < 0 ? NULL : r->anchor[at].node;
    enum bw_status status = BW_OK;
    if (!target || reader_is_open(r, target)) {
        status = bw_diag_error(r->diag, &place, BW_ERR_PRESET, "\"*%s\" names nothing that was marked \"&%s\" before",
                               name, name);
    } else if ((r->nodes += node_total(target, &r->repeated)) > NODES_MAX) {
        status = bw_diag_error(r->diag, &place, BW_ERR_PRESET, "too many values: more than %d", NODES_MAX);
    } else if (r->repeated > BW_FILE_MOST) {
        status = bw_diag_error(r->diag, &place, BW_ERR_PRESET, "what is repeated by name adds up to more than %d MiB",
                               BW_FILE_MOST >> 20);
    }
    bw_free(name);
    if (status) return status;
    struct bw_node *copy = bw_node_copy(target);
    if (!copy) return reader_memory(r);
    bw_free(copy->key);
    copy->key = NULL;
    spans_forget(copy);
    return reader_attach(r, copy);
}

/* libfyaml's marks leave the quotes out; of a text in lines of its own (`|`) they are not those of the value. */
static void span_quoted(struct bw_node *n, const char *text)
{
    if (!n->quoted) return;
    const int inside = n->from > 0 && strchr("\"'", text[n->from - 1]) && text[n->to] == text[n->from - 1];
    n->from -= inside;
    n->to = inside ? n->to + 1 : -1;
}

static struct bw_node *reader_node(const struct reader *r, struct fy_event *e)
{
    struct bw_node *n = bw_calloc(sizeof *n);
    if (!n) return NULL;
    n->type = e->type == FYET_SCALAR ? BW_NODE_SCALAR : e->type == FYET_MAPPING_START ? BW_NODE_MAP : BW_NODE_SEQ;
    n->place = reader_place(r, e);
    n->from = event_byte(fy_event_start_mark(e));
    n->to = event_byte(fy_event_end_mark(e));
    bw_node_adopt(n, r->document);
    if (e->type != FYET_SCALAR) return n;
    n->text = token_text(e->scalar.value);
    n->quoted = e->scalar.value && fy_token_scalar_style(e->scalar.value) != FYSS_PLAIN;
    span_quoted(n, r->document->text);
    if (n->text) return n;
    bw_node_free(n);
    return NULL;
}

static struct fy_token *event_anchor(const struct fy_event *e)
{
    if (e->type == FYET_SCALAR) return e->scalar.anchor;
    return e->type == FYET_MAPPING_START ? e->mapping_start.anchor : e->sequence_start.anchor;
}

static enum bw_status reader_value(struct reader *r, struct fy_event *e)
{
    struct bw_place place = reader_place(r, e);
    if (r->depth == DEPTH_MAX) return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "nested too deeply");
    if (++r->nodes > NODES_MAX) {
        return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "too many values: more than %d", NODES_MAX);
    }
    struct bw_node *n = reader_node(r, e);
    if (!n) return reader_memory(r);
    enum bw_status status = reader_attach(r, n);
    if (status) return status;
    if (n->type != BW_NODE_SCALAR) r->stack[r->depth++] = n;
    return reader_anchor(r, event_anchor(e), n);
}

/* What one map of `<<` has and this one does not say itself. */
static enum bw_status merge_one(struct reader *r, struct bw_node *map, const struct bw_node *from)
{
    if (from->type != BW_NODE_MAP)
        return bw_diag_error(r->diag, &from->place, BW_ERR_PRESET,
                             "<< takes over a map that was marked &NAME, as in <<: *NAME, or a list of such");
    for (int32_t i = 0; i < from->count; i++) {
        if (bw_node_get(map, from->child[i]->key)) continue;
        struct bw_node *copy = bw_node_copy(from->child[i]);
        if (!copy) return reader_memory(r);
        spans_forget(copy);
        int64_t bytes = 0;
        if ((r->nodes += node_total(copy, &bytes)) > NODES_MAX || (r->repeated += bytes) > BW_FILE_MOST) {
            bw_node_free(copy);
            return bw_diag_error(r->diag, &from->place, BW_ERR_PRESET, "too much is taken over by <<");
        }
        if (bw_node_put(map, copy->key, copy)) return reader_memory(r);
    }
    return BW_OK;
}

/* YAML 1.1's merge key: own keys count, then the first map that has one. */
static enum bw_status reader_merge(struct reader *r, struct bw_node *map)
{
    struct bw_node *key = map->type == BW_NODE_MAP ? bw_node_get(map, "<<") : NULL;
    struct bw_node *from = key ? bw_node_copy(key) : NULL;
    if (!key) return BW_OK;
    if (!from || bw_node_put(map, "<<", NULL)) return bw_node_free(from), reader_memory(r);
    enum bw_status status = from->type == BW_NODE_SEQ ? BW_OK : merge_one(r, map, from);
    for (int32_t i = 0; from->type == BW_NODE_SEQ && i < from->count && !status; i++)
        status = merge_one(r, map, from->child[i]);
    bw_node_free(from);
    return status;
}

static enum bw_status reader_close(struct reader *r, struct fy_event *e)
{
    struct bw_node *n = r->stack[--r->depth];
    n->flow = strchr("[{", r->document->text[n->from]) != NULL;
    n->to = event_byte(fy_event_end_mark(e));
    return reader_merge(r, n);
}

static enum bw_status reader_event(struct reader *r, struct fy_event *e)
{
    struct bw_place place;
    int wants_key = r->depth && r->stack[r->depth - 1]->type == BW_NODE_MAP && !r->key;
    if (e->type == FYET_DOCUMENT_START) {
        r->documents++;
        if (r->documents == 1 || !e->document_start.document_start) return BW_OK; // it has no mark; what follows has
    }
    place = reader_place(r, e);
    if (r->documents > 1)
        return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "one document a file, please: a second one begins here");
    if (e->type == FYET_SCALAR && token_has_null(e->scalar.value))
        return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "a text with a null character in it, where texts end");
    switch (e->type) {
    case FYET_SCALAR:
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START: return wants_key ? reader_key(r, e) : reader_value(r, e);
    case FYET_ALIAS: return wants_key ? reader_key(r, e) : reader_alias(r, e);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return reader_close(r, e);
    default: return BW_OK;
    }
}

/* A colour without quotes takes the bracket behind it into its comment, and what comes then makes no sense. *place: the
 * error's, then that of the colour before it, whose length is the answer; 0: there is none. */
static size_t colour_find(const char *text, struct bw_place *place)
{
    for (int32_t n = place->line; n > 0; n--) {
        const char *line = bw_text_line(text, n);
        for (const char *s = line; s && *s && *s != '\n'; s++) {
            const char *before = s;
            while (before > line && strchr(" \t", before[-1])) before--;
            if (!bw_text_colour(s) || before == line || !strchr(":,[", before[-1])) continue;
            place->line = n, place->column = (int32_t)(s - line) + 1;
            return bw_text_colour(s);
        }
        if (line && place->line - n > 200) break; // of a bracket that is open for so long
    }
    return 0;
}

/* libfyaml's own complaints, in our form. Only the first: the rest follow from it. */
static enum bw_status reader_syntax_error(struct reader *r, struct fy_diag *fd)
{
    void *cursor = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(fd, &cursor);
    struct bw_place place = {r->document->name, e ? e->line : 0, e ? e->column : 0, r->document->text};
    const int length = (int)colour_find(r->document->text, &place);
    if (length)
        return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "# begins a comment here: quote the colour: '%.*s'",
                             length, bw_text_line(r->document->text, place.line) + place.column - 1);
    return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "not readable as YAML: %s",
                         e && e->msg ? e->msg : "broken text");
}

static enum bw_status reader_run(struct reader *r, struct fy_parser *parser, struct fy_diag *fd, const char *plain)
{
    if (fy_parser_set_string(parser, plain, strlen(plain))) return reader_memory(r);
    enum bw_status status = BW_OK;
    struct fy_event *e;
    while (!status && (e = fy_parser_parse(parser))) {
        status = reader_event(r, e);
        fy_parser_event_free(parser, e);
    }
    if (!status && (fy_parser_get_stream_error(parser) || fy_diag_got_error(fd))) status = reader_syntax_error(r, fd);
    if (!status && (!r->root || r->depth)) {
        struct bw_place place = {r->document->name, 0, 0, NULL};
        status = bw_diag_error(r->diag, &place, BW_ERR_PRESET, "nothing is written here");
    }
    return status;
}

static void reader_release(struct reader *r)
{
    for (int32_t i = 0; i < r->n_anchors; i++) bw_free(r->anchor[i].name);
    bw_free(r->anchor);
    bw_names_free(&r->anchors);
    bw_free(r->key);
}

static enum bw_status reader_parse(struct reader *r, const char *plain)
{
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    struct fy_diag *fd = fy_diag_create(&diag_config);
    if (!fd) return reader_memory(r);
    fy_diag_set_collect_errors(fd, true);
    struct fy_parse_cfg config = {.flags = FYPCF_DEFAULT_PARSE | FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = fd};
    struct fy_parser *parser = fy_parser_create(&config);
    enum bw_status status = parser ? reader_run(r, parser, fd, plain) : reader_memory(r);
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(fd);
    return status;
}

/* Before the document: %YAML with a version whose texts are read, and %TAG, of which nothing hangs here. */
static int directive_is_known(const char *line) { return !strncmp(line, "%YAML 1.", 8) || !strncmp(line, "%TAG ", 5); }

/* libfyaml 0.7 never returns from a directive with a broken character in it, so it gets to see none: in `plain`, a copy
 * of the text, they are comments. */
static enum bw_status reader_check_text(const struct reader *r, char *plain)
{
    struct bw_place place = {r->document->name, 1, 1, r->document->text};
    bool head = true; // nothing but comments so far
    for (char *s = plain; *s;) {
        uint32_t code;
        const int bytes = bw_utf8_next(s, &code);
        if (!bytes || (code < 0x20 && !strchr("\t\n\r", *s)))
            return bw_diag_error(r->diag, &place, BW_ERR_PRESET, "a character that is no UTF-8 text");
        if (*s == '%' && place.column == 1 && !(head && directive_is_known(s)))
            return bw_diag_error(r->diag, &place, BW_ERR_PRESET,
                                 head && !strncmp(s, "%YAML", 5) ? "YAML of that version is not known: 1.2 and 1.1 are"
                                                                 : "a line can't begin with %%");
        if (*s == '%' && place.column == 1) *s = '#';
        if (place.column == 1) head = head && strchr("#\r\n", *s) != NULL;
        place.column = *s == '\n' ? 1 : place.column + 1;
        place.line += *s == '\n';
        s += bytes;
    }
    return BW_OK;
}

struct bw_node *bw_node_parse(const char *text, const char *name, struct bw_diag *d)
{
    struct reader r = {.document = bw_document_new(name, text), .diag = d};
    if (!r.document) {
        bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory while reading %s", name);
        return NULL;
    }
    char *plain = bw_strdup(text);
    enum bw_status status = plain ? reader_check_text(&r, plain) : reader_memory(&r);
    if (!status) status = reader_parse(&r, plain);
    bw_free(plain);
    reader_release(&r);
    if (status) {
        bw_node_free(r.root);
        r.root = NULL;
    }
    bw_document_release(r.document);
    return r.root;
}

struct bw_node *bw_node_load(const char *path, struct bw_diag *d)
{
    char *text = bw_file_text(path, NULL, d);
    struct bw_node *root = text ? bw_node_parse(text, path, d) : NULL;
    bw_free(text);
    return root;
}
