// SPDX-License-Identifier: Apache-2.0
#include "auth.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

int auth_init(struct auth *a, const char *listen, int remote)
{
    unsigned char random[TOKEN_LENGTH / 2];
    *a = (struct auth){.remote = remote};
    snprintf(a->listen, sizeof a->listen, "%s", listen);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return 0;
    for (size_t i = 0; i < sizeof random; i++) snprintf(a->token + 2 * i, 3, "%02x", random[i]);
    return 1;
}

/// In constant time: how long it takes says nothing about how many digits are right.
static int token_equal(const char *a, const char *b)
{
    unsigned char differ = 0;
    for (int i = 0; i < TOKEN_LENGTH; i++) differ |= (unsigned char)(a[i] ^ b[i]);
    return !differ;
}

const char *auth_strip_token(const struct auth *a, const char *path)
{
    if (path[0] != '/' || strnlen(path + 1, TOKEN_LENGTH) < TOKEN_LENGTH || !token_equal(path + 1, a->token))
        return NULL;
    const char *rest = path + 1 + TOKEN_LENGTH;
    return *rest == '/' ? rest + 1 : *rest ? NULL : rest;
}

/// The host in "name", "name:port", "[address]:port" into out; 0: it is none of them.
static int host_name(const char *host, char *out, size_t size)
{
    const int bracket = host[0] == '[';
    const size_t n = strcspn(host + bracket, bracket ? "]" : ":");
    const char *rest = host + bracket + n;
    if (bracket && *rest++ != ']') return 0;
    if (!n || n >= size || (*rest && (*rest != ':' || strspn(rest + 1, "0123456789") != strlen(rest + 1)))) return 0;
    memcpy(out, host + bracket, n);
    out[n] = '\0';
    return 1;
}

int auth_host_allowed(const struct auth *a, const char *host)
{
    char name[64];
    struct in_addr v4;
    struct in6_addr v6;
    if (!host || !host_name(host, name, sizeof name)) return 0;
    if (!strcasecmp(name, "localhost") || !strcmp(name, "127.0.0.1") || !strcmp(name, "::1")) return 1;
    if (!a->remote) return !strcmp(name, a->listen);
    return inet_pton(AF_INET, name, &v4) == 1 || inet_pton(AF_INET6, name, &v6) == 1;
}

int auth_origin_allowed(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    if (!origin) return 1;
    return !strncmp(origin, scheme, sizeof scheme - 1) && !strcasecmp(origin + sizeof scheme - 1, host);
}
