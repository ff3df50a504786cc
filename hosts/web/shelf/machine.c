// SPDX-License-Identifier: Apache-2.0
/* What the machine does that all this runs on. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>

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

int64_t machine_cores(struct bw_session *session)
{
    char *text = bw_session_machine(session, NULL);
    json_t *facts = text ? json_loads(text, 0, NULL) : NULL;
    const int64_t n = json_integer_value(json_object_get(facts, "cores"));
    bw_text_free(text);
    json_decref(facts);
    return n > 0 ? n : 1;
}

json_t *machine_tell(int64_t cores)
{
    double load = 0;
    if (getloadavg(&load, 1) != 1) load = 0;
    const double all = memory_read("MemTotal"), left = memory_read("MemAvailable");
    return json_pack("{s:I, s:f, s:f, s:f}", "cores", (json_int_t)cores, "load", load, "memory", all, "used",
                     all - left);
}
