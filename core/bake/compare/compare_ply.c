// SPDX-License-Identifier: Apache-2.0
/* Points as the ply exporter writes them: little-endian rows of numbers, all of one element, the same in both. Of any
 * other PLY it is told where the headings differ, or that the bytes do. */
#include "compare.h"

#include "base/alloc.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PROPERTIES_MOST = 64 };

struct property {
    char name[64];
    int bytes; ///< 4, or 8
    bool is_float;
};

struct points {
    char *text;
    const char *row; ///< the first
    size_t n, stride;
    struct property property[PROPERTIES_MOST];
    int n_properties;
};

static void property_read(struct points *p, const char *line, bool *good)
{
    static const struct {
        const char *name;
        int bytes;
        bool is_float;
    } types[] = {{"float", 4, true}, {"double", 8, true}, {"int", 4, false}};
    char type[64];
    struct property *q = &p->property[p->n_properties];
    *good = p->n_properties < PROPERTIES_MOST && sscanf(line, "property %63s %63s", type, q->name) == 2;
    for (size_t i = 0; *good && i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].name)) continue;
        q->bytes = types[i].bytes, q->is_float = types[i].is_float;
        p->stride += (size_t)q->bytes;
        p->n_properties++;
        return;
    }
    *good = false;
}

/* false: it is none of the exporter's. */
static bool points_read(const struct compared *c, const char *path, struct points *p)
{
    size_t size;
    long long n = -1;
    bool good = true, little = false;
    p->text = compare_read(c, path, &size);
    const char *end = p->text ? strstr(p->text, "end_header\n") : NULL;
    for (const char *line = p->text; good && end && line < end; line = strchr(line, '\n') + 1) {
        if (!strncmp(line, "property ", 9)) property_read(p, line, &good);
        if (!strncmp(line, "element ", 8)) good = n < 0 && sscanf(line, "element vertex %lld", &n) == 1 && n >= 0;
        little |= !strncmp(line, "format binary_little_endian", 27);
    }
    if (!end || !good || !little || n < 0 || !p->stride) return false;
    p->row = end + 11;
    p->n = (size_t)n;
    return p->n <= size && (size_t)(p->row - p->text) + p->n * p->stride <= size;
}

static double value_of(const char *at, const struct property *q)
{
    float f;
    double d;
    int32_t i;
    if (q->is_float && q->bytes == 8) return memcpy(&d, at, sizeof d), d;
    if (q->is_float) return memcpy(&f, at, sizeof f), (double)f;
    return memcpy(&i, at, sizeof i), (double)i;
}

static void property_compare(const struct compared *c, const struct points *a, const struct points *b, int i,
                             size_t offset)
{
    struct spread s = {0};
    const struct property *q = &a->property[i];
    for (size_t k = 0; k < a->n && k < b->n; k++)
        spread_add(&s, value_of(a->row + k * a->stride + offset, q), value_of(b->row + k * b->stride + offset, q), k);
    if (s.differ)
        compare_add(c, "property",
                    json_pack("{s:s, s:I, s:o, s:o, s:I}", "property", q->name, "differ", (json_int_t)s.differ, "max",
                              compare_number(s.most), "mean", compare_number(spread_mean(&s)), "point",
                              (json_int_t)s.at),
                    "%s: %zu points differ, by %.4g at most, point %zu: %.9g, %.9g; mean %.4g", q->name, s.differ,
                    s.most, s.at, s.a, s.b, spread_mean(&s));
}

static void points_compare(const struct compared *c, const struct points *a, const struct points *b)
{
    size_t offset = 0;
    bool same = a->n_properties == b->n_properties;
    for (int i = 0; same && i < a->n_properties; i++)
        same = !strcmp(a->property[i].name, b->property[i].name) && a->property[i].bytes == b->property[i].bytes &&
               a->property[i].is_float == b->property[i].is_float;
    if (!same) compare_add(c, "properties", NULL, "has other properties");
    if (a->n != b->n)
        compare_add(c, "points", json_pack("{s:I, s:I}", "a", (json_int_t)a->n, "b", (json_int_t)b->n),
                    "%zu points, %zu", a->n, b->n);
    for (int i = 0; same && i < a->n_properties; i++) {
        property_compare(c, a, b, i, offset);
        offset += (size_t)a->property[i].bytes;
    }
}

void compare_ply(const struct compared *c)
{
    struct points *p = bw_calloc(2 * sizeof *p);
    if (p && points_read(c, c->a, &p[0]) && points_read(c, c->b, &p[1])) points_compare(c, &p[0], &p[1]);
    for (int i = 0; p && i < 2; i++) bw_free(p[i].text);
    bw_free(p);
}
