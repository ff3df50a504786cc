// SPDX-License-Identifier: Apache-2.0
/* What a finished cache is, for commands that go on from it. */
#ifndef BW_CLI_CACHE_H
#define BW_CLI_CACHE_H

#include "cli.h"
#include "preset/tree/node.h"

struct cli_cache {
    char *name;    ///< what its files have in common
    char *pattern; ///< absolute, with #### for the number
    int64_t first, last;
    double fps;             ///< 0: the files do not say
    double h, origin[3];    ///< the flow's voxels: edge, and the low corner of voxel (0,0,0)
    int32_t lo[3], hi[3];   ///< voxels of the flow that are there in any frame
    const char *flow;       ///< the name of the flow's grid
    char *fields, *vectors; ///< "density, temperature"; "dye: {kind: vector}"
    struct bw_node *domain; ///< of the bake's resolved.yaml, or NULL: not a bake of ours
};

/// Look into a bake's folder, a folder of files, a file or a pattern. An exit code, after a sentence unless 0.
int cli_cache_look(struct cli_cache *c, const char *what);
void cli_cache_free(struct cli_cache *c);
/// Its domain with voxels `factor` times finer, as a preset would say it on one line. New memory, NULL: out of memory.
char *cli_cache_domain(const struct cli_cache *c, int factor);
/// Absolute pattern of the sequence that `what` names. New memory, or NULL after a sentence in `d`.
char *cli_cache_pattern(const char *what, struct bw_diag *d);

#endif
