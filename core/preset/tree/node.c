// SPDX-License-Identifier: Apache-2.0
/* The tree: making, copying, finding and freeing nodes. Reading YAML is in node_read.c, writing in node_write.c.
 * Every node holds a reference to the document it was read from, so a place outlives moves between trees. */
#include "node_private.h"

#include "base/alloc.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_FROM = 16 }; ///< entries: below, looking at each is as fast

struct bw_document *bw_document_new(const char *name, const char *text)
{
    struct bw_document *d = bw_calloc(sizeof *d);
    if (!d) return NULL;
    d->references = 1;
    d->name = bw_strdup(name);
    d->text = bw_strdup(text);
    if (d->name && d->text) return d;
    bw_document_release(d);
    return NULL;
}

void bw_document_release(struct bw_document *d)
{
    if (!d || atomic_fetch_sub(&d->references, 1) > 1) return;
    bw_free(d->name);
    bw_free(d->text);
    bw_free(d);
}

void bw_node_adopt(struct bw_node *n, struct bw_document *d)
{
    if (d) atomic_fetch_add(&d->references, 1);
    bw_document_release(n->document);
    n->document = d;
}

struct bw_node *bw_node_new(enum bw_node_type type, const char *text)
{
    struct bw_node *n = bw_calloc(sizeof *n);
    if (!n) return NULL;
    n->type = type;
    if (type != BW_NODE_SCALAR) return n;
    n->text = bw_strdup(text ? text : "");
    if (n->text) return n;
    bw_free(n);
    return NULL;
}

void bw_node_free(struct bw_node *n)
{
    if (!n) return;
    for (int32_t i = 0; i < n->count; i++) bw_node_free(n->child[i]);
    bw_free(n->child);
    bw_names_free(&n->index);
    bw_free(n->key);
    bw_free(n->text);
    bw_document_release(n->document);
    bw_free(n);
}

/* Takes ownership of `value` also when it fails. */
static enum bw_status child_append(struct bw_node *n, struct bw_node *value)
{
    if (n->count == n->capacity) {
        int32_t capacity = n->capacity ? 2 * n->capacity : 4;
        struct bw_node **grown = bw_realloc(n->child, (size_t)capacity * sizeof *grown);
        if (!grown) {
            bw_node_free(value);
            return BW_ERR_MEMORY;
        }
        n->child = grown;
        n->capacity = capacity;
    }
    n->child[n->count++] = value;
    return BW_OK;
}

/* Child `i` under its key; with the first that is worth it, all others. */
static enum bw_status index_put(struct bw_node *map, int32_t i)
{
    if (map->count < INDEX_FROM) return BW_OK;
    if (map->index.count) return bw_names_put(&map->index, map->child[i]->key, i);
    enum bw_status status = BW_OK;
    for (int32_t k = 0; k < map->count && !status; k++) status = bw_names_put(&map->index, map->child[k]->key, k);
    if (status) bw_names_free(&map->index);
    return status;
}

static int32_t child_index(const struct bw_node *map, const char *key)
{
    if (!map || map->type != BW_NODE_MAP) return -1;
    if (map->index.count) return bw_names_get(&map->index, key);
    for (int32_t i = 0; i < map->count; i++) {
        if (!strcmp(map->child[i]->key, key)) return i;
    }
    return -1;
}

struct bw_node *bw_node_get(const struct bw_node *map, const char *key)
{
    int32_t i = child_index(map, key);
    return i < 0 ? NULL : map->child[i];
}

static void child_remove(struct bw_node *map, int32_t i)
{
    bw_names_free(&map->index); /* all numbers behind it change: the next entry that is put makes a new one */
    bw_node_free(map->child[i]);
    map->count--;
    memmove(map->child + i, map->child + i + 1, (size_t)(map->count - i) * sizeof *map->child);
}

