// SPDX-License-Identifier: Apache-2.0
/* Tables against maps: which row takes which key, unknown and missing keys, and the compiled set's life.
 * One value of each type is params_value.c's matter, filling a struct params_eval.c's. */
#include "params_private.h"

#include "base/alloc.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16, WORDS_MAX = 256 };

static const char *const standard_fields[] = {
    "density",    "temperature", "fuel",   "flame",    "vel",  "pressure", "solid",    "solid_vel", "vorticity",
    "divergence", "force",       "oxygen", "products", "soot", "mass",     "momentum", "age",
};

enum bw_status bw_compile_error(struct bw_compile *k, const struct bw_place *place, const char *format, ...)
{
    char sentence[600];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    if (k->defaults) {
        return bw_diag_error(k->diag, NULL, BW_ERR_PLUGIN, "%s: in the plugin's own default: %s", k->context->owner,
                             sentence);
    }
    return bw_diag_error(k->diag, place, BW_ERR_PRESET, "%s: %s", k->context->owner, sentence);
}

enum bw_status bw_compile_memory(struct bw_compile *k)
{
    return bw_diag_error(k->diag, NULL, BW_ERR_MEMORY, "%s: out of memory", k->context->owner);
}

const char *bw_row_renamed(const struct bw_param *row, const char *word, int choice, char buffer[64])
{
    size_t length = strlen(word);
    for (const char *c = row->was; c && *c; c += strcspn(c, "|"), c += *c == '|') {
        size_t n = strcspn(c, "|"), old = strcspn(c, "=|");
        if (old != length || strncmp(c, word, length) || (old < n) != choice) continue;
        snprintf(buffer, 64, "%.*s", choice ? (int)(n - old - 1) : 63, choice ? c + old + 1 : row->key);
        return buffer;
    }
    return NULL;
}

static int word_listed(const char *word, const char *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!strcmp(word, list[i])) return 1;
    }
    return 0;
}

/* Keys that another reader takes stand only in the outermost map. */
static int key_is_ignored(const struct bw_compile *k, const char *key)
{
    const struct bw_params_context *c = k->context;
    if (k->depth > 1) return 0;
    for (uint32_t i = 0; i < c->n_common; i++)
        if (!strcmp(key, c->common[i].key)) return 1;
    return word_listed(key, c->ignore, c->n_ignore);
}

static int key_is_row(const struct bw_values *values, const char *key)
{
    for (int32_t i = 0; i < values->count; i++) {
        const struct bw_param *row = &values->value[i].row;
        if (row->type != BW_PARAM_AMOUNTS && row->key && !strcmp(row->key, key)) return 1;
    }
    return 0;
}

static int values_take_amounts(const struct bw_values *values)
{
    for (int32_t i = 0; i < values->count; i++) {
        if (values->value[i].row.type == BW_PARAM_AMOUNTS) return 1;
    }
    return 0;
}

static int key_is_amount(const struct bw_compile *k, const char *key)
{
    return !k->context->fields || word_listed(key, k->context->fields, k->context->n_fields) ||
           word_listed(key, standard_fields, BW_COUNT(standard_fields));
}

static void words_add(const char **words, uint32_t *n, const char *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count && *n < WORDS_MAX; i++) words[(*n)++] = list[i];
}

static enum bw_status key_unknown(struct bw_compile *k, const struct bw_values *values, const struct bw_node *n)
{
    const char *words[WORDS_MAX];
    uint32_t count = 0;
    for (int32_t i = 0; i < values->count; i++) words_add(words, &count, &values->value[i].row.key, 1);
    if (k->depth == 1) {
        words_add(words, &count, k->context->ignore, k->context->n_ignore);
        for (uint32_t i = 0; i < k->context->n_common; i++) words_add(words, &count, &k->context->common[i].key, 1);
    }
    if (values_take_amounts(values)) {
        words_add(words, &count, k->context->fields, k->context->n_fields);
        words_add(words, &count, standard_fields, BW_COUNT(standard_fields));
    }
    const char *near = NULL;
    char buffer[64];
    for (int32_t i = 0; i < values->count && !near; i++)
        near = bw_row_renamed(&values->value[i].row, n->key, 0, buffer);
    if (!near) near = bw_did_you_mean(n->key, words, count);
    return bw_compile_error(k, &n->key_place, near ? "unknown key \"%s\"; did you mean \"%s\"?" : "unknown key \"%s\"",
                            n->key, near);
}

static enum bw_status first_status(enum bw_status a, enum bw_status b) { return a ? a : b; }

static enum bw_status keys_check(struct bw_compile *k, const struct bw_values *values, const struct bw_node *map)
{
    enum bw_status status = BW_OK;
    int amounts = values_take_amounts(values);
    for (int32_t i = 0; map && i < map->count; i++) {
        const struct bw_node *n = map->child[i];
        if (key_is_row(values, n->key) || key_is_ignored(k, n->key)) continue;
        if (amounts && key_is_amount(k, n->key)) continue;
        if (k->depth == 1 && k->context->partial) continue;
        status = first_status(status, key_unknown(k, values, n));
    }
    return status;
}

