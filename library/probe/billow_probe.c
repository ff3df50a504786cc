// SPDX-License-Identifier: Apache-2.0
/* billow-probe plugin FILE…: loads and unloads each plugin, as a session would, and reports to descriptor CHILD_FD.
 * probe.c watches how this process ends. */
#include "run/registry/registry.h"
#include <common/child/child.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int report(const char *word, int i)
{
    char line[32];
    int n = snprintf(line, sizeof line, "%s %d\n", word, i);
    return write(CHILD_FD, line, (size_t)n) == n;
}

/* Other errors are found and reported when the session loads it. */
static int plugin_try(const char *path, int i)
{
    struct bw_diag d = {0};
    if (!report("load", i)) return 0;
    struct bw_registry *r = bw_registry_open("");
    if (r) bw_registry_load(r, path, &d);
    bw_registry_close(r);
    bw_diag_free(&d);
    return report("good", i);
}

int main(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[1], "plugin") != 0) return 2;
    child_settle();
    for (int i = 2; i < argc; i++)
        if (!plugin_try(argv[i], i - 2)) return 1;
    _exit(0);
}
