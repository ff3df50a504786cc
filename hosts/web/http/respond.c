// SPDX-License-Identifier: Apache-2.0
#include "respond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum MHD_Result respond(struct MHD_Connection *c, unsigned code, const char *type, struct MHD_Response *r)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                                    "img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; "
                                    "form-action 'none'; frame-ancestors 'none'"},
    };
    if (!r) return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    if (type) MHD_add_response_header(r, "Content-Type", type);
    const enum MHD_Result result = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return result;
}

enum MHD_Result respond_buffer(struct MHD_Connection *c, unsigned code, const char *type, void *bytes, size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (!r) free(bytes);
    return respond(c, code, type, r);
}

enum MHD_Result respond_static(struct MHD_Connection *c, const struct static_file *f)
{
    return respond(c, MHD_HTTP_OK, f->type,
                   MHD_create_response_from_buffer(f->size, (void *)(uintptr_t)f->bytes, MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result respond_text(struct MHD_Connection *c, unsigned code, const char *sentence)
{
    return respond(
        c, code, "text/plain; charset=utf-8",
        MHD_create_response_from_buffer(strlen(sentence), (void *)(uintptr_t)sentence, MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result respond_html(struct MHD_Connection *c, unsigned code, const char *sentence)
{
    char page[1024];
    snprintf(page, sizeof page,
             "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
             "<title>Billow</title><body style=\"background:#16181b;color:#d8dade;font:16px/1.5 sans-serif;"
             "max-width:36em;margin:20vh auto;padding:0 1em\"><p>%s</p></body></html>",
             sentence);
    return respond(c, code, "text/html; charset=utf-8",
                   MHD_create_response_from_buffer(strlen(page), page, MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result respond_redirect(struct MHD_Connection *c, const char *path)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (r) MHD_add_response_header(r, "Location", path);
    return respond(c, MHD_HTTP_FOUND, NULL, r);
}
