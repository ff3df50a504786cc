// SPDX-License-Identifier: Apache-2.0
/* The thread that runs exporters: the simulation hands over snapshots (references to tiles, copied on write) and goes
 * on; at most one waits while one is being written. */
#ifndef WRITER_H
#define WRITER_H

#include "exporter.h"

struct writer {
    struct exporter_list *exporters;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct chain_snapshot *queued;
    bool runs, stop;
    enum bw_status status;
};

void writer_init(struct writer *w, struct exporter_list *exporters);
void writer_free(struct writer *w);
/// Init the exporters and start the thread, with workers of its own.
enum bw_status writer_start(struct writer *w, double time, uint32_t workers);
/// Does anybody want frames?
bool writer_wants(const struct writer *w);
/// Hand a snapshot over, whatever comes of it; waits while one is waiting already.
enum bw_status writer_frame(struct writer *w, struct chain_snapshot *s);
/// Wait for the thread, finish the exporters. `complete`: the bake reached its end.
enum bw_status writer_finish(struct writer *w, bool complete);

#endif
