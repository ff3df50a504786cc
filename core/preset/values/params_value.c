// SPDX-License-Identifier: Apache-2.0
/* One value for one row: the text of a preset (or the row's default) to what params_eval.c can fill a struct with,
 * checked for type, unit, range and choice. */
#include "params_private.h"

#include "base/alloc.h"
#include "base/text/utf8.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CHOICES_MAX = 64, LIST_MAX = 1000000, CURRENT_DIR_MAX = 4096 };

uint32_t bw_row_bytes(const struct bw_param *row)
{
    switch (row->type) {
    case BW_PARAM_BOOL:
    case BW_PARAM_CHOICE: return sizeof(int32_t);
    case BW_PARAM_INT: return sizeof(int64_t);
    case BW_PARAM_F64: return sizeof(double);
    case BW_PARAM_VEC3:
    case BW_PARAM_COLOUR: return sizeof(bw_vec3);
    case BW_PARAM_LIST:
    case BW_PARAM_MAP:
    case BW_PARAM_AMOUNTS: return sizeof(struct bw_list);
    case BW_PARAM_FRAMES: return sizeof(struct bw_frames);
    case BW_PARAM_GROUP:
    case BW_PARAM_VARIANT: return row->sub_size;
    default: return sizeof(const char *);
    }
}

const char *bw_row_range(const struct bw_param *row, double x, char *buffer, size_t size)
{
    const char *unit = row->unit ? row->unit : "", *gap = *unit ? " " : "";
    if (!isfinite(x)) {
        snprintf(buffer, size, "it has no finite value");
    } else if (row->min == 0 && row->max == 0 && !(row->flags & BW_PARAM_MIN_OPEN)) {
        return NULL;
    } else if (row->flags & BW_PARAM_MIN_OPEN && x <= row->min) {
        snprintf(buffer, size, "%.6g%s%s is out of range: more than %.6g%s%s is wanted", x, gap, unit, row->min, gap,
                 unit);
    } else if (x < row->min) {
        snprintf(buffer, size, "%.6g%s%s is out of range: at least %.6g%s%s is wanted", x, gap, unit, row->min, gap,
                 unit);
    } else if ((row->max > row->min || (row->max == row->min && row->max != 0)) && x > row->max) {
        snprintf(buffer, size, "%.6g%s%s is out of range: at most %.6g%s%s is wanted", x, gap, unit, row->max, gap,
                 unit);
    } else {
        return NULL;
    }
    return buffer;
}

static enum bw_status value_error_type(struct bw_compile *k, const struct bw_value *v, const struct bw_node *n,
                                       const char *wanted)
{
    char what[64];
    return bw_compile_error(k, &n->place, "%s wants %s, not %s", v->row.key, wanted, bw_node_describe(n, what));
}

static enum bw_status channel_check(struct bw_compile *k, const struct bw_value *v, int32_t index)
{
    const struct bw_channel *c = &v->curve.channel[index];
    const struct bw_node *n = v->node->type == BW_NODE_SEQ && index < v->node->count ? v->node->child[index] : v->node;
    char why[200];
    const char *wrong = NULL;
    if (!c->n_keys && !c->expression) wrong = bw_row_range(&v->row, c->value, why, sizeof why);
    for (int32_t i = 0; i < c->n_keys && !wrong; i++) wrong = bw_row_range(&v->row, c->at[i], why, sizeof why);
    return wrong ? bw_compile_error(k, &n->place, "%s: %s", v->row.key, wrong) : BW_OK;
}

static enum bw_status curve_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    const struct bw_param *row = &v->row;
    int amount = row->type == BW_PARAM_AMOUNTS, vector = row->type == BW_PARAM_VEC3 || row->type == BW_PARAM_COLOUR;
    struct bw_diag own = {0};
    struct bw_curve_want want = {.key = row->key,
                                 .unit = row->unit,
                                 .any_unit = amount,
                                 .comps = vector ? 3 : 1,
                                 .colour = row->type == BW_PARAM_COLOUR,
                                 .context = k->context,
                                 .diag = k->defaults ? &own : k->diag};
    if (amount || row->flags & BW_PARAM_SPREAD) want.comps = 0;
    enum bw_status status = bw_curve_compile(&v->curve, n, &want);
    if (status == BW_ERR_MEMORY && k->defaults) bw_compile_memory(k);
    else if (status && k->defaults) bw_compile_error(k, NULL, "%s", own.first ? own.first : row->key);
    bw_diag_free(&own);
    for (int32_t c = 0; c < v->curve.comps && !status; c++) status = channel_check(k, v, c);
    if (status || !v->curve.animated) return status;
    if (row->flags & BW_PARAM_STATIC || k->context->sections) {
        return bw_compile_error(k, &n->place, "%s may not change with time", row->key);
    }
    k->params->animated = 1;
    return BW_OK;
}

