// SPDX-License-Identifier: Apache-2.0
/* Which plugins a session trusts: those built with it, in their own folder. All others are probed first. */
#include "session.h"

#include "base/alloc.h"
#include "probe/probe.h"
#include <stdbool.h>
#include <string.h>

/* Is the word of `n` bytes in a list of words, each behind `mark`? */
static bool is_listed(const char *list, char mark, const char *word, size_t n)
{
    for (const char *at = list; at && *at;) {
        const size_t length = strcspn(at, (char[]){mark, '\0'});
        if (length == n && !strncmp(at, word, n)) return true;
        at += length + (at[length] == mark);
    }
    return false;
}

static bool is_own(const struct folders *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && is_listed(f->own, ':', path, (size_t)(slash - path)) &&
           is_listed(BW_OWN_PLUGINS, ' ', slash + 1, strlen(slash + 1));
}

void session_probe_untrusted(const char *const *path, int32_t n, char **why, void *folders)
{
    const struct folders *f = folders;
    const char **untrusted = bw_calloc(((size_t)n + 1) * sizeof *untrusted);
    int32_t *number = bw_calloc(((size_t)n + 1) * sizeof *number), k = 0;
    char **found = bw_calloc(((size_t)n + 1) * sizeof *found);
    for (int32_t i = 0; untrusted && number && found && i < n; i++)
        if (!is_own(f, path[i])) untrusted[k] = path[i], number[k++] = i;
    if (k) probe_plugins(untrusted, k, found, f->probe);
    for (int32_t i = 0; i < k; i++) why[number[i]] = found[i];
    bw_free((void *)untrusted);
    bw_free(number);
    bw_free(found);
}
