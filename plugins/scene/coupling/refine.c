// SPDX-License-Identifier: Apache-2.0
#include "refine.h"

#include <string.h>

int refine_begin(struct refine *r, const struct bw_block *b, int32_t n, const struct refine_place *first,
                 const struct refine_place *last)
{
    r->n = n;
    r->first = first->first;
    r->lines = last->first + last->n - first->first;
    const size_t lines = (size_t)r->lines;
    double *at = b->stage->host->body_scratch(
        b, lines * (3 * (size_t)n * sizeof *at + 2 * sizeof *r->made[0] + sizeof *r->mixed));
    if (!at) return 0;
    for (int odd = 0; odd < 2; odd++) r->along[odd] = at + (size_t)odd * lines * (size_t)n;
    r->across = at + 2 * lines * (size_t)n;
    r->made[0] = (int32_t *)(at + 3 * lines * (size_t)n);
    r->made[1] = r->made[0] + lines;
    r->mixed = (uint8_t *)(r->made[1] + lines);
    for (size_t i = 0; i < 2 * lines; i++) r->made[0][i] = INT32_MIN;
    return 1;
}

void refine_plane(struct refine *r, const struct refine_place *z)
{
    r->plane = z;
    memset(r->mixed, 0, (size_t)r->lines);
}

static void mix(const double w[2], const double *restrict a, const double *restrict b, int32_t n, double *restrict out)
{
    const double wa = w[0], wb = w[1];
    for (int32_t i = 0; i < n; i++) out[i] = wa * a[i] + wb * b[i];
}

static const double *line_at(struct refine *r, int32_t y, int32_t z)
{
    const int32_t at = y - r->first;
    double *line = r->along[z & 1] + (ptrdiff_t)at * r->n;
    if (r->made[z & 1][at] != z) r->line(r->user, y, z, line);
    r->made[z & 1][at] = z;
    return line;
}

static const double *line_across(struct refine *r, int32_t y)
{
    const int32_t at = y - r->first, z = r->plane->first;
    double *line = r->across + (ptrdiff_t)at * r->n;
    if (r->plane->n == 1) return line_at(r, y, z);
    if (!r->mixed[at]) mix(r->plane->w, line_at(r, y, z), line_at(r, y, z + 1), r->n, line);
    r->mixed[at] = 1;
    return line;
}

void refine_row(struct refine *r, const struct refine_place *y, double *out)
{
    if (y->n == 1) memcpy(out, line_across(r, y->first), (size_t)r->n * sizeof *out);
    else mix(y->w, line_across(r, y->first), line_across(r, y->first + 1), r->n, out);
}
