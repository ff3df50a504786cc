// SPDX-License-Identifier: Apache-2.0
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
