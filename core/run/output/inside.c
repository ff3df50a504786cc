// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE /* O_PATH */
#include "inside.h"

#include "base/alloc.h"
#include "base/file.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that holds `name`; the folder itself may be reached by links, for the user has named it. */
static int holder_open(const char *folder, const char *name)
{
    if (!file_name_is_inside(name)) return errno = EXDEV, -1;
    int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = root < 0 ? -1 : file_folder_open(root, name, false), error = errno;
    if (root >= 0) close(root);
    errno = error;
    return fd;
}

static const char *error_words(int error)
{
    if (error == ELOOP) return "it is a link";
    if (error == ENOTDIR) return "a link, or no folder, is on the way to it";
    if (error == EXDEV) return "its name leads out of the folder";
    if (error == ENXIO) return "it is a socket, not a file";
    if (error == EFBIG) return "it is too large";
    return strerror(error);
}

int file_inside_open(const char *folder, const char *name, const char **why)
{
    struct stat st;
    int holder = holder_open(folder, name);
    int fd = holder < 0 ? -1 : openat(holder, file_base(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *why = fd < 0 || fstat(fd, &st) ? error_words(errno) : bw_file_kind_fault(st.st_mode);
    if (holder >= 0) close(holder);
    if (!*why) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

bool file_inside_exists(const char *folder, const char *name)
{
    struct stat st;
    int holder = holder_open(folder, name);
    bool there = holder >= 0 && !fstatat(holder, file_base(name), &st, AT_SYMLINK_NOFOLLOW);
    if (holder >= 0) close(holder);
    return there;
}

int file_inside_folder(const char *folder, const char *name)
{
    int holder = holder_open(folder, name);
    int fd = holder < 0 ? -1 : openat(holder, file_base(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = errno == ELOOP ? ENOTDIR : errno;
    if (holder >= 0) close(holder);
    errno = error;
    return fd;
}

static FILE *stream_open(const char *folder, const char *name, const char **why)
{
    const int fd = file_inside_open(folder, name, why);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd < 0 || f) return f;
    *why = strerror(errno);
    close(fd);
    return NULL;
}

char *file_inside_read(const char *folder, const char *name, size_t most, size_t *bytes, const char **why)
{
    size_t size;
    FILE *f = stream_open(folder, name, why);
    if (!f) return NULL;
    char *text = bw_file_bytes(f, most, &size);
    if (!text) *why = error_words(errno);
    else if (bytes) *bytes = size;
    fclose(f);
    return text;
}

char *file_inside_text(const char *folder, const char *name, struct bw_diag *d)
{
    const char *why = "out of memory";
    char *path = bw_printf("%s/%s", folder, name), *text = NULL;
    FILE *f = path ? stream_open(folder, name, &why) : NULL;
    if (f) text = bw_file_text_of(f, path, NULL, d);
    else bw_diag_error(d, BW_NAMED(path), BW_ERR_IO, "can't read %s/%s: %s", folder, name, why);
    bw_free(path);
    return text;
}
