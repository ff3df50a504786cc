// SPDX-License-Identifier: Apache-2.0
/* Checkpoints: what a bake that was killed goes on from. The host keeps fields, particles, active tiles and the clock;
 * a stage or an exporter adds what else its next step or frame depends on, by one callback that saves and restores:
 *
 *     static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
 *     {
 *         struct state *st = s->state;
 *         enum bw_status status = a->bytes(a, "count", &st->count, sizeof st->count);
 *         if (status == BW_OK && a->restoring) status = room_make(s, st->count);
 *         return status == BW_OK ? a->bytes(a, "age", st->age, st->count * sizeof *st->age) : status;
 *     }
 *
 * A table that has state but neither this callback nor a flag that says what its state is (bw_stage_flags,
 * bw_exporter_flags) makes bakes that can't be resumed, and they say so. Memory goes as it is: bytes mean the same to
 * the same build on the same kind of machine alone, and to no other is a checkpoint given back. */
#ifndef BILLOW_CHECKPOINT_H
#define BILLOW_CHECKPOINT_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where values go, or come from.
struct bw_archive {
    uint32_t size;      ///< of this struct
    uint32_t restoring; ///< 0: values are read from memory; 1: they are put back there
    /// `bytes` bytes at `data` under `key`, which is used once in a callback. Errors, reported: BW_ERR_IO when a
    /// checkpoint has none of that key or another number of bytes, BW_ERR_MEMORY. After a failure every call fails.
    enum bw_status (*bytes)(struct bw_archive *a, const char *key, void *data, size_t bytes);
    /// Restoring: bytes under `key`, -1 when there are none. Saving: -1.
    int64_t (*stored)(struct bw_archive *a, const char *key);
    void *host_data;
};

#ifdef __cplusplus
}
#endif
#endif
