// SPDX-License-Identifier: Apache-2.0
/* A Criterion test that passes and leaks: `./dev test` proves with it that its runner notices. */
#include <criterion/criterion.h>
#include <stdlib.h>

static void *volatile lost;

Test(leak, on_purpose)
{
    lost = malloc(123);
    lost = NULL;
    cr_assert(1);
}
