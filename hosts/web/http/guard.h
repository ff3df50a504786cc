// SPDX-License-Identifier: Apache-2.0
/* Who may ask: those who know the token, by an address that no other site can have, from the page itself. */
#ifndef WEB_GUARD_H
#define WEB_GUARD_H

enum { GUARD_TOKEN = 32 }; ///< letters: 128 bits

struct guard {
    char token[GUARD_TOKEN + 1];
    char listen[64]; ///< the address that is listened on, as text
    int open;        ///< 1: not only this machine may ask
};

/// A new token. 0: the system has no random numbers.
int guard_init(struct guard *g, const char *listen, int open);
/// What follows "/TOKEN/" in a path, or NULL: another token. "" also for "/TOKEN".
const char *guard_path(const struct guard *g, const char *path);
/// Is it a name by which this machine is meant? A foreign page can make its own name lead to 127.0.0.1, but neither an
/// address nor "localhost". The port may be another: a tunnel's.
int guard_host(const struct guard *g, const char *host);
/// Does a page with this Origin (NULL: not sent) belong to `host`?
int guard_origin(const char *origin, const char *host);

#endif
