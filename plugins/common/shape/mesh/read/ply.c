// SPDX-License-Identifier: Apache-2.0
/* PLY meshes (G. Turk 1994; text or binary of either byte order): elements in any order, each with as many rows as the
 * heading says. `vertex` has x, y and z, `face` a list vertex_indices or vertex_index, and so has `tristrips`; whatever
 * else there is is stepped over. A row of a text is a line: what there is too much of, or too little, spoils no other
 * row. A heading that promises more rows than the file has bytes is refused before anything is read. */
#include "build.h"
#include "text.h"

#include <common/table/ply_types.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROPERTIES_MOST = 1 << 16 }; ///< and elements: more than any file has
enum use { SKIP, PLACE_X, PLACE_Y, PLACE_Z, CORNERS };
enum kind { OTHER, VERTEX, FACE, STRIPS };

struct property {
    const struct ply_type *type, *count; ///< count: of a list; NULL: a single value
    enum use use;
};

struct element {
    char name[64];
    enum kind kind;
    int64_t rows;
    int first, n; ///< properties
};

struct ply {
    struct mesh_build *b;
    const char *text, *at, *end;
    const char *row_end; ///< text: where the present row's line ends
    bool is_text, big_endian, format;
    bool wrapped;       ///< rows are not lines: the first one is not
    bool points, faces; ///< what this pass through the file takes
    struct element *element;
    struct property *property;
    int n_elements, n_properties;
    struct corners corner;
    int64_t long_rows, first_long;
    bool row_bad;    ///< something of the row is wrong …
    const char *why; ///< … and what; NULL: numbers are missing
};

/* ---- heading ---- */

/* One more in a list of n; NULL: no. */
static void *list_more(struct mesh_build *b, void *list, int n, size_t width)
{
    if (n >= PROPERTIES_MOST) return mesh_build_fail(b, "more than %d elements or properties", PROPERTIES_MOST), NULL;
    return n & (n - 1) ? list : mesh_build_grow(b, list, (size_t)n * width, (n ? 2 * (size_t)n : 1) * width);
}

static enum kind kind_of(const char *name)
{
    return !strcmp(name, "vertex")      ? VERTEX
           : !strcmp(name, "face")      ? FACE
           : !strcmp(name, "tristrips") ? STRIPS
                                        : OTHER;
}

static void element_add(struct ply *p, const char *name, int64_t rows)
{
    if (rows < 0 || rows > p->end - p->text) {
        mesh_build_fail(p->b, "element %s has %lld rows, more than the file can hold", name, (long long)rows);
        return;
    }
    struct element *list = list_more(p->b, p->element, p->n_elements, sizeof *list);
    if (!list) return;
    p->element = list;
    struct element *e = &p->element[p->n_elements++];
    *e = (struct element){.kind = kind_of(name), .rows = rows, .first = p->n_properties};
    snprintf(e->name, sizeof e->name, "%s", name);
}

static enum use use_of(const struct element *e, const char *name, bool list)
{
    if (e->kind == VERTEX && !list && name[0] >= 'x' && name[0] <= 'z' && !name[1])
        return (enum use)(PLACE_X + name[0] - 'x');
    const bool corners = !strncmp(name, "vertex_ind", 10);
    return (e->kind == FACE || e->kind == STRIPS) && list && corners ? CORNERS : SKIP;
}

static void property_add(struct ply *p, const char *count, const char *type, const char *name)
{
    struct property q = {ply_type_find(type), count ? ply_type_find(count) : NULL, SKIP};
    if (!p->n_elements) mesh_build_fail(p->b, "a property of no element");
    else if (!q.type || (count && (!q.count || q.count->is_float)))
        mesh_build_fail(p->b, "a property's type is unknown");
    struct property *list = list_more(p->b, p->property, p->n_properties, sizeof *list);
    if (!list) return;
    p->property = list;
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
    else if (line[0] && strncmp(line, "comment", 7) && strncmp(line, "obj_info", 8))
        mesh_build_note(p->b, "the line is none of PLY");
}

