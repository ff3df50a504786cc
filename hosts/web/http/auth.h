// SPDX-License-Identifier: Apache-2.0
/* Which requests are authorised: those whose path has the secret token, whose Host header names this machine (DNS
 * rebinding), and whose Origin is the page itself (the origin check against cross-site requests). */
#ifndef WEB_AUTH_H
#define WEB_AUTH_H

enum { TOKEN_LENGTH = 32 }; ///< hexadecimal digits: 128 bits

struct auth {
    char token[TOKEN_LENGTH + 1];
    char listen[64]; ///< the address that the server listens on, as text
    int remote;      ///< 1: that is no loopback address, so that other machines may ask
};

/// With a new random token. 0: the system has no random numbers.
int auth_init(struct auth *a, const char *listen, int remote);
/// What follows "/TOKEN/" in a path, or NULL: another token. "" also for "/TOKEN". Compares in constant time.
const char *auth_strip_token(const struct auth *a, const char *path);
/// Does the Host header name this machine? A foreign page can let its own host name lead to 127.0.0.1 (DNS rebinding),
/// but neither an address nor "localhost". The port may be another: a tunnel's.
int auth_host_allowed(const struct auth *a, const char *host);
/// Does a page with this Origin header (NULL: not sent) belong to `host`?
int auth_origin_allowed(const char *origin, const char *host);

#endif
