// SPDX-License-Identifier: Apache-2.0
/* Clock and stop signals of the process. */
#include "cli.h"

#include <signal.h>
#include <time.h>

double cli_clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_on_stop(void (*handler)(int number))
{
    static const int number[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        struct sigaction stop = {.sa_handler = handler}, before;
        sigemptyset(&stop.sa_mask);
        if (!sigaction(number[i], NULL, &before) && before.sa_handler != SIG_IGN) sigaction(number[i], &stop, NULL);
    }
}