/* The next line of the heading without its end, and no longer than `room`; false: there is none. */
static bool line_take(struct ply *p, char *out, size_t room)
{
    const char *stop = text_line_end(p->at, p->end);
    if (stop == p->end) return false;
    size_t n = (size_t)(stop - p->at) < room ? (size_t)(stop - p->at) : room - 1;
    memcpy(out, p->at, n);
    while (n && (out[n - 1] == ' ' || out[n - 1] == '\t')) n--;
    out[n] = '\0';
    p->at = text_line_behind(stop, p->end);
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

/* ---- values ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\n'; }

/* Over blanks: of the row, or of all that comes where rows are no lines. false: nothing comes. */
static bool value_find(struct ply *p)
{
    const char *stop = p->wrapped ? p->end : p->row_end;
    for (; p->at < stop && is_blank(*p->at); p->at++) p->b->line += p->wrapped && *p->at == '\n';
    return p->at < stop;
}

static double value_text(struct ply *p)
{
    char *stop;
    if (p->row_bad) return 0;
    if (!value_find(p)) {
        if (p->wrapped) mesh_build_fail(p->b, "the file is cut short");
        p->row_bad = true;
        return 0;
    }
    const double value = strtod(p->at, &stop);
    if (stop > p->at && (!*stop || is_blank(*stop))) return p->at = stop, value;
    p->row_bad = true, p->why = "a number is wanted";
    return 0;
}

static double value_next(struct ply *p, const struct ply_type *type)
{
    if (p->b->status) return 0;
    if (p->is_text) return value_text(p);
    if (p->end - p->at < type->bytes) {
        mesh_build_fail(p->b, "the file is cut short");
        return 0;
    }
    const double value = ply_type_value(type, p->at, p->big_endian);
    p->at += type->bytes;
    return value;
}

static int64_t index_of(double value) { return value >= -1 && value < 4e9 ? (int64_t)value : -2; }

/* A list; its values are kept where they are corners. */
static void list_read(struct ply *p, const struct property *q)
{
    const int64_t n = index_of(value_next(p, q->count));
    if (p->b->status || p->row_bad) return;
    if (n < 0 || n > p->end - p->at) {
        p->row_bad = true, p->why = "a list is longer than the file";
        if (!p->is_text || p->wrapped) mesh_build_fail(p->b, "%s", p->why);
    }
    const bool wanted = q->use == CORNERS && p->faces;
    for (int64_t i = 0; i < n && !p->b->status && !p->row_bad; i++) {
        const double value = value_next(p, q->type);
        if (wanted && !p->row_bad) corners_add(p->b, &p->corner, index_of(value));
    }
}

/* ---- rows ---- */

/* The line of the next row; blank ones are none. false: the file ends. */
static bool row_begin(struct ply *p)
{
    p->row_bad = false, p->why = NULL;
    p->corner.n = 0;
    if (!p->is_text || p->wrapped) return true;
    while (p->at < p->end) {
        p->row_end = text_line_end(p->at, p->end);
        if (value_find(p)) return true;
        p->at = text_line_behind(p->row_end, p->end);
        p->b->line++;
    }
    mesh_build_fail(p->b, "the file is cut short");
    return false;
}

static void row_end(struct ply *p)
{
    if (!p->is_text || p->wrapped) return;
    if (!p->row_bad && value_find(p) && !p->long_rows++) p->first_long = p->b->line;
    if (p->row_end == p->end && p->row_bad && !p->why) mesh_build_fail(p->b, "the file is cut short");
    p->at = text_line_behind(p->row_end, p->end);
    p->b->line += p->row_end < p->end;
}

static void row_values(struct ply *p, const struct element *e, double place[3])
{
    for (int i = e->first; i < e->first + e->n && !p->row_bad; i++) {
        const struct property *q = &p->property[i];
        if (q->count) {
            list_read(p, q);
            continue;
        }
        const double value = value_next(p, q->type);
        if (q->use >= PLACE_X && q->use <= PLACE_Z) place[q->use - PLACE_X] = value;
    }
}

static void row_use(struct ply *p, const struct element *e, double place[3])
{
    const char *why = p->why ? p->why : "the row has fewer numbers than the heading says";
    if (e->kind == VERTEX && p->row_bad) {
        mesh_build_blame(p->b, "%s", why);
        place[0] = NAN; // it keeps its number
    }
    if (e->kind == VERTEX && p->points) mesh_build_point(p->b, place);
    if (!p->faces || (e->kind != FACE && e->kind != STRIPS)) return;
    if (p->row_bad) mesh_build_leave(p->b, "%s", why);
    else if (e->kind == FACE) mesh_build_face(p->b, p->corner.list, p->corner.n);
    else mesh_build_strip(p->b, p->corner.list, p->corner.n);
}

static void row_read(struct ply *p, const struct element *e)
{
    double place[3] = {0, 0, 0};
    if (!row_begin(p)) return;
    row_values(p, e, place);
    if (!p->b->status) row_use(p, e, place);
    if (!p->b->status) row_end(p);
}

/* Does the first row of the file stand in one line? Else none is taken for one. */
static bool is_wrapped(struct ply *p)
{
    struct ply trial = *p;
    struct mesh_build nothing = {.path = p->b->path};
    const struct element *e = p->element;
    double place[3];
    trial.b = &nothing, trial.points = trial.faces = false;
    if (!p->n_elements) return false;
    while (e < p->element + p->n_elements && (!e->n || !e->rows)) e++;
    if (!p->is_text || e == p->element + p->n_elements || !row_begin(&trial)) return false;
    row_values(&trial, e, place);
    return trial.row_bad && !trial.why;
}

static void element_read(struct ply *p, const struct element *e)
{
    int places = 0;
    for (int i = e->first; i < e->first + e->n; i++) places |= 1 << p->property[i].use;
    if (e->kind == VERTEX && (places & 14) != 14) mesh_build_fail(p->b, "a vertex must have x, y and z");
    if (!e->n) return; // rows of nothing
    for (int64_t row = 0; row < e->rows && !p->b->status; row++) row_read(p, e);
}

/* ---- the file ---- */

/* Once through all elements. */
static void pass(struct ply *p, bool points, bool faces)
{
    const char *at = p->at;
    const int64_t line = p->b->line;
    p->points = points, p->faces = faces;
    for (int i = 0; i < p->n_elements && !p->b->status; i++) element_read(p, &p->element[i]);
    if (!faces) p->at = at, p->b->line = line, p->long_rows = 0, p->b->left_out = 0;
}

static bool faces_come_first(const struct ply *p)
{
    bool met = false;
    for (int i = 0; i < p->n_elements; i++) {
        met |= (p->element[i].kind == FACE || p->element[i].kind == STRIPS) && p->element[i].rows;
        if (met && p->element[i].kind == VERTEX && p->element[i].rows) return true;
    }
    return false;
}

/* Lines, or bytes, that no element of the heading has. */
static void rest_tell(struct ply *p)
{
    struct mesh_build *b = p->b;
    int64_t lines = 0;
    b->line = 0;
    if (p->long_rows) {
        b->line = p->first_long;
        mesh_build_note(b, "from here on %lld rows have more numbers than the heading says; these are not read",
                        (long long)p->long_rows);
    }
    b->line = 0;
    if (!p->is_text && p->end - p->at > 1)
        mesh_build_note(b, "%lld bytes behind its last row are not read", (long long)(p->end - p->at));
    while (p->is_text && p->at < p->end) {
        const char *stop = text_line_end(p->at, p->end);
        while (p->at < stop && is_blank(*p->at)) p->at++;
        lines += p->at < stop;
        p->at = text_line_behind(stop, p->end);
    }
    if (lines) mesh_build_note(b, "%lld lines behind its last row are not read", (long long)lines);
}

void mesh_read_ply(struct mesh_build *b, const char *text, size_t n)
{
    struct ply p = {.b = b, .text = text, .at = text, .end = text + n};
    heading_read(&p);
    if (!p.is_text) b->line = 0;
    if (!b->status) {
        p.wrapped = is_wrapped(&p);
        const bool twice = faces_come_first(&p);
        if (twice) pass(&p, true, false);
        pass(&p, !twice, true);
    }
    if (!b->status) rest_tell(&p);
    b->line = 0;
    free(p.element);
    free(p.property);
    free(p.corner.list);
}
