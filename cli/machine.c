// SPDX-License-Identifier: Apache-2.0
/* Output for programs: with --json the standard output that the caller gave carries JSON alone. What anybody else
 * prints, plugins and the libraries that they bring, goes where words go. */
#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *out;
static int out_fd = STDOUT_FILENO;
static int objects; ///< a failure is an object on its own; else an event tells it

FILE *cli_out(void) { return out ? out : stdout; }

int cli_out_fd(void) { return out_fd; }

int cli_is_machine(void) { return out != NULL; }

void cli_machine_begin(int failures)
{
    objects = failures;
    if (out) return;
    fflush(stdout);
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    FILE *own = fd >= 0 ? cli_plain(fd, _IOFBF) : NULL;
    if (own && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) out = own, out_fd = fd;
    else {
        if (own) fclose(own);
        if (fd >= 0) close(fd);
    }
}

void cli_json_print(const json_t *value, size_t flags)
{
    flockfile(cli_out()); // several threads tell events
    json_dumpf(value, cli_out(), flags);
    fputc('\n', cli_out());
    fflush(cli_out());
    funlockfile(cli_out());
}

json_t *cli_error_json(const struct bw_error *e)
{
    return json_pack("{s:s, s:s?, s:i, s:i, s:i}", "message", e->sentence, "file", e->file, "line", (int)e->line,
                     "column", (int)e->column, "count", (int)e->count);
}

/* Names of files in sentences may be no UTF-8: then the object has none of them. */
void cli_machine_failed(const struct bw_error *e, int code)
{
    if (!out || !objects) return;
    json_t *error = cli_error_json(e);
    if (!error)
        error = json_pack("{s:s, s:n, s:i, s:i, s:i}", "message", "", "file", "line", 0, "column", 0, "count", 1);
    json_object_set_new(error, "code", json_integer(code));
    json_t *line = json_pack("{s:i, s:o}", "billow", 1, "error", error);
    if (line) cli_json_print(line, JSON_COMPACT);
    json_decref(line);
}
