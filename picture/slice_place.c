// SPDX-License-Identifier: Apache-2.0
#include "slice_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// "center", or a number with m, cm or mm. 0: neither.
static int position_parse(const char *text, double middle, double *out)
{
    static const struct {
        const char *unit;
        double metres;
    } units[] = {{"", 1}, {"m", 1}, {"cm", 0.01}, {"mm", 0.001}};
    char *end;
    *out = middle;
    if (!text || !strcmp(text, "center") || !strcmp(text, "centre")) return 1;
    double v = strtod(text, &end);
    if (end == text || !isfinite(v)) return 0;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit)) continue;
        *out = v * units[i].metres;
        return 1;
    }
    return 0;
}

enum bw_status bw_slice_place(struct bw_exporter *e, const struct bw_picture_params *params, int axis,
                              const double ends[2], double *at)
{
    const int flat = e->domains[e->domain]->thin >= 0;
    if (!position_parse(flat ? NULL : params->position, 0.5 * (ends[0] + ends[1]), at))
        return e->host->fail(e, BW_ERR_PRESET, "position is \"%s\"; a length such as \"0.4 m\", or center, is wanted",
                             params->position);
    if (*at < ends[0] || *at > ends[1])
        return e->host->fail(e, BW_ERR_PRESET, "position %g m lies outside the domain, which spans %g to %g m along %c",
                             *at, ends[0], ends[1], "xyz"[axis]);
    return BW_OK;
}

enum bw_status bw_slice_check(struct bw_exporter *e, const struct bw_picture_params *params)
{
    const struct bw_domain_info *d = e->domains[e->domain];
    const double *range = params->range.items;
    const int a = params->axis, boxed = d->n[0] > 0;
    double at, ends[2] = {boxed ? d->origin[a] : -HUGE_VAL, boxed ? d->origin[a] + d->n[a] * d->h : HUGE_VAL};
    if (params->range.count && params->range.count != 2)
        return e->host->fail(e, BW_ERR_PRESET, "range wants two numbers, [lowest, highest]");
    if (params->range.count && !(range[0] < range[1]))
        return e->host->fail(e, BW_ERR_PRESET, "range is [%g, %g]: the lowest comes first, and is not the highest",
                             range[0], range[1]);
    return d->thin >= 0 ? BW_OK : bw_slice_place(e, params, a, ends, &at);
}
