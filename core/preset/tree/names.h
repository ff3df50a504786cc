// SPDX-License-Identifier: Apache-2.0
/* Names to numbers, found in constant time: what a file may hold a hundred thousand of is never searched in a row. */
#ifndef BW_NAMES_H
#define BW_NAMES_H

#include <billow/status.h>
#include <stdint.h>

/// Zeroed: empty. The names stay the caller's and have to outlive the table.
struct bw_names {
    struct bw_names_slot *slot;
    uint32_t size, count; ///< slots, a power of two; those taken
};

/// The number that `name` has, or -1.
int32_t bw_names_get(const struct bw_names *t, const char *name);
/// Give `name` the number (≥ 0), or another one if it has one; from now on this copy of the name counts. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_names_put(struct bw_names *t, const char *name, int32_t number);
/// Forget all names.
void bw_names_free(struct bw_names *t);

#endif
