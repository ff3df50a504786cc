// SPDX-License-Identifier: Apache-2.0
/* Sets that grow together (union–find with path halving): what is connected to what. */
#ifndef UNION_FIND_H
#define UNION_FIND_H

#include <stdint.h>

/// First member of a's set. A member that is its own parent is one.
static inline int64_t union_root(int32_t *parent, int64_t a)
{
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
}

/// Make two sets one. The smaller first member wins, so sets are numbered alike whatever order they are joined in.
static inline void union_join(int32_t *parent, int64_t a, int64_t b)
{
    a = union_root(parent, a);
    b = union_root(parent, b);
    if (a < b) parent[b] = (int32_t)a;
    if (b < a) parent[a] = (int32_t)b;
}

#endif
