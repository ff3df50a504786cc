// SPDX-License-Identifier: Apache-2.0
#include "ply_points.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool property_read(struct ply_points *p, const char *line)
{
    static const struct {
        const char *name;
        int bytes;
        bool is_float;
    } types[] = {{"float", 4, true}, {"double", 8, true}, {"int", 4, false}};
    char type[64];
    struct ply_property *q = &p->property[p->n_properties];
    if (p->n_properties == PLY_PROPERTIES || sscanf(line, "property %63s %63s", type, q->name) != 2) return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].name)) continue;
        q->bytes = types[i].bytes, q->is_float = types[i].is_float;
        q->offset = p->stride;
        p->stride += (size_t)q->bytes;
        p->n_properties++;
        return true;
    }
    return false;
}

/// A comment of the exporter's; of any other one nothing is kept, not even a number that it begins with.
static void comment_read(struct ply_points *p, const char *line)
{
    double a, b;
    char up;
    if (sscanf(line, "comment %lf units a metre, %c up", &a, &up) == 2) p->scale = a, p->y_up = up == 'y';
    if (sscanf(line, "comment %lf times as large, %lf times as slow", &a, &b) == 2) p->larger = a, p->slower = b;
}

bool ply_points_parse(const char *text, size_t size, struct ply_points *p)
{
    long long n = -1;
    bool good = true, little = false;
    const char *end = strstr(text, "end_header\n");
    *p = (struct ply_points){.scale = 1, .larger = 1, .slower = 1};
    for (const char *line = text; good && end && line < end; line = strchr(line, '\n') + 1) {
        if (!strncmp(line, "property ", 9)) good = property_read(p, line);
        if (!strncmp(line, "element ", 8)) good = n < 0 && sscanf(line, "element vertex %lld", &n) == 1 && n >= 0;
        comment_read(p, line);
        little |= !strncmp(line, "format binary_little_endian", 27);
    }
    if (!end || !good || !little || n < 0 || !p->stride || !(p->scale > 0) || !(p->larger > 0) || !(p->slower > 0))
        return false;
    p->row = end + 11;
    p->n = (size_t)n;
    return p->n <= size && (size_t)(p->row - text) + p->n * p->stride <= size;
}

double ply_points_value(const char *row, const struct ply_property *q)
{
    const char *at = row + q->offset;
    float f;
    double d;
    int32_t i;
    if (q->is_float && q->bytes == 8) return memcpy(&d, at, sizeof d), d;
    if (q->is_float) return memcpy(&f, at, sizeof f), (double)f;
    return memcpy(&i, at, sizeof i), (double)i;
}
