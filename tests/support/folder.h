// SPDX-License-Identifier: Apache-2.0
/* A folder of a test's own, for a suite's .init and .fini, and files in it. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

static inline void folder_make(void)
{
    strcpy(folder, "/tmp/billow-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static inline void folder_remove(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

/// A new file in it, to be closed by the caller.
static inline FILE *file_new(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f, "cannot write %s", path);
    return f;
}

#endif
