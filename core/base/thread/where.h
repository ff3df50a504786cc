// SPDX-License-Identifier: Apache-2.0
/* The position of a bake, for crash reports and watchdogs: which plugin and callback the loop's and the writer's
 * threads are in. Positions are atomics, so that a signal handler or another thread may read them. Workers point at the
 * spot of the callback that they work for. */
#ifndef BW_WHERE_H
#define BW_WHERE_H

#include <billow/where.h>
#include <stdatomic.h>
#include <stdbool.h>

struct where_bake;

/// What is noted: a callback, or with `body` a function that it gave away.
struct where_place {
    const char *id, *plugin, *callback;
    int64_t frame;
    int32_t substep, body;
};

/// Of one thread that calls plugins.
struct where_spot {
    const struct where_bake *bake;
    _Atomic uint32_t turn; ///< odd while the rest changes
    _Atomic(const char *) id, plugin, callback;
    _Atomic int64_t frame, began; ///< began: ns, monotonic; 0: in no callback
    _Atomic int32_t substep, body;
    _Atomic(const char *) refused; ///< a call that a body made and must not, the first of them
};

/// Of one bake.
struct where_bake {
    struct where_spot loop, writer;
    const char *out;
    _Atomic int log;        ///< descriptor, or -1
    char log_path[2][4096]; ///< of the log while it is written, and when it is whole
    _Atomic int64_t frame;  ///< that the loop is at …
    _Atomic int32_t substep;
    _Atomic uint32_t n_checkpoints;
    char checkpoint[2][256]; ///< the newest is n_checkpoints % 2
};

/// What was there before, for where_leave.
struct where_was {
    struct where_spot *here;
    struct where_place place;
    int64_t began;
};

void where_init(struct where_bake *b, const char *out);
/// The calling thread enters a callback, or a body of the one that it is in, and leaves it again.
struct where_was where_enter(struct where_spot *s, const struct where_place *p);
void where_leave(struct where_spot *s, const struct where_was *was);
/// The bake's log has that descriptor, under a hidden name, until where_log_end.
void where_log(struct where_bake *b, int fd, const char *hidden, const char *name);
void where_log_end(struct where_bake *b);
/// A checkpoint is whole; its name, without a folder.
void where_checkpoint(struct where_bake *b, const char *name);
/// 1 and the longer of the two callbacks that a bake is in, or 0.
int where_longest(const struct where_bake *b, struct bw_where *where);

/// The calling thread's spot, NULL outside of plugins, for a worker of the same job.
struct where_spot *where_here(void);
void where_here_set(struct where_spot *s);
/// Is the calling thread inside a body, which must not make that call? Then it is noted.
bool where_refuses(const char *call);
/// The call noted since the last time, or NULL.
const char *where_refused(struct where_spot *s);

/// The thread's alternate signal stack (sigaltstack), for a handler of stack overflow: a local of the thread's main
/// function, in use from where_signal_stack to where_signal_stack_end.
struct where_signal_stack {
    char memory[32 << 10]; ///< a frame with AVX-512 state is 4 KiB, the words of a handler another 5
};
void where_signal_stack(struct where_signal_stack *g);
void where_signal_stack_end(const struct where_signal_stack *g);

#endif
