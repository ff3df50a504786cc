// SPDX-License-Identifier: Apache-2.0
/* Children; child.h says what it does. */
#define _GNU_SOURCE /* pipe2, environ, close_range */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- starting ---- */

static int actions_make(posix_spawn_file_actions_t *a, int write_end)
{
    int bad = posix_spawn_file_actions_init(a);
    if (bad) return bad;
    bad = posix_spawn_file_actions_adddup2(a, write_end, CHILD_FD); // first: its number may be one of the next
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

static int spawn(struct child *c, char *const *argv, int write_end)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int bad = actions_make(&actions, write_end);
    if (bad) return bad;
    bad = attributes_make(&attributes);
    if (!bad) bad = posix_spawn(&c->pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return bad;
}

int child_start(struct child *c, char *const *argv)
{
    int ends[2];
    *c = (struct child){.from = -1};
    if (pipe2(ends, O_CLOEXEC)) return errno;
    const int bad = spawn(c, argv, ends[1]);
    close(ends[1]);
    if (bad) close(ends[0]);
    else c->from = ends[0];
    return bad;
}

/* ---- listening ---- */

double child_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ssize_t child_read(struct child *c, void *bytes, size_t n, double until, bool (*stop)(void *user), void *user)
{
    for (;;) {
        struct pollfd p = {.fd = c->from, .events = POLLIN};
        const double left = until - child_now();
        c->late = left <= 0 || (stop && stop(user));
        if (c->late) return 0;
        int ready = poll(&p, 1, (int)((left < 0.1 ? left : 0.1) * 1000) + 1);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t got = ready > 0 ? read(c->from, bytes, n) : 0;
        if (got < 0 && errno == EINTR) continue;
        return got < 0 ? 0 : got;
    }
}

int child_end(struct child *c)
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

/* ---- in the child ---- */

void child_settle(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    close_range(CHILD_FD + 1, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], SIG_DFL); // a sanitizer's, too
}
