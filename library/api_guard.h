// SPDX-License-Identifier: Apache-2.0
/* Entry and return of every function of bake.h. A call runs in the library's floating-point modes and locale; the
 * host's are restored on return. What went wrong becomes the calling thread's last error (bw_error_last). */
#ifndef API_GUARD_H
#define API_GUARD_H

#include "base/alloc.h"
#include "base/diag.h"
#include "handle_table.h"
#include <billow/bake.h>
#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

/// Locale and floating-point modes of the host's thread.
struct host_modes {
    locale_t locale;
    fenv_t float_modes;
};

struct host_modes host_modes_save(void);             ///< saves the host's, sets the library's
void host_modes_restore(const struct host_modes *m); ///< sets the host's again

/// One call by the host.
struct api_call {
    struct bw_diag d; ///< errors
    char *warnings;   ///< lines
    struct host_modes host;
    int cancel_state; ///< pthread_cancel is off during a call: a cancelled thread would leave locks behind
};

void api_enter(struct api_call *api);
/// Errors, or else warnings, become the thread's last error. Returns its status.
enum bw_status api_leave(struct api_call *api);
/// For functions that return nothing: the last error is kept.
void api_leave_silent(struct api_call *api);
/// Add a warning line.
void api_warn(struct api_call *api, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Adds BW_ERR_MEMORY to `d`, and returns it.
enum bw_status out_of_memory(struct bw_diag *d);

#endif
