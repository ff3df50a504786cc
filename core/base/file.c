// SPDX-License-Identifier: Apache-2.0
#include "file.h"

#include "alloc.h"
#include <billow/files/utf16.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool bw_file_has_ending(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcasecmp(path + n - m, ending);
}

const char *bw_file_kind_fault(mode_t mode)
{
    if (S_ISDIR(mode)) return "it is a folder";
    if (S_ISFIFO(mode)) return "it is a pipe, not a file";
    if (S_ISSOCK(mode)) return "it is a socket, not a file";
    return S_ISREG(mode) ? NULL : "it is a device, not a file";
}

FILE *bw_file_open(const char *path, const char **why)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no wait for a pipe's writer */
    *why = NULL;
    if (fd < 0 || fstat(fd, &s)) *why = strerror(errno);
    else *why = bw_file_kind_fault(s.st_mode);
    FILE *f = *why ? NULL : fdopen(fd, "r");
    if (f) return f;
    if (!*why) *why = strerror(errno);
    if (fd >= 0) close(fd);
    return NULL;
}

char *bw_file_bytes(FILE *f, size_t most, size_t *bytes)
{
    struct stat s;
    if (fstat(fileno(f), &s)) return NULL;
    if ((uint64_t)s.st_size > most) return errno = EFBIG, NULL;
    char *text = bw_calloc((size_t)s.st_size + 1); // it may grow meanwhile: this size counts
    if (!text) return errno = ENOMEM, NULL;
    *bytes = fread(text, 1, (size_t)s.st_size, f);
    if (!ferror(f)) return text;
    bw_free(text);
    return NULL;
}

static enum bw_status read_failed(const char *path, const struct bw_place *place, struct bw_diag *d)
{
    if (errno == EFBIG)
        return bw_diag_error(d, place, BW_ERR_PRESET, "%s is too large: it has more than %d MiB", path,
                             BW_FILE_MOST >> 20);
    if (errno == ENOMEM) return bw_diag_error(d, place, BW_ERR_MEMORY, "out of memory while reading %s", path);
    return bw_diag_error(d, place, BW_ERR_IO, "can't read %s: %s", path, strerror(errno));
}

char *bw_file_text_of(FILE *f, const char *path, const struct bw_place *place, struct bw_diag *d)
{
    const struct bw_place *at = place ? place : BW_NAMED(path);
    size_t size = 0;
    char *text = bw_file_bytes(f, BW_FILE_MOST, &size);
    if (!text) read_failed(path, at, d);
    fclose(f);
    if (!text) return NULL;
    if (size > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) memmove(text, text + 3, (size -= 3) + 1); // a byte-order mark
    const bool wide = bw_utf16_find(text, size) != BW_UTF16_NOT;
    if (strlen(text) == size && !wide) return text;
    bw_diag_error(d, at, BW_ERR_PRESET, wide ? "%s is text in UTF-16: UTF-8 is wanted" : "%s is not a text file", path);
    bw_free(text);
    return NULL;
}

char *bw_file_text(const char *path, const struct bw_place *place, struct bw_diag *d)
{
    const char *why;
    FILE *f = bw_file_open(path, &why);
    if (f) return bw_file_text_of(f, path, place, d);
    bw_diag_error(d, place ? place : BW_NAMED(path), BW_ERR_IO, "can't read %s: %s", path, why);
    return NULL;
}
