// SPDX-License-Identifier: Apache-2.0
/* What is printed is text. Names of files, of grids and whatever else a file holds may hold commands for a terminal:
 * everything that goes to stdout and stderr comes through here, where control characters but line ends and tabs become
 * question marks. The program's own commands, for a line that is written anew, go by another way. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 4096 };

struct outlet {
    int fd;
    unsigned char before; ///< the last byte written
};

static int all_write(int fd, const char *bytes, size_t n)
{
    while (n) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return 0;
        bytes += done;
        n -= (size_t)done;
    }
    return 1;
}

/* C0 but tab and line end, DEL, and the second byte of C1 in UTF-8: its first alone is nothing. */
static char byte_plain(struct outlet *o, unsigned char c)
{
    const int control =
        (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (o->before == 0xC2 && c < 0xA0 && c > 0x7F);
    o->before = control ? '?' : c;
    return (char)o->before;
}

/* 0: an error, in errno. */
static ssize_t plain_write(void *cookie, const char *bytes, size_t n)
{
    struct outlet *o = cookie;
    char plain[CHUNK];
    for (size_t at = 0; at < n;) {
        size_t i = 0;
        for (; i < CHUNK && at + i < n; i++) plain[i] = byte_plain(o, (unsigned char)bytes[at + i]);
        if (!all_write(o->fd, plain, i)) return 0;
        at += i;
    }
    return (ssize_t)n;
}

static FILE *outlet_open(struct outlet *o, int mode, cookie_close_function_t *close)
{
    FILE *f = fopencookie(o, "w", (cookie_io_functions_t){.write = plain_write, .close = close});
    if (f) setvbuf(f, NULL, mode, mode == _IONBF ? 0 : BUFSIZ);
    return f;
}

static int outlet_close(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *cli_plain(int fd, int mode)
{
    struct outlet *o = malloc(sizeof *o);
    if (!o) return NULL;
    *o = (struct outlet){.fd = fd};
    FILE *f = outlet_open(o, mode, outlet_close);
    if (!f) free(o);
    return f;
}

/* Out of memory: as they were. */
void cli_print_plain(void)
{
    static struct outlet to[] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}}; // as long as the program
    FILE *out = outlet_open(&to[0], isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, NULL),
         *error = outlet_open(&to[1], _IONBF, NULL);
    if (out) stdout = out;
    if (error) stderr = error;
}

void cli_terminal(const char *command) { all_write(STDERR_FILENO, command, strlen(command)); }
