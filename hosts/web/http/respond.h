// SPDX-License-Identifier: Apache-2.0
/* HTTP responses. All of them carry the security headers: no caching, no framing, a content security policy. */
#ifndef WEB_RESPOND_H
#define WEB_RESPOND_H

#include <microhttpd.h>
#include <stdint.h>

/// A file of page/, compiled in.
struct static_file {
    const char *name, *type;
    const unsigned char *bytes;
    size_t size;
};
extern const struct static_file static_files[]; ///< static_files.py makes them; the last has no name

/// A body in memory from malloc, which is freed even where the response fails.
enum MHD_Result respond_buffer(struct MHD_Connection *c, unsigned code, const char *type, void *bytes, size_t size);
enum MHD_Result respond_static(struct MHD_Connection *c, const struct static_file *f);
/// One sentence as plain text, for the page's scripts; it is copied.
enum MHD_Result respond_text(struct MHD_Connection *c, unsigned code, const char *sentence);
/// One sentence as an HTML page of its own, for a person at the browser.
enum MHD_Result respond_html(struct MHD_Connection *c, unsigned code, const char *sentence);
enum MHD_Result respond_redirect(struct MHD_Connection *c, const char *path);
/// Add the security headers to `r` (NULL: MHD_NO), queue it and drop the reference to it.
enum MHD_Result respond(struct MHD_Connection *c, unsigned code, const char *type, struct MHD_Response *r);

#endif
