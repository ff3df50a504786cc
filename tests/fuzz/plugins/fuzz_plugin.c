// SPDX-License-Identifier: Apache-2.0
/* Tables of a plugin as hostile as bytes can make them: the numbers, texts and pointers of a module, its descriptors,
 * rows and ports are taken from the input. What the registry takes is described, validated, compiled and evaluated, as
 * a session would. Rows lie in memory of just their size. One lie is left out since nobody can see it: a number of rows
 * larger than what is there, but within what is allowed. */
#include "fuzz.h"
#include "preset/values/params.h"
#include "session/describe.h"

#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

enum { PIECES = 512, SUB_DEPTH = 9, ROWS_MAX = 6, STRUCT_MAX = 512 };

struct maker {
    const uint8_t *at;
    size_t left;
    void *piece[PIECES]; ///< all that was made
    int n;
};

static uint8_t byte(struct maker *m)
{
    if (!m->left) return 0;
    m->left--;
    return *m->at++;
}

static void *piece(struct maker *m, size_t bytes)
{
    void *p = m->n < PIECES ? calloc(1, bytes ? bytes : 1) : NULL;
    if (p) m->piece[m->n++] = p;
    return p;
}

/* None, one that makes sense somewhere, or any. */
static const char *text(struct maker *m)
{
    static const char *const likely[] = {
        NULL,        "a",       "b",   "density", "1",   "2 m",    "m",  "1/s",     "a|b",  "a=b|c",
        "[1, 2, 3]", "#102030", "yes", "{a: 1}",  "1-4", "\"=t\"", "",   "mac.a",   "nope", "1e400",
        "pos",       "vortons", "[]",  "{}",      "c|",  "[[1]]",  "-1", "furlong", "K",    "{keys: {1: 0}}",
        "~",         "auto"};
    const uint8_t which = byte(m);
    if (which < BW_COUNT(likely)) return likely[which];
    size_t n = which % 40u;
    if (n > m->left) n = m->left;
    char *t = piece(m, n + 1);
    if (t) memcpy(t, m->at, n);
    m->at += n;
    m->left -= n;
    return t;
}

static double number(struct maker *m)
{
    double x = 0;
    const uint8_t which = byte(m);
    if (which < 200) return which - 100;
    if (m->left < sizeof x) return 0;
    memcpy(&x, m->at, sizeof x);
    m->at += sizeof x;
    m->left -= sizeof x;
    return x;
}

/* Mostly small. */
static uint32_t whole(struct maker *m, uint32_t usual)
{
    static const uint32_t odd[] = {0, 1, 7, 255, 4097, 65536, 0x7fffffff, 0x80000000, 0xfffffff8, UINT32_MAX};
    const uint8_t which = byte(m);
    return which < 128 ? usual : which < 240 ? which - 128u : odd[which % BW_COUNT(odd)];
}

/* How many rows a table says it has: those that there are, or more than any may have. */
static uint32_t count_said(struct maker *m, uint32_t n) { return byte(m) == 255 ? 5000 + n : n; }

static const struct bw_param *params(struct maker *m, uint32_t *n, const struct bw_param *above, int depth)
{
    uint32_t rows = byte(m) % (ROWS_MAX + 1);
    struct bw_param *p = rows ? piece(m, rows * sizeof *p) : NULL;
    for (uint32_t i = 0; p && i < rows; i++) {
        p[i].key = text(m);
        p[i].type = byte(m) % 20u;
        p[i].offset = whole(m, 32 * i);
        p[i].def = text(m);
        p[i].min = number(m), p[i].max = number(m);
        p[i].unit = text(m);
        p[i].choices = text(m);
        p[i].doc = text(m);
        p[i].flags = byte(m);
        p[i].was = text(m);
        p[i].sub_size = whole(m, 64);
        const uint8_t below = byte(m);
        if (below == 255) p[i].sub = above ? above : p, p[i].n_sub = 1; // a table in itself
        else if (below & 1 && depth < SUB_DEPTH) p[i].sub = params(m, &p[i].n_sub, p, depth + 1);
        else p[i].n_sub = whole(m, 0) > 4096 ? 5000 : 0;
    }
    *n = p || byte(m) > 250 ? count_said(m, rows) : 0;
    return p;
}

