// SPDX-License-Identifier: Apache-2.0
/* Small readers that the preset's sections share: a word, a number with a unit, a whole number, a choice. */
#include "preset_private.h"

#include "preset/values/params_private.h"
#include <math.h>
#include <string.h>

enum bw_status bw_first(enum bw_status a, enum bw_status b) { return a ? a : b; }

enum bw_status bw_read_memory(struct bw_diag *d)
{
    return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory while reading the preset");
}

static enum bw_status read_wrong(const struct bw_node *n, const char *what, const char *wanted, struct bw_diag *d)
{
    char buffer[64];
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s wants %s, not %s", what, wanted, bw_node_describe(n, buffer));
}

enum bw_status bw_read_words(const struct bw_node *map, const char *const *words, uint32_t n, const char *what,
                             struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < map->count; i++) {
        const struct bw_node *c = map->child[i];
        uint32_t w = 0;
        while (w < n && strcmp(words[w], c->key) != 0) w++;
        if (w < n) continue;
        const char *near = bw_did_you_mean(c->key, words, n);
        enum bw_status one = near
                                 ? bw_diag_error(d, &c->key_place, BW_ERR_PRESET,
                                                 "%s has no key \"%s\"; did you mean \"%s\"?", what, c->key, near)
                                 : bw_diag_error(d, &c->key_place, BW_ERR_PRESET, "%s has no key \"%s\"", what, c->key);
        status = bw_first(status, one);
    }
    return status;
}

enum bw_status bw_read_map(const struct bw_node **n, const char *what, struct bw_diag *d)
{
    if (bw_node_is_null(*n)) *n = NULL;
    return !*n || (*n)->type == BW_NODE_MAP ? BW_OK : read_wrong(*n, what, "a map {KEY: VALUE, ...}", d);
}

enum bw_status bw_read_number(const struct bw_node *n, const char *what, const char *unit, double *value,
                              struct bw_diag *d)
{
    if (bw_node_is_null(n)) return BW_OK;
    char why[200];
    const char *rest;
    double number;
    if (n->type != BW_NODE_SCALAR || bw_quantity_split(n->text, &number, &rest))
        return read_wrong(n, what, "a number", d);
    if (!bw_parse_quantity(n->text, unit, value, NULL, why, sizeof why)) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s: %s", what, why);
}

enum bw_status bw_read_whole(const struct bw_node *n, const char *what, int64_t low, int64_t high, int64_t *value,
                             struct bw_diag *d)
{
    if (bw_node_is_null(n)) return BW_OK;
    double number = 0;
    enum bw_status status = bw_read_number(n, what, NULL, &number, d);
    if (status) return status;
    if (number != floor(number)) return read_wrong(n, what, "a whole number", d);
    if (number < (double)low || number > (double)high) {
        return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s is %.15g; it has to lie between %lld and %lld", what,
                             number, (long long)low, (long long)high);
    }
    *value = (int64_t)number;
    return BW_OK;
}

enum bw_status bw_read_numbers(const struct bw_node *n, const char *what, const char *unit, int32_t count,
                               double *value, struct bw_diag *d)
{
    if (n->type != BW_NODE_SEQ || n->count != count) {
        return read_wrong(n, what, count == 2 ? "two numbers [x, y]" : "three numbers [x, y, z]", d);
    }
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < count; i++) {
        if (bw_node_is_null(n->child[i])) status = bw_first(status, read_wrong(n->child[i], what, "a number", d));
        status = bw_first(status, bw_read_number(n->child[i], what, unit, &value[i], d));
    }
    return status;
}

enum bw_status bw_read_bool(const struct bw_node *n, const char *what, int32_t *value, struct bw_diag *d)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    if (bw_node_is_null(n)) return BW_OK;
    for (int32_t i = 0; n->type == BW_NODE_SCALAR && i < 8; i++) {
        if (strcmp(n->text, words[i])) continue;
        *value = i % 2;
        return BW_OK;
    }
    return read_wrong(n, what, "true or false", d);
}

enum bw_status bw_read_choice(const struct bw_node *n, const char *what, const char *const *words, uint32_t count,
                              int32_t *value, struct bw_diag *d)
{
    if (bw_node_is_null(n)) return BW_OK;
    if (n->type != BW_NODE_SCALAR) return read_wrong(n, what, "a word", d);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(n->text, words[i])) continue;
        *value = (int32_t)i;
        return BW_OK;
    }
    const char *near = bw_did_you_mean(n->text, words, count);
    if (near) {
        return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s can't be \"%s\"; did you mean \"%s\"?", what, n->text,
                             near);
    }
    char list[300] = "";
    for (uint32_t i = 0; i < count; i++) {
        size_t have = strlen(list);
        snprintf(list + have, sizeof list - have, "%s%s", i ? ", " : "", words[i]);
    }
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s can't be \"%s\"; it is one of %s", what, n->text, list);
}

enum bw_status bw_read_word(const struct bw_node *n, const char *what, struct bw_diag *d)
{
    return n->type == BW_NODE_SCALAR && n->text[0] ? BW_OK : read_wrong(n, what, "a name", d);
}
