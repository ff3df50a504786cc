// SPDX-License-Identifier: Apache-2.0
/* The state of a run between two substeps, and all that goes on from it. Taken on the run's thread, written on the
 * writer's while the run goes on. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "archive.h"
#include "run/snapshot.h"
#include "run/stage/stage.h"

struct bw_chain;

/// Where the run was; stored as it is.
struct checkpoint_clock {
    int64_t frame;    ///< the one that is whole, or being made
    int64_t substeps; ///< made of it; -1: it is whole
    int64_t step;
    double time;
};

enum { CHECKPOINT_ROUND = 64 }; ///< tiles whose values lie together

/// What precedes the values of a field.
struct checkpoint_field {
    uint32_t kind, precision, comps, lifetime;
};

struct checkpoint {
    struct chain_snapshot *state;
    struct archive extra; ///< what stages, metrics and exporters add
    char *about;          ///< text that whoever bakes keeps in it
    struct checkpoint_clock clock;
};

/* state.c: saving */

/// NULL: the chain's state can be saved. Else a sentence that names the stages that can't save theirs, new memory.
char *checkpoint_blocker(const struct bw_chain *c);
/// Take one; `extra`: with what lies beside the fields. NULL, said: out of memory, or a stage failed.
struct checkpoint *checkpoint_take(struct bw_chain *c, int64_t substeps, bool extra);
void checkpoint_free(struct checkpoint *p);
/// Save or restore all but values of fields and particles: what grid and stages keep beside them, tables of numbers.
enum bw_status checkpoint_exchange(struct bw_chain *c, struct archive *a);
/// Is the field saved? Of fields that live for a step those that are read before the next step clears them.
bool checkpoint_wants(const struct bw_field_info *info);
/// A number that changes with names, order and types of attributes.
uint64_t checkpoint_shape(const struct bw_attribute *rows, uint32_t n);
/// Write it to `path`, a new file. From any thread. false, with errno.
bool checkpoint_write(struct bw_chain *c, struct checkpoint *p, const char *path);

/* transfer.c */

/// Add the exporters' state and the bake's own text, unless they are there. Errors are logged.
enum bw_status checkpoint_fill(struct bw_chain *c, struct checkpoint *p);
/// Send the state of stages, exporters and the bake from the first rank to `rank`, which writes it. Errors are logged.
enum bw_status checkpoint_transfer(struct bw_chain *c, struct checkpoint *p, int32_t rank);

/* restore.c */

/// Put a chain whose stages are initialised, and that has not made a step, where the checkpoint at `path` was taken. Of
/// other values (opt.changed): what the chain has and the checkpoint does not is left as it is; the stages are marked
/// fresh. Errors are said.
enum bw_status checkpoint_restore(struct bw_chain *c, const char *path, struct checkpoint_clock *clock);
/// The text `about` of a checkpoint, new memory, all of whose checksums are right. NULL after a sentence.
char *checkpoint_about(const char *path, struct bw_diag *d);

#endif
