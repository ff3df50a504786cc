// SPDX-License-Identifier: Apache-2.0
/* Output sanitizer. Names of files and grids may contain terminal escape sequences. All output to stdout and stderr is
 * filtered here: control characters other than newlines and tabs become question marks. The program's own escape
 * sequences, for the live line, bypass it (cli_terminal). */
#define _GNU_SOURCE /* fopencookie, vasprintf */
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

static int write_all(int fd, const char *bytes, size_t n)
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
static char byte_sanitize(struct outlet *o, unsigned char c)
{
    const int control =
        (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (o->before == 0xC2 && c < 0xA0 && c > 0x7F);
    o->before = control ? '?' : c;
    return (char)o->before;
}

/* 0: an error, in errno. */
static ssize_t sanitized_write(void *cookie, const char *bytes, size_t n)
{
    struct outlet *o = cookie;
    char plain[CHUNK];
    for (size_t at = 0; at < n;) {
        size_t i = 0;
        for (; i < CHUNK && at + i < n; i++) plain[i] = byte_sanitize(o, (unsigned char)bytes[at + i]);
        if (!write_all(o->fd, plain, i)) return 0;
        at += i;
    }
    return (ssize_t)n;
}

/* Streams are never closed. */
FILE *cli_sanitized_stream(int fd, int mode)
{
    enum { MOST = 3 }; // stdout, stderr, and stdout's own with --json
    static struct outlet to[MOST];
    static int used;
    if (used == MOST) return NULL;
    to[used] = (struct outlet){.fd = fd};
    FILE *f = fopencookie(&to[used++], "w", (cookie_io_functions_t){.write = sanitized_write});
    if (f) setvbuf(f, NULL, mode, mode == _IONBF ? 0 : BUFSIZ);
    return f;
}

/* Out of memory: as they were. */
void cli_sanitize_output(void)
{
    FILE *out = cli_sanitized_stream(STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF),
         *error = cli_sanitized_stream(STDERR_FILENO, _IONBF);
    if (out) stdout = out;
    if (error) stderr = error;
}

char *cli_vprintf(const char *format, va_list list)
{
    char *text;
    return vasprintf(&text, format, list) < 0 ? NULL : text;
}

char *cli_printf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = cli_vprintf(format, list);
    va_end(list);
    return text;
}

void cli_print_line(FILE *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = cli_vprintf(format, list);
    va_end(list);
    for (char *s = text; s && *s; s++)
        if (*s == '\n') *s = '?';
    if (text) fprintf(f, "%s\n", text);
    free(text);
}

void cli_terminal(const char *command) { write_all(STDERR_FILENO, command, strlen(command)); }
