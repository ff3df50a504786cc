// SPDX-License-Identifier: Apache-2.0
/* What carries bytes between the processes ("ranks") that make one bake. A module of its own, library/mpi, is
 * one over MPI; it is loaded where mpirun or srun started more than one process. All calls but `part` come one
 * after the other, on all ranks in the same order. What the carrier itself can't do ends all ranks. */
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
    /// All ranks' pieces, bytes[r] of rank r, one after the other to `all`, on every rank. `mine` NULL: it is in its
    /// place there.
    void (*gather)(struct bw_transport *t, const void *mine, const size_t *bytes, void *all);
    /// Send and take; every parcel sent is one that its rank takes.
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
