// SPDX-License-Identifier: Apache-2.0
/* The size of a source, and what follows from it where the preset says nothing: lobes of .6 radii that change as fast
 * as buoyant gas of their size moves (Froude's law: the speed goes with the root of the length), and a soft edge. */
#include "emit.h"
#include <common/froude.h>

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 9 }; // of the source's time at which its size is looked at

static int length_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half of the middle one of three extents, or of the shorter one of two. */
static double bounds_radius(const struct box3 *b, int thin)
{
    double length[3];
    for (int i = 0; i < 3; i++) length[i] = i == thin ? 0 : fmax(b->hi[i] - b->lo[i], 0);
    qsort(length, 3, sizeof *length, length_compare);
    return 0.5 * length[1];
}

/* No larger than a quarter of the box: a source that fills it has no size of its own. */
static double domain_limit(const struct bw_domain_info *d, double radius)
{
    for (int i = 0; i < 3; i++)
        if (d->n[i] > 0 && i != d->thin) radius = fmin(radius, 0.25 * d->n[i] * d->h);
    return radius;
}

enum bw_status source_size(struct bw_stage *s, double *radius)
{
    const struct emit *p = s->params;
    const struct bw_span_api *span = s->host->extension(BW_SPAN);
    double from = s->time, to = s->time;
    *radius = p->shape.kind == SHAPE_POINTS ? p->shape.points.radius : 0;
    if (p->shape.kind == SHAPE_POINTS || !span->times(s, &from, &to)) return BW_OK;
    enum bw_status status = BW_OK;
    for (int i = 0; i < MOMENTS && !status; i++) {
        struct pose pose;
        status = pose_at(s, from + (to - from) * i / (MOMENTS - 1), &pose);
        const struct box3 bounds = status ? (struct box3){0} : pose_bounds(&pose, 0);
        *radius = fmax(*radius, bounds_radius(&bounds, s->grid->thin));
    }
    *radius = domain_limit(s->grid, *radius);
    return status;
}

struct emit_noise noise_of(const struct bw_stage *s, double radius)
{
    struct emit_noise n = ((const struct emit *)s->params)->noise;
    n.amount = bw_given_or(n.amount, fmin(0.8 * s->character, 1));
    n.size = bw_given_or(n.size, fmax(0.6 * radius, 2 * s->grid->h));
    n.speed = bw_given_or(n.speed, 0.4 * froude_speed(n.size));
    return n;
}

double edge_width(const struct bw_stage *s, double radius)
{
    const double falloff = ((const struct emit *)s->params)->falloff;
    return fmax(bw_given_or(falloff, s->character ? 0.3 * radius : 0), s->grid->h);
}
