// SPDX-License-Identifier: Apache-2.0
/* The files that a chain's frames come from, opened one after the other; their grids as dense boxes. */
#ifndef UPRES_CACHE_H
#define UPRES_CACHE_H

#include "dense.h"

#include <common/openvdb/bwvdb.h>

struct cache {
    struct bwvdb_file *file; ///< NULL: none is open
    int64_t number;          ///< of the open file
    int64_t first, last;     ///< numbers of the files
    char path[1024];         ///< of the open file
};

/// Learn from the host which files there are. Errors: BW_ERR_PRESET, said: the preset names none.
enum bw_status cache_begin(struct bw_stage *s, struct cache *c);
/// Open file `number`, brought between the first and the last; nothing happens when it is open. Errors are said.
enum bw_status cache_open(struct bw_stage *s, struct cache *c, int64_t number);
void cache_close(struct cache *c);
/// Read a grid: its lattice, and in `d` the box of its active voxels. A staggered grid becomes the means of both faces.
/// `temperature` becomes kelvin where the file says how. Errors are said.
enum bw_status cache_read(struct bw_stage *s, struct cache *c, const char *name, uint32_t comps, struct lattice *l,
                          struct dense *d);
/// From `activate`: make the tiles active in which |v| of any component is above `least`, grown by `grow` metres.
enum bw_status cache_activate(struct bw_stage *s, const struct lattice *l, const struct dense *d, float least,
                              double grow);

#endif
