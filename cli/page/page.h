// SPDX-License-Identifier: Apache-2.0
/* The live page, for commands: its module is loaded when the page is asked for. Without one every function does
 * nothing. */
#ifndef BW_CLI_PAGE_H
#define BW_CLI_PAGE_H

#include "cli.h"
#include <web/web.h>

struct page {
    const struct bw_web_calls *calls; ///< NULL: there is no page
    struct bw_web *web;
    struct bw_web_options o;
    int live; ///< of a preset that is tuned: one simulation runs on
};

// clang-format off
#define PAGE_OPTIONS                                                                                               \
    {"listen", "ADDRESS", "the page answers other machines too: an address of this one, or 0.0.0.0", 'L'},         \
    {                                                                                                              \
        "port", "N", "the page's port (8420, or the next that is free)", 'p'                                       \
    }
// clang-format on

/// One of PAGE_OPTIONS; 0 after an error message.
int page_option(struct page *p, int code, const char *text);
/// Begin to listen; an exit code, after an error message unless 0.
int page_open(struct page *p, struct bw_session *session);
const char *page_address(const struct page *p);
void page_progress(const struct page *p, const struct bw_bake_progress *f);
void page_frame(const struct page *p, struct bw_snapshot *snapshot);
void page_log(const struct page *p, int32_t level, const char *who, const char *text);
/// The bake is over: the page stays until a signal, or until the last viewer leaves. 1: all frames are done, if only by
/// a resume from the page.
int page_end(const struct page *p, const char *sentence);
void page_close(struct page *p);
/// From now on SIGINT, SIGTERM and SIGHUP end page_wait, and nothing else.
void page_signals(void);
/// Wait for SIGINT, SIGTERM or SIGHUP; with `viewers` also until the last viewer leaves.
void page_wait(const struct page *p, int viewers);

#endif
