// SPDX-License-Identifier: Apache-2.0
/* A compiled set at a time: fills the stage's struct, and writes the set back as a preset would say it. */
#include "params_private.h"

#include "base/alloc.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One evaluation: when, into which slot, and where mistakes go. */
struct moment {
    struct bw_params *params;
    struct bw_diag *diag;
    double t, frame;
    uint32_t slot;
};

static enum bw_status values_fill(struct moment *m, struct bw_values *values, char *dst);

static enum bw_status moment_memory(const struct moment *m)
{
    return bw_diag_error(m->diag, NULL, BW_ERR_MEMORY, "%s: out of memory", m->params->owner);
}

static enum bw_status curve_fill(struct moment *m, struct bw_value *v, double out[3])
{
    char why[200];
    for (int32_t c = 0; c < v->curve.comps; c++) {
        out[c] = bw_curve_eval(&v->curve, c, m->slot, m->t, m->frame);
        const char *wrong = bw_row_range(&v->row, out[c], why, sizeof why);
        if (!wrong) continue;
        return bw_diag_error(m->diag, v->node ? &v->node->place : NULL, BW_ERR_PRESET, "%s: %s at frame %.6g: %s",
                             m->params->owner, v->row.key, m->frame, wrong);
    }
    return BW_OK;
}

/* Items of a list or amounts in the slot's own storage, zeroed. */
static enum bw_status storage_get(struct moment *m, struct bw_value *v, int64_t count, size_t bytes, char *dst,
                                  char **items)
{
    struct bw_list list = {NULL, count};
    *items = NULL;
    if (count) {
        if (!v->storage[m->slot]) v->storage[m->slot] = bw_calloc((size_t)count * bytes);
        if (!v->storage[m->slot]) return moment_memory(m);
        *items = v->storage[m->slot];
        memset(*items, 0, (size_t)count * bytes);
        list.items = *items;
    }
    memcpy(dst, &list, sizeof list);
    return BW_OK;
}

/* Of a list or a map; an item of a map begins with its name. */
static enum bw_status list_fill(struct moment *m, struct bw_value *v, char *dst)
{
    char *items;
    enum bw_status status = storage_get(m, v, v->n_sets, v->row.sub_size, dst, &items);
    for (int32_t i = 0; i < v->n_sets && !status; i++) {
        char *item = items + (size_t)i * v->row.sub_size;
        status = values_fill(m, &v->set[i], item);
        if (v->row.type == BW_PARAM_MAP) memcpy(item, &v->node->child[i]->key, sizeof(const char *));
    }
    return status;
}

static enum bw_status amounts_fill(struct moment *m, struct bw_value *v, char *dst)
{
    char *items;
    enum bw_status status = storage_get(m, v, v->set->count, sizeof(struct bw_amount), dst, &items);
    for (int32_t i = 0; i < v->set->count && !status; i++) {
        struct bw_value *given = &v->set->value[i];
        struct bw_amount a = {.field = given->node->key, .comps = given->curve.comps, .rate = given->curve.rate};
        status = curve_fill(m, given, a.value);
        if (a.comps == 1) a.value[1] = a.value[2] = a.value[0];
        memcpy(items + (size_t)i * sizeof a, &a, sizeof a);
    }
    return status;
}

static enum bw_status variant_fill(struct moment *m, struct bw_value *v, char *dst)
{
    enum bw_status status = v->n_sets ? values_fill(m, v->set, dst) : BW_OK;
    int32_t index = (int32_t)v->number;
    memcpy(dst, &index, sizeof index);
    return status;
}

static enum bw_status number_fill(struct moment *m, struct bw_value *v, char *dst)
{
    double x[3] = {v->row.flags & BW_PARAM_AUTO && !v->curve.comps ? NAN : 0};
    enum bw_status status = v->curve.comps ? curve_fill(m, v, x) : BW_OK;
    if (v->curve.comps == 1 && v->row.flags & BW_PARAM_SPREAD) x[1] = x[2] = x[0];
    if (v->row.type == BW_PARAM_INT) {
        const struct bw_channel *c = &v->curve.channel[0];
        int moves = c->n_keys || c->expression;
        int64_t whole = !moves ? v->number : fabs(x[0]) < 9e18 ? (int64_t)llround(x[0]) : 0;
        memcpy(dst, &whole, sizeof whole);
    } else {
        memcpy(dst, x, bw_row_bytes(&v->row));
    }
    return status;
}

