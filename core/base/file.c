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

static const char *kind_refused(mode_t mode)
{
    if (S_ISDIR(mode)) return "it is a folder";
    if (S_ISFIFO(mode)) return "it is a pipe, not a file";
    return S_ISREG(mode) ? NULL : "it is a device, not a file";
}

FILE *bw_file_open(const char *path, const char **why)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no wait for a pipe's writer */
    *why = NULL;
    if (fd < 0 || fstat(fd, &s)) *why = strerror(errno);
    else *why = kind_refused(s.st_mode);
    FILE *f = *why ? NULL : fdopen(fd, "r");
    if (f) return f;
    if (!*why) *why = strerror(errno);
    if (fd >= 0) close(fd);
    return NULL;
}

static char *text_too_large(const char *path, const struct bw_place *place, size_t capacity, char *text,
                            struct bw_diag *d)
{
    if (capacity > BW_FILE_MOST)
        bw_diag_error(d, place, BW_ERR_PRESET, "%s is too large: it has more than %d MiB", path, BW_FILE_MOST >> 20);
    else bw_diag_error(d, place, BW_ERR_MEMORY, "out of memory while reading %s", path);
    bw_free(text);
    return NULL;
}

static char *text_read(FILE *f, const char *path, const struct bw_place *place, struct bw_diag *d)
{
    size_t size = 0, capacity = 0;
    char *text = NULL;
    for (;;) {
        if (size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 16384;
            char *grown = capacity <= BW_FILE_MOST ? bw_realloc(text, capacity) : NULL;
            if (!grown) return text_too_large(path, place, capacity, text, d);
            text = grown;
        }
        size_t got = fread(text + size, 1, capacity - size - 1, f);
        size += got;
        if (!got) break;
    }
    text[size] = '\0';
    if (size > 2 && !memcmp(text, "\xef\xbb\xbf", 3)) memmove(text, text + 3, (size -= 3) + 1); // a byte-order mark
    if (!ferror(f) && strlen(text) == size && !bw_utf16_find(text, size)) return text;
    if (ferror(f)) {
        bw_diag_error(d, place, BW_ERR_IO, "can't read %s: %s", path, strerror(errno));
    } else if (bw_utf16_find(text, size)) {
        bw_diag_error(d, place, BW_ERR_PRESET, "%s is text in UTF-16: UTF-8 is wanted", path);
    } else {
        bw_diag_error(d, place, BW_ERR_PRESET, "%s is not a text file", path);
    }
    bw_free(text);
    return NULL;
}

char *bw_file_text(const char *path, const struct bw_place *place, struct bw_diag *d)
{
    const char *why;
    FILE *f = bw_file_open(path, &why);
    if (!f) {
        bw_diag_error(d, place, BW_ERR_IO, "can't read %s: %s", path, why);
        return NULL;
    }
    char *text = text_read(f, path, place, d);
    fclose(f);
    return text;
}
