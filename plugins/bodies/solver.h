// SPDX-License-Identifier: Apache-2.0
/* ODE's messages and errors. Its handlers are the process's and run on the thread that steps. Without them ODE writes
 * to stderr, and exits after an error. */
#ifndef BODIES_SOLVER_H
#define BODIES_SOLVER_H

#include <setjmp.h>
#include <stdint.h>

struct solver {
    int64_t unsolved; ///< substeps in which the contact solver (LCP) did not converge
    int64_t messages; ///< number of other messages
    char text[200];   ///< the last message, or the error
    jmp_buf back;
};

/// Runs `fn` and records ODE's messages in `s`. 0: an error, in s->text; ODE's world must not be used any more.
int solver_run(struct solver *s, void (*fn)(void *user), void *user);

#endif
