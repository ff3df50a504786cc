// SPDX-License-Identifier: Apache-2.0
/* PLY meshes (G. Turk 1994; text or binary of either byte order): elements one after another, each with as many rows as
 * the heading says. `vertex` has x, y and z, `face` a list vertex_indices or vertex_index; whatever else there is is
 * stepped over. A heading that promises more rows than the file has bytes is refused before anything is read. */
#include "build.h"

#include <common/table/ply_types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 32, PROPERTIES = 256 };
enum use { SKIP, PLACE_X, PLACE_Y, PLACE_Z, CORNERS };

struct property {
    const struct ply_type *type, *count; ///< count: of a list; NULL: a single value
    enum use use;
};

struct element {
    char name[64];
    int64_t rows;
    int first, n; ///< properties
};

struct ply {
    struct mesh_build *b;
    const char *text, *at, *end;
    bool is_text, big_endian, format;
    struct element element[ELEMENTS];
    struct property property[PROPERTIES];
    int n_elements, n_properties;
    int64_t corner[MESH_CORNERS];
};

/* ---- heading ---- */

static void element_add(struct ply *p, const char *name, int64_t rows)
{
    if (p->n_elements == ELEMENTS) {
        mesh_build_fail(p->b, "more than %d elements", ELEMENTS);
        return;
    }
    if (rows < 0 || rows > p->end - p->text) {
        mesh_build_fail(p->b, "element %s has %lld rows, more than the file can hold", name, (long long)rows);
        return;
    }
    struct element *e = &p->element[p->n_elements++];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->rows = rows;
    e->first = p->n_properties;
}

static enum use use_of(const struct element *e, const char *name, bool list)
{
    if (!strcmp(e->name, "vertex") && !list && name[0] >= 'x' && name[0] <= 'z' && !name[1])
        return (enum use)(PLACE_X + name[0] - 'x');
    const bool corners = !strcmp(name, "vertex_indices") || !strcmp(name, "vertex_index");
    return !strcmp(e->name, "face") && list && corners ? CORNERS : SKIP;
}

static void property_add(struct ply *p, const char *count, const char *type, const char *name)
{
    struct property q = {ply_type_find(type), count ? ply_type_find(count) : NULL, SKIP};
    if (!p->n_elements) mesh_build_fail(p->b, "a property of no element");
    else if (p->n_properties == PROPERTIES) mesh_build_fail(p->b, "more than %d properties", PROPERTIES);
    else if (!q.type || (count && (!q.count || q.count->is_float)))
        mesh_build_fail(p->b, "a property's type is unknown");
    if (p->b->status) return;
    struct element *e = &p->element[p->n_elements - 1];
    q.use = use_of(e, name, count != NULL);
    p->property[p->n_properties++] = q;
    e->n++;
}

static void format_set(struct ply *p, const char *name)
{
    p->format = true;
    p->is_text = !strcmp(name, "ascii");
    p->big_endian = !strcmp(name, "binary_big_endian");
    if (!p->is_text && !p->big_endian && strcmp(name, "binary_little_endian"))
        mesh_build_fail(p->b, "the format is unknown");
}

static void heading_line(struct ply *p, const char *line)
{
    char word[3][64] = {"", "", ""};
    long long rows;
    if (sscanf(line, "format %63s", word[0]) == 1) format_set(p, word[0]);
    else if (sscanf(line, "element %63s %18lld", word[0], &rows) == 2) {
        const char *digits = strpbrk(line + strlen("element "), " \t"); // behind the name
        const size_t length = digits ? strspn(digits + strspn(digits, " \t"), "0123456789") : 0;
        element_add(p, word[0], length > 18 ? INT64_MAX : rows);
    } else if (sscanf(line, "property list %63s %63s %63s", word[0], word[1], word[2]) == 3)
        property_add(p, word[0], word[1], word[2]);
    else if (sscanf(line, "property %63s %63s", word[0], word[1]) == 2) property_add(p, NULL, word[0], word[1]);
    else if (strncmp(line, "comment", 7) && strncmp(line, "obj_info", 8))
        mesh_build_fail(p->b, "the line is none of PLY");
}