/* Plain digits are kept as they are: a double would lose the last ones of a seed. */
static enum bw_status integer_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    enum bw_status status = curve_value(k, v, n);
    const struct bw_channel *c = &v->curve.channel[0];
    if (status || c->n_keys || c->expression) return status;
    if (v->curve.comps != 1) return value_error_type(k, v, n, "a whole number"); /* a plugin's row may spread it */
    char *end;
    errno = 0;
    v->number = strtoll(n->text, &end, 10);
    if (!*end && !errno) return BW_OK;
    v->number = fabs(c->value) <= 9e15 ? (int64_t)c->value : 0;
    return (double)v->number == c->value ? BW_OK : value_error_type(k, v, n, "a whole number");
}

enum { FRAME_MAX = 1000000000 };

static enum bw_status frames_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    struct bw_frames *f = &v->frames;
    double from, to;
    if (v->row.flags & BW_PARAM_PARTS && n->type == BW_NODE_SCALAR && !bw_parse_span(n->text, &from, &to) &&
        fabs(from) <= FRAME_MAX && fabs(to) <= FRAME_MAX) {
        *f = (struct bw_frames){(int64_t)floor(from), (int64_t)ceil(to)};
        return BW_OK;
    }
    if (n->type != BW_NODE_SCALAR || bw_parse_frames(n->text, &f->first, &f->last))
        return value_error_type(k, v, n, "FIRST-LAST, like 1-100");
    if (f->first >= -FRAME_MAX && f->last <= FRAME_MAX) return BW_OK;
    return bw_compile_error(k, &n->place, "%s: %s: frames lie between %d and %d", v->row.key, n->text, -FRAME_MAX,
                            FRAME_MAX);
}

static enum bw_status bool_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "n", "y", "0", "1"};
    for (int32_t i = 0; n->type == BW_NODE_SCALAR && i < (int32_t)BW_COUNT(words); i++) {
        if (strcasecmp(n->text, words[i])) continue; // True, YES: as YAML 1.1 and 1.2 have them
        v->number = i % 2;
        return BW_OK;
    }
    return value_error_type(k, v, n, "true or false");
}

/* Whether `text` is one of "a|b|c". */
static int word_is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *c = choices; c && *c; c += strcspn(c, "|"), c += *c == '|')
        if (strcspn(c, "|") == length && !strncmp(c, text, length)) return 1;
    return 0;
}

/* Splits "a|b|c" in place. */
static uint32_t choices_split(char *text, const char **words)
{
    uint32_t n = 0;
    for (char *s = text; s && n < CHOICES_MAX;) {
        words[n++] = s;
        s = strchr(s, '|');
        if (s) *s++ = '\0';
    }
    return n;
}

static enum bw_status choice_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    const char *words[CHOICES_MAX];
    char *text = bw_strdup(v->row.choices ? v->row.choices : "");
    if (!text) return bw_compile_memory(k);
    uint32_t count = choices_split(text, words);
    v->number = -1;
    for (uint32_t i = 0; n->type == BW_NODE_SCALAR && i < count; i++) {
        if (!strcmp(n->text, words[i])) v->number = i;
    }
    enum bw_status status = BW_OK;
    if (v->number < 0) {
        char what[64];
        char buffer[64];
        const char *near = n->type == BW_NODE_SCALAR ? bw_row_renamed(&v->row, n->text, 1, buffer) : NULL;
        if (!near && n->type == BW_NODE_SCALAR) near = bw_did_you_mean(n->text, words, count);
        status = bw_compile_error(k, &n->place, "%s can't be %s; it is one of %s%s%s%s", v->row.key,
                                  bw_node_describe(n, what), v->row.choices ? v->row.choices : "nothing",
                                  near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    bw_free(text);
    return status;
}

static enum bw_status text_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    if (n->type != BW_NODE_SCALAR) return value_error_type(k, v, n, "a text");
    int prefixed = v->row.flags & BW_PARAM_EXPRESSION && n->text[0] == '='; /* written as in every other expression */
    v->text = bw_strdup(n->text + prefixed);
    return v->text ? BW_OK : bw_compile_memory(k);
}

