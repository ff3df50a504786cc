// SPDX-License-Identifier: Apache-2.0
/* The state of a chain at one moment, which never changes: references to tiles, which the run copies when it writes to
 * them, and copies of the particles. The chain must outlive it. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "run/wire/fields.h"
#include <billow/exporter.h>

/// Which of a field's tiles: `n` of them by their number; NULL: all.
struct snapshot_tiles {
    const int32_t *tile;
    int64_t n;
};

/// Fetches fields' tiles from other ranks, which wait for it.
struct snapshot_fetcher {
    /// Fetch a field's tiles, by their index in its topology; `more`: those fetched before stay. Errors: BW_ERR_MEMORY.
    enum bw_status (*fetch)(void *user, struct bw_field *f, struct snapshot_tiles which, bool more);
    void (*end)(void *user);
    void *user;
};

/// Which exporters a snapshot is for.
enum snapshot_part { SNAPSHOT_FIRST = 1, SNAPSHOT_TURNS = 2 }; ///< those of the first rank; those that run in rotation

struct chain_snapshot {
    uint32_t parts;                         ///< enum snapshot_part
    const struct snapshot_fetcher *fetcher; ///< NULL: all tiles are on this rank, or fetching has ended
    struct bw_frame frame;                  ///< all fields of all domains, in its `fields`
    struct bw_source *source;
    struct bw_snapshot_field *field;
    uint8_t **outline;               ///< of each field's tiles, or NULL: see bw_snapshot_field
    struct bw_snapshot_shape *shape; ///< frame.n_shapes of them
    struct bw_snapshot_particles *particles;
    bool *fetched; ///< of each field: tiles of other ranks were fetched into it, …
    const struct bw_source *part_of;
    int32_t *part; ///< … of this one these alone
    int64_t n_part;
};

/// Between steps, from the thread that runs the chain; who has the chain takes snapshot_take (run.h). `facts`: number,
/// range, time and frame rate. NULL: out of memory.
struct chain_snapshot *snapshot_make(const struct field_table *t, const struct bw_frame *facts);
/// From any thread.
void snapshot_free(struct chain_snapshot *s);
/// Before field k is read: fetch its tiles from other ranks; unless `more`, drop those fetched before. Errors:
/// BW_ERR_MEMORY.
enum bw_status snapshot_fetch(struct chain_snapshot *s, uint32_t k, bool more);
/// Fetch only the tiles that contain `n` cells; `faces`: of a mac field also the tiles that store these cells' high
/// faces.
enum bw_status snapshot_fetch_cells(struct chain_snapshot *s, uint32_t k, const int32_t (*cell)[3], int64_t n,
                                    bool faces);
/// No more fields are read: drop all tiles. snapshot_free does so too.
void snapshot_fetch_end(struct chain_snapshot *s);
/// The frame as an exporter of one domain sees it: that domain's fields, and those of the others apart. `room`: for as
/// many fields as there are.
struct bw_frame snapshot_of_domain(const struct chain_snapshot *s, const struct bw_domain_info *domain,
                                   struct bw_snapshot_field *room);
/// See bw_exporter_host.read_box. From any thread.
void snapshot_read(const struct bw_snapshot_field *f, uint32_t c, const int32_t lo[3], const int32_t n[3], float *out);

#endif
