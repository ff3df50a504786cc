// SPDX-License-Identifier: Apache-2.0
/* Checks that are counted, and the session they are made in. */
#ifndef TESTS_LIBRARY_CHECK_H
#define TESTS_LIBRARY_CHECK_H

#include <billow/bake.h>
#include <stdio.h>

static _Atomic int passed, failed; // callbacks of two bakes count at once

static void check_at(int good, const char *what, int line)
{
    passed += good;
    failed += !good;
    if (!good) fprintf(stderr, "-- failed, line %d: %s\n   last error: %s\n", line, what, bw_error_last()->sentence);
}
#define CHECK(condition) check_at(!!(condition), #condition, __LINE__)

static struct bw_session *session;

#endif
