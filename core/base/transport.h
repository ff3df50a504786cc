// SPDX-License-Identifier: Apache-2.0
/* Message passing between the processes (ranks) of one bake. The module library/mpi implements it over MPI; it is
 * loaded where mpirun or srun started more than one process. All calls but `part` are collective: one after the other,
 * on all ranks in the same order. An error of the transport itself aborts all ranks. */
#ifndef BILLOW_TRANSPORT_H
#define BILLOW_TRANSPORT_H

#include <billow/services.h>

struct bw_transport {
    uint32_t size_of_this;
    int32_t rank, size;      ///< 0 … size-1; how many ranks there are
    int64_t bytes, messages; ///< that this rank has sent since it was last asked
    void *buffer;            ///< memory for parcels, kept: fresh one from the system is cleared page by page …
    size_t buffer_bytes;     ///< … (grid/ranks/fetch.c)
    double busy;             ///< processor time that it spent here meanwhile, waiting for others most of it, s
    /// All-gather: the pieces of all ranks, bytes[r] of rank r, concatenated in `all` on every rank. `mine` NULL: in
    /// place.
    void (*gather)(struct bw_transport *t, const void *mine, const size_t *bytes, void *all);
    /// Point-to-point: send and receive parcels; each one sent is received by its rank in the same call.
    void (*exchange)(struct bw_transport *t, const struct bw_parcel *send, int32_t n_send, const struct bw_parcel *take,
                     int32_t n_take);
    /// 1: all ranks called it within that time, and this process may end by itself; 0: others are at something else,
    /// and when this process ends so do they.
    int (*part)(struct bw_transport *t, double seconds);
};

#define BW_TRANSPORT_SYMBOL "bw_transport_open"
/// Once a process. NULL after a sentence in `why`.
typedef struct bw_transport *(*bw_transport_open_fn)(char *why, size_t size);

#endif
