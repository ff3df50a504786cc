// SPDX-License-Identifier: Apache-2.0
/* What a process takes of a machine: the cores that it was given, not those that there are. */
#define _GNU_SOURCE
#include "base/machine.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>

static int cores_given(void)
{
    cpu_set_t set;
    cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

Test(machine, ranks_that_share_cores_share_threads)
{
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    cr_assert_leq((int)bw_cores(), cores_given());
    cr_assert_eq(bw_threads_usual(), bw_cores());
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    cr_assert_eq(bw_threads_usual(), bw_cores() > 2 ? bw_cores() / 2 : 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "10000", 1);
    cr_assert_eq(bw_threads_usual(), 1);
}

Test(machine, a_process_bound_to_a_core_has_one)
{
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert_eq(bw_cores(), 1);
    cr_assert_eq(bw_threads_usual(), 1);
}
