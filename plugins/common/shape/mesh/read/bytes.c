// SPDX-License-Identifier: Apache-2.0
/* Files; bytes.h says what it does. */
#include "bytes.h"
#include <common/file/fd_read.h>

#include <billow/files/utf16.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the mesh itself a sentence need not tell the name again. */
static char *fail(struct mesh_build *b, const char *path, const char *what, int error)
{
    const char *slash = strrchr(path, '/'), *name = path == b->path ? "it" : slash ? slash + 1 : path;
    if (error) mesh_build_fail(b, "%.120s %s: %s", name, what, strerror(error));
    else mesh_build_fail(b, "%.120s %s", name, what);
    return NULL;
}

static char *open_read(struct mesh_build *b, const char *path, int fd, size_t *n)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) return fail(b, path, "cannot be opened", errno);
    if (!S_ISREG(st.st_mode)) return fail(b, path, "is not a file", 0);
    if (!st.st_size) return fail(b, path, "is empty", 0);
    char *out = mesh_build_grow(b, NULL, 0, (size_t)st.st_size + 1);
    const ssize_t got = out ? fd_read(fd, out, (size_t)st.st_size) : 0;
    if (got < 0) {
        free(out);
        return fail(b, path, "cannot be read", errno);
    }
    *n = (size_t)got;
    if (out) out[got] = '\0';
    return out;
}

char *bytes_read(struct mesh_build *b, const char *path, size_t *n)
{
    *n = 0;
    if (b->status) return NULL;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe without a writer must not be waited for
    char *out = open_read(b, path, fd, n);
    if (fd >= 0) close(fd);
    return out;
}

/* ---- UTF-16 ---- */

static size_t utf8_put(char *out, unsigned c)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)), out[2] = (char)(0x80 | (c & 63));
    return 3;
}

char *bytes_from_utf16(struct mesh_build *b, const char *text, size_t *n)
{
    const enum bw_utf16 order = bw_utf16_find(text, *n);
    size_t put = 0;
    if (*n >= 4 && (!memcmp(text, "\xff\xfe\0\0", 4) || !memcmp(text, "\0\0\xfe\xff", 4)))
        mesh_build_fail(b, "it is text in UTF-32, which is not read: save it as UTF-8");
    if (b->status || !order) return NULL;
    char *out = mesh_build_grow(b, NULL, 0, *n / 2 * 3 + 1);
    for (size_t at = 0; out && at + 1 < *n; at += 2) {
        const unsigned first = (unsigned char)text[at], second = (unsigned char)text[at + 1];
        unsigned c = order == BW_UTF16_BIG ? first << 8 | second : second << 8 | first;
        if (c >= 0xd800 && c < 0xe000) c = '?'; // halves of rare letters: of names, which are no matter
        put += utf8_put(out + put, c);
    }
    if (out) out[put] = '\0';
    *n = out ? put : *n;
    return out;
}