char *bw_path_absolute(const char *path, const char *file)
{
    char *own = bw_strdup(path), *whole;
    if (!own) return NULL;
    bw_utf8_to_bytes(own);
    if (own[0] == '/') return own;
    const char *slash = file ? strrchr(file, '/') : NULL;
    int folder = slash ? (int)(slash - file) : 0;
    char here[CURRENT_DIR_MAX];
    if (slash && file[0] == '/') whole = bw_printf("%.*s/%s", folder, file, own);
    else if (!getcwd(here, sizeof here)) whole = NULL;
    else whole = slash ? bw_printf("%s/%.*s/%s", here, folder, file, own) : bw_printf("%s/%s", here, own);
    bw_free(own);
    return whole;
}

/* Relative to the file that says it, so that a base preset may stand elsewhere. */
static enum bw_status path_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    if (n->type != BW_NODE_SCALAR || !n->text[0]) return value_error_type(k, v, n, "a path");
    v->text = bw_path_absolute(n->text, n->place.file);
    struct bw_params *p = k->params;
    const char **grown = bw_realloc(p->files, (p->n_files + 1) * sizeof *grown);
    if (grown) p->files = grown;
    if (!grown || !v->text) return bw_compile_memory(k);
    p->files[p->n_files++] = v->text;
    return BW_OK;
}

static enum bw_status sets_alloc(struct bw_compile *k, struct bw_value *v, int32_t n)
{
    v->set = n ? bw_calloc((size_t)n * sizeof *v->set) : NULL;
    if (n && !v->set) return bw_compile_memory(k);
    v->n_sets = n;
    return BW_OK;
}

/* A nested table; in the preset's own sections it speaks under its own name. */
static enum bw_status table_value(struct bw_compile *k, struct bw_value *v, struct bw_values *set,
                                  const struct bw_node *n, const char *name)
{
    const struct bw_params_context *outer = k->context;
    struct bw_params_context inner = *outer;
    if (outer->sections && name) {
        inner.owner = name;
        k->context = &inner;
    }
    enum bw_status status = bw_values_compile(k, set, v->row.sub, v->row.n_sub, v->row.sub_size, n);
    k->context = outer;
    return status;
}

static enum bw_status group_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    enum bw_status status = sets_alloc(k, v, 1);
    return status ? status : table_value(k, v, v->set, n, v->row.key);
}

/* A list's or map's item: a plain value when the only row has no key, else a map of rows. */
static enum bw_status item_compile(struct bw_compile *k, struct bw_value *v, struct bw_values *set,
                                   const struct bw_node *n, const char *name)
{
    struct bw_param row = v->row.sub[0];
    if (row.key) return table_value(k, v, set, n, name);
    set->value = bw_calloc(sizeof *set->value);
    if (!set->value) return bw_compile_memory(k);
    set->count = 1;
    row.key = v->row.key;
    set->value[0].row = row;
    return bw_value_compile(k, &set->value[0], v->row.sub_size, n, NULL);
}

static enum bw_status items_check(struct bw_compile *k, const struct bw_value *v, const struct bw_node *n,
                                  int32_t count)
{
    double low = v->row.min, high = v->row.max;
    if (!v->row.n_sub || !v->row.sub || !v->row.sub_size)
        return bw_diag_error(k->diag, NULL, BW_ERR_PLUGIN, "%s: list \"%s\" has no table", k->context->owner,
                             v->row.key);
    if (count <= LIST_MAX && ((low == 0 && high == 0) || (count >= low && count <= high))) return BW_OK;
    high = low == 0 && high == 0 ? LIST_MAX : high;
    char wanted[64];
    snprintf(wanted, sizeof wanted, low == high ? "%g values" : "%g to %g values", low, low == high ? low : high);
    if (n->type != BW_NODE_MAP) return value_error_type(k, v, n, wanted);
    return bw_compile_error(k, &n->place, "%s wants %s, not %d", v->row.key, wanted, (int)count);
}

