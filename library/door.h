// SPDX-License-Identifier: Apache-2.0
/* What every function of bake.h does first and last: the calling thread's last error, its floating-point modes and its
 * locale, which are the host's again when the call is over. */
#ifndef DOOR_H
#define DOOR_H

#include "base/alloc.h"
#include "base/diag.h"
#include "handle.h"
#include <billow/bake.h>
#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

/// The host's thread as it came in.
struct host_modes {
    locale_t locale;
    fenv_t float_modes;
};

struct host_modes host_modes_leave(void);          ///< from the host's modes to a run's
void host_modes_enter(const struct host_modes *m); ///< and back

struct door {
    struct bw_diag d; ///< what went wrong
    char *warnings;   ///< lines
    struct host_modes host;
    int cancel_state; ///< a thread that is cancelled in here would leave locks behind
};

void door_enter(struct door *door);
/// All that the call has to say becomes the thread's last error. Answers its status.
enum bw_status door_leave(struct door *door);
/// Of functions that answer nothing: the last error stays what it was.
void door_leave_silent(struct door *door);
/// A line that is no error.
void door_warn(struct door *door, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// BW_ERR_MEMORY, said.
enum bw_status out_of_memory(struct bw_diag *d);

#endif
