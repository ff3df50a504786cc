// SPDX-License-Identifier: Apache-2.0
/* Where pictures get memory and workers from: an exporter passes the host's, a program its own. */
#ifndef BW_TOOLS_H
#define BW_TOOLS_H

#include <billow/status.h>
#include <stddef.h>
#include <stdint.h>

struct bw_tools {
    void *(*alloc)(void *ctx, size_t bytes); ///< zeroed; NULL when out of memory
    void (*release)(void *ctx, void *memory);
    /// fn(i, user) for i in [0, n), in any order, on any thread.
    void (*parallel)(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user);
    void *ctx;
    uint32_t simd; ///< enum bw_simd: what kernels may use; the same bits by each
};

#endif
