// SPDX-License-Identifier: Apache-2.0
/* `look:` and `camera:` are given once for all exporters of pictures: each inherits the keys that it has parameters for
 * and does not set itself. Exporters of files and movies inherit from `scale:` likewise. */
#include "preset_private.h"

#include "base/alloc.h"
#include <string.h>

static const struct bw_param *row_find(const struct bw_param *rows, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].key && rows[i].type != BW_PARAM_AMOUNTS && !strcmp(rows[i].key, key)) return &rows[i];
    return NULL;
}

const struct bw_param *bw_preset_camera_row(const struct bw_param *rows, uint32_t n)
{
    const struct bw_param *row = row_find(rows, n, "camera");
    return row && row->type == BW_PARAM_GROUP ? row : NULL;
}

static int copy_put(struct bw_node *map, const struct bw_node *entry)
{
    struct bw_node *copy = bw_node_copy(entry);
    return copy && !bw_node_put(map, entry->key, copy);
}

/* Entries of `from` that `to` lacks, whatever they are. */
static int entries_put(struct bw_node *to, const struct bw_node *from)
{
    for (int32_t i = 0; i < from->count; i++)
        if (!bw_node_get(to, from->child[i]->key) && !copy_put(to, from->child[i])) return 0;
    return 1;
}

/* The same of those that have a row, of groups their entries. */
static int missing_put(struct bw_node *to, const struct bw_node *from, const struct bw_param *rows, uint32_t n)
{
    for (int32_t i = 0; i < from->count; i++) {
        const struct bw_node *entry = from->child[i];
        const struct bw_param *row = row_find(rows, n, entry->key);
        struct bw_node *own = bw_node_get(to, entry->key);
        const int both = own && own->type == BW_NODE_MAP && entry->type == BW_NODE_MAP;
        if (!row || (own && !(both && row->type == BW_PARAM_GROUP))) continue;
        if (own ? !entries_put(own, entry) : !copy_put(to, entry)) return 0;
    }
    return 1;
}

static int camera_put(struct bw_node *map, const struct bw_node *camera)
{
    struct bw_node *own = bw_node_get(map, "camera");
    if (bw_node_is_null(own)) return copy_put(map, camera);
    return own->type != BW_NODE_MAP || entries_put(own, camera); // what else it is, its reader says
}

static const struct bw_node *section(const struct bw_preset *p, const char *key)
{
    const struct bw_node *n = bw_node_get(p->root, key);
    return bw_node_is_null(n) ? NULL : n;
}

/* Inherit `larger` (files) and `fps` (movies) from `scale:`. */
static int scale_put(const struct bw_preset *p, struct bw_node *map, const struct bw_param *rows, uint32_t n)
{
    const struct {
        const char *key;
        double value;
    } said[] = {{"larger", p->scaled.scale}, {"fps", p->scaled.played}};
    for (uint32_t i = 0; i < BW_COUNT(said); i++) {
        if (!row_find(rows, n, said[i].key) || bw_node_get(map, said[i].key)) continue;
        char *text = bw_printf("%.17g", said[i].value);
        struct bw_node *number = text ? bw_node_new(BW_NODE_SCALAR, text) : NULL;
        bw_free(text);
        if (!number || bw_node_put(map, said[i].key, number)) return 0;
    }
    return 1;
}

enum bw_status bw_preset_inherit_look(const struct bw_preset *p, const struct bw_node *own,
                                      const struct bw_table *table, struct bw_node **map)
{
    const struct bw_param *rows = table->rows;
    const uint32_t n = table->n;
    const struct bw_node *look = table->pictures ? section(p, "look") : NULL,
                         *camera = bw_preset_camera_row(rows, n) ? section(p, "camera") : NULL;
    *map = NULL;
    if ((!look && !camera && !(p->scaled.scale > 0)) || (own && own->type != BW_NODE_MAP)) return BW_OK;
    *map = own ? bw_node_copy(own) : bw_node_new(BW_NODE_MAP, NULL);
    int good = *map && (!look || missing_put(*map, look, rows, n)) && (!camera || camera_put(*map, camera)) &&
               (!(p->scaled.scale > 0) || scale_put(p, *map, rows, n));
    if (good) return BW_OK;
    bw_node_free(*map);
    *map = NULL;
    return BW_ERR_MEMORY;
}

static int key_known(const char *key, const struct bw_table *table, uint32_t n)
{
    for (uint32_t t = 0; t < n; t++)
        if (row_find(table[t].rows, table[t].n, key)) return 1;
    return 0;
}

static void key_unknown(const struct bw_node *entry, const struct bw_table *table, uint32_t n, struct bw_diag *d)
{
    const char *words[256];
    uint32_t n_words = 0;
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t i = 0; bw_preset_camera_row(table[t].rows, table[t].n) && i < table[t].n && n_words < 256; i++)
            words[n_words++] = table[t].rows[i].key;
    const char *near = n_words ? bw_did_you_mean(entry->key, words, n_words) : NULL;
    if (n_words) // without an exporter of pictures nobody reads it
        bw_diag_error(d, &entry->key_place, BW_ERR_PRESET,
                      near ? "look: unknown key \"%s\"; did you mean \"%s\"?" : "look: unknown key \"%s\"", entry->key,
                      near);
}

enum bw_status bw_preset_check_look(const struct bw_preset *p, const struct bw_table *table, uint32_t n,
                                    struct bw_diag *d)
{
    const struct bw_node *look = section(p, "look");
    for (int32_t i = 0; look && i < look->count; i++)
        if (!key_known(look->child[i]->key, table, n)) key_unknown(look->child[i], table, n, d);
    return d->status;
}

enum bw_status bw_preset_check_look_form(const struct bw_preset *p, struct bw_diag *d)
{
    static const char *const keys[] = {"look", "camera"};
    for (uint32_t i = 0; i < BW_COUNT(keys); i++) {
        const struct bw_node *n = section(p, keys[i]);
        if (n && n->type != BW_NODE_MAP)
            bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s has to be a map {KEY: VALUE, ...}", keys[i]);
    }
    return d->status;
}
