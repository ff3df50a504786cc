// SPDX-License-Identifier: Apache-2.0
/* Answers, all with the headers that keep a page to itself. */
#ifndef WEB_REPLY_H
#define WEB_REPLY_H

#include <microhttpd.h>
#include <stdint.h>

/// An answer in memory that `free` gives back, whatever happens.
enum MHD_Result reply_bytes(struct MHD_Connection *c, unsigned code, const char *type, void *bytes, size_t size);
/// A text that stays where it is, a page's part say.
enum MHD_Result reply_static(struct MHD_Connection *c, const char *type, const void *bytes, size_t size);
/// One sentence; a page of its own where a person would see it.
enum MHD_Result reply_sentence(struct MHD_Connection *c, unsigned code, const char *sentence);
enum MHD_Result reply_page(struct MHD_Connection *c, unsigned code, const char *sentence);
/// Ask at another path.
enum MHD_Result reply_moved(struct MHD_Connection *c, const char *path);
/// Queue a response with those headers, and let go of it.
enum MHD_Result reply_send(struct MHD_Connection *c, unsigned code, const char *type, struct MHD_Response *r);

#endif