/* Each amount is a value of its own, whose row is made up: a field's name and a number or vector. */
static enum bw_status amounts_compile(struct bw_compile *k, struct bw_value *v, const struct bw_values *values,
                                      const struct bw_node *map)
{
    v->set = bw_calloc(sizeof *v->set);
    if (!v->set) return bw_compile_memory(k);
    v->n_sets = 1;
    int32_t n = map ? map->count : 0;
    v->set->value = n ? bw_calloc((size_t)n * sizeof *v->set->value) : NULL;
    if (n && !v->set->value) return bw_compile_memory(k);
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < n; i++) {
        const struct bw_node *c = map->child[i];
        if (key_is_row(values, c->key) || key_is_ignored(k, c->key) || !key_is_amount(k, c->key)) continue;
        if (bw_node_is_null(c) && c->text[0]) continue;
        struct bw_value *amount = &v->set->value[v->set->count++];
        amount->row = (struct bw_param){.key = c->key, .type = BW_PARAM_AMOUNTS};
        status = first_status(status, bw_value_compile(k, amount, 0, c, map));
        amount->row.key = amount->node ? amount->node->key : NULL; /* the preset's own node may go before we do */
    }
    return status;
}

static enum bw_status rows_compile(struct bw_compile *k, struct bw_values *values, uint32_t size,
                                   const struct bw_node *map)
{
    enum bw_status status = keys_check(k, values, map);
    for (int32_t i = 0; i < values->count; i++) {
        struct bw_value *v = &values->value[i];
        if (v->row.type == BW_PARAM_AMOUNTS) {
            status = first_status(status, amounts_compile(k, v, values, map));
        } else {
            status = first_status(status, bw_value_compile(k, v, size, bw_node_get(map, v->row.key), map));
        }
    }
    return status;
}

enum bw_status bw_values_compile(struct bw_compile *k, struct bw_values *values, const struct bw_param *rows,
                                 uint32_t n, uint32_t size, const struct bw_node *map)
{
    if (bw_node_is_null(map)) map = NULL;
    char what[64];
    if (map && map->type != BW_NODE_MAP) {
        const char *key = n && rows[0].key && rows[0].type != BW_PARAM_AMOUNTS ? rows[0].key : NULL;
        return bw_compile_error(k, &map->place, "options have to be a map {KEY: VALUE, ...}%s%s%s, not %s",
                                key ? ", like {" : "", key ? key : "", key ? ": ...}" : "",
                                bw_node_describe(map, what));
    }
    if (k->depth == DEPTH_MAX) {
        return bw_diag_error(k->diag, NULL, BW_ERR_PLUGIN, "%s: its parameter tables nest too deeply",
                             k->context->owner);
    }
    values->value = n ? bw_calloc(n * sizeof *values->value) : NULL;
    if (n && !values->value) return bw_compile_memory(k);
    values->count = (int32_t)n;
    for (uint32_t i = 0; i < n; i++) {
        values->value[i].row = rows[i];
        if (values->value[i].row.key) continue;
        return bw_diag_error(k->diag, NULL, BW_ERR_PLUGIN, "%s: row %d of a parameter table has no key",
                             k->context->owner, (int)i);
    }
    k->depth++;
    enum bw_status status = rows_compile(k, values, size, map);
    k->depth--;
    return status;
}

static void values_free(struct bw_values *values);

static void value_free(struct bw_value *v)
{
    bw_curve_free(&v->curve);
    bw_free(v->text);
    for (int32_t i = 0; i < v->n_sets; i++) values_free(&v->set[i]);
    bw_free(v->set);
    for (int32_t i = 0; i < BW_SLOTS; i++) bw_free(v->storage[i]);
    bw_node_free(v->node);
}

static void values_free(struct bw_values *values)
{
    for (int32_t i = 0; i < values->count; i++) value_free(&values->value[i]);
    bw_free(values->value);
    *values = (struct bw_values){0};
}

struct bw_params *bw_params_compile(const struct bw_param *rows, uint32_t n_rows, uint32_t struct_size,
                                    const struct bw_node *node, const struct bw_params_context *c, struct bw_diag *d)
{
    struct bw_params *p = bw_calloc(sizeof *p);
    if (p) p->owner = bw_strdup(c->owner);
    if (!p || !p->owner) {
        bw_free(p);
        bw_diag_error(d, NULL, BW_ERR_MEMORY, "%s: out of memory", c->owner);
        return NULL;
    }
    p->struct_size = struct_size;
    p->context = (struct bw_params_context){
        .owner = p->owner, .fps = c->fps, .first = c->first, .seed = c->seed, .ambient = c->ambient};
    struct bw_compile k = {.params = p, .context = c, .diag = d};
    if (!bw_values_compile(&k, &p->values, rows, n_rows, struct_size, node)) return p;
    bw_params_free(p);
    return NULL;
}

void bw_params_free(struct bw_params *p)
{
    if (!p) return;
    values_free(&p->values);
    bw_free(p->files);
    bw_free(p->owner);
    bw_free(p);
}

int bw_params_animated(const struct bw_params *p) { return p->animated; }

const char *const *bw_params_files(const struct bw_params *p, uint32_t *n)
{
    *n = p->n_files;
    return p->files;
}
