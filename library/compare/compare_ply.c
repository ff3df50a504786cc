// SPDX-License-Identifier: Apache-2.0
/* Points as the ply exporter writes them: little-endian rows of numbers, all of one element, the same in both. Of any
 * other PLY it is told where the headings differ, or that the bytes do. */
#include "compare.h"

#include "base/alloc.h"
#include "points/ply_points.h"
#include <string.h>

struct points {
    char *text;
    struct ply_points p;
};

/* false: it is none of the exporter's. */
static bool points_read(const struct compared *c, const char *path, struct points *p)
{
    size_t size;
    p->text = compare_read(c, path, &size);
    return p->text && ply_points_parse(p->text, size, &p->p);
}

static void property_compare(const struct compared *c, const struct ply_points *a, const struct ply_points *b, int i)
{
    struct spread s = {0};
    const struct ply_property *q = &a->property[i];
    for (size_t k = 0; k < a->n && k < b->n; k++)
        spread_add(&s, ply_points_value(a->row + k * a->stride, q), ply_points_value(b->row + k * b->stride, q), k);
    if (s.differ)
        compare_add(c, "property",
                    json_pack("{s:s, s:I, s:o, s:o, s:I}", "property", q->name, "differ", (json_int_t)s.differ, "max",
                              compare_number(s.most), "mean", compare_number(spread_mean(&s)), "point",
                              (json_int_t)s.at),
                    "%s: %zu points differ, by %.4g at most, point %zu: %.9g, %.9g; mean %.4g", q->name, s.differ,
                    s.most, s.at, s.a, s.b, spread_mean(&s));
}

static void points_compare(const struct compared *c, const struct ply_points *a, const struct ply_points *b)
{
    bool same = a->n_properties == b->n_properties;
    for (int i = 0; same && i < a->n_properties; i++)
        same = !strcmp(a->property[i].name, b->property[i].name) && a->property[i].bytes == b->property[i].bytes &&
               a->property[i].is_float == b->property[i].is_float;
    if (!same) compare_add(c, "properties", NULL, "has other properties");
    if (a->n != b->n)
        compare_add(c, "points", json_pack("{s:I, s:I}", "a", (json_int_t)a->n, "b", (json_int_t)b->n),
                    "%zu points, %zu", a->n, b->n);
    for (int i = 0; same && i < a->n_properties; i++) property_compare(c, a, b, i);
}

void compare_ply(const struct compared *c)
{
    struct points *p = bw_calloc(2 * sizeof *p);
    if (p && points_read(c, c->a, &p[0]) && points_read(c, c->b, &p[1])) points_compare(c, &p[0].p, &p[1].p);
    for (int i = 0; p && i < 2; i++) bw_free(p[i].text);
    bw_free(p);
}
