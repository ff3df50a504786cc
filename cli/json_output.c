// SPDX-License-Identifier: Apache-2.0
/* --json: the caller's stdout carries JSON alone. Output of plugins and their libraries to stdout goes to stderr. */
#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *out;
static int out_fd = STDOUT_FILENO;
static enum { OBJECTS, EVENTS, BAKING } form; ///< of a failure: an object, an event; the bake reports it

FILE *cli_out(void) { return out ? out : stdout; }

int cli_out_fd(void) { return out_fd; }

int cli_is_json(void) { return out != NULL; }

void cli_json_begin(int events)
{
    if (out) return;
    form = events ? EVENTS : OBJECTS;
    fflush(stdout);
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    FILE *own = fd >= 0 ? cli_sanitized_stream(fd, _IOFBF) : NULL;
    if (own && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) out = own, out_fd = fd;
    else {
        if (own) fclose(own);
        if (fd >= 0) close(fd);
    }
}

void cli_json_bake_reports(void) { form = BAKING; }

void cli_json_print(const json_t *value, size_t flags)
{
    flockfile(cli_out()); // several threads print events
    json_dumpf(value, cli_out(), flags);
    fputc('\n', cli_out());
    fflush(cli_out());
    funlockfile(cli_out());
}

static json_t *failure_json(const char *sentence, const char *file, const struct bw_error *e, int code)
{
    return json_pack("{s:s, s:s?, s:i, s:i, s:i, s:i}", "message", sentence, "file", file, "line", (int)e->line,
                     "column", (int)e->column, "count", (int)e->count, "code", code);
}

void cli_json_error(const struct bw_error *e, int code)
{
    if (!out || form == BAKING) return;
    json_t *failure = failure_json(e->sentence, e->file, e, code);
    if (!failure) failure = failure_json(e->sentence, NULL, e, code); // a file's name that is no UTF-8
    if (!failure) failure = failure_json("", NULL, e, code);          // nor is the argument that the sentence quotes
    json_t *line = form == EVENTS ? json_pack("{s:i, s:s, s:b}", "billow", 1, "event", "end", "ok", 0)
                                  : json_pack("{s:i, s:O}", "billow", 1, "error", failure);
    if (form == EVENTS) json_object_update(line, failure);
    cli_json_print(line, JSON_COMPACT);
    json_decref(failure);
    json_decref(line);
}
