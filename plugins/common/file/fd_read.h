// SPDX-License-Identifier: Apache-2.0
/* Bytes of an open file. */
#ifndef FD_READ_H
#define FD_READ_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/// Up to n bytes; what there is of them, or -1 with errno.
static inline ssize_t fd_read(int fd, char *out, size_t n)
{
    size_t got = 0;
    while (got < n) {
        const ssize_t more = read(fd, out + got, n - got);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return -1;
        if (more == 0) break;
        got += (size_t)more;
    }
    return (ssize_t)got;
}

#endif
