// SPDX-License-Identifier: Apache-2.0
/* What ODE has to say. It tells its handlers, which are the process's, on the thread that steps; without them it writes
 * to stderr, and ends the process after an error. */
#ifndef BODIES_SOLVER_H
#define BODIES_SOLVER_H

#include <setjmp.h>
#include <stdint.h>

struct solver {
    int64_t unsolved; ///< sets of contacts whose forces it did not find; they are pressed on in the next part
    int64_t said;     ///< other messages
    char text[200];   ///< the last of those, or the error
    jmp_buf back;
};

/// Run `fn` with what ODE says kept in `s`. 0: it gave up, for the reason in s->text; its world is not to be used then.
int solver_run(struct solver *s, void (*fn)(void *user), void *user);

#endif
