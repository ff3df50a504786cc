// SPDX-License-Identifier: Apache-2.0
/* One child loads all files in turn and says before and after each which it is at. Where it dies or stops, that file is
 * to blame, and another child goes on behind it. Spawned, not forked: the host has threads. */
#define _GNU_SOURCE /* pipe2, environ */
#include "scan.h"
#include "reply.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* s for one file */

struct child {
    pid_t pid;
    int from; ///< read end of its descriptor
    bool late;
    struct reply said;
};

/* ---- starting ---- */

static int actions_make(posix_spawn_file_actions_t *a, int write_end)
{
    int bad = posix_spawn_file_actions_init(a);
    if (bad) return bad;
    bad = posix_spawn_file_actions_adddup2(a, write_end, PROBE_FD); /* first: its number may be one of the next */
    for (int fd = 0; fd <= 2 && !bad; fd++) bad = posix_spawn_file_actions_addopen(a, fd, "/dev/null", O_RDWR, 0);
    return bad;
}

/* Signals as a program finds them; a group of its own, so that what it may start ends with it. */
static int attributes_make(posix_spawnattr_t *a)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int bad = posix_spawnattr_init(a);
    if (bad) return bad;
    posix_spawnattr_setsigmask(a, &none);
    posix_spawnattr_setsigdefault(a, &all);
    posix_spawnattr_setpgroup(a, 0);
    return posix_spawnattr_setflags(a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int child_spawn(struct child *c, const char *probe, char *const *argv, int write_end)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int bad = actions_make(&actions, write_end);
    if (bad) return bad;
    bad = attributes_make(&attributes);
    if (!bad) bad = posix_spawn(&c->pid, probe, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return bad;
}

static bool child_start(struct child *c, const char *probe, const char *const *path, int32_t n)
{
    const char **argv = bw_calloc(((size_t)n + 3) * sizeof *argv);
    int ends[2];
    *c = (struct child){0};
    reply_begin(&c->said, n);
    if (!argv || pipe2(ends, O_CLOEXEC)) return bw_free((void *)argv), false;
    argv[0] = probe;
    argv[1] = "plugin";
    for (int32_t i = 0; i < n; i++) argv[2 + i] = path[i];
    int bad = child_spawn(c, probe, (char *const *)argv, ends[1]);
    close(ends[1]);
    if (bad) close(ends[0]);
    c->from = ends[0];
    bw_free((void *)argv);
    return !bad;
}

/* ---- listening ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until all are whole, or the child is gone, or it has been at one file for too long. */
static void child_listen(struct child *c)
{
    char bytes[256];
    double until = now() + PATIENCE;
    while (c->said.whole < c->said.n) {
        struct pollfd p = {.fd = c->from, .events = POLLIN};
        double left = until - now();
        int ready = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        c->late = ready == 0;
        ssize_t got = ready > 0 ? read(c->from, bytes, sizeof bytes) : 0;
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        int32_t at = c->said.at, whole = c->said.whole;
        reply_take(&c->said, bytes, (size_t)got);
        if (c->said.at != at || c->said.whole != whole) until = now() + PATIENCE; /* else it only talks */
    }
}

/* Its wait status, or -1: the host, which may wait for all children, was faster. One that has closed its pipe and goes
 * on is ended. */
static int child_end(struct child *c)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    int status = -1;
    close(c->from);
    if (c->late) kill(-c->pid, SIGKILL);
    for (int i = 0;; i++) {
        pid_t gone = waitpid(c->pid, &status, c->late ? 0 : WNOHANG);
        if (gone == c->pid) return status;
        if (gone < 0 && errno != EINTR) return -1;
        c->late |= i == 1000;
        if (c->late) kill(-c->pid, SIGKILL);
        else nanosleep(&moment, NULL);
    }
}

/* ---- judging ---- */

static char *reason(const struct child *c, int status)
{
    if (c->late) return bw_printf("does not come back within %d s when it is loaded", PATIENCE);
    if (status != -1 && WIFSIGNALED(status))
        return bw_printf("crashes when it is loaded (%s)", strsignal(WTERMSIG(status)));
    return bw_strdup("ends the process when it is loaded");
}

void scan_plugins(const char *const *path, int32_t n, char **why, const char *probe)
{
    for (int32_t at = 0; probe && at < n;) {
        struct child c;
        if (!child_start(&c, probe, path + at, n - at)) return;
        child_listen(&c);
        int status = child_end(&c);
        if (c.said.at < c.said.whole) return; /* all are good, or it never came to load one */
        why[at + c.said.at] = reason(&c, status);
        at += c.said.at + 1;
    }
}
