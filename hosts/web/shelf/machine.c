// SPDX-License-Identifier: Apache-2.0
/* What the machine does that all this runs on. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Bytes that a row of /proc/meminfo tells of; 0: there is none.
static double memory_read(const char *row)
{
    FILE *f = fopen("/proc/meminfo", "re");
    char line[128], form[64];
    double kilobytes = 0;
    snprintf(form, sizeof form, "%s: %%lf", row);
    while (f && !(kilobytes > 0) && fgets(line, sizeof line, f))
        if (sscanf(line, form, &kilobytes) != 1) kilobytes = 0;
    if (f) fclose(f);
    return 1024 * kilobytes;
}

json_t *machine_tell(void)
{
    double load = 0;
    if (getloadavg(&load, 1) != 1) load = 0;
    const double all = memory_read("MemTotal"), left = memory_read("MemAvailable");
    return json_pack("{s:I, s:f, s:f, s:f}", "cores", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "load", load, "memory",
                     all, "used", all - left);
}
