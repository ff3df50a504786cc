// SPDX-License-Identifier: Apache-2.0
/* Laying one preset over another. Maps merge deeply; stages and exports merge by id in the
 * base's order, new ones go to the end or where before/after says. Keyframes replace keyframes, and of two different
 * variants ({sphere: …} over {box: …}) the later one stays, because half of each would make no sense. */
#include "preset_private.h"

#include "base/alloc.h"
#include <string.h>

enum { ENTRIES_MAX = 1000 };

static struct bw_node *entry_inner(const struct bw_node *entry) { return entry->child[0]; }

static const char *entry_id(const struct bw_node *entry)
{
    const struct bw_node *id = bw_node_get(entry_inner(entry), "id");
    return id && id->type == BW_NODE_SCALAR ? id->text : NULL;
}

struct bw_node *bw_preset_entry(const struct bw_node *list, const char *id)
{
    for (int32_t i = 0; list && i < list->count; i++) {
        const char *own = entry_id(list->child[i]);
        if (own && !strcmp(own, id)) return list->child[i];
    }
    return NULL;
}

static int32_t entry_index(const struct bw_node *list, const char *id)
{
    for (int32_t i = 0; i < list->count; i++) {
        const char *own = entry_id(list->child[i]);
        if (own && !strcmp(own, id)) return i;
    }
    return -1;
}

/* `- mac.project` and `- mac.project:` both mean {mac.project: {}}. */
static enum bw_status entry_normalize(struct bw_node *list, int32_t i, struct bw_diag *d)
{
    struct bw_node *n = list->child[i];
    if (n->type == BW_NODE_SCALAR && !bw_node_is_null(n)) {
        struct bw_node *map = bw_node_new(BW_NODE_MAP, NULL), *inner = bw_node_new(BW_NODE_MAP, NULL);
        if (!map || !inner) {
            bw_node_free(map);
            bw_node_free(inner);
            return bw_error_memory(d);
        }
        map->place = inner->place = n->place;
        bw_node_adopt(map, n->document);
        bw_node_adopt(inner, n->document);
        enum bw_status status = bw_node_put(map, n->text, inner);
        bw_node_free(n);
        list->child[i] = map;
        return status ? bw_error_memory(d) : BW_OK;
    }
    if (n->type != BW_NODE_MAP || n->count != 1) {
        return bw_diag_error(d, n->type == BW_NODE_MAP && n->count > 1 ? &n->child[1]->key_place : &n->place,
                             BW_ERR_PRESET, "an entry has to be one name with its options: - NAME: {KEY: VALUE, ...}");
    }
    struct bw_node *inner = n->child[0];
    if (bw_node_is_null(inner)) { /* keeps its place, becomes a map */
        inner->type = BW_NODE_MAP;
        bw_free(inner->text);
        inner->text = NULL;
        inner->place = inner->key_place;
    }
    if (inner->type == BW_NODE_MAP) return BW_OK;
    return bw_diag_error(d, &inner->place, BW_ERR_PRESET, "options of %s have to be a map {KEY: VALUE, ...}",
                         inner->key);
}

static enum bw_status id_put(struct bw_node *entry, const char *id, struct bw_diag *d)
{
    struct bw_node *inner = entry_inner(entry), *n = bw_node_new(BW_NODE_SCALAR, id);
    if (!n) return bw_error_memory(d);
    n->place = inner->key_place;
    bw_node_adopt(n, inner->document);
    return bw_node_put(inner, "id", n) ? bw_error_memory(d) : BW_OK;
}

/* An id that was not given: the type, or type_2, type_3 … `ids` are those taken, `last` the last number tried of each
 * type. */
static enum bw_status id_default(struct bw_node *list, int32_t i, struct bw_names *ids, struct bw_names *last,
                                 struct bw_diag *d)
{
    const char *type = entry_inner(list->child[i])->key;
    for (int32_t k = bw_names_get(last, type) + 1;; k++) {
        char *id = k ? bw_printf("%s_%d", type, (int)k + 1) : bw_strdup(type);
        if (!id) return bw_error_memory(d);
        int taken = bw_names_get(ids, id) >= 0;
        enum bw_status status = taken ? BW_OK : id_put(list->child[i], id, d);
        bw_free(id);
        if (status) return status;
        if (taken) continue;
        return bw_names_put(ids, entry_id(list->child[i]), i) || bw_names_put(last, type, k) ? bw_error_memory(d)
                                                                                             : BW_OK;
    }
}

