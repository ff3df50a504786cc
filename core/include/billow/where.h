// SPDX-License-Identifier: Apache-2.0
/* Where a bake is: inside which callback of which plugin. For programs that install handlers of signals, to say who
 * crashed, and for those that wait, to say for whom. Part of <billow/bake.h>. */
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

/// A callback of a plugin that is being run. Strings hold until the bake is closed, `checkpoint` until the one after
/// the next is made.
struct bw_where {
    const char *id;         ///< of the stage or exporter, as the preset has it; NULL: the plugin is being loaded
    const char *plugin;     ///< its file
    const char *callback;   ///< "init", "step", "frame", …
    const char *out;        ///< the bake's folder, or NULL
    const char *checkpoint; ///< the newest that is whole, or ""
    int64_t frame;
    int32_t substep;  ///< of the frame, from 1; 0: none is being made
    int32_t body;     ///< 1: in a function that the callback gave to a sweep, parallel_for or team
    double seconds;   ///< that the callback has been at it
    const void *bake; ///< the library's
};

/// Where the calling thread is, one of a bake's workers too. 1, or 0: in no plugin. May be called from a signal
/// handler.
BW_API int bw_where_here(struct bw_where *where);
/// The last words of a bake that is about to end with its process: `size` bytes for its log, which is flushed and takes
/// its name. May be called from a signal handler.
BW_API void bw_where_log(const struct bw_where *where, const char *text, size_t size);
/// Where a running bake is: of its callbacks that which has taken longest. 1, or 0: in no plugin. Not from a signal
/// handler.
BW_API int bw_where_bake(struct bw_bake *bake, struct bw_where *where);

#ifdef __cplusplus
}
#endif
#endif
