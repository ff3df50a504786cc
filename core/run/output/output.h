// SPDX-License-Identifier: Apache-2.0
/* All or nothing: a file is written beside its final name under a hidden one, flushed to disk, then renamed. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "claims.h"
#include <stdbool.h>

/// The bake's folder.
struct outputs {
    const char *folder;                                      ///< NULL: nothing is written
    int (*on_file)(const char *name, int whole, void *user); ///< see bw_run_options; may be NULL
    void *user;
    struct run_log *log;
    struct claims claims;
};

/// A file under its temporary name, in a list of its owner's.
struct output;

/// The temporary path, which the list holds until commit or discard; NULL on failure, said. `keep`: until the bake
/// ends.
const char *output_begin(struct outputs *o, struct output **list, struct output_owner by, const char *name, bool keep);
/// Give the file its final name. Errors are said.
enum bw_status output_commit(struct outputs *o, struct output **list, const char *temporary);
void output_discard(struct output **list, const char *temporary);
/// Commit what need not be kept until the bake ends; `all`: that too.
enum bw_status outputs_commit(struct outputs *o, struct output **list, bool all);
void outputs_discard(struct output **list);

#endif
