// SPDX-License-Identifier: Apache-2.0
/* `mpirun -n 4 billow bake …`: one bake by several processes, of which the first speaks and writes. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "cli.h"

/// 0 after a sentence, of the first: a command that makes no bake is for one process.
int ranks_allow(const struct cli_command *command);
/// Others than the first fall silent and have no folder. `alone`: an option for one process that was given, or NULL. 0
/// after a sentence.
int ranks_begin(struct bw_bake_options *o, const char *alone);
/// One that failed before all met: where the others did, too, mpirun ends it now; else it has its voice back.
void ranks_alone(void);
/// One that failed alone has its voice back.
void ranks_end(struct bw_bake *bake);
/// 0 after a sentence: frames come from a bake that is to be made first.
int ranks_allow_source(const char *name, const char *source);

#endif
