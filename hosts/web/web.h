// SPDX-License-Identifier: Apache-2.0
/* The live page: what libbillow-web.so gives to the program that loads it when somebody wants to look. It stands on
 * billow/bake.h alone; a machine without it misses nothing else.
 *
 * A page shows caches, a bake, whose callbacks the program hands on, or a preset that is tuned. Every function may be
 * called from any thread, but `close`, which is the last. */
#ifndef BW_WEB_H
#define BW_WEB_H

#include <billow/bake.h>

struct bw_web;

struct bw_web_options {
    uint32_t size;       ///< sizeof this struct
    const char *listen;  ///< an address of this machine; NULL: 127.0.0.1
    int32_t port;        ///< 0: 8420, or the next that is free
    int32_t gentle;      ///< 1: pictures wait for the bake, also those that somebody's hand asks for
    const char *plotter; ///< a script that draws plots (Dygraphs); NULL: where the build found it
};

struct bw_web_calls {
    uint32_t size; ///< sizeof this struct
    /// Listen. Errors, with a sentence in `why`: BW_ERR_USAGE (no such address), BW_ERR_IO (the port is taken),
    /// BW_ERR_MEMORY.
    enum bw_status (*open)(struct bw_session *session, const struct bw_web_options *o, struct bw_web **web, char *why,
                           size_t why_size);
    /// "http://127.0.0.1:8420/TOKEN/", as long as it is open.
    const char *(*address)(const struct bw_web *web);
    /// Show a cache, one more than before: what bw_cache_open takes. Its errors are in bw_error_last.
    enum bw_status (*show_cache)(struct bw_web *web, const char *what);
    /// Tune a preset: its name or path. Its errors are in bw_error_last; mistakes in it are the page's to tell.
    enum bw_status (*tune)(struct bw_web *web, const char *preset);
    /// Show a bake that is open, and may be stopped and asked for checkpoints; it is closed after `end`.
    enum bw_status (*show_bake)(struct bw_web *web, struct bw_bake *bake);
    /// From the callbacks of that bake.
    void (*progress)(struct bw_web *web, const struct bw_bake_progress *p);
    void (*frame)(struct bw_web *web, struct bw_snapshot *snapshot);
    void (*log)(struct bw_web *web, int32_t level, const char *who, const char *text);
    /// The bake is over; `sentence`: what ended it, NULL: all frames are made. Its files are shown from then on.
    void (*end)(struct bw_web *web, const char *sentence);
    /// After `end`, and what a page has gone on with: are all frames of that bake made now?
    int32_t (*whole)(struct bw_web *web);
    int32_t (*viewers)(struct bw_web *web); ///< pages that are open now, and bakes that these go on with
    void (*close)(struct bw_web *web);
};

extern const struct bw_web_calls bw_web_calls; ///< the module's one symbol: web.c

#endif
