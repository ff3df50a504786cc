// SPDX-License-Identifier: Apache-2.0
/* Differences between two resolved presets, by the paths of --set: "domain.voxel: 0.02 → 0.01". */
#include "record.h"

#include <stdlib.h>
#include <string.h>

struct preset_diff {
    FILE *f;
    int32_t found, max;
};

/* Entries of `stages` and `export` are maps with one key, the type; their own `id` names them where there is one. */
static const char *entry_label(const struct bw_node *item, const struct bw_node **body)
{
    *body = item;
    if (item->type != BW_NODE_MAP || item->count != 1 || !item->child[0]->key) return NULL;
    *body = item->child[0];
    const struct bw_node *id = (*body)->type == BW_NODE_MAP ? bw_node_get(*body, "id") : NULL;
    return id && id->text ? id->text : item->child[0]->key;
}

static const char *scalar_text(const struct bw_node *n) { return n->text ? n->text : ""; }

static void value_text(const struct bw_node *n, char out[60])
{
    char part[32];
    size_t used = 1;
    if (!n) snprintf(out, 60, "(nothing)");
    else if (n->type == BW_NODE_SCALAR) snprintf(out, 60, "%.56s", scalar_text(n));
    else if (n->type == BW_NODE_MAP) snprintf(out, 60, "{…}");
    else {
        out[0] = '[';
        for (int32_t i = 0; i < n->count && used < 34; i++) {
            const char *text = n->child[i]->type == BW_NODE_SCALAR && n->child[i]->text ? n->child[i]->text : "…";
            int w = snprintf(part, sizeof part, "%s%.20s", i ? ", " : "", text);
            memcpy(out + used, part, (size_t)w + 1);
            used += (size_t)w;
        }
        memcpy(out + used, "]", 2);
    }
}

static void preset_diff_add(struct preset_diff *d, const char *path, const struct bw_node *a, const struct bw_node *b)
{
    char before[60], after[60];
    if (d->found++ >= d->max) return;
    value_text(a, before);
    value_text(b, after);
    fprintf(d->f, "  %s: %s → %s\n", path, before, after);
}

/* Of file paths only the base name counts, so that a project can be moved; of frames only the first. */
static int values_same(const char *path, const struct bw_node *a, const struct bw_node *b)
{
    const char *x = scalar_text(a), *y = scalar_text(b);
    if (!strcmp(x, y)) return 1;
    if (!strcmp(path, "time.frames")) return strtoll(x, NULL, 10) == strtoll(y, NULL, 10);
    return (*x == '/' || *y == '/') && !strcmp(file_base(x), file_base(y));
}

/* Number of frames, limits and checkpoints may differ between equal bakes. */
static int path_is_compared(const char *path)
{
    static const char *const free[] = {"limits", "checkpoints", "time.write"};
    for (size_t i = 0; i < BW_COUNT(free); i++)
        if (!strcmp(path, free[i])) return 0;
    return 1;
}

static int scalars_only(const struct bw_node *n)
{
    for (int32_t i = 0; i < n->count; i++) {
        if (n->child[i]->type != BW_NODE_SCALAR) return 0;
    }
    return 1;
}

static void nodes_diff(struct preset_diff *d, const char *path, const struct bw_node *a, const struct bw_node *b);

static const struct bw_node *item_find(const struct bw_node *list, const char *label, int32_t index)
{
    const struct bw_node *body;
    for (int32_t i = 0; label && i < list->count; i++) {
        const char *other = entry_label(list->child[i], &body);
        if (other && !strcmp(other, label)) return body;
    }
    return !label && index < list->count ? list->child[index] : NULL;
}

/* Everything in `from` that `to` has too is compared once, by the first of the two passes. */
static void children_diff(struct preset_diff *d, const char *path, const struct bw_node *from, const struct bw_node *to,
                          int second)
{
    for (int32_t i = 0; i < from->count; i++) {
        const struct bw_node *body = from->child[i], *other;
        const char *label = body->key;
        char below[256], number[16];
        if (from->type == BW_NODE_SEQ) {
            label = entry_label(from->child[i], &body);
            other = item_find(to, label, i);
        } else {
            other = bw_node_get(to, label);
        }
        snprintf(number, sizeof number, "%d", (int)i + 1);
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", label ? label : number);
        if (!second) nodes_diff(d, below, body, other);
        else if (!other) nodes_diff(d, below, NULL, body);
    }
}

static void nodes_diff(struct preset_diff *d, const char *path, const struct bw_node *a, const struct bw_node *b)
{
    if ((!a && !b) || !path_is_compared(path)) return;
    if (!a || !b || a->type != b->type) {
        preset_diff_add(d, path, a, b);
    } else if (a->type == BW_NODE_SCALAR) {
        if (!values_same(path, a, b)) preset_diff_add(d, path, a, b);
    } else if (a->type == BW_NODE_SEQ && scalars_only(a) && scalars_only(b)) {
        int same = a->count == b->count;
        for (int32_t i = 0; same && i < a->count; i++)
            same = !strcmp(scalar_text(a->child[i]), scalar_text(b->child[i]));
        if (!same) preset_diff_add(d, path, a, b);
    } else {
        children_diff(d, path, a, b, 0);
        children_diff(d, path, b, a, 1);
    }
}

int32_t preset_diff_print(FILE *f, const struct bw_node *before, const struct bw_node *after, int32_t max)
{
    struct preset_diff d = {f, 0, max};
    nodes_diff(&d, "", before, after);
    if (d.found > max) fprintf(f, "  … and %d more\n", (int)(d.found - max));
    return d.found;
}
