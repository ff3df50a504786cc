// SPDX-License-Identifier: Apache-2.0
/* The tree of a grid as the file has it (format 222 to 224): first the topology of all nodes from the root down, with
 * the values of inner nodes, then the values of all leaves in the same order. Inner nodes have 32³ and 16³ entries,
 * leaves 8³. Values are packed node by node, with a size before each chunk: it is these sizes that must not lie. */
#include "vdb_check.h"

#include <blosc.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { UPPER = 32 * 32 * 32, LOWER = 16 * 16 * 16, LEAF = 8 * 8 * 8, LEAF_BYTES = LEAF / 8 };
enum { BLOSC_HEADER = 16 };
#define FARTHEST (1 << 28) ///< voxels from the origin: far enough for all, and sums of places stay within 32 bits

/* Which values of a node are in the file, by the byte before them. */
enum { ONE_INACTIVE = 2, MASK_PLAIN = 3, MASK_ONE = 4, MASK_TWO = 5, ALL_VALUES = 6 };

struct walk {
    struct vdb_bytes *b;
    const struct vdb_grid *grid;
    size_t value, half;           ///< bytes of a value
    unsigned char *mask;          ///< of the leaves met so far, LEAF_BYTES each
    int64_t n_leaves, room, next; ///< `next`: whose values come next
    bool inner;                   ///< an inner node's values come
};

size_t vdb_tree_value(const char *type, size_t *half)
{
    static const struct {
        const char *type;
        size_t value, half;
    } trees[] = {{"Tree_float_5_4_3", 4, 2},  {"Tree_double_5_4_3", 8, 2}, {"Tree_vec3s_5_4_3", 12, 6},
                 {"Tree_vec3d_5_4_3", 24, 6}, {"Tree_int32_5_4_3", 4, 4},  {"Tree_int64_5_4_3", 8, 8},
                 {"Tree_bool_5_4_3", 1, 1}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        if (strcmp(type, trees[i].type)) continue;
        *half = trees[i].half;
        return trees[i].value;
    }
    return 0;
}

static uint32_t bits_count(const unsigned char *mask, size_t bytes)
{
    uint32_t n = 0;
    for (size_t i = 0; i < bytes; i++) n += (uint32_t)__builtin_popcount(mask[i]);
    return n;
}

bool vdb_blosc_check(struct vdb_bytes *b, uint64_t n, uint64_t least, uint64_t most)
{
    uint32_t unpacked, packed;
    const unsigned char *head = n >= BLOSC_HEADER ? vdb_bytes_take(b, BLOSC_HEADER) : NULL;
    if (!head) return vdb_bytes_fail(b, "a packed chunk of %llu bytes has no header", (unsigned long long)n);
    memcpy(&unpacked, head + 4, 4);
    memcpy(&packed, head + 12, 4);
    if (packed != n || unpacked < least || unpacked > most)
        return vdb_bytes_fail(b, "a packed chunk says %u bytes, %u when unpacked, and must have %llu and %llu", packed,
                              unpacked, (unsigned long long)n, (unsigned long long)most);
    return vdb_bytes_skip(b, n - BLOSC_HEADER);
}

/* Unpack n bytes, which must become `bytes`. OpenVDB loses the node that it reads when an inner one fails, so that
 * these few must not; a leaf that does not unpack is refused by OpenVDB and all is given back. */
static bool unpack_check(struct walk *w, size_t n, size_t bytes)
{
    uLongf got = bytes;
    unsigned char *packed = malloc(n + bytes), *out = packed + n;
    if (!packed) return vdb_bytes_fail(w->b, "out of memory");
    bool good = vdb_bytes_copy(w->b, packed, n);
    if (good && (w->grid->compression & VDB_BLOSC)) got = (uLongf)blosc_decompress_ctx(packed, out, bytes, 1);
    else if (good && uncompress(out, &got, packed, n) != Z_OK) got = 0;
    free(packed);
    return good && (got == bytes || vdb_bytes_fail(w->b, "a packed chunk does not unpack"));
}

