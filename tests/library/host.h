// SPDX-License-Identifier: Apache-2.0
/* What programs with several cases share: which are wanted, and a folder to work in. Each is one file and includes this
 * once. */
#ifndef TESTS_LIBRARY_HOST_H
#define TESTS_LIBRARY_HOST_H

#include "puff.h"
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

static const char *work;

static int is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name)) return 1;
    return argc < 2;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

#endif