enum bw_status bw_node_put(struct bw_node *map, const char *key, struct bw_node *value)
{
    int32_t i = child_index(map, key);
    if (!value) {
        if (i >= 0) child_remove(map, i);
        return BW_OK;
    }
    if (!value->key || strcmp(value->key, key) != 0) {
        char *copy = bw_strdup(key);
        if (!copy) {
            bw_node_free(value);
            return BW_ERR_MEMORY;
        }
        bw_free(value->key);
        value->key = copy;
        value->key_place = value->place;
    }
    if (i < 0) return child_append(map, value) ? BW_ERR_MEMORY : index_put(map, map->count - 1);
    struct bw_node *old = map->child[i];
    map->child[i] = value;
    enum bw_status status = index_put(map, i); /* it compares with the old one's key */
    bw_node_free(old);
    return status;
}

enum bw_status bw_node_append(struct bw_node *seq, struct bw_node *value)
{
    return value ? child_append(seq, value) : BW_ERR_MEMORY;
}

struct bw_node *bw_node_copy(const struct bw_node *n)
{
    struct bw_node *copy = bw_node_new(n->type, n->text);
    if (!copy) return NULL;
    copy->place = n->place;
    copy->key_place = n->key_place;
    copy->quoted = n->quoted;
    bw_node_adopt(copy, n->document);
    copy->key = bw_strdup(n->key);
    int whole = !n->key || copy->key;
    for (int32_t i = 0; whole && i < n->count; i++) {
        struct bw_node *child = bw_node_copy(n->child[i]);
        whole = child && child_append(copy, child) == BW_OK;
    }
    if (whole && n->index.count) whole = index_put(copy, 0) == BW_OK;
    if (whole) return copy;
    bw_node_free(copy);
    return NULL;
}

int bw_node_is_null(const struct bw_node *n)
{
    if (!n) return 1;
    return n->type == BW_NODE_SCALAR && !n->quoted && bw_text_is_null(n->text);
}

int bw_text_is_null(const char *text)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i])) return 1;
    return 0;
}

/* "#102030" of three or six digits, or with opacity; of three or four letters alone it is rather a word. */
size_t bw_text_colour(const char *text)
{
    const size_t n = *text == '#' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;
    const int known = n == 6 || n == 8 || ((n == 3 || n == 4) && strcspn(text + 1, "0123456789") < n);
    return known && !isalnum((unsigned char)text[n + 1]) ? n + 1 : 0;
}

const char *bw_text_line(const char *text, int32_t line)
{
    for (; line > 1 && text; line--) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    return text;
}

size_t bw_node_comment_colour(const struct bw_node *n, const char **at)
{
    if (!n || !n->key || !n->key_place.source || !bw_node_is_null(n) || *n->text) return 0;
    const char *line = bw_text_line(n->key_place.source, n->key_place.line), *colon = NULL;
    if (line && n->key_place.column > 0 && strlen(line) >= (size_t)n->key_place.column)
        colon = strchr(line + n->key_place.column - 1, ':');
    *at = colon ? colon + 1 + strspn(colon + 1, " \t") : "";
    return bw_text_colour(*at);
}

int bw_text_equal(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

int bw_node_equal(const struct bw_node *a, const struct bw_node *b)
{
    if (!a || !b) return a == b;
    if (a->type != b->type || a->count != b->count || !bw_text_equal(a->key, b->key)) return 0;
    if (a->type == BW_NODE_SCALAR && !bw_text_equal(a->text, b->text)) return 0;
    for (int32_t i = 0; i < a->count; i++)
        if (!bw_node_equal(a->child[i], b->child[i])) return 0;
    return 1;
}

const char *bw_node_describe(const struct bw_node *n, char *buffer)
{
    if (n->type == BW_NODE_MAP) return "a map";
    if (n->type == BW_NODE_SEQ) {
        snprintf(buffer, 64, "a list of %d", (int)n->count);
    } else if (bw_node_is_null(n)) {
        const char *colour;
        const int length = (int)bw_node_comment_colour(n, &colour);
        if (!length) return "nothing";
        snprintf(buffer, 64, "nothing: # begins a comment; quote the colour: '%.*s'", length, colour);
    } else {
        snprintf(buffer, 64, strlen(n->text) > 40 ? "\"%.40s...\"" : "\"%s\"", n->text);
    }
    return buffer;
}