/* Packed or not, `bytes` when unpacked. */
static bool chunk_check(struct walk *w, uint64_t bytes)
{
    int64_t n = vdb_bytes_i64(w->b);
    if (w->b->bad) return false;
    if (n <= 0 && (n < -(int64_t)UPPER * 24 || (uint64_t)-n != bytes))
        return vdb_bytes_fail(w->b, "a chunk says %lld bytes and must have %llu", (long long)n,
                              (unsigned long long)bytes);
    if (n <= 0) return vdb_bytes_skip(w->b, bytes);
    if (n > w->b->size - w->b->at) return vdb_bytes_fail(w->b, "a chunk of %lld bytes is cut short", (long long)n);
    if ((uint64_t)n > bytes + bytes / 512 + 64) return vdb_bytes_fail(w->b, "a chunk is larger than unpacked");
    const int64_t begin = w->b->at;
    if ((w->grid->compression & VDB_BLOSC) && !vdb_blosc_check(w->b, (uint64_t)n, bytes, bytes)) return false;
    w->b->at = begin;
    if (w->inner) return unpack_check(w, (size_t)n, bytes);
    return vdb_bytes_skip(w->b, (uint64_t)n);
}

/* A node's values: `count` entries, of which `on` are active. */
static bool values_check(struct walk *w, uint32_t count, uint32_t on)
{
    struct vdb_bytes *b = w->b;
    const uint32_t packing = w->grid->compression;
    uint8_t which = vdb_bytes_u8(b);
    if (which > ALL_VALUES) return vdb_bytes_fail(b, "a node's values are stored in an unknown way, %u", which);
    if (which == ONE_INACTIVE || which == MASK_ONE) vdb_bytes_skip(b, w->value);
    if (which == MASK_TWO) vdb_bytes_skip(b, 2 * w->value);
    if (which >= MASK_PLAIN && which <= MASK_TWO) vdb_bytes_skip(b, count / 8);
    const uint32_t stored = (packing & VDB_ACTIVE_MASK) && which != ALL_VALUES ? on : count;
    const bool halved = w->grid->half && w->half < w->value; // of whole numbers there are no halves
    const uint64_t bytes = (uint64_t)stored * (halved ? w->half : w->value);
    if (halved && !stored) return !b->bad;
    if (packing & (VDB_BLOSC | VDB_ZIP)) return chunk_check(w, bytes);
    return vdb_bytes_skip(b, bytes);
}

static bool leaf_intersect(struct walk *w)
{
    const unsigned char *mask = vdb_bytes_take(w->b, LEAF_BYTES);
    if (!mask) return false;
    if (w->n_leaves == w->room) {
        int64_t room = w->room ? 2 * w->room : 1024;
        unsigned char *grown = realloc(w->mask, (size_t)room * LEAF_BYTES);
        if (!grown) return vdb_bytes_fail(w->b, "out of memory for %lld leaves", (long long)room);
        w->mask = grown, w->room = room;
    }
    memcpy(w->mask + w->n_leaves++ * LEAF_BYTES, mask, LEAF_BYTES);
    return true;
}

/* An inner node's masks and values; the number of its children in *children. */
static bool inner_check(struct walk *w, uint32_t entries, uint32_t *children)
{
    unsigned char child[UPPER / 8];
    const size_t bytes = entries / 8;
    const unsigned char *p = vdb_bytes_take(w->b, bytes);
    if (!p) return false;
    memcpy(child, p, bytes);
    *children = bits_count(child, bytes);
    const unsigned char *value = vdb_bytes_take(w->b, bytes);
    for (size_t i = 0; value && i < bytes; i++)
        if (child[i] & value[i]) return vdb_bytes_fail(w->b, "an entry of a node is both a value and a child");
    return value && values_check(w, entries, bits_count(value, bytes));
}

