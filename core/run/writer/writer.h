// SPDX-License-Identifier: Apache-2.0
/* The thread that runs exporters: the simulation hands over snapshots (references to tiles, copied on write) and goes
 * on; at most one waits while one is being written. Checkpoints go the same way, so that one is written when every
 * frame before it is. */
#ifndef WRITER_H
#define WRITER_H

#include "exporter.h"

struct checkpoint;
struct writer_job;

/// Writes and frees a checkpoint. Answers a failure of the exporters only: then nothing more is written.
typedef enum bw_status (*writer_checkpoint_fn)(struct checkpoint *p, void *user);

/// A job's end, whatever came of it: its frame, or that it was a checkpoint. Answers the status that the next begin
/// with.
typedef enum bw_status (*writer_done_fn)(enum bw_status status, int64_t frame, bool checkpoint, void *user);

struct writer {
    struct exporter_list *exporters;
    writer_checkpoint_fn checkpoint;
    writer_done_fn done;        ///< may be NULL
    void *user;                 ///< of both
    struct bw_account *account; ///< the thread's memory is charged to it
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct writer_job *first; ///< in the order they came
    int32_t frames;           ///< that wait
    int32_t checkpoints;      ///< that wait, or are being written
    bool runs, stop;
    enum bw_status status;
    int64_t written; ///< number of the last frame that all exporters wrote …
    bool any;        ///< … if there is one
};

void writer_init(struct writer *w, struct exporter_list *exporters, writer_checkpoint_fn checkpoint, void *user);
void writer_free(struct writer *w);
/// Init the exporters, with workers of their own from now on.
enum bw_status writer_prepare(struct writer *w, double time, uint32_t workers);
/// Start the thread.
enum bw_status writer_start(struct writer *w);
/// Is there an exporter that takes frames?
bool writer_needs_frames(const struct writer *w);
/// Is one waiting or being written?
bool writer_has_checkpoint(struct writer *w);
/// Hand a snapshot over, whatever comes of it; waits while one is waiting already.
enum bw_status writer_frame(struct writer *w, struct chain_snapshot *s);
/// Hand a checkpoint over, whatever comes of it; does not wait.
enum bw_status writer_checkpoint(struct writer *w, struct checkpoint *p);
/// The last frame whose files are written, `none` before the first; from the thread that hands frames over.
int64_t writer_written(struct writer *w, int64_t none);
/// Wait for the thread, finish the exporters. `complete`: the bake reached its end.
enum bw_status writer_finish(struct writer *w, bool complete);

#endif
