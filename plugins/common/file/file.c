// SPDX-License-Identifier: Apache-2.0
/* Whole files; file.h says what it does. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to n bytes; what there is of them, or -1. */
static ssize_t all_read(int fd, char *out, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t more = read(fd, out + got, n - got);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return -1;
        if (more == 0) break;
        got += (size_t)more;
    }
    return (ssize_t)got;
}

static enum bw_status open_read(struct bw_stage *s, const char *path, int fd, struct file_bytes *out)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) return s->host->fail(s, BW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return s->host->fail(s, BW_ERR_IO, "%s is not a file", path);
    if (!st.st_size) return s->host->fail(s, BW_ERR_IO, "%s is empty", path);
    out->text = s->host->alloc(s, (size_t)st.st_size + 1);
    if (!out->text) return BW_ERR_MEMORY;
    ssize_t got = all_read(fd, out->text, (size_t)st.st_size);
    if (got < 0) return s->host->fail(s, BW_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    out->n = (size_t)got;
    out->text[got] = '\0';
    return BW_OK;
}

enum bw_status file_read(struct bw_stage *s, const char *path, struct file_bytes *out)
{
    *out = (struct file_bytes){0};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe without a writer must not be waited for
    enum bw_status status = open_read(s, path, fd, out);
    if (fd >= 0) close(fd);
    if (status) file_free(s, out);
    return status;
}

void file_free(struct bw_stage *s, struct file_bytes *f)
{
    s->host->release(s, f->text);
    *f = (struct file_bytes){0};
}