static enum bw_status id_check(const struct bw_node *list, int32_t i, struct bw_names *ids, struct bw_diag *d)
{
    const struct bw_node *id = bw_node_get(entry_inner(list->child[i]), "id");
    if (bw_node_is_null(id)) return BW_OK;
    enum bw_status status = bw_check_word(id, "id", d);
    if (!status) status = bw_name_check(id->text, &id->place, "id", d);
    int32_t first = status ? -1 : bw_names_get(ids, id->text);
    if (status) return status;
    if (first < 0) return bw_names_put(ids, id->text, i) ? bw_error_memory(d) : BW_OK;
    return bw_diag_error(d, &id->place, BW_ERR_PRESET, "id \"%s\" is given twice; the first is in line %d", id->text,
                         (int)entry_inner(list->child[first])->key_place.line);
}

static enum bw_status list_assign_ids(struct bw_node *list, struct bw_diag *d)
{
    struct bw_names ids = {0}, last = {0};
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < list->count; i++) status = bw_first_error(status, entry_normalize(list, i, d));
    for (int32_t i = 0; i < list->count && !status; i++) status = id_check(list, i, &ids, d);
    for (int32_t i = 0; i < list->count && !status; i++) {
        if (bw_node_is_null(bw_node_get(entry_inner(list->child[i]), "id")))
            status = id_default(list, i, &ids, &last, d);
    }
    bw_names_free(&ids);
    bw_names_free(&last);
    return status;
}

enum bw_status bw_preset_assign_ids(struct bw_node *list, struct bw_diag *d)
{
    if (bw_node_is_null(list)) return BW_OK;
    if (list->type != BW_NODE_SEQ)
        return bw_diag_error(d, &list->place, BW_ERR_PRESET, "%s has to be a list: - NAME: {KEY: VALUE, ...}",
                             list->key);
    if (list->count > ENTRIES_MAX)
        return bw_diag_error(d, &list->child[ENTRIES_MAX]->place, BW_ERR_PRESET, "%s has %d entries; %d are the most",
                             list->key, (int)list->count, ENTRIES_MAX);
    return list_assign_ids(list, d);
}

static int node_is_variant(const struct bw_node *n)
{
    return n->type == BW_NODE_MAP && n->count == 1 &&
           (n->child[0]->type == BW_NODE_MAP || bw_node_is_null(n->child[0]));
}

static int node_replaces(const struct bw_node *base, const struct bw_node *over, int in_entry)
{
    if (!base || base->type != BW_NODE_MAP || over->type != BW_NODE_MAP) return 1;
    if (bw_node_get(base, "keys") || bw_node_get(over, "keys")) return 1;
    return in_entry && node_is_variant(base) && node_is_variant(over) &&
           strcmp(base->child[0]->key, over->child[0]->key);
}

/* The place of a merged node is where it was said last; the document goes with the place. */
static void node_relocate(struct bw_node *base, const struct bw_node *over)
{
    bw_node_adopt(base, over->document);
    base->place = over->place;
    base->key_place = over->key_place;
}

/* Lays a copy of `over` over `base`, in place. */
static enum bw_status map_merge(struct bw_node *base, const struct bw_node *over, int in_entry, struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    node_relocate(base, over);
    for (int32_t i = 0; i < over->count && !status; i++) {
        const struct bw_node *n = over->child[i];
        struct bw_node *old = bw_node_get(base, n->key);
        if (!node_replaces(old, n, in_entry)) {
            status = map_merge(old, n, in_entry, d);
            continue;
        }
        struct bw_node *copy = bw_node_copy(n);
        if (!copy || bw_node_put(base, n->key, copy)) status = bw_error_memory(d);
    }
    return status;
}

