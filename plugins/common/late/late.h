// SPDX-License-Identifier: Apache-2.0
/* Libraries of ours that stand on large ones of others, and are loaded when they are first wanted: what they take to
 * load every start of the program would wait for. Each has a table of its calls. */
#ifndef LATE_H
#define LATE_H

#include <stdbool.h>
#include <stddef.h>

struct late_failure {
    const char *why;
    bool memory; ///< for lack of it
};

/// What a library takes as it is loaded, with all that it stands on.
struct late_needs {
    size_t bytes; ///< of addresses
    int threads;  ///< 16 at most
};

/// Table `symbol` of `library`, which is kept once it is loaded. The caller's own file must have a path to it. NULL: it
/// can't be had, and `failure` tells.
const void *late_find(const char *library, const char *symbol, const struct late_needs *needs,
                      struct late_failure *failure);

#endif