static enum bw_status value_fill(struct moment *m, struct bw_value *v, char *dst)
{
    int32_t word = (int32_t)v->number;
    switch (v->row.type) {
    case BW_PARAM_BOOL:
    case BW_PARAM_CHOICE: memcpy(dst, &word, sizeof word); return BW_OK;
    case BW_PARAM_INT:
    case BW_PARAM_F64:
    case BW_PARAM_VEC3:
    case BW_PARAM_COLOUR: return number_fill(m, v, dst);
    case BW_PARAM_FRAMES: memcpy(dst, &v->frames, sizeof v->frames); return BW_OK;
    case BW_PARAM_MAP:
    case BW_PARAM_LIST: return list_fill(m, v, dst);
    case BW_PARAM_AMOUNTS: return amounts_fill(m, v, dst);
    case BW_PARAM_GROUP: return v->n_sets ? values_fill(m, v->set, dst) : BW_OK;
    case BW_PARAM_VARIANT: return variant_fill(m, v, dst);
    default: memcpy(dst, &v->text, sizeof v->text); return BW_OK;
    }
}

static enum bw_status values_fill(struct moment *m, struct bw_values *values, char *dst)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < values->count; i++) {
        enum bw_status one = value_fill(m, &values->value[i], dst + values->value[i].row.offset);
        if (!status) status = one;
    }
    return status;
}

enum bw_status bw_params_eval(struct bw_params *p, double t, uint32_t slot, void *dst, struct bw_diag *d)
{
    if (slot >= BW_SLOTS) return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s: no evaluation slot %u", p->owner, slot);
    struct moment m = {p, d, t, (double)p->context.first + t * p->context.fps, slot};
    memset(dst, 0, p->struct_size);
    return values_fill(&m, &p->values, dst);
}

static struct bw_node *values_write(const struct bw_values *values, struct bw_node *map);

/* Hands `n` to `map` under `key`; frees all and answers NULL when that fails. */
static struct bw_node *map_with(struct bw_node *map, const char *key, struct bw_node *n)
{
    if (map && n && bw_node_put(map, key, n) == BW_OK) return map;
    if (!map) bw_node_free(n);
    bw_node_free(map);
    return NULL;
}

/* An item of a list or map; of a plain one just its value. */
static struct bw_node *item_write(const struct bw_value *v, const struct bw_values *set)
{
    struct bw_node *item = values_write(set, bw_node_new(BW_NODE_MAP, NULL));
    int plain = set->count == 1 && set->value[0].row.key == v->row.key;
    if (!item || !plain) return item;
    struct bw_node *inner = item->count ? bw_node_copy(item->child[0]) : bw_node_new(BW_NODE_SCALAR, "null");
    bw_node_free(item);
    return inner;
}

static struct bw_node *items_write(const struct bw_value *v)
{
    int map = v->row.type == BW_PARAM_MAP;
    if (v->node->type == BW_NODE_SCALAR && !v->n_sets) return bw_node_copy(v->node); /* a word in its place */
    struct bw_node *all = bw_node_new(map ? BW_NODE_MAP : BW_NODE_SEQ, NULL);
    for (int32_t i = 0; all && i < v->n_sets; i++) {
        struct bw_node *item = item_write(v, &v->set[i]);
        if (map) {
            all = map_with(all, v->node->child[i]->key, item);
        } else if (bw_node_append(all, item) != BW_OK) {
            bw_node_free(all);
            all = NULL;
        }
    }
    return all;
}

static struct bw_node *path_write(const struct bw_value *v)
{
    struct bw_node *n = bw_node_new(BW_NODE_SCALAR, v->text);
    if (n) n->quoted = 1;
    return n;
}

/* NULL: out of memory. */
static struct bw_node *value_write(const struct bw_value *v)
{
    struct bw_node *map = NULL;
    switch (v->row.type) {
    case BW_PARAM_GROUP: return values_write(v->set, bw_node_new(BW_NODE_MAP, NULL));
    case BW_PARAM_VARIANT:
        map = values_write(v->set, bw_node_new(BW_NODE_MAP, NULL));
        if (!map || map->count) return map;
        return map_with(map, v->set->value[0].row.key, bw_node_new(BW_NODE_MAP, NULL));
    case BW_PARAM_MAP:
    case BW_PARAM_LIST: return items_write(v);
    case BW_PARAM_PATH: return path_write(v);
    default: return bw_node_copy(v->node);
    }
}

static int value_is_absent(const struct bw_value *v) { return v->row.type == BW_PARAM_GROUP ? !v->n_sets : !v->node; }

static struct bw_node *values_write(const struct bw_values *values, struct bw_node *map)
{
    for (int32_t i = 0; map && i < values->count; i++) {
        const struct bw_value *v = &values->value[i];
        if (v->row.type == BW_PARAM_AMOUNTS && v->set) {
            map = values_write(v->set, map);
        } else if (!value_is_absent(v)) {
            map = map_with(map, v->row.key, value_write(v));
        }
    }
    return map;
}

struct bw_node *bw_params_resolved(const struct bw_params *p)
{
    return values_write(&p->values, bw_node_new(BW_NODE_MAP, NULL));
}
