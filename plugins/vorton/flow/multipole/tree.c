// SPDX-License-Identifier: Apache-2.0
/* Octrees by sorting. Points get the number of their cell on a Morton curve of 2^20 cells a side (Warren & Salmon
 * 1993), a stable radix sort orders them, and every node is a range of that order. Nodes with one child only are
 * skipped, boxes are shrunk to the points. Points that lie closer together than the curve's cells share a leaf, however
 * many they are. */
#include "tree.h"
#include <math.h>
#include <string.h>

void *buffer_need(struct bw_stage *s, struct buffer *b, size_t bytes)
{
    if (b->at && b->bytes >= bytes) return b->at;
    size_t grown = bytes + bytes / 4 + 4096;
    s->host->release(s, b->at);
    b->at = s->host->alloc(s, grown);
    b->bytes = b->at ? grown : 0;
    return b->at;
}

struct item {
    uint64_t key;
    int64_t from;
};

enum { CHUNK = 1 << 14, DIGIT = 11, DIGITS = 1 << DIGIT };

struct build {
    struct tree *t;
    const bw_vec3 *pos;
    struct item *item, *other;
    double (*box)[6]; ///< of each chunk: lowest, highest
    int flat;
};

static int64_t chunks_of(int64_t n) { return (n + CHUNK - 1) / CHUNK; }
static int64_t chunk_end(int64_t c, int64_t n) { return (c + 1) * CHUNK < n ? (c + 1) * CHUNK : n; }

static void chunk_box(int64_t c, uint32_t worker, void *user)
{
    struct build *b = user;
    double *box = b->box[c];
    (void)worker;
    for (int a = 0; a < 3; a++) box[a] = HUGE_VAL, box[3 + a] = -HUGE_VAL;
    for (int64_t i = c * CHUNK; i < chunk_end(c, b->t->count); i++)
        for (int a = 0; a < 3; a++) {
            box[a] = fmin(box[a], b->pos[i][a]);
            box[3 + a] = fmax(box[3 + a], b->pos[i][a]);
        }
}

static void place_choose(struct build *b, double unit)
{
    struct tree *t = b->t;
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, edge = 0;
    for (int64_t c = 0; c < chunks_of(t->count); c++)
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], b->box[c][a]);
            hi[a] = fmax(hi[a], b->box[c][3 + a]);
        }
    for (int a = 0; a < 3; a++) {
        t->centre[a] = 0.5 * (lo[a] + hi[a]);
        edge = fmax(edge, hi[a] - lo[a]);
    }
    t->edge = edge > 0 ? edge : 1;
    t->scale = 1 / unit;
}

/// Spread 21 bits to every third place.
static uint64_t spread(uint64_t v)
{
    v = (v | v << 32) & 0x1f00000000ffffull;
    v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

/// Cell along one axis; points beyond the cube (of another tree) count to its outermost cells.
static uint64_t cell_of(const struct tree *t, int a, double x)
{
    double c = ((x - t->centre[a]) / t->edge + 0.5) * (1 << TREE_DEPTH);
    return c <= 0 ? 0 : c >= (1 << TREE_DEPTH) - 1 ? (1 << TREE_DEPTH) - 1 : (uint64_t)c;
}

static void chunk_keys(int64_t c, uint32_t worker, void *user)
{
    struct build *b = user;
    (void)worker;
    for (int64_t i = c * CHUNK; i < chunk_end(c, b->t->count); i++) {
        uint64_t key = 0;
        for (int a = 0; a < 3; a++) key |= spread(cell_of(b->t, a, b->pos[i][a])) << a;
        b->item[i] = (struct item){key, i};
    }
}

static void items_sort(struct build *b)
{
    int64_t n = b->t->count;
    for (int shift = 0; shift < 3 * TREE_DEPTH; shift += DIGIT) {
        int64_t at[DIGITS] = {0}, sum = 0;
        for (int64_t i = 0; i < n; i++) at[b->item[i].key >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            int64_t here = at[d];
            at[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++) b->other[at[b->item[i].key >> shift & (DIGITS - 1)]++] = b->item[i];
        struct item *swap = b->item;
        b->item = b->other;
        b->other = swap;
    }
}

/// First item in [lo, hi) whose digit at `shift` is at least d.
static int64_t digit_begin(const struct item *item, int64_t lo, int64_t hi, int shift, uint64_t d)
{
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if ((item[mid].key >> shift & 7) < d) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/// Level at which the range first falls apart; TREE_DEPTH: never.
static int32_t split_level(const struct item *item, int64_t first, int64_t count, int32_t level)
{
    uint64_t differ = item[first].key ^ item[first + count - 1].key;
    while (level < TREE_DEPTH && !(differ >> 3 * (TREE_DEPTH - 1 - level) & 7)) level++;
    return level;
}

/// Ranges of the children of a range, at most 8; returns how many.
static int children_cut(const struct build *b, int64_t first, int64_t count, int32_t level, int64_t begin[9])
{
    int n = 0, shift = 3 * (TREE_DEPTH - 1 - level);
    for (int64_t at = first; at < first + count; n++) {
        begin[n] = at;
        at = digit_begin(b->item, at, first + count, shift, (b->item[at].key >> shift & 7) + 1);
    }
    begin[n] = first + count;
    return n;
}

static int64_t nodes_count(const struct build *b, int64_t first, int64_t count, int32_t level)
{
    int64_t begin[9], total = 1;
    if (count <= TREE_LEAF || (level = split_level(b->item, first, count, level)) == TREE_DEPTH) return 1;
    int n = children_cut(b, first, count, level, begin);
    for (int i = 0; i < n; i++) total += nodes_count(b, begin[i], begin[i + 1] - begin[i], level + 1);
    return total;
}

static void node_split(struct build *b, int32_t at)
{
    struct tree_node *n = &b->t->node[at];
    int64_t begin[9];
    if (n->count <= TREE_LEAF || (n->level = split_level(b->item, n->first, n->count, n->level)) == TREE_DEPTH) return;
    n->children = children_cut(b, n->first, n->count, n->level, begin);
    n->child = b->t->nodes;
    b->t->nodes += n->children;
    for (int i = 0; i < n->children; i++)
        b->t->node[n->child + i] = (struct tree_node){
            .first = begin[i], .count = begin[i + 1] - begin[i], .parent = at, .level = n->level + 1};
    for (int i = 0; i < n->children; i++) node_split(b, n->child + i);
}

static void groups_make(struct build *b)
{
    struct tree *t = b->t;
    t->node[0].children = t->nodes - 1;
    t->node[0].child = 1;
    for (int32_t i = 1; i < t->nodes; i++) {
        int64_t first = (int64_t)(i - 1) * TREE_LEAF, left = t->count - first;
        t->node[i] = (struct tree_node){.first = first, .count = left < TREE_LEAF ? left : TREE_LEAF, .level = 1};
    }
}

static void node_box(struct tree_node *n, const double lo[3], const double hi[3])
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) {
        n->centre[a] = 0.5 * (lo[a] + hi[a]);
        n->half[a] = 0.5 * (hi[a] - lo[a]);
        r2 += n->half[a] * n->half[a];
    }
    n->radius = sqrt(r2);
}

static void leaf_fill(int64_t at, uint32_t worker, void *user)
{
    struct build *b = user;
    struct tree *t = b->t;
    struct tree_node *n = &t->node[at];
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    (void)worker;
    if (!tree_is_leaf(n)) return;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = n->first; i < n->first + n->count; i++)
            for (int a = 0; a < 3; a++) {
                double x = (b->pos[t->from[i]][a] - t->centre[a]) * t->scale;
                if (pass) t->pos[a][i] = (float)(x - n->centre[a]);
                lo[a] = fmin(lo[a], x);
                hi[a] = fmax(hi[a], x);
            }
        if (!pass) node_box(n, lo, hi);
    }
}

