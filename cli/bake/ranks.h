// SPDX-License-Identifier: Apache-2.0
/* `mpirun -n 4 billow bake …`: one bake over several processes (ranks). Only rank 0 prints and has the folder. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "cli.h"

/// 0 after an error message by rank 0: a command that makes no bake is for one process.
int ranks_allow(const struct cli_command *command);
/// Silence the output of all ranks but 0; they have no folder. `alone`: a given option that is for one process, or
/// NULL. 0 after an error message.
int ranks_begin(struct bw_bake_options *o, const char *alone);
/// This rank has failed before the handshake. If others did, too, mpirun ends it now; else its stderr is restored.
void ranks_failed_early(void);
/// Restore stderr if this rank alone has failed.
void ranks_end(struct bw_bake *bake);
/// 0 after an error message: frames come from a bake that is to be made first.
int ranks_allow_source(const char *name, const char *source);

#endif
