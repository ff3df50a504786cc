// SPDX-License-Identifier: Apache-2.0
/* Whose file is it? A name in the output folder has one owner: an exporter, a stage, or the bake itself. It is claimed
 * when the chain is built, by exporters that say their names beforehand, and by whoever begins an output: no two ever
 * write the same file, whatever plugins they come from. Names that the same file may go by are one name: "a//b" and
 * "./a/b", and "A/B" too, which many file systems, and the archives that caches travel in, take for "a/b". So are the
 * names of a sequence: whoever writes a frame's file has those of all frames, and a claim is no frame's to pay for. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "log.h"

/// Of an output.
struct output_owner {
    const char *id;
    const struct bw_place *place; ///< tells owners apart; NULL: the bake itself
    const int64_t *frame;         ///< that it writes now; NULL: none
};

extern const struct output_owner output_owner_bake;

struct claims {
    struct run_log *log;
    struct claim *slot[1024]; ///< by the name's hash
};

/// From now on `name` is `by`'s. Errors, said: BW_ERR_PRESET when it is another's, or none for a file, for there the
/// cure is.
enum bw_status claims_take(struct claims *c, struct output_owner by, const char *name);
/// All names that are somebody's, while nobody takes more.
void claims_each(const struct claims *c, void (*name)(const char *name, void *user), void *user);
void claims_free(struct claims *c);

#endif