/* Moves the last entry of `list` next to the one that its before/after names. */
static enum bw_status entry_place(struct bw_node *list, int32_t from, struct bw_diag *d)
{
    struct bw_node *entry = list->child[from], *inner = entry_inner(entry);
    const struct bw_node *before = bw_node_get(inner, "before"), *after = bw_node_get(inner, "after");
    if (bw_node_is_null(before)) before = NULL;
    if (bw_node_is_null(after)) after = NULL;
    if (before && after) return bw_diag_error(d, &after->key_place, BW_ERR_PRESET, "before or after, not both");
    const struct bw_node *mark = before ? before : after;
    if (!mark) return BW_OK;
    enum bw_status status = bw_check_word(mark, mark->key, d);
    if (status) return status;
    int32_t to = entry_index(list, mark->text);
    if (to < 0 || to == from) {
        return bw_diag_error(d, &mark->place, BW_ERR_PRESET, "%s \"%s\": nothing else here has that id", mark->key,
                             mark->text);
    }
    if (after) to++;
    if (to > from) to--;
    int32_t step = to > from ? 1 : -1;
    for (int32_t i = from; i != to; i += step) list->child[i] = list->child[i + step];
    list->child[to] = entry;
    return BW_OK;
}

enum bw_status bw_preset_reorder(struct bw_node *list, struct bw_diag *d)
{
    if (!list || list->type != BW_NODE_SEQ) return BW_OK;
    enum bw_status status = BW_OK;
    int32_t n = list->count;
    struct bw_node **order = n ? bw_calloc((size_t)n * sizeof *order) : NULL;
    if (n && !order) return bw_error_memory(d);
    if (n) memcpy(order, list->child, (size_t)n * sizeof *order);
    for (int32_t i = 0; i < n && !status; i++) {
        int32_t at = 0;
        while (list->child[at] != order[i]) at++;
        status = entry_place(list, at, d);
        if (status) break;
        bw_node_put(entry_inner(order[i]), "before", NULL);
        bw_node_put(entry_inner(order[i]), "after", NULL);
    }
    bw_free(order);
    return status;
}

static enum bw_status entry_merge(struct bw_node *base, const struct bw_node *over, struct bw_diag *d)
{
    struct bw_node *entry = bw_preset_entry(base, entry_id(over));
    const struct bw_node *inner = entry_inner(over);
    if (!entry) {
        struct bw_node *copy = bw_node_copy(over);
        return !copy || bw_node_append(base, copy) ? bw_error_memory(d) : BW_OK;
    }
    if (!strcmp(entry_inner(entry)->key, inner->key)) {
        node_relocate(entry, over);
        return map_merge(entry_inner(entry), inner, 1, d);
    }
    return bw_diag_error(d, &inner->key_place, BW_ERR_PRESET,
                         "\"%s\" has the type %s in the preset that this one extends, not %s", entry_id(over),
                         entry_inner(entry)->key, inner->key);
}

static enum bw_status list_merge(struct bw_node *root, const struct bw_node *over, struct bw_diag *d)
{
    struct bw_node *base = bw_node_get(root, over->key);
    enum bw_status status = BW_OK;
    if (bw_node_is_null(base)) {
        struct bw_node *copy = bw_node_copy(over);
        return !copy || bw_node_put(root, over->key, copy) ? bw_error_memory(d) : BW_OK;
    }
    for (int32_t i = 0; i < over->count && !status; i++) status = entry_merge(base, over->child[i], d);
    return status;
}

static int key_is_list(const char *key) { return !strcmp(key, "stages") || !strcmp(key, "export"); }

enum bw_status bw_preset_merge(struct bw_node *base, const struct bw_node *over, struct bw_diag *d)
{
    bw_node_put(base, "name", NULL);
    bw_node_put(base, "extends", NULL);
    struct bw_node rest = *over; /* the same children without the lists */
    rest.child = over->count ? bw_calloc((size_t)over->count * sizeof *rest.child) : NULL;
    if (over->count && !rest.child) return bw_error_memory(d);
    rest.count = 0;
    rest.index = (struct bw_names){0};
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < over->count && !status; i++) {
        struct bw_node *n = over->child[i];
        if (key_is_list(n->key)) {
            if (!bw_node_is_null(n)) status = list_merge(base, n, d);
        } else if (strcmp(n->key, "extends") != 0) {
            rest.child[rest.count++] = n;
        }
    }
    if (!status) status = map_merge(base, &rest, 0, d);
    bw_free(rest.child);
    return status;
}
