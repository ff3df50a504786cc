// SPDX-License-Identifier: Apache-2.0
/* A leaf's values on their way into a file: which are active, and those one after another in the file's order, z
 * fastest, as floats or half floats. Compiled once a SIMD level; all levels give the same bytes. */
#ifndef VDB_PACK_H
#define VDB_PACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VDB_LEAF = 512 };

struct vdb_pack_rule {
    uint32_t comps;      ///< 1 or 3
    uint32_t half;       ///< 1: 16-bit floats
    uint32_t turn;       ///< 1: (x, y, z) becomes (x, z, -y)
    float gain;          ///< values are multiplied by it before anything else
    float step;          ///< 0, or a power of two: values are the background and whole multiples of it
    float threshold;     ///< |v - background| <= threshold: inactive (vectors: the length)
    float background[3]; ///< as in the file: multiplied and turned
};

struct vdb_pack_leaf {
    float v[3][VDB_LEAF];      ///< to begin with: x fastest
    float sorted[3][VDB_LEAF]; ///< the same in the file's order
    uint64_t mask[8];          ///< bit z of byte y of word x
    float peak;                ///< largest magnitude of a component; NaN where one is no finite number
    uint32_t bytes;            ///< of `packed`
    unsigned char packed[3 * sizeof(float) * VDB_LEAF + 16];
};

/// Fill the rest from `v`. `given`: the mask is known, and only what it says counts.
typedef void (*vdb_pack_fn)(struct vdb_pack_leaf *leaf, const struct vdb_pack_rule *rule, uint32_t given);
void vdb_pack_baseline(struct vdb_pack_leaf *leaf, const struct vdb_pack_rule *rule, uint32_t given);
void vdb_pack_avx2(struct vdb_pack_leaf *leaf, const struct vdb_pack_rule *rule, uint32_t given);
/// For a level of enum bw_simd, as far as this machine has it.
vdb_pack_fn vdb_pack_for(uint32_t simd);

#ifdef __cplusplus
}
#endif
#endif