static bool upper_check(struct walk *w)
{
    uint32_t lower, leaves;
    if (!inner_check(w, UPPER, &lower)) return false;
    for (uint32_t i = 0; i < lower; i++) {
        if (!inner_check(w, LOWER, &leaves)) return false;
        for (uint32_t k = 0; k < leaves; k++)
            if (!leaf_intersect(w)) return false;
    }
    return true;
}

struct place {
    int32_t at[3];
};

/* Where a root's entry lies: a corner of a node, not out of this world. */
static bool place_check(struct walk *w, struct place *out)
{
    if (!vdb_bytes_copy(w->b, out, sizeof *out)) return false;
    for (int a = 0; a < 3; a++)
        if ((out->at[a] & 4095) || out->at[a] > FARTHEST || out->at[a] < -FARTHEST)
            return vdb_bytes_fail(w->b, "a node at voxel %d cannot be", out->at[a]);
    return true;
}

static int place_order(const void *a, const void *b) { return memcmp(a, b, sizeof(struct place)); }

/* Two entries at one place: OpenVDB would lose the first. */
static bool places_differ(struct walk *w, struct place *place, uint64_t n)
{
    qsort(place, n, sizeof *place, place_order);
    for (uint64_t i = 1; i < n; i++)
        if (!place_order(&place[i - 1], &place[i]))
            return vdb_bytes_fail(w->b, "two nodes at voxel %d %d %d", place[i].at[0], place[i].at[1], place[i].at[2]);
    return true;
}

static bool root_check(struct walk *w)
{
    vdb_bytes_skip(w->b, w->value); // background
    const uint32_t tiles = vdb_bytes_u32(w->b), children = vdb_bytes_u32(w->b);
    const uint64_t n = (uint64_t)tiles + children;
    if (n > (uint64_t)(w->b->size - w->b->at) / sizeof(struct place))
        return vdb_bytes_fail(w->b, "a root of %llu entries is cut short", (unsigned long long)n);
    struct place *place = malloc((n + 1) * sizeof *place);
    bool good = place || vdb_bytes_fail(w->b, "out of memory");
    for (uint64_t i = 0; i < n && good; i++) {
        good = place_check(w, &place[i]);
        if (good && i < tiles) {
            vdb_bytes_skip(w->b, w->value);
            good = vdb_bytes_u8(w->b) <= 1 || vdb_bytes_fail(w->b, "a tile is neither active nor inactive");
        } else if (good) good = upper_check(w);
    }
    good = good && !w->b->bad && places_differ(w, place, n);
    free(place);
    return good;
}

/* The mask once more, then the values; of truths the place, and a bit each. */
static bool leaf_check(struct walk *w)
{
    const unsigned char *known = w->mask + w->next++ * LEAF_BYTES, *mask = vdb_bytes_take(w->b, LEAF_BYTES);
    if (!mask) return false;
    if (memcmp(mask, known, LEAF_BYTES)) return vdb_bytes_fail(w->b, "a leaf has two masks, which differ");
    if (w->value == 1) return vdb_bytes_skip(w->b, sizeof(struct place) + LEAF_BYTES);
    return values_check(w, LEAF, bits_count(known, LEAF_BYTES));
}

bool vdb_tree_check(struct vdb_bytes *b, const struct vdb_grid *g)
{
    struct walk w = {.b = b, .grid = g, .inner = true};
    w.value = vdb_tree_value(g->type, &w.half);
    if (vdb_bytes_u32(b) != 1) vdb_bytes_fail(b, "a tree with several buffers cannot be read");
    bool good = !b->bad && root_check(&w);
    w.inner = false;
    while (good && w.next < w.n_leaves) good = leaf_check(&w);
    free(w.mask);
    return good && (b->at <= g->end || vdb_bytes_fail(b, "a grid goes on behind its end"));
}
