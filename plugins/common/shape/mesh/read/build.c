// SPDX-License-Identifier: Apache-2.0
/* Points and triangles as they come; build.h says what it does. */
#include "build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum bw_status mesh_build_fail(struct mesh_build *b, const char *format, ...)
{
    char what[256];
    va_list list;
    if (b->status) return b->status;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    for (char *c = what; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?'; // words of the file's own
    const char *path = b->out->path;
    b->status = b->line ? b->stage->host->fail(b->stage, BW_ERR_IO, "%s:%lld: %s", path, (long long)b->line, what)
                        : b->stage->host->fail(b->stage, BW_ERR_IO, "%s: %s", path, what);
    return b->status;
}

/* Room for one more of `width` bytes in an array that the host keeps; NULL: there is none. */
static void *room_make(struct mesh_build *b, void *array, size_t width, int64_t n, int64_t *room)
{
    if (n < *room) return array;
    if (n >= b->most) {
        b->status = b->stage->host->fail(b->stage, BW_ERR_LIMIT, "%s holds more than %lld points or triangles",
                                         b->out->path, (long long)b->most);
        return array;
    }
    const int64_t wanted = *room ? 2 * *room : 256;
    void *grown = b->stage->host->alloc(b->stage, (size_t)wanted * width);
    if (!grown) {
        b->status = BW_ERR_MEMORY;
        return array;
    }
    if (n) memcpy(grown, array, (size_t)n * width);
    b->stage->host->release(b->stage, array);
    *room = wanted;
    return grown;
}

void mesh_build_point(struct mesh_build *b, const double p[3])
{
    struct mesh_file *f = b->out;
    if (b->status) return;
    const float x = (float)p[0], y = (float)p[1], z = (float)p[2];
    if (!isfinite(x) || !isfinite(y) || !isfinite(z)) {
        mesh_build_fail(b, "point %lld is not a number, or too large for one of 32 bits", (long long)f->n_points + 1);
        return;
    }
    f->point = room_make(b, f->point, sizeof *f->point, f->n_points, &b->room_points);
    if (b->status) return;
    double *out = f->point[f->n_points++];
    out[0] = (double)x;
    out[1] = b->y_up ? -(double)z : (double)y;
    out[2] = b->y_up ? (double)y : (double)z;
}

void mesh_build_triangle(struct mesh_build *b, int64_t c0, int64_t c1, int64_t c2)
{
    struct mesh_file *f = b->out;
    if (b->status) return;
    f->triangle = room_make(b, f->triangle, sizeof *f->triangle, f->n_triangles, &b->room_triangles);
    if (b->status) return;
    int32_t *out = f->triangle[f->n_triangles++];
    out[0] = (int32_t)c0, out[1] = (int32_t)c1, out[2] = (int32_t)c2;
}
