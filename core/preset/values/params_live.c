// SPDX-License-Identifier: Apache-2.0
/* Values of a set that runs are exchanged for those of another set of the same rows. What may change with time may
 * change so: stages read it anew before each step. All else stays, for a stage may have read it in its init: words,
 * texts, switches, numbers of items, and whatever is or lies in a row with BW_PARAM_STATIC. */
#include "params_private.h"

#include <stdio.h>
#include <string.h>

/// Two sets side by side, and where they are: "shape.sphere.radius".
struct walk {
    char key[160];
    int take; ///< 1: exchange what may change; 0: compare what may not
};

static int values_walk(struct walk *w, struct bw_values *a, struct bw_values *b, int fixed);

static int is_number(const struct bw_value *v)
{
    switch (v->row.type) {
    case BW_PARAM_INT:
    case BW_PARAM_F64:
    case BW_PARAM_VEC3:
    case BW_PARAM_COLOUR: return 1;
    default: return 0;
    }
}

/// Of numbers that do not change with time.
static int numbers_equal(const struct bw_value *a, const struct bw_value *b)
{
    if (a->number != b->number || a->curve.comps != b->curve.comps) return 0;
    for (int32_t c = 0; c < a->curve.comps; c++) {
        const struct bw_channel *x = &a->curve.channel[c], *y = &b->curve.channel[c];
        if (x->n_keys || y->n_keys || x->expression || y->expression || x->value != y->value) return 0;
    }
    return 1;
}

static void curves_exchange(struct bw_value *a, struct bw_value *b)
{
    const struct bw_curve curve = a->curve;
    const int64_t number = a->number;
    a->curve = b->curve;
    a->number = b->number;
    b->curve = curve;
    b->number = number;
}

/// A number that is found by the stage ("auto") stays one.
static int number_walk(const struct walk *w, struct bw_value *a, struct bw_value *b, int fixed)
{
    if (fixed) return w->take || numbers_equal(a, b);
    if (w->take) curves_exchange(a, b);
    return w->take || !a->curve.comps == !b->curve.comps;
}

/// The same fields in the same order; their names stay, for stages may hold them.
static int amounts_walk(struct walk *w, struct bw_values *a, struct bw_values *b, int fixed)
{
    if (a->count != b->count) return 0;
    for (int32_t i = 0; i < a->count; i++) {
        struct bw_value *x = &a->value[i], *y = &b->value[i];
        if (!w->take && (!x->node || !y->node || strcmp(x->node->key, y->node->key) != 0)) return 0;
        if (!number_walk(w, x, y, fixed)) return 0;
    }
    return 1;
}

static int keys_equal(const struct bw_value *a, const struct bw_value *b, int32_t i)
{
    return a->row.type != BW_PARAM_MAP || bw_text_equal(a->node->child[i]->key, b->node->child[i]->key);
}

/// A group, a variant, a list or a map.
static int sets_walk(struct walk *w, struct bw_value *a, struct bw_value *b, int fixed)
{
    if (a->n_sets != b->n_sets || a->number != b->number) return 0;
    for (int32_t i = 0; i < a->n_sets; i++)
        if (!keys_equal(a, b, i) || !values_walk(w, &a->set[i], &b->set[i], fixed)) return 0;
    return 1;
}

static int value_walk(struct walk *w, struct bw_value *a, struct bw_value *b, int fixed)
{
    fixed |= (a->row.flags & BW_PARAM_STATIC) != 0;
    if (is_number(a)) return number_walk(w, a, b, fixed);
    switch (a->row.type) {
    case BW_PARAM_AMOUNTS: return amounts_walk(w, a->set, b->set, fixed);
    case BW_PARAM_GROUP:
    case BW_PARAM_VARIANT:
    case BW_PARAM_LIST:
    case BW_PARAM_MAP: return sets_walk(w, a, b, fixed);
    case BW_PARAM_FRAMES: return a->frames.first == b->frames.first && a->frames.last == b->frames.last;
    case BW_PARAM_BOOL:
    case BW_PARAM_CHOICE: return a->number == b->number;
    default: return bw_text_equal(a->text, b->text);
    }
}

/// 0: w->key is the key of what may not change.
static int values_walk(struct walk *w, struct bw_values *a, struct bw_values *b, int fixed)
{
    const size_t length = strlen(w->key);
    for (int32_t i = 0; i < a->count; i++) {
        const char *key = a->value[i].row.key;
        const char *name = a->value[i].row.type == BW_PARAM_AMOUNTS ? "fields" : key ? key : "items";
        snprintf(w->key + length, sizeof w->key - length, "%s%s", length ? "." : "", name);
        if (!bw_text_equal(key, b->value[i].row.key) || !value_walk(w, &a->value[i], &b->value[i], fixed)) return 0;
        w->key[length] = '\0';
    }
    return 1;
}

int bw_params_may_exchange(struct bw_params *now, struct bw_params *next, char *key, size_t size)
{
    struct walk w = {.take = 0};
    const int may = now->values.count == next->values.count && values_walk(&w, &now->values, &next->values, 0);
    snprintf(key, size, "%s", may ? "" : w.key);
    return may;
}

void bw_params_exchange(struct bw_params *now, struct bw_params *next)
{
    struct walk w = {.take = 1};
    const int32_t animated = now->animated;
    values_walk(&w, &now->values, &next->values, 0);
    now->animated = next->animated;
    next->animated = animated;
}
