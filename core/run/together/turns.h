// SPDX-License-Identifier: Apache-2.0
/* Who writes. Frame f's files are those of rank f mod N, and checkpoints go round likewise, among the ranks that see
 * the bake's folder. The first rank keeps the record and the log, and alone runs the exporters that can't be passed
 * round. A writer's thread asks the run's thread of its rank for all that takes others, and these answer together when
 * they meet: at the end of a frame until no more fields are read, and before each substep. */
#ifndef TURNS_H
#define TURNS_H

#include "run/chain.h"

/// What a writer asks; all ranks see to it alike.
enum together_kind {
    ASK_NOTHING, ///< it has all it wants
    ASK_FIELD,   ///< tiles of a field
    ASK_TILES,   ///< the same, some of them: data
    ASK_FILE,    ///< may a file appear? data: struct told_file, its name
    ASK_DONE,    ///< nothing: its job is at an end; data: away_done
};

struct together_ask {
    int32_t kind, field; ///< enum together_kind; number in the chain's table
    int32_t more;        ///< what was brought before stays
    int32_t answer;
    size_t bytes;
    const void *data;
};

/// Before the writer is prepared: who sees the folder. Errors are said.
enum bw_status turns_begin(struct bw_chain *c);
/// Does this rank run a writer?
bool turns_write(const struct bw_chain *c);
/// What this rank's writer has to do with the present frame: enum snapshot_part.
uint32_t turns_parts(const struct bw_chain *c);
/// Whose turn it is to write a checkpoint.
int32_t turns_checkpoint(struct bw_chain *c);
/// Of a snapshot on its way to this rank's writer.
void turns_lend(struct bw_chain *c, struct chain_snapshot *s);
/// Until the writers of the present frame, or that of `rank`, read no more fields, all ranks do what they ask. Errors
/// are said.
enum bw_status turns_serve_frame(struct bw_chain *c);
enum bw_status turns_serve(struct bw_chain *c, int32_t rank);
/// Until all writers have done all that they were given.
enum bw_status turns_settle(struct bw_chain *c);
/// Before each substep, and when a frame is whole: what was asked of the first rank (stop, cancel, how long it took) is
/// asked of all, and what writers ask is done. Errors are said.
enum bw_status turns_look(struct bw_chain *c);

/* ask.c */

/// From the writer's thread: wait for the answer. -1: nobody answers any more.
int32_t turns_ask(struct bw_chain *c, struct together_ask *a);

/* away.c: what a rank has in place of the first one's folder, record and log */

/// At ASK_FILE.
struct told_file {
    int32_t whole;
    struct file_facts facts;
};
/// `folder`: as this rank reaches it. BW_ERR_MEMORY.
enum bw_status away_begin(struct bw_chain *c, const char *folder);
void away_free(struct run_away *a);
/// See writer_done_fn: all ranks are told.
enum bw_status away_tell(enum bw_status status, int64_t frame, bool checkpoint, void *chain);
/// What `rank` told, on all. Errors are said.
enum bw_status away_done(struct bw_chain *c, int32_t rank, const char *data, size_t bytes);

#endif
