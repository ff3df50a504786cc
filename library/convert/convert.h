// SPDX-License-Identifier: Apache-2.0
/* A cache written anew by a host's rules (common/openvdb/hosts): parts of bw_cache_convert. */
#ifndef CONVERT_H
#define CONVERT_H

#include "session/session.h"
#include <common/openvdb/bwvdb.h>
#include <common/openvdb/lattice/lattice.h>
#include <common/openvdb/nano/nano.h>
#include <pthread.h>

/// What all frames share. Constant while frames are written, but for what is under the lock.
struct conversion {
    const char *host, *out; ///< "unreal", or NULL; the folder
    int folder;             ///< its descriptor
    bool proxy;             ///< voxels twice as wide, numbers alone
    bool to_nano;           ///< files are NanoVDB's …
    struct bwvdb_nano nano; ///< … kept so
    double density_gain;    ///< so that the densest smoke of all frames fits
    int32_t lo[3], hi[3];   ///< where frames without a voxel get one
    pthread_mutex_t lock;
    struct bw_diag *d; ///< the first failure
    json_t *left_out;  ///< {name of a grid: why}
};

/* convert_report.c */
/// Report a failure, once.
void conversion_fail(struct conversion *c, enum bw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Remember that a grid is left out.
void conversion_leave(struct conversion *c, const char *name, const char *why);

/// Report that there is no such host.
enum bw_status host_unknown(const char *host, struct bw_diag *d);

/* convert_grids.c */
/// Add the grids of an open file to another, by the host's rules. 0: failed, which has been reported.
bool grids_convert(struct conversion *c, struct bwvdb_file *f, struct bwvdb_writer *w);

#endif
