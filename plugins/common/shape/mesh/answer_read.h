// SPDX-License-Identifier: Apache-2.0
/* The answer of billow-mesh (read/answer.h) as a mesh file. It is hostile input: whatever read the file may have been
 * taken over by it. */
#ifndef ANSWER_READ_H
#define ANSWER_READ_H

#include "mesh.h"

#include <stdbool.h>

struct answer_source {
    /// Exactly n bytes; false: there are no more.
    bool (*take)(void *user, void *out, size_t n);
    void *user;
};

enum answer_state {
    ANSWER_WHOLE,   ///< *f has the mesh, or *status why not, which has been said
    ANSWER_CUT,     ///< it ends too early
    ANSWER_GARBAGE, ///< it is none
};

/// Reads an answer about `path` into *f, which holds nothing and keeps nothing unless all is well. Notes become
/// warnings. *status may be BW_ERR_MEMORY with any state.
enum answer_state answer_read(struct bw_stage *s, const char *path, const struct answer_source *from,
                              struct mesh_file *f, enum bw_status *status);

#endif