/// Boxes of inner nodes from their children's balls' boxes would grow: from the points' own boxes instead.
static void boxes_join(struct tree *t, double (*box)[6])
{
    for (int32_t i = t->nodes - 1; i >= 0; i--) {
        struct tree_node *n = &t->node[i];
        double *b = box[i];
        for (int a = 0; a < 3; a++) b[a] = HUGE_VAL, b[3 + a] = -HUGE_VAL;
        for (int64_t p = n->first; tree_is_leaf(n) && p < n->first + n->count; p++)
            for (int a = 0; a < 3; a++) {
                double x = n->centre[a] + (double)t->pos[a][p];
                b[a] = fmin(b[a], x);
                b[3 + a] = fmax(b[3 + a], x);
            }
        for (int32_t c = n->child; c < n->child + n->children; c++)
            for (int a = 0; a < 3; a++) {
                b[a] = fmin(b[a], box[c][a]);
                b[3 + a] = fmax(b[3 + a], box[c][3 + a]);
            }
        if (!tree_is_leaf(n)) node_box(n, b, b + 3);
    }
}

static enum bw_status nodes_make(struct bw_stage *s, struct build *b)
{
    struct tree *t = b->t;
    int64_t n = b->flat ? 1 + (t->count + TREE_LEAF - 1) / TREE_LEAF : nodes_count(b, 0, t->count, 0);
    if (n > INT32_MAX / 64) return BW_ERR_MEMORY;
    t->node = buffer_need(s, &t->memory[1], (size_t)n * (sizeof *t->node + sizeof(double[6])));
    if (!t->node) return BW_ERR_MEMORY;
    t->node[0] = (struct tree_node){.count = t->count, .parent = -1};
    t->nodes = b->flat ? (int32_t)n : 1;
    if (b->flat) groups_make(b);
    else node_split(b, 0);
    s->host->parallel_for(s, t->nodes, leaf_fill, b);
    boxes_join(t, (double(*)[6])(void *)(t->node + n));
    return BW_OK;
}

enum bw_status tree_build(struct bw_stage *s, struct tree *t, int64_t count, const bw_vec3 *pos, int flat,
                          const struct tree *place, double unit)
{
    size_t n = (size_t)count, pad = (n + 64) & ~(size_t)15;
    struct build b = {.t = t, .pos = pos, .flat = flat};
    t->count = count;
    b.item = buffer_need(s, &t->memory[0], 2 * n * sizeof *b.item + (size_t)chunks_of(count) * sizeof *b.box);
    float *f = buffer_need(s, &t->memory[2], 3 * pad * sizeof *f);
    t->from = buffer_need(s, &t->memory[3], n * sizeof *t->from);
    if (!b.item || !f || !t->from) return BW_ERR_MEMORY;
    b.other = b.item + n;
    b.box = (double(*)[6])(void *)(b.other + n);
    for (int a = 0; a < 3; a++) t->pos[a] = f + (size_t)a * pad;
    s->host->parallel_for(s, chunks_of(count), chunk_box, &b);
    place_choose(&b, unit);
    if (place) {
        memcpy(t->centre, place->centre, sizeof t->centre);
        t->scale = place->scale;
        t->edge = place->edge;
    }
    if (!flat) {
        s->host->parallel_for(s, chunks_of(count), chunk_keys, &b);
        items_sort(&b);
    }
    for (size_t i = 0; i < n; i++) t->from[i] = flat ? (int64_t)i : b.item[i].from;
    return nodes_make(s, &b);
}