static enum bw_status list_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    int single = n->type == BW_NODE_SCALAR && v->row.n_sub && !v->row.sub[0].key; /* `fields: density` */
    if (n->type != BW_NODE_SEQ && !single) return value_error_type(k, v, n, "a list [...]");
    int32_t count = single ? 1 : n->count;
    enum bw_status status = items_check(k, v, n, count);
    if (!status) status = sets_alloc(k, v, count);
    for (int32_t i = 0; i < v->n_sets && !status; i++)
        status = item_compile(k, v, &v->set[i], single ? n : n->child[i], NULL);
    return status;
}

static enum bw_status map_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    if (n->type != BW_NODE_MAP) return value_error_type(k, v, n, "a map {NAME: ...}");
    enum bw_status status = items_check(k, v, n, n->count);
    if (!status) status = sets_alloc(k, v, n->count);
    for (int32_t i = 0; i < v->n_sets && !status; i++)
        status = item_compile(k, v, &v->set[i], n->child[i], n->child[i]->key);
    return status;
}

static enum bw_status variant_unknown(struct bw_compile *k, struct bw_value *v, const struct bw_place *place,
                                      const char *name)
{
    const char *words[CHOICES_MAX];
    char list[400] = "";
    uint32_t n = v->row.n_sub < CHOICES_MAX ? v->row.n_sub : CHOICES_MAX;
    for (uint32_t i = 0; i < n; i++) {
        words[i] = v->row.sub[i].key;
        size_t have = strlen(list);
        snprintf(list + have, sizeof list - have, "%s%s", i ? ", " : "", words[i] ? words[i] : "");
    }
    char buffer[64];
    const char *near = bw_row_renamed(&v->row, name, 1, buffer);
    if (!near) near = bw_did_you_mean(name, words, n);
    return bw_compile_error(k, place, "%s can't be \"%s\"; it is one of %s%s%s%s", v->row.key, name, list,
                            near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* {sphere: {...}}, or just sphere for all its defaults. */
static enum bw_status variant_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    int word = n->type == BW_NODE_SCALAR;
    if (!word && (n->type != BW_NODE_MAP || n->count != 1)) {
        return value_error_type(k, v, n, "exactly one kind, like {KIND: {...}}");
    }
    const struct bw_node *inner = word ? NULL : n->child[0];
    const char *name = word ? n->text : inner->key;
    const struct bw_place *place = word ? &n->place : &inner->key_place;
    for (uint32_t i = 0; i < v->row.n_sub; i++) {
        struct bw_param row = v->row.sub[i];
        if (!row.key || strcmp(row.key, name)) continue;
        v->number = i;
        if (word && row.flags & BW_PARAM_REQUIRED)
            return bw_compile_error(k, place, "%s: %s needs a value: {%s: ...}", v->row.key, name, name);
        enum bw_status status = sets_alloc(k, v, 1);
        if (!status) v->set->value = bw_calloc(sizeof *v->set->value);
        if (status || !v->set->value) return status ? status : bw_compile_memory(k);
        v->set->count = 1;
        v->set->value[0].row = row;
        return bw_value_compile(k, &v->set->value[0], v->row.sub_size, inner, n);
    }
    return variant_unknown(k, v, place, name);
}

static enum bw_status typed_value(struct bw_compile *k, struct bw_value *v, const struct bw_node *n)
{
    int word = v->row.type != BW_PARAM_CHOICE && n->type == BW_NODE_SCALAR && word_is_choice(v->row.choices, n->text);
    if (word) return BW_OK; /* stands in place of a value */
    switch (v->row.type) {
    case BW_PARAM_BOOL: return bool_value(k, v, n);
    case BW_PARAM_INT: return integer_value(k, v, n);
    case BW_PARAM_F64:
    case BW_PARAM_VEC3:
    case BW_PARAM_AMOUNTS:
    case BW_PARAM_COLOUR: return curve_value(k, v, n);
    case BW_PARAM_STRING:
    case BW_PARAM_FIELD: return text_value(k, v, n);
    case BW_PARAM_PATH: return path_value(k, v, n);
    case BW_PARAM_CHOICE: return choice_value(k, v, n);
    case BW_PARAM_LIST: return list_value(k, v, n);
    case BW_PARAM_MAP: return map_value(k, v, n);
    case BW_PARAM_FRAMES: return frames_value(k, v, n);
    case BW_PARAM_GROUP: return group_value(k, v, n);
    case BW_PARAM_VARIANT: return variant_value(k, v, n);
    default:
        return bw_diag_error(k->diag, NULL, BW_ERR_PLUGIN, "%s: parameter \"%s\" has type %u, which is unknown",
                             k->context->owner, v->row.key, (unsigned)v->row.type);
    }
}

/* Lists and maps are parsed as YAML; anything else is a plain text, so that "#ff8000" is no comment. */
static struct bw_node *default_node(struct bw_compile *k, const struct bw_param *row)
{
    struct bw_diag own = {0};
    int yaml = row->def[0] == '[' || row->def[0] == '{' || row->def[0] == '"';
    struct bw_node *n = yaml ? bw_node_parse(row->def, "default", &own) : bw_node_new(BW_NODE_SCALAR, row->def);
    if (!n && own.first) {
        bw_diag_error(k->diag, NULL, own.status == BW_ERR_MEMORY ? BW_ERR_MEMORY : BW_ERR_PLUGIN,
                      "%s: default of \"%s\": %s", k->context->owner, row->key, own.first);
    } else if (!n) {
        bw_compile_memory(k);
    }
    bw_diag_free(&own);
    return n;
}

static enum bw_status default_compile(struct bw_compile *k, struct bw_value *v)
{
    v->number = v->row.type == BW_PARAM_VARIANT ? -1 : 0;
    if (v->row.type == BW_PARAM_GROUP) return group_value(k, v, NULL);
    if (!v->row.def) return BW_OK;
    v->node = default_node(k, &v->row);
    if (!v->node) return BW_ERR_PLUGIN;
    k->defaults++;
    enum bw_status status = typed_value(k, v, v->node);
    k->defaults--;
    return status;
}

/* The range that the row fills has to lie in the plugin's own struct. */
static enum bw_status offset_check(struct bw_compile *k, const struct bw_value *v, uint32_t size)
{
    if ((uint64_t)v->row.offset + bw_row_bytes(&v->row) <= size) return BW_OK;
    return bw_diag_error(k->diag, NULL, BW_ERR_PLUGIN, "%s: parameter \"%s\" lies outside of its struct",
                         k->context->owner, v->row.key);
}

/* `frames_from: FILES` is `frames_from: {files: FILES}`: v->node becomes the map. */
static enum bw_status short_spell(struct bw_value *v)
{
    struct bw_node *map = bw_node_new(BW_NODE_MAP, NULL), *inner = v->node;
    if (!map) return BW_ERR_MEMORY;
    map->place = inner->place;
    map->key_place = inner->key_place;
    bw_node_adopt(map, inner->document);
    v->node = map;
    return bw_node_put(map, v->row.sub[0].key, inner);
}

enum bw_status bw_value_compile(struct bw_compile *k, struct bw_value *v, uint32_t size, const struct bw_node *n,
                                const struct bw_node *parent)
{
    int amount = v->row.type == BW_PARAM_AMOUNTS;
    enum bw_status status = amount ? BW_OK : offset_check(k, v, size);
    if (status) return status;
    int container = v->row.type >= BW_PARAM_LIST && !amount && v->row.type != BW_PARAM_FRAMES;
    const char *colour;
    const int length = (int)bw_node_comment_colour(n, &colour);
    if (length)
        return bw_compile_error(k, &n->key_place, "%s has no value: # begins a comment; quote the colour: '%.*s'",
                                v->row.key, length, colour);
    if (n && n->type == BW_NODE_SCALAR && !n->quoted && !n->text[0] && !container) {
        return bw_compile_error(k, &n->key_place, "%s has no value%s", v->row.key,
                                v->row.type == BW_PARAM_COLOUR ? "; a colour like \"#ff8000\" needs quotes" : "");
    }
    if (bw_node_is_null(n)) {
        if (!(v->row.flags & BW_PARAM_REQUIRED) || k->defaults) return default_compile(k, v);
        const struct bw_place *place = n ? &n->place : parent ? &parent->place : NULL;
        return bw_compile_error(k, place, "%s has to be given", v->row.key);
    }
    v->node = bw_node_copy(n);
    if (!v->node) return bw_compile_memory(k);
    if (v->row.flags & BW_PARAM_SHORT && n->type == BW_NODE_SCALAR && short_spell(v)) return bw_compile_memory(k);
    return typed_value(k, v, v->node);
}