static const struct bw_port *ports(struct maker *m, uint32_t *n)
{
    uint32_t rows = byte(m) % (ROWS_MAX + 1);
    struct bw_port *p = rows ? piece(m, rows * sizeof *p) : NULL;
    for (uint32_t i = 0; p && i < rows; i++) {
        p[i].name = text(m);
        p[i].kind = byte(m) % 7u;
        p[i].precision = byte(m) % 5u;
        p[i].access = byte(m) % 5u;
        p[i].lifetime = byte(m) % 4u;
        p[i].flags = byte(m);
        p[i].unit = text(m);
        p[i].doc = text(m);
        p[i].domain = text(m);
        const uint32_t attributes = byte(m) % 4u;
        struct bw_attribute *a = attributes ? piece(m, attributes * sizeof *a) : NULL;
        for (uint32_t k = 0; a && k < attributes; k++) {
            a[k].name = text(m);
            a[k].precision = byte(m) % 5u;
            a[k].comps = byte(m) % 5u;
        }
        p[i].attributes = a;
        p[i].n_attributes = a || byte(m) > 250 ? byte(m) > 250 ? 1000 : attributes : 0;
    }
    *n = p || byte(m) > 250 ? count_said(m, rows) : 0;
    return p;
}

static enum bw_status nothing_done(struct bw_stage *s) { return s ? BW_OK : BW_OK; }

static enum bw_status nothing_shown(struct bw_exporter *e, const struct bw_frame *f) { return e && f ? BW_OK : BW_OK; }

static const struct bw_stage_desc *stage(struct maker *m)
{
    struct bw_stage_desc *s = byte(m) == 255 ? NULL : piece(m, sizeof *s);
    if (!s) return NULL;
    s->id = text(m);
    s->version = text(m);
    s->brief = text(m);
    s->references = text(m);
    s->params_size = whole(m, STRUCT_MAX / 2);
    s->params = params(m, &s->n_params, NULL, 0);
    s->ports = ports(m, &s->n_ports);
    s->state_size = whole(m, 8);
    s->flags = byte(m);
    if (byte(m) < 250) s->step = nothing_done;
    return s;
}

static const struct bw_exporter_desc *exporter(struct maker *m)
{
    struct bw_exporter_desc *e = byte(m) == 255 ? NULL : piece(m, sizeof *e);
    if (!e) return NULL;
    e->id = text(m);
    e->version = text(m);
    e->brief = text(m);
    e->params_size = whole(m, STRUCT_MAX / 2);
    e->params = params(m, &e->n_params, NULL, 0);
    e->state_size = whole(m, 8);
    e->flags = byte(m);
    if (byte(m) < 250) e->frame = nothing_shown;
    return e;
}

static const struct bw_module *module(struct maker *m)
{
    static const struct bw_module good = {BW_MODULE_HEAD, 0, 0, NULL, NULL};
    struct bw_module *o = piece(m, sizeof *o);
    const uint32_t n_stages = byte(m) % 4u, n_exporters = byte(m) % 3u;
    const struct bw_stage_desc **s = piece(m, n_stages * sizeof *s);
    const struct bw_exporter_desc **e = piece(m, n_exporters * sizeof *e);
    if (!o || !s || !e) return NULL;
    *o = good;
    const uint8_t lie = byte(m); // one of the first eight numbers
    if (lie < 8) ((uint32_t *)o)[lie] = whole(m, 0);
    for (uint32_t i = 0; i < n_stages; i++) s[i] = stage(m);
    for (uint32_t i = 0; i < n_exporters; i++) e[i] = exporter(m);
    o->n_stages = n_stages || byte(m) > 250 ? count_said(m, n_stages) : 0;
    o->n_exporters = n_exporters || byte(m) > 250 ? count_said(m, n_exporters) : 0;
    o->stages = n_stages ? s : NULL;
    o->exporters = n_exporters ? e : NULL;
    return o;
}

static void entry_use(const struct bw_entry *e)
{
    const struct bw_params_context c = {.owner = e->id, .fps = 24, .first = 1, .ambient = 293.15};
    const uint32_t size = e->stage ? e->stage->params_size : e->exporter->params_size;
    struct bw_diag d = {0};
    entry_validate(e, &d);
    json_t *about = e->stage ? stage_json(e) : exporter_json(e);
    char *words = json_dumps(about, JSON_COMPACT);
    if (!words) abort();
    free(words);
    json_decref(about);
    struct bw_params *p = bw_params_compile(e->stage ? e->stage->params : e->exporter->params,
                                            e->stage ? e->stage->n_params : e->exporter->n_params, size, NULL, &c, &d);
    void *out = p && size < 1 << 20 ? malloc(size ? size : 1) : NULL;
    if (out) bw_params_eval(p, 0.5, 0, out, &d);
    if (p) bw_node_free(bw_params_resolved(p));
    free(out);
    bw_params_free(p);
    bw_diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct maker m = {.at = bytes, .left = n};
    struct bw_diag d = {0};
    struct bw_registry *r = bw_registry_open("");
    const struct bw_module *o = module(&m);
    if (o && r && bw_registry_add(r, o, "fuzz.so", &d) && !d.first) abort(); // refused without a word
    for (int32_t i = 0; r && i < r->n_entries; i++) entry_use(&r->entry[i]);
    bw_registry_close(r);
    bw_diag_free(&d);
    while (m.n) free(m.piece[--m.n]);
    if (bw_alloc_live()) abort();
    return 0;
}
