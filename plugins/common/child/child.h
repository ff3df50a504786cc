// SPDX-License-Identifier: Apache-2.0
/* Another program as a child, for work that may crash, hang or lie: it answers on one descriptor. It is spawned, not
 * forked: the host has threads. Nothing of the host's signals, working folder or descriptors is touched. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// The child's descriptor that it answers on; 0 to 2 are /dev/null, and no other is open.
enum { CHILD_FD = 3 };

struct child {
    pid_t pid;
    int from;  ///< read end of its answer
    bool late; ///< it was waited for in vain
};

/// Starts argv[0], a path, in a process group of its own. 0, or an errno: then there is no child.
int child_start(struct child *c, char *const *argv);
/// Seconds of a clock that only goes forward.
double child_now(void);
/// Bytes of its answer, n at most; 0: it has closed its end, or the clock passed `until` (c->late). At least every
/// tenth of a second `stop` is asked, where there is one, and ends the waiting like the clock.
ssize_t child_read(struct child *c, void *bytes, size_t n, double until, bool (*stop)(void *user), void *user);
/// Ends it if it goes on, and all that it started. Its wait status, or -1: the host, which may wait for all children,
/// was faster.
int child_end(struct child *c);

/* ---- in the child ---- */

/// What every child does first: its faults end it, without a core file, and so does its parent's end; descriptors that
/// the host forgot to close are closed.
void child_settle(void);

#endif
