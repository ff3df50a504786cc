// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE /* O_PATH */
#include "inside.h"

#include "base/alloc.h"
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

static const char *kind_refused(mode_t mode)
{
    if (S_ISDIR(mode)) return "it is a folder";
    if (S_ISFIFO(mode)) return "it is a pipe, not a file";
    if (S_ISSOCK(mode)) return "it is a socket, not a file";
    return S_ISREG(mode) ? NULL : "it is a device, not a file";
}

static const char *error_words(int error)
{
    if (error == ELOOP) return "it is a link";
    if (error == ENOTDIR) return "a link, or no folder, is on the way to it";
    if (error == EXDEV) return "its name leads out of the folder";
    if (error == ENXIO) return "it is a socket, not a file";
    return strerror(error);
}

int file_inside_open(const char *folder, const char *name, const char **why)
{
    struct stat st;
    int holder = holder_open(folder, name);
    int fd = holder < 0 ? -1 : openat(holder, file_base(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *why = fd < 0 || fstat(fd, &st) ? error_words(errno) : kind_refused(st.st_mode);
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

/* It may grow meanwhile: the size that was asked for counts. */
static char *all_read(int fd, size_t size, size_t *bytes, const char **why)
{
    char *text = bw_calloc(size + 1);
    size_t got = 0;
    for (ssize_t n = 1; text && n && got<size; got += n> 0 ? (size_t)n : 0) {
        n = read(fd, text + got, size - got);
        if (n >= 0 || errno == EINTR) continue;
        *why = strerror(errno);
        return bw_free(text), NULL;
    }
    if (!text) *why = "out of memory";
    if (bytes) *bytes = got;
    return text;
}

char *file_inside_read(const char *folder, const char *name, size_t most, size_t *bytes, const char **why)
{
    struct stat st;
    char *text = NULL;
    int fd = file_inside_open(folder, name, why);
    if (fd < 0) return NULL;
    if (fstat(fd, &st)) *why = strerror(errno);
    else if ((uint64_t)st.st_size > most) *why = "it is too large";
    else text = all_read(fd, (size_t)st.st_size, bytes, why);
    close(fd);
    return text;
}

char *file_inside_text(const char *folder, const char *name, struct bw_diag *d)
{
    const char *why = NULL;
    size_t bytes = 0;
    char *text = file_inside_read(folder, name, INSIDE_RECORD_MOST, &bytes, &why);
    if (text && strlen(text) == bytes) return text;
    bw_diag_error(d, NULL, text ? BW_ERR_PRESET : BW_ERR_IO, "can't read %s/%s: %s", folder, name,
                  text ? "it is not a text file" : why);
    bw_free(text);
    return NULL;
}
