// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int file_copy(int from, int to, const char *name)
{
    char block[1 << 14];
    const int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const int out = in < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t n = out < 0 ? -1 : 1;
    while (n > 0 && (n = read(in, block, sizeof block)) > 0)
        if (write(out, block, (size_t)n) != n) n = -1;
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return !n;
}

/// Copy files at the top, link those below.
static int entries_clone(int from, int to, int below)
{
    DIR *dir = fdopendir(dup(from));
    int good = dir != NULL;
    for (const struct dirent *e; good && (e = readdir(dir));) {
        struct stat st;
        if (*e->d_name == '.' || fstatat(from, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (S_ISREG(st.st_mode)) {
            good = below ? !linkat(from, e->d_name, to, e->d_name, 0) : file_copy(from, to, e->d_name);
        } else if (S_ISDIR(st.st_mode) && !below) {
            const int source = openat(from, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            const int made =
                mkdirat(to, e->d_name, 0777) ? -1 : openat(to, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            good = source >= 0 && made >= 0 && entries_clone(source, made, 1);
            if (source >= 0) close(source);
            if (made >= 0) close(made);
        }
    }
    if (dir) closedir(dir);
    return good;
}

int folder_clone(const char *from, const char *to)
{
    const int a = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int b = a < 0 || mkdir(to, 0777) ? -1 : open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int good = b >= 0 && entries_clone(a, b, 0);
    if (a >= 0) close(a);
    if (b >= 0) close(b);
    return good;
}

static int entry_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void folder_remove(const char *folder) { nftw(folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS); }