/* The next line of the heading without its end; false: there is none, or it is too long for one. */
static bool line_take(struct ply *p, char *out, size_t room)
{
    const char *stop = memchr(p->at, '\n', (size_t)(p->end - p->at));
    if (!stop || (size_t)(stop - p->at) >= room) return false;
    size_t n = (size_t)(stop - p->at);
    memcpy(out, p->at, n);
    while (n && (out[n - 1] == '\r' || out[n - 1] == ' ')) n--;
    out[n] = '\0';
    p->at = stop + 1;
    p->b->line++;
    return true;
}

static void heading_read(struct ply *p)
{
    char line[1024];
    bool more = line_take(p, line, sizeof line); // "ply"
    while (!p->b->status && (more = line_take(p, line, sizeof line)) && strcmp(line, "end_header"))
        heading_line(p, line);
    if (!more) mesh_build_fail(p->b, "the heading does not end");
    if (!p->format) mesh_build_fail(p->b, "the heading does not say which format");
    p->b->line++; // what comes is in the next one
}

/* ---- rows ---- */

/* The next value; a text's values stand apart, lines count for messages only. */
static double value_next(struct ply *p, const struct ply_type *type)
{
    double value = 0;
    if (p->b->status) return 0;
    if (!p->is_text && p->end - p->at >= type->bytes) {
        value = ply_type_value(type, p->at, p->big_endian);
        p->at += type->bytes;
        return value;
    }
    for (; p->is_text && p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at; p->at++) p->b->line += *p->at == '\n';
    if (!p->is_text || p->at >= p->end) {
        mesh_build_fail(p->b, "the file is cut short");
        return 0;
    }
    char *stop;
    value = strtod(p->at, &stop);
    if (stop == p->at) mesh_build_fail(p->b, "a number is wanted");
    p->at = stop;
    return value;
}

static int64_t index_of(double value) { return value >= 0 && value < 4e9 ? (int64_t)value : -1; }

/* A list; its values are kept where they are corners. Answers how many. */
static int list_read(struct ply *p, const struct property *q)
{
    const int64_t n = index_of(value_next(p, q->count));
    if (!p->b->status && (n < 0 || n > p->end - p->at)) mesh_build_fail(p->b, "a list is longer than the file");
    if (!p->b->status && q->use == CORNERS && n > MESH_CORNERS)
        mesh_build_fail(p->b, "a face has %lld corners, more than %d", (long long)n, MESH_CORNERS);
    for (int64_t i = 0; i < n && !p->b->status; i++) {
        const double value = value_next(p, q->type);
        if (q->use == CORNERS) p->corner[i] = index_of(value);
    }
    return q->use == CORNERS && !p->b->status ? (int)n : 0;
}

static void row_read(struct ply *p, const struct element *e)
{
    double place[3] = {0, 0, 0};
    int corners = 0;
    for (int i = e->first; i < e->first + e->n; i++) {
        const struct property *q = &p->property[i];
        if (q->count) {
            const int n = list_read(p, q);
            if (q->use == CORNERS) corners = n;
        } else {
            const double value = value_next(p, q->type);
            if (q->use >= PLACE_X && q->use <= PLACE_Z) place[q->use - PLACE_X] = value;
        }
    }
    if (p->b->status) return;
    if (!strcmp(e->name, "vertex")) mesh_build_point(p->b, place);
    else if (corners) mesh_build_face(p->b, p->corner, corners);
}

static void element_read(struct ply *p, const struct element *e)
{
    const bool vertex = !strcmp(e->name, "vertex");
    int places = 0;
    for (int i = e->first; i < e->first + e->n; i++) places |= 1 << p->property[i].use;
    if (vertex && (places & 14) != 14) mesh_build_fail(p->b, "a vertex must have x, y and z");
    if (!e->n) return; // rows of nothing
    for (int64_t row = 0; row < e->rows && !p->b->status; row++) row_read(p, e);
}

void mesh_read_ply(struct mesh_build *b, const char *text, size_t n)
{
    struct ply *p = b->stage->host->alloc(b->stage, sizeof *p);
    if (!p) {
        b->status = BW_ERR_MEMORY;
        return;
    }
    p->b = b, p->text = p->at = text, p->end = text + n;
    heading_read(p);
    if (!p->is_text) b->line = 0;
    for (int i = 0; i < p->n_elements && !b->status; i++) element_read(p, &p->element[i]);
    b->line = 0;
    b->stage->host->release(b->stage, p);
}
