// SPDX-License-Identifier: Apache-2.0
/* Bounded reading of a file; vdb_bytes.h says what it does. */
#include "vdb_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_fail(struct vdb_bytes *b, const char *why)
{
    b->bad = true;
    if (b->error) snprintf(b->error->text, sizeof b->error->text, "cannot read %s: %s", b->path, why);
    return false;
}

static const char *kind_of(const struct stat *st)
{
    if (S_ISDIR(st->st_mode)) return "it is a folder";
    return S_ISFIFO(st->st_mode) ? "it is a pipe, not a file" : "it is no file";
}

bool vdb_bytes_open(struct vdb_bytes *b, const char *path, struct bwvdb_error *error)
{
    struct stat st;
    b->path = path, b->error = error, b->memory = NULL;
    b->size = b->at = b->from = b->have = 0;
    b->bad = false;
    b->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe without a writer must not be waited for
    if (b->fd < 0 || fstat(b->fd, &st)) return open_fail(b, strerror(errno));
    if (!S_ISREG(st.st_mode)) return open_fail(b, kind_of(&st));
    if (!st.st_size) return open_fail(b, "the file is empty");
    b->size = st.st_size;
    return true;
}

void vdb_bytes_memory(struct vdb_bytes *b, const void *bytes, size_t n, const char *path, struct bwvdb_error *error)
{
    b->path = path, b->error = error, b->memory = bytes;
    b->size = (int64_t)n, b->at = b->from = b->have = 0;
    b->bad = false, b->fd = -1;
}

void vdb_bytes_close(struct vdb_bytes *b)
{
    if (b->fd >= 0) close(b->fd);
    b->fd = -1;
}

bool vdb_bytes_fail(struct vdb_bytes *b, const char *format, ...)
{
    char what[256];
    va_list list;
    if (b->bad) return false;
    b->bad = true;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    for (char *c = what; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?'; // the file's own names are not to be trusted either
    if (b->error)
        snprintf(b->error->text, sizeof b->error->text, "cannot read %s: byte %lld: %s", b->path, (long long)b->at,
                 what);
    return false;
}

/* Bytes from `at` on into the buffer. */
static bool buffer_fill(struct vdb_bytes *b)
{
    int64_t left = b->size - b->at;
    size_t want = left < VDB_BYTES_MOST ? (size_t)left : VDB_BYTES_MOST, got = 0;
    while (got < want) {
        ssize_t n = pread(b->fd, b->buffer + got, want - got, (off_t)(b->at + (int64_t)got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return vdb_bytes_fail(b, "%s", strerror(errno));
        if (n == 0) return vdb_bytes_fail(b, "the file has been cut while it was read");
        got += (size_t)n;
    }
    b->from = b->at, b->have = (int64_t)got;
    return true;
}

const unsigned char *vdb_bytes_take(struct vdb_bytes *b, size_t n)
{
    if (b->bad) return NULL;
    if ((int64_t)n > b->size - b->at) {
        vdb_bytes_fail(b, "the file is cut short");
        return NULL;
    }
    const bool held = b->memory || (b->at >= b->from && b->at + (int64_t)n <= b->from + b->have);
    if (!held && !buffer_fill(b)) return NULL;
    const unsigned char *bytes = b->memory ? b->memory + b->at : b->buffer + (b->at - b->from);
    b->at += (int64_t)n;
    return bytes;
}

bool vdb_bytes_copy(struct vdb_bytes *b, void *out, size_t n)
{
    for (size_t got = 0, part; got < n; got += part) {
        part = n - got < VDB_BYTES_MOST ? n - got : VDB_BYTES_MOST;
        const unsigned char *p = vdb_bytes_take(b, part);
        if (!p) return false;
        memcpy((char *)out + got, p, part);
    }
    return !b->bad;
}

bool vdb_bytes_skip(struct vdb_bytes *b, uint64_t n)
{
    if (b->bad) return false;
    if (n > (uint64_t)(b->size - b->at)) return vdb_bytes_fail(b, "the file is cut short");
    b->at += (int64_t)n;
    return true;
}

uint8_t vdb_bytes_u8(struct vdb_bytes *b)
{
    const unsigned char *p = vdb_bytes_take(b, 1);
    return p ? *p : 0;
}

uint32_t vdb_bytes_u32(struct vdb_bytes *b)
{
    uint32_t v = 0;
    const unsigned char *p = vdb_bytes_take(b, sizeof v);
    if (p) memcpy(&v, p, sizeof v);
    return v;
}

int64_t vdb_bytes_i64(struct vdb_bytes *b)
{
    int64_t v = 0;
    const unsigned char *p = vdb_bytes_take(b, sizeof v);
    if (p) memcpy(&v, p, sizeof v);
    return v;
}

void vdb_bytes_string(struct vdb_bytes *b, char *out, size_t room)
{
    uint32_t n = vdb_bytes_u32(b);
    size_t kept = n < room - 1 ? n : room - 1;
    const unsigned char *p = vdb_bytes_take(b, kept);
    out[0] = '\0';
    if (!p) return;
    memcpy(out, p, kept);
    out[kept] = '\0';
    if (strlen(out) != kept) vdb_bytes_fail(b, "a name has a 0 in it"); // which others would compare beyond
    vdb_bytes_skip(b, n - kept);
}
