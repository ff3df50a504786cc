// SPDX-License-Identifier: Apache-2.0
/* NanoVDB behind plain C: a VDB file's grids as NanoVDB's own buffers, which a GPU reads where they lie. */
#ifndef BWVDB_NANO_H
#define BWVDB_NANO_H

#include <common/openvdb/bwvdb.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How numbers are kept. Vectors are of 32 bits each in any case: NanoVDB has no other.
enum bwvdb_nano_precision {
    BWVDB_FP32 = 0, ///< exact
    BWVDB_FP16 = 1, ///< a leaf's values in 65535 steps from its least to its largest: off by half a step at most
    BWVDB_FP8 = 2,  ///< in 255 steps
};

struct bwvdb_nano {
    uint32_t precision;   ///< enum bwvdb_nano_precision
    uint32_t compression; ///< enum bwvdb_compression; BWVDB_NONE may be mapped into memory
};

/// Write the grids of numbers and vectors of the VDB file `from` as the NanoVDB file `to`, which may be the same path.
/// Metadata and points are left behind. After an error `to` is removed. Errors: BWVDB_ERR_IO, BWVDB_ERR (a value that
/// is no finite number, or too large for its steps; no grid), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_nano_write(const char *from, const char *to, const struct bwvdb_nano *nano,
                                   struct bwvdb_error *error);

#ifdef __cplusplus
}
#endif
#endif
