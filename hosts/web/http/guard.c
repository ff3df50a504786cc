// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

int guard_init(struct guard *g, const char *listen, int open)
{
    unsigned char random[GUARD_TOKEN / 2];
    *g = (struct guard){.open = open};
    snprintf(g->listen, sizeof g->listen, "%s", listen);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return 0;
    for (size_t i = 0; i < sizeof random; i++) snprintf(g->token + 2 * i, 3, "%02x", random[i]);
    return 1;
}

/// All letters are looked at, so that the time tells nothing.
static int token_same(const char *a, const char *b)
{
    unsigned char differ = 0;
    for (int i = 0; i < GUARD_TOKEN; i++) differ |= (unsigned char)(a[i] ^ b[i]);
    return !differ;
}

const char *guard_path(const struct guard *g, const char *path)
{
    if (path[0] != '/' || strnlen(path + 1, GUARD_TOKEN) < GUARD_TOKEN || !token_same(path + 1, g->token)) return NULL;
    const char *rest = path + 1 + GUARD_TOKEN;
    return *rest == '/' ? rest + 1 : *rest ? NULL : rest;
}

/// The name in "name", "name:port", "[address]:port" into out; 0: it is none of them.
static int name_of(const char *host, char *out, size_t size)
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

int guard_host(const struct guard *g, const char *host)
{
    char name[64];
    struct in_addr v4;
    struct in6_addr v6;
    if (!host || !name_of(host, name, sizeof name)) return 0;
    if (!strcasecmp(name, "localhost") || !strcmp(name, "127.0.0.1") || !strcmp(name, "::1")) return 1;
    if (!g->open) return !strcmp(name, g->listen);
    return inet_pton(AF_INET, name, &v4) == 1 || inet_pton(AF_INET6, name, &v6) == 1;
}

int guard_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    if (!origin) return 1;
    return !strncmp(origin, scheme, sizeof scheme - 1) && !strcasecmp(origin + sizeof scheme - 1, host);
}
