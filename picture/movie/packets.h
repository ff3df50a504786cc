// SPDX-License-Identifier: Apache-2.0
/* Encoded packets of a movie, in decoding order. */
#ifndef BW_MOVIE_PACKETS_H
#define BW_MOVIE_PACKETS_H

#include <billow/checkpoint.h>
#include <picture/tools.h>

struct bw_packet {
    int64_t at, size; ///< bytes
    int64_t pts;      ///< frames from the movie's start
    int64_t is_key;
};

/// Zero it.
struct bw_packets {
    struct bw_packet *row;
    uint8_t *bytes;
    int64_t count, room, used, bytes_room;
};

/// Append a copy. Errors: BW_ERR_MEMORY.
enum bw_status bw_packets_add(struct bw_packets *p, const struct bw_tools *tools, const void *bytes, int64_t size,
                              int64_t pts, int is_key);
/// Save, or restore where nothing was added yet. Errors: BW_ERR_MEMORY, BW_ERR_IO: there are none, or they lie beyond
/// the bytes; and what the archive reports.
enum bw_status bw_packets_checkpoint(struct bw_packets *p, const struct bw_tools *tools, struct bw_archive *a);
void bw_packets_free(struct bw_packets *p, const struct bw_tools *tools);

#endif
