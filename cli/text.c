// SPDX-License-Identifier: Apache-2.0
/* Numbers for people, and files written all or nothing. */
#include "cli.h"

#include "base/alloc.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

const char *cli_bytes(double bytes, char out[24])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int k = 0;
    for (; bytes >= 1024 && k < 5; k++) bytes /= 1024;
    snprintf(out, 24, k && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, unit[k]);
    return out;
}

const char *cli_count(double n, char out[24])
{
    if (n >= 999.5e6) snprintf(out, 24, "%.2fG", n / 1e9);
    else if (n >= 999.5e3) snprintf(out, 24, "%.1fM", n / 1e6);
    else if (n >= 1e4) snprintf(out, 24, "%.0fk", n / 1e3);
    else snprintf(out, 24, "%.0f", n);
    return out;
}

const char *cli_duration(double seconds, char out[24])
{
    if (!(seconds >= 0) || seconds > 1e9) snprintf(out, 24, "?");
    else if (seconds < 9.95) snprintf(out, 24, "%.1f s", seconds);
    else if (seconds < 59.5) snprintf(out, 24, "%.0f s", seconds);
    else {
        long s = lround(seconds);
        if (s < 3600) snprintf(out, 24, "%ld:%02ld", s / 60, s % 60);
        else snprintf(out, 24, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    }
    return out;
}

const char *cli_plural(int64_t n, const char *word, char out[48])
{
    snprintf(out, 48, "%lld %s%s", (long long)n, word, n == 1 ? "" : "s");
    return out;
}

int cli_write_file(const char *path, const char *text, struct bw_diag *d)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    char *temporary = bw_printf("%.*s.%s.part", folder, path, path + folder);
    if (!temporary) return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory"), 0;
    FILE *f = fopen(temporary, "w");
    int good = f != NULL;
    if (f) {
        good = fputs(text, f) >= 0 && fflush(f) == 0 && fsync(fileno(f)) == 0;
        good = fclose(f) == 0 && good;
        good = good && rename(temporary, path) == 0;
        if (!good) remove(temporary);
    }
    if (!good) bw_diag_error(d, NULL, BW_ERR_IO, "%s: can't be written: %s", path, strerror(errno));
    bw_free(temporary);
    return good;
}

struct bw_param cli_param(const struct bw_param *rows, uint32_t i, uint32_t stride)
{
    struct bw_param row = {0};
    memcpy(&row, (const char *)rows + (size_t)i * stride, stride < sizeof row ? stride : sizeof row);
    return row;
}

struct bw_port cli_port(const struct bw_port *rows, uint32_t i, uint32_t stride)
{
    struct bw_port row = {0};
    memcpy(&row, (const char *)rows + (size_t)i * stride, stride < sizeof row ? stride : sizeof row);
    return row;
}

const char *cli_param_type(const struct bw_param *p)
{
    static const char *const name[] = {"yes/no", "whole number", "number",  "vector", "colour",
                                       "text",   "path",         "choice",  "field",  "list",
                                       "group",  "one of",       "amounts", "frames", "map"};
    if (p->type == BW_PARAM_STRING && p->flags & BW_PARAM_EXPRESSION) return "expression";
    return p->type < sizeof name / sizeof *name ? name[p->type] : "?";
}
