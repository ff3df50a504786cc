// SPDX-License-Identifier: Apache-2.0
/* Built from above: a node is cut where, of 16 places along the longest side of its boxes' middles, the surface area
 * heuristic (Goldsmith and Salmon 1987; bins after Wald 2007) says that rays have least to do. */
#include "bvh.h"

#include <string.h>

enum { BINS = 16 };

struct making {
    const struct bw_bounds *box;
    struct bw_bvh *t;
};

static float middle(const struct bw_bounds *b, int a) { return 0.5f * (b->lo[a] + b->hi[a]); }

static float area(const struct bw_bounds *b)
{
    float e[3];
    for (int a = 0; a < 3; a++) e[a] = bw_most(b->hi[a] - b->lo[a], 0);
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

struct bin {
    struct bw_bounds box;
    int32_t n;
};

/// Along an axis, from `lo`, `per` bins a unit.
struct cut {
    int axis, place; ///< items in bins below `place` go left
    float lo, per;
};

static int bin_of(const struct cut *c, const struct bw_bounds *b)
{
    const int i = (int)((middle(b, c->axis) - c->lo) * c->per);
    return i < 0 ? 0 : i < BINS ? i : BINS - 1;
}

/// The best place to cut a node; 0: its items all have the same middle.
static int cut_choose(const struct making *m, const struct bw_bvh_node *node, struct cut *c)
{
    struct bw_bounds all = BW_BOX_NONE;
    const int32_t *item = m->t->item + node->first;
    for (int32_t i = 0; i < node->count; i++)
        for (int a = 0; a < 3; a++) {
            const float x = middle(&m->box[item[i]], a);
            all.lo[a] = bw_least(all.lo[a], x), all.hi[a] = bw_most(all.hi[a], x);
        }
    c->axis = 0;
    for (int a = 1; a < 3; a++)
        if (all.hi[a] - all.lo[a] > all.hi[c->axis] - all.lo[c->axis]) c->axis = a;
    const float wide = all.hi[c->axis] - all.lo[c->axis];
    c->lo = all.lo[c->axis], c->per = BINS / wide;
    if (!(wide > 0) || !(c->per < 1e30f)) return 0;
    struct bin bin[BINS];
    for (int b = 0; b < BINS; b++) bin[b] = (struct bin){BW_BOX_NONE, 0};
    for (int32_t i = 0; i < node->count; i++) {
        struct bin *to = &bin[bin_of(c, &m->box[item[i]])];
        bw_box_add(&to->box, &m->box[item[i]]), to->n++;
    }
    float right[BINS], best = INFINITY;
    struct bin sum = {BW_BOX_NONE, 0};
    for (int b = BINS - 1; b > 0; b--) {
        bw_box_add(&sum.box, &bin[b].box), sum.n += bin[b].n;
        right[b] = sum.n ? area(&sum.box) * (float)sum.n : INFINITY;
    }
    sum = (struct bin){BW_BOX_NONE, 0};
    for (int b = 1; b < BINS; b++) {
        bw_box_add(&sum.box, &bin[b - 1].box), sum.n += bin[b - 1].n;
        const float cost = sum.n ? area(&sum.box) * (float)sum.n + right[b] : INFINITY;
        if (cost < best) best = cost, c->place = b;
    }
    return best < INFINITY;
}

/// Items in front of the cut to the front; answers how many.
static int32_t cut_make(const struct making *m, const struct bw_bvh_node *node, const struct cut *c)
{
    int32_t *item = m->t->item + node->first, left = 0;
    for (int32_t i = 0; i < node->count; i++) {
        const int32_t it = item[i];
        if (bin_of(c, &m->box[it]) >= c->place) continue;
        item[i] = item[left];
        item[left++] = it;
    }
    return left;
}

static void node_set(const struct making *m, int32_t n, int32_t first, int32_t count)
{
    struct bw_bvh_node *node = &m->t->node[n];
    *node = (struct bw_bvh_node){BW_BOX_NONE, first, count};
    for (int32_t i = 0; i < count; i++) bw_box_add(&node->box, &m->box[m->t->item[first + i]]);
}

/// Cut the root and all below it. The larger half waits: so no more wait than n has bits.
static void root_divide(const struct making *m)
{
    struct {
        int32_t node, deep;
    } wait[BW_BVH_DEEP];
    int n = 0;
    wait[n].node = wait[n].deep = 0, n++;
    while (n > 0) {
        const int32_t deep = wait[--n].deep + 1;
        struct bw_bvh_node *node = &m->t->node[wait[n].node];
        struct cut c;
        if (node->count <= BW_BVH_LEAF || deep > BW_BVH_DEEP - 2 || !cut_choose(m, node, &c)) continue;
        const int32_t left = cut_make(m, node, &c), first = node->first, count = node->count, at = m->t->n_nodes;
        if (left == 0 || left == count) continue;
        m->t->n_nodes += 2;
        node_set(m, at, first, left);
        node_set(m, at + 1, first + left, count - left);
        node->first = at, node->count = 0;
        const int larger = left < count - left;
        wait[n].node = at + larger, wait[n++].deep = deep;
        wait[n].node = at + !larger, wait[n++].deep = deep;
    }
}

enum bw_status bw_bvh_build(const struct bw_tools *tools, const struct bw_bounds *box, int32_t n, struct bw_bvh *t)
{
    const struct making m = {box, t};
    memset(t, 0, sizeof *t);
    if (n <= 0) return BW_OK;
    t->item = tools->alloc(tools->ctx, (size_t)n * sizeof *t->item);
    t->node = tools->alloc(tools->ctx, 2 * (size_t)n * sizeof *t->node);
    if (!t->item || !t->node) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < n; i++) t->item[i] = i;
    t->n = n, t->n_nodes = 1;
    node_set(&m, 0, 0, n);
    root_divide(&m);
    return BW_OK;
}

void bw_bvh_free(const struct bw_tools *tools, struct bw_bvh *t)
{
    if (t->item) tools->release(tools->ctx, t->item);
    if (t->node) tools->release(tools->ctx, t->node);
    memset(t, 0, sizeof *t);
}
