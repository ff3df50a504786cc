// SPDX-License-Identifier: Apache-2.0
/* A wedge on this machine. Each member is a process, so that a crash affects no other. The number that runs at once is
 * limited by cores, and by the members' memory estimates. */
#include "wedge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stops;

static void on_stop_signal(int number)
{
    (void)number;
    stops++;
}

struct local {
    const struct wedge_run *run;
    const json_t *plan, *members;
    pid_t *pid; ///< of each member; 0: it does not run
    long long threads;
    size_t next, running, done, todo;
    int stops_sent; ///< stop requests that were forwarded
};

/* ---- how many ---- */

static double memory_max(const json_t *members)
{
    double most = 0;
    const json_t *one;
    size_t i;
    json_array_foreach (members, i, one)
        if (cli_number(one, "memory") > most) most = cli_number(one, "memory");
    return most;
}

static size_t jobs_choose(const struct wedge_run *r, const json_t *members, size_t todo, double cores, double memory)
{
    const double most = memory_max(members);
    double jobs = r->jobs ? (double)r->jobs : r->threads ? cores / (double)r->threads : cores;
    if (!r->jobs && most > 0 && memory / most < jobs) jobs = memory / most;
    if (jobs > (double)todo) jobs = (double)todo;
    return jobs < 1 ? 1 : (size_t)jobs;
}

/* ---- processes ---- */

/* In the child: only what is safe after a fork of a process with threads. */
static void child_run(char *const *line, int words)
{
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0); // a terminal's Ctrl-C is for the parent, which passes it on once
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(nothing, STDIN_FILENO);
    dup2(words, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    execv("/proc/self/exe", line);
    _exit(127);
}

/* A pipe of that name would wait for a reader. */
static int log_open(const char *path)
{
    struct stat st;
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode))) return fd;
    close(fd);
    return -1;
}

static void member_start(struct local *l, size_t i)
{
    const json_t *member = json_array_get(l->members, i);
    const struct wedge_run *r = l->run;
    char number[32], threads[32], *log = member_path(r->out, member, ".log");
    snprintf(number, sizeof number, "%zu", i + 1);
    snprintf(threads, sizeof threads, "%lld", l->threads);
    const char *line[16] = {"billow", "wedge", r->out, "--member", number, "--threads", threads};
    int n = 7;
    if (r->force) line[n++] = "--force";
    if (r->plugin_path) line[n++] = "--plugin-path", line[n++] = r->plugin_path;
    if (r->preset_path) line[n++] = "--preset-path", line[n++] = r->preset_path;
    fflush(NULL);
    const int words = log ? log_open(log) : -1;
    pid_t pid = words >= 0 ? fork() : -1;
    if (!pid) child_run((char *const *)line, words);
    if (pid > 0) l->pid[i] = pid, l->running++;
    else if (words >= 0) member_exit_write(r->out, member, 7, "no process could be started", 0);
    else member_exit_write(r->out, member, 6, "its log can't be written", 0);
    if (words >= 0) close(words);
    free(log);
}

/* Write the exit status of a member that could not write its own: killed, or not started. */
static void exit_status_settle(const struct local *l, const json_t *member, int status)
{
    char *message = NULL;
    json_t *end = member_exit_read(l->run->out, member);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (WIFSIGNALED(status)) message = cli_printf("signal %d ended it", WTERMSIG(status));
    if (!end || (int)cli_number(end, "code") != code)
        member_exit_write(l->run->out, member, code, message ? message : "it ended without a message", 0);
    json_decref(end);
    free(message);
}

static void member_ended(struct local *l, size_t i, int status)
{
    const json_t *member = json_array_get(l->members, i);
    char *message, *words = member_label(l->plan, member, " "), seconds[48];
    exit_status_settle(l, member, status);
    l->pid[i] = 0;
    l->running--;
    l->done++;
    const char *state = member_state(l->run->out, member, &message);
    json_t *end = member_exit_read(l->run->out, member);
    fprintf(stderr, "%zu/%zu  member %zu (%s): %s%s%s in %s\n", l->done, l->todo, i + 1, words ? words : "", state,
            message ? ", " : "", message ? message : "", bw_number_words(cli_number(end, "seconds"), "s", seconds));
    json_decref(end);
    free(words);
    free(message);
}

static void stops_forward(struct local *l)
{
    for (; l->stops_sent < stops; l->stops_sent++) {
        if (!l->stops_sent) fputs("\nstopping the members, with a checkpoint each; once more: at once\n", stderr);
        for (size_t i = 0; i < json_array_size(l->members); i++)
            if (l->pid[i]) kill(l->pid[i], SIGTERM);
    }
}

/* Sleep briefly, forward signals, reap finished members. */
static void members_poll(struct local *l)
{
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    stops_forward(l);
    for (size_t i = 0; i < json_array_size(l->members); i++) {
        int status;
        if (l->pid[i] && waitpid(l->pid[i], &status, WNOHANG) == l->pid[i]) member_ended(l, i, status);
    }
}

static int is_done(const struct local *l, size_t i)
{
    return !l->run->force && !strcmp(member_state(l->run->out, json_array_get(l->members, i), NULL), "done");
}

int wedge_local(const struct wedge_run *r, const json_t *plan, double cores, double memory)
{
    struct local l = {.run = r, .plan = plan, .members = json_object_get(plan, "members")};
    const size_t count = json_array_size(l.members);
    l.pid = calloc(count, sizeof *l.pid);
    if (!l.pid) return 7;
    for (size_t i = 0; i < count; i++) l.todo += !is_done(&l, i);
    const size_t jobs = jobs_choose(r, l.members, l.todo, cores, memory);
    l.threads = r->threads ? r->threads : (long long)(cores / (double)jobs) > 0 ? (long long)(cores / (double)jobs) : 1;
    if (l.todo)
        cli_print_line(stderr, "%s: %zu of %zu members to bake, %zu at once on %lld %s each", r->out, l.todo, count,
                       jobs, l.threads, l.threads > 1 ? "threads" : "thread");
    cli_on_stop(on_stop_signal);
    while (l.running || (l.next < count && !stops)) {
        for (; l.next < count && l.running < jobs && !stops; l.next++)
            if (!is_done(&l, l.next)) member_start(&l, l.next);
        if (l.running) members_poll(&l);
    }
    free(l.pid);
    return stops ? (stops > 1 ? 130 : 75) : EXIT_CODE_OK;
}
