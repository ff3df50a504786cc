// SPDX-License-Identifier: Apache-2.0
/* The live page: an HTTP server in libbillow-web.so, which the program loads when a page is wanted. It uses
 * billow/bake.h alone.
 *
 * A page shows caches, a running bake, whose callbacks the program forwards, or a preset that is tuned. Every function
 * may be called from any thread, except `close`, which is the last call. */
#ifndef BW_WEB_H
#define BW_WEB_H

#include <billow/bake.h>

struct bw_web;

struct bw_web_options {
    uint32_t size;       ///< sizeof this struct
    const char *listen;  ///< an address of this machine; NULL: 127.0.0.1
    int32_t port;        ///< 0: the first free one from 8420 on
    int32_t gentle;      ///< 1: all pictures are rendered at the lowest scheduling priority
    const char *plotter; ///< path of Dygraphs, which draws plots; NULL: where the build found it
};

struct bw_web_calls {
    uint32_t size; ///< sizeof this struct
    /// Listen. Errors, with a sentence in `why`: BW_ERR_USAGE (no such address), BW_ERR_IO (the port is taken),
    /// BW_ERR_MEMORY.
    enum bw_status (*open)(struct bw_session *session, const struct bw_web_options *o, struct bw_web **web, char *why,
                           size_t why_size);
    /// "http://127.0.0.1:8420/TOKEN/", as long as it is open.
    const char *(*address)(const struct bw_web *web);
    /// Show one cache more: what bw_cache_open takes. Errors are in bw_error_last.
    enum bw_status (*show_cache)(struct bw_web *web, const char *what);
    /// Tune a preset: its name or path. Errors are in bw_error_last; mistakes in the preset are shown on the page.
    /// `live` 1: one simulation of it runs on, and takes changed values.
    enum bw_status (*tune)(struct bw_web *web, const char *preset, int32_t live);
    /// Show an open bake, which the page may stop and ask for checkpoints. Close it after `end`.
    enum bw_status (*show_bake)(struct bw_web *web, struct bw_bake *bake);
    /// Forwarded callbacks of that bake.
    void (*progress)(struct bw_web *web, const struct bw_bake_progress *p);
    void (*frame)(struct bw_web *web, struct bw_snapshot *snapshot);
    void (*log)(struct bw_web *web, int32_t level, const char *who, const char *text);
    /// The bake has ended; `sentence`: why, NULL: all frames are made. From then on its files are shown.
    void (*end)(struct bw_web *web, const char *sentence);
    /// After `end`: are all frames of that bake made, also by a page that has resumed it?
    int32_t (*complete)(struct bw_web *web);
    int32_t (*viewers)(struct bw_web *web); ///< open pages, and bakes that were resumed from one
    void (*close)(struct bw_web *web);
};

extern const struct bw_web_calls bw_web_calls; ///< the module's one symbol: web.c

#endif
