// SPDX-License-Identifier: Apache-2.0
/* The plugin callback in which a bake is: for signal handlers, to report which plugin crashed, and for watchdogs, to
 * report which one stalls. Part of <billow/bake.h>. */
#ifndef BILLOW_WHERE_H
#define BILLOW_WHERE_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BW_API __attribute__((visibility("default")))
#else
#define BW_API
#endif

struct bw_bake;

/// A running callback of a plugin. Strings are valid until the bake is closed, `checkpoint` until the second next one.
struct bw_where {
    const char *id;         ///< of the stage or exporter, as the preset has it; NULL: the plugin is being loaded
    const char *plugin;     ///< its file
    const char *callback;   ///< "init", "step", "frame", …
    const char *out;        ///< the bake's folder, or NULL
    const char *checkpoint; ///< the newest complete one, or ""
    int64_t frame;
    int32_t substep;  ///< of the frame, from 1; 0: outside of substeps
    int32_t body;     ///< 1: in a function that the callback gave to a sweep, parallel_for or team
    double seconds;   ///< duration of the callback so far
    const void *bake; ///< the library's
};

/// For the calling thread, including a bake's workers. 1, or 0: in no plugin. Async-signal-safe.
BW_API int bw_where_here(struct bw_where *where);
/// Append to bake.log before the process ends: `size` bytes; the log is flushed and gets its final name.
/// Async-signal-safe.
BW_API void bw_where_log(const struct bw_where *where, const char *text, size_t size);
/// The longest-running callback of a bake. 1, or 0: in no plugin. Not async-signal-safe.
BW_API int bw_where_bake(struct bw_bake *bake, struct bw_where *where);

#ifdef __cplusplus
}
#endif
#endif
