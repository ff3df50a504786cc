// SPDX-License-Identifier: Apache-2.0
/* Points and triangles as they come; build.h says what it does. */
#include "build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is said ---- */

static void note_write(const struct mesh_build *b, struct answer_note *note, const char *format, va_list list)
{
    note->line = b->line;
    vsnprintf(note->text, sizeof note->text, format, list);
}

enum bw_status mesh_build_fail(struct mesh_build *b, const char *format, ...)
{
    va_list list;
    if (b->status) return b->status;
    va_start(list, format);
    note_write(b, &b->failure, format, list);
    va_end(list);
    return b->status = BW_ERR_IO;
}

void mesh_build_leave(struct mesh_build *b, const char *format, ...)
{
    va_list list;
    if (b->status) return;
    b->left_out++;
    if (b->first.text[0]) return;
    va_start(list, format);
    note_write(b, &b->first, format, list);
    va_end(list);
}

void mesh_build_blame(struct mesh_build *b, const char *format, ...)
{
    va_list list;
    if (b->status || b->first.text[0]) return;
    va_start(list, format);
    note_write(b, &b->first, format, list);
    va_end(list);
}

void mesh_build_leave_part(struct mesh_build *b)
{
    if (b->status != BW_ERR_IO) return;
    b->status = BW_OK;
    b->left_parts++;
    if (!b->first.text[0]) b->first = b->failure;
}

void mesh_build_note(struct mesh_build *b, const char *format, ...)
{
    va_list list;
    if (b->status || b->n_notes == ANSWER_NOTES) return;
    va_start(list, format);
    note_write(b, &b->note[b->n_notes++], format, list);
    va_end(list);
}

/* ---- memory ---- */

void *mesh_build_grow(struct mesh_build *b, void *old, size_t used, size_t bytes)
{
    if (b->status) return NULL;
    void *grown = b->allocate ? b->allocate(bytes) : malloc(bytes);
    if (!grown) {
        b->status = BW_ERR_MEMORY;
        return NULL;
    }
    if (used) memcpy(grown, old, used);
    free(old);
    return grown;
}

void mesh_build_free(struct mesh_build *b)
{
    free(b->point);
    free(b->triangle);
    b->point = NULL, b->triangle = NULL;
}

/* Room for one more of `width` bytes. */
static void *room_make(struct mesh_build *b, void *array, size_t width, int64_t n, int64_t *room)
{
    if (n < *room) return array;
    if (n >= b->most) {
        mesh_build_fail(b, "it holds more than %lld points or triangles", (long long)b->most);
        b->status = BW_ERR_LIMIT;
        return array;
    }
    const int64_t wanted = *room ? 2 * *room : 256;
    void *grown = mesh_build_grow(b, array, (size_t)n * width, (size_t)wanted * width);
    if (!grown) return array;
    *room = wanted;
    return grown;
}

/* ---- points and triangles ---- */

void mesh_build_point(struct mesh_build *b, const double p[3])
{
    if (b->status) return;
    b->point = room_make(b, b->point, sizeof *b->point, b->n_points, &b->room_points);
    if (b->status) return;
    const bool good = isfinite((float)p[0]) && isfinite((float)p[1]) && isfinite((float)p[2]);
    double *out = b->point[b->n_points++];
    if (!good)
        mesh_build_blame(b, "point %lld is not a number, or too large for one of 32 bits", (long long)b->n_points);
    out[0] = good ? p[0] : NAN;
    out[1] = b->y_up ? -p[2] : p[1];
    out[2] = b->y_up ? p[1] : p[2];
}

void mesh_build_triangle(struct mesh_build *b, int64_t c0, int64_t c1, int64_t c2)
{
    if (b->status) return;
    b->triangle = room_make(b, b->triangle, sizeof *b->triangle, b->n_triangles, &b->room_triangles);
    if (b->status) return;
    int32_t *out = b->triangle[b->n_triangles++];
    out[0] = (int32_t)c0, out[1] = (int32_t)c1, out[2] = (int32_t)c2;
}

bool corners_add(struct mesh_build *b, struct corners *c, int64_t corner)
{
    if (c->n == c->room) {
        const int64_t wanted = c->room ? 2 * c->room : 64;
        int64_t *grown = mesh_build_grow(b, c->list, (size_t)c->n * sizeof *c->list, (size_t)wanted * sizeof *c->list);
        if (!grown) return false;
        c->list = grown, c->room = wanted;
    }
    c->list[c->n++] = corner;
    return true;
}
