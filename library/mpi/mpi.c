// SPDX-License-Identifier: Apache-2.0
/* The transport over MPI, a module of its own. An error inside MPI aborts all ranks, MPI's default. */
#include "base/transport.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 30 }; ///< bytes a message; counts are ints
enum { REQUESTS = 4096 };

struct mpi {
    struct bw_transport pub;
    MPI_Comm end_comm; ///< for the final barrier alone
    int parted;
};

static struct mpi mpi; ///< MPI itself is one a process

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pieces_gather(struct bw_transport *t, const void *mine, const size_t *bytes, void *all)
{
    size_t at = 0;
    int whole = 1;
    for (int32_t r = 0; r < t->size; r++) {
        at += bytes[r];
        whole = whole && at < MOST;
    }
    t->messages++;
    t->bytes += (int64_t)bytes[t->rank];
    if (whole) {
        int count[t->size], from[t->size];
        at = 0;
        for (int32_t r = 0; r < t->size; at += bytes[r++]) count[r] = (int)bytes[r], from[r] = (int)at;
        MPI_Allgatherv(mine ? mine : MPI_IN_PLACE, count[t->rank], MPI_BYTE, all, count, from, MPI_BYTE,
                       MPI_COMM_WORLD);
        return;
    }
    at = 0;
    for (int32_t r = 0; r < t->size; at += bytes[r++]) {
        if (r == t->rank && mine) memcpy((char *)all + at, mine, bytes[r]);
        for (size_t done = 0; done < bytes[r]; done += MOST) {
            const size_t n = bytes[r] - done < MOST ? bytes[r] - done : MOST;
            MPI_Bcast((char *)all + at + done, (int)n, MPI_BYTE, r, MPI_COMM_WORLD);
        }
    }
}

static void gather(struct bw_transport *t, const void *mine, const size_t *bytes, void *all)
{
    const double began = thread_seconds();
    pieces_gather(t, mine, bytes, all);
    t->busy += thread_seconds() - began;
}

/// Pending requests; a full list is waited for.
struct pending_requests {
    MPI_Request request[REQUESTS];
    int n;
};

static void pending_wait(struct pending_requests *f)
{
    MPI_Waitall(f->n, f->request, MPI_STATUSES_IGNORE);
    f->n = 0;
}

static void parcel_start(struct pending_requests *f, const struct bw_parcel *p, int send)
{
    for (size_t done = 0; done < p->bytes; done += MOST) {
        const int n = (int)(p->bytes - done < MOST ? p->bytes - done : MOST);
        char *at = (char *)p->data + done;
        if (send) MPI_Isend(at, n, MPI_BYTE, p->rank, 0, MPI_COMM_WORLD, &f->request[f->n++]);
        else MPI_Irecv(at, n, MPI_BYTE, p->rank, 0, MPI_COMM_WORLD, &f->request[f->n++]);
        if (f->n == REQUESTS) pending_wait(f); // 4096 GiB: only so that nothing is ever written beyond
    }
}

static void exchange(struct bw_transport *t, const struct bw_parcel *send, int32_t n_send, const struct bw_parcel *take,
                     int32_t n_take)
{
    static struct pending_requests f;
    const double began = thread_seconds();
    for (int32_t i = 0; i < n_take; i++) parcel_start(&f, &take[i], 0);
    for (int32_t i = 0; i < n_send; i++) {
        parcel_start(&f, &send[i], 1);
        t->messages++;
        t->bytes += (int64_t)send[i].bytes;
    }
    pending_wait(&f);
    t->busy += thread_seconds() - began;
}

static double monotonic_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int end_barrier(struct bw_transport *t, double seconds)
{
    MPI_Request request;
    const double until = monotonic_seconds() + seconds;
    (void)t;
    MPI_Ibarrier(mpi.end_comm, &request);
    while (!mpi.parted) {
        MPI_Test(&request, &mpi.parted, MPI_STATUS_IGNORE);
        if (mpi.parted || monotonic_seconds() > until) break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return mpi.parted;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* A rank that exits alone aborts the others; mpirun reports its exit code. */
static void exit_handler(int code, void *nothing)
{
    int over = 0;
    (void)nothing;
    MPI_Finalized(&over);
    if (over) return;
    if (mpi.parted) MPI_Finalize();
    else MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
}

__attribute__((visibility("default"))) struct bw_transport *bw_transport_open(char *why, size_t size)
{
    int had = 0, level = 0;
    MPI_Initialized(&had);
    if (!had && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) {
        snprintf(why, size, "MPI_Init_thread failed");
        return NULL;
    }
    if (!had) on_exit(exit_handler, NULL);
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
        snprintf(why, size, "this MPI can't be called from a thread other than the first");
        return NULL;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi.end_comm);
    mpi.pub = (struct bw_transport){
        .size_of_this = sizeof mpi.pub, .gather = gather, .exchange = exchange, .part = end_barrier};
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.pub.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.pub.size);
    return &mpi.pub;
}
