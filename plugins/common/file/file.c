// SPDX-License-Identifier: Apache-2.0
/* Whole files; file.h says what it does. */
#include "file.h"
#include "fd_read.h"

#include <billow/files/utf16.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum bw_status open_read(struct bw_stage *s, const char *path, int fd, struct file_bytes *out)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) return s->host->fail(s, BW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return s->host->fail(s, BW_ERR_IO, "%s is not a file", path);
    if (!st.st_size) return s->host->fail(s, BW_ERR_IO, "%s is empty", path);
    out->text = s->host->alloc(s, (size_t)st.st_size + 1);
    if (!out->text) return BW_ERR_MEMORY;
    ssize_t got = fd_read(fd, out->text, (size_t)st.st_size);
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

enum bw_status file_text_begin(struct bw_stage *s, const char *path, const struct file_bytes *f, char **text)
{
    *text = f->text + (f->n > 2 && !memcmp(f->text, "\xef\xbb\xbf", 3) ? 3 : 0);
    if (!bw_utf16_find(f->text, f->n)) return BW_OK;
    return s->host->fail(s, BW_ERR_IO, "%s is text in UTF-16: UTF-8 is wanted (Excel: \"CSV UTF-8\")", path);
}

void file_free(struct bw_stage *s, struct file_bytes *f)
{
    s->host->release(s, f->text);
    *f = (struct file_bytes){0};
}
