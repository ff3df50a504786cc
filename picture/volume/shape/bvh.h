// SPDX-License-Identifier: Apache-2.0
/* A bounding volume hierarchy (BVH) of boxes, and rays through it. */
#ifndef BW_BVH_H
#define BW_BVH_H

#include <picture/tools.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>

struct bw_bounds {
    float lo[3], hi[3];
};
#define BW_BOX_NONE                                                                                                    \
    {                                                                                                                  \
        {INFINITY, INFINITY, INFINITY}, { -INFINITY, -INFINITY, -INFINITY }                                            \
    }

struct bw_bvh_node {
    struct bw_bounds box;
    int32_t first, count; ///< count > 0: items[first …]; else two nodes from `first` on
};

struct bw_bvh {
    struct bw_bvh_node *node; ///< the first is the root; NULL: there is nothing
    int32_t *item;            ///< leaves' items, numbers of boxes
    int32_t n_nodes, n;
};

enum { BW_BVH_LEAF = 4, BW_BVH_DEEP = 64 }; ///< items of a leaf, unless they can't be told apart; nodes that wait

/// Of n boxes; bw_bvh_free gives it back, after a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_bvh_build(const struct bw_tools *tools, const struct bw_bounds *box, int32_t n, struct bw_bvh *t);
void bw_bvh_free(const struct bw_tools *tools, struct bw_bvh *t);

/// A ray o + t·d, 0 < t < far, d of any length; what widens boxes: `wide` a unit of t.
struct bw_probe {
    float o[3], d[3], inv[3], far, wide;
    int axis[3];    ///< of triangle tests: d is longest along the last
    float shear[3]; ///< … and how they are sheared to it
};

static inline void bw_box_add(struct bw_bounds *a, const struct bw_bounds *b)
{
    for (int i = 0; i < 3; i++) a->lo[i] = bw_least(a->lo[i], b->lo[i]), a->hi[i] = bw_most(a->hi[i], b->hi[i]);
}

/// Where the ray enters the box, < far; INFINITY: it does not.
static inline float bw_box_enter(const struct bw_bounds *b, const struct bw_probe *p)
{
    float t0 = 0, t1 = p->far;
    for (int a = 0; a < 3; a++) {
        const float u = (b->lo[a] - p->o[a]) * p->inv[a], v = (b->hi[a] - p->o[a]) * p->inv[a];
        t0 = bw_most(t0, bw_least(u, v));
        t1 = bw_least(t1, bw_most(u, v) * 1.0000004f); // rounded outwards
    }
    return t0 <= t1 ? t0 : INFINITY;
}

/// As far as a cone that gets p->wide wider a unit of t may reach the box: the box as much wider as it is where the box
/// ends.
static inline float bw_cone_enter(const struct bw_bounds *b, const struct bw_probe *p)
{
    float end = 0, length = 0;
    for (int a = 0; a < 3; a++) {
        end += bw_most((b->lo[a] - p->o[a]) * p->d[a], (b->hi[a] - p->o[a]) * p->d[a]);
        length += p->d[a] * p->d[a];
    }
    const float slow = 1 - p->wide / sqrtf(length); // what is beside the axis is reached later
    if (!(end > 0) && slow > 0.2f) return INFINITY;
    if (!(slow > 0.2f)) return 0;
    const float wide = p->wide * bw_least(end / (length * slow), p->far) * 1.001f;
    struct bw_bounds wider = *b;
    for (int a = 0; a < 3; a++) wider.lo[a] -= wide, wider.hi[a] += wide;
    return bw_box_enter(&wider, p);
}

/// Call leaf(item, p, user) for items whose boxes' node the ray meets, near ones first; it may shorten p->far, and ends
/// the walk by p->far < 0.
static inline __attribute__((always_inline)) void
bw_bvh_walk(const struct bw_bvh *t, struct bw_probe *p,
            float (*enter)(const struct bw_bounds *b, const struct bw_probe *p),
            void (*leaf)(int32_t item, struct bw_probe *p, void *user), void *user)
{
    int32_t wait[BW_BVH_DEEP];
    float from[BW_BVH_DEEP];
    int n = 0;
    if (!t->node || !(enter(&t->node->box, p) < INFINITY)) return;
    wait[n] = 0, from[n++] = 0;
    while (n > 0) {
        const struct bw_bvh_node *node = &t->node[wait[--n]];
        if (from[n] > p->far) continue;
        if (node->count > 0) {
            for (int32_t i = 0; i < node->count && p->far >= 0; i++) leaf(t->item[node->first + i], p, user);
            continue;
        }
        const float a = enter(&t->node[node->first].box, p), b = enter(&t->node[node->first + 1].box, p);
        const int far = a <= b; // which of the two waits longer
        const float when[2] = {a, b};
        for (int q = 0; q < 2; q++) {
            const int which = q ? !far : far;
            if (when[which] < INFINITY) wait[n] = node->first + which, from[n++] = when[which];
        }
    }
}

#endif
