// SPDX-License-Identifier: Apache-2.0
/* Probing untrusted plugins: a child process (billow-probe) loads them in turn and reports before and after each. If it
 * crashes or hangs, the current file is to blame, and another child continues behind it. */
#include "probe.h"
#include "reply.h"

#include "base/alloc.h"
#include <common/child/child.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

enum { TIMEOUT = 10 }; /* s for one file */

struct probe {
    struct child child;
    struct reply reply;
};

static bool probe_start(struct probe *c, const char *program, const char *const *path, int32_t n)
{
    const char **argv = bw_calloc(((size_t)n + 3) * sizeof *argv);
    reply_begin(&c->reply, n);
    if (!argv) return false;
    argv[0] = program;
    argv[1] = "plugin";
    for (int32_t i = 0; i < n; i++) argv[2 + i] = path[i];
    const int bad = child_start(&c->child, (char *const *)argv);
    bw_free((void *)argv);
    return !bad;
}

/* Until all are loaded, or the child has ended, or a file has timed out. */
static void probe_listen(struct probe *c)
{
    char bytes[256];
    double until = child_now() + TIMEOUT;
    while (c->reply.whole < c->reply.n) {
        const ssize_t got = child_read(&c->child, bytes, sizeof bytes, until, NULL, NULL);
        if (got <= 0) return;
        int32_t at = c->reply.at, whole = c->reply.whole;
        reply_parse(&c->reply, bytes, (size_t)got);
        if (c->reply.at != at || c->reply.whole != whole)
            until = child_now() + TIMEOUT; /* other output does not extend the time */
    }
}

/* ---- verdict ---- */

static char *fault_reason(const struct probe *c, int status)
{
    if (c->child.late) return bw_printf("does not come back within %d s when it is loaded", TIMEOUT);
    if (status != -1 && WIFSIGNALED(status))
        return bw_printf("crashes when it is loaded (%s)", strsignal(WTERMSIG(status)));
    return bw_strdup("ends the process when it is loaded");
}

void probe_plugins(const char *const *path, int32_t n, char **why, const char *probe)
{
    for (int32_t at = 0; probe && at < n;) {
        struct probe c;
        if (!probe_start(&c, probe, path + at, n - at)) return;
        probe_listen(&c);
        int status = child_end(&c.child);
        if (c.reply.at < c.reply.whole) return; /* all have loaded, or it failed before the first */
        why[at + c.reply.at] = fault_reason(&c, status);
        at += c.reply.at + 1;
    }
}
