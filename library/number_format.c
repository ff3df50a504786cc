// SPDX-License-Identifier: Apache-2.0
/* Human-readable numbers: "1.5 GiB", "12.3M", "2:05". */
#include "api_guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void bytes_format(double x, char out[48])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int k = 0;
    for (; x >= 1024 && k < 5; k++) x /= 1024;
    snprintf(out, 48, k && x < 99.95 ? "%.1f %s" : "%.0f %s", x, unit[k]);
}

static void count_format(double x, char out[48])
{
    if (x >= 999.5e6) snprintf(out, 48, "%.2fG", x / 1e9);
    else if (x >= 999.5e3) snprintf(out, 48, "%.1fM", x / 1e6);
    else if (x >= 1e4) snprintf(out, 48, "%.0fk", x / 1e3);
    else snprintf(out, 48, "%.0f", x);
}

static void seconds_format(double x, char out[48])
{
    if (!(x >= 0) || x > 1e9) snprintf(out, 48, "?");
    else if (x < 9.95) snprintf(out, 48, "%.1f s", x);
    else if (x < 59.5) snprintf(out, 48, "%.0f s", x);
    else {
        long s = lround(x);
        if (s < 3600) snprintf(out, 48, "%ld:%02ld", s / 60, s % 60);
        else snprintf(out, 48, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    }
}

const char *bw_number_words(double x, const char *unit, char out[48])
{
    struct host_modes host = host_modes_save();
    if (!unit || !*unit) count_format(x, out);
    else if (!strcmp(unit, "B")) bytes_format(x, out);
    else if (!strcmp(unit, "s")) seconds_format(x, out);
    else snprintf(out, 48, "%.0f %.30s%s", x, unit, x == 1 ? "" : "s");
    host_modes_restore(&host);
    return out;
}
