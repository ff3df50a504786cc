// SPDX-License-Identifier: Apache-2.0
/* Points in the order of a space-filling curve, cut into an octree or into plain groups. */
#ifndef VORTON_TREE_H
#define VORTON_TREE_H

#include <billow/plugin.h>

/// Memory that grows and is kept; the host's, given back at uninit.
struct buffer {
    void *at;
    size_t bytes;
};
/// At least `bytes`, contents lost when it has to grow. NULL: out of memory.
void *buffer_need(struct bw_stage *s, struct buffer *b, size_t bytes);

enum { TREE_LEAF = 64, TREE_DEPTH = 20 };

struct tree_node {
    double centre[3], half[3], radius; ///< box round its points: half its edges, half its diagonal
    int64_t first, count;              ///< its points, in the tree's order
    int32_t parent, child;             ///< first of `children`; a leaf has none
    int32_t children;
    int32_t level; ///< of the curve's cubes: where it is split
};

/// Points about the centre of the cube round all of them, in a unit of length that suits single precision.
struct tree {
    int64_t count;
    int32_t nodes;
    struct tree_node *node;  ///< parents before children
    int64_t *from;           ///< point i of the tree is the caller's point from[i]
    float *pos[3];           ///< relative to the centre of its leaf
    double centre[3], scale; ///< tree coordinate = (world - centre) · scale
    double edge;             ///< of the cube round all, m
    struct buffer memory[4];
};

/// Build over `count` points (count × 3 doubles, all finite). `flat`: no octree, but a root and groups of TREE_LEAF in
/// the order given.
/// `place`: a tree whose coordinates are taken over, or NULL: then `unit` metres are 1.
enum bw_status tree_build(struct bw_stage *s, struct tree *t, int64_t count, const bw_vec3 *pos, int flat,
                          const struct tree *place, double unit);

/// The leaf's points: centre + pos.
static inline int tree_is_leaf(const struct tree_node *n) { return !n->children; }

#endif
