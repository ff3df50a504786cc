// SPDX-License-Identifier: Apache-2.0
#include "ply_points.h"

#include <stdio.h>

/// A comment of the exporter's; of any other one nothing is kept, not even a number that it begins with.
static void comment_read(const char *line, void *points)
{
    struct ply_points *p = points;
    double a, b;
    char up;
    if (sscanf(line, "comment %lf units a metre, %c up", &a, &up) == 2) p->scale = a, p->y_up = up == 'y';
    if (sscanf(line, "comment %lf times as large, %lf times as slow", &a, &b) == 2) p->larger = a, p->slower = b;
}

bool ply_points_parse(const char *text, size_t size, struct ply_points *p)
{
    struct ply_heading *h = &p->h;
    const struct ply_element *vertex = h->element;
    p->scale = p->larger = p->slower = 1;
    p->y_up = false;
    if (!ply_heading_read(h, text, size, comment_read, p) || h->form != PLY_LITTLE || h->n_elements != 1 ||
        !ply_element_find(h, "vertex") || !vertex->stride || !(p->scale > 0) || !(p->larger > 0) || !(p->slower > 0))
        return false;
    for (int i = 0; i < h->n_properties; i++)
        if (h->property[i].count) return false;
    p->row = h->rest;
    p->n = (size_t)vertex->rows;
    p->stride = vertex->stride;
    return (size_t)(p->row - text) + p->n * p->stride <= size;
}
