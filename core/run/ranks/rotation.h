// SPDX-License-Identifier: Apache-2.0
/* Frames and checkpoints are written by the ranks that see the bake's folder, in rotation: frame f by rank f mod N. The
 * first rank keeps the record and the log, and alone runs the exporters that can't rotate. A writer's thread sends
 * requests to its rank's run thread. All ranks serve them together: after a frame until no more fields are read, and
 * before each substep. */
#ifndef ROTATION_H
#define ROTATION_H

#include "run/chain.h"

/// What a rank's writer thread requests; all ranks take part.
enum writer_request_kind {
    REQUEST_NOTHING, ///< no more for this frame
    REQUEST_FIELD,   ///< tiles of a field
    REQUEST_TILES,   ///< the same, some of them: data
    REQUEST_FILE,    ///< permission for a file; data: struct file_request, its name
    REQUEST_DONE,    ///< nothing: its job is at an end; data: remote_writer_merge
};

struct writer_request {
    int32_t kind, field; ///< enum writer_request_kind; number in the chain's table
    int32_t more;        ///< what was brought before stays
    int32_t answer;
    size_t bytes;
    const void *data;
};

/// Before the writer is prepared: find the ranks that see the output folder, which write in rotation. Errors are
/// logged.
enum bw_status rotation_begin(struct bw_chain *c);
/// Does this rank run a writer?
bool rotation_has_writer(const struct bw_chain *c);
/// The exporters that this rank runs for the present frame: enum snapshot_part.
uint32_t rotation_parts(const struct bw_chain *c);
/// The rank that writes the next checkpoint.
int32_t rotation_checkpoint_rank(struct bw_chain *c);
/// Let a snapshot for this rank's writer fetch tiles of other ranks.
void rotation_serve_snapshot(struct bw_chain *c, struct chain_snapshot *s);
/// Serve the requests of the present frame's writers, or of `rank`'s, until they read no more fields. Errors are
/// logged.
enum bw_status rotation_serve_frame(struct bw_chain *c);
enum bw_status rotation_serve(struct bw_chain *c, int32_t rank);
/// Serve requests until all writers have finished their jobs.
enum bw_status rotation_drain(struct bw_chain *c);
/// Before each substep and after a frame: broadcast the first rank's stop, cancel and elapsed time, and serve pending
/// requests. Errors are logged.
enum bw_status rotation_poll(struct bw_chain *c);

/* writer_request.c */

/// From the writer's thread: send a request and wait for its answer. -1: requests are no longer served.
int32_t writer_request_send(struct bw_chain *c, struct writer_request *a);

/* remote_writer.c: in place of the first rank's folder, record and log */

/// Data of REQUEST_FILE, followed by the file's name.
struct file_request {
    int32_t whole;
    struct file_facts facts;
};
/// `folder`: as this rank reaches it. BW_ERR_MEMORY.
enum bw_status remote_writer_begin(struct bw_chain *c, const char *folder);
void remote_writer_free(struct remote_writer *a);
/// writer_done_fn: report a job's end to all ranks.
enum bw_status remote_writer_report(enum bw_status status, int64_t frame, bool checkpoint, void *chain);
/// On all ranks: merge what `rank` reported into log, announcements, checkpoints and exporters' states. Errors are
/// logged.
enum bw_status remote_writer_merge(struct bw_chain *c, int32_t rank, const char *data, size_t bytes);

#endif
