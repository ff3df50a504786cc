// SPDX-License-Identifier: Apache-2.0
/* Reader of a finished cache: its files, opened one after the other, and their grids as dense boxes. */
#ifndef UPRES_CACHE_H
#define UPRES_CACHE_H

#include "dense.h"

#include <common/openvdb/lattice/lattice.h>

struct cache {
    struct bwvdb_file *file; ///< NULL: none is open
    struct vdb_facts facts;  ///< of the open file
    int64_t number;          ///< of the open file
    int64_t first, last;     ///< numbers of the files
    char path[1024];         ///< of the open file
};

/// Gets the range of files from the host. Errors: BW_ERR_PRESET, said: the preset names none.
enum bw_status cache_begin(struct bw_stage *s, struct cache *c);
/// Opens file `number`, clamped to the first and the last; no effect when it is open. Errors are said.
enum bw_status cache_open(struct bw_stage *s, struct cache *c, int64_t number);
void cache_close(struct cache *c);

/// A grid to be read, and how.
struct grid_request {
    const char *name;
    uint32_t comps;
    int length; ///< values are lengths, a second or not, in the file's units
    int on;     ///< on the lattice that the caller has, if it has one (h > 0)
};
/// Read a grid: its lattice, in metres and z up, and in `d` the box of its active voxels, as differences from the
/// background. What is staggered, turned or no cubes is resampled. `temperature` becomes kelvin where the file says
/// how. A file without the grid is an empty frame, where another file has it: *l stays, or is that one's where h is 0.
/// Errors are said.
enum bw_status cache_read(struct bw_stage *s, struct cache *c, const struct grid_request *request, struct lattice *l,
                          struct dense *d);
/// From `activate`: make the tiles active in which |v| of any component is above `least`, grown by `grow` metres.
enum bw_status cache_activate(struct bw_stage *s, const struct lattice *l, const struct dense *d, float least,
                              double grow);

/// What a stage that works on a cache offers: flames are exposed as the cache's.
const void *cache_extension(const char *id);

#endif
