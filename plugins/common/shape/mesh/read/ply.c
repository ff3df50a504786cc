// SPDX-License-Identifier: Apache-2.0
/* PLY meshes (G. Turk 1994; text or binary of either byte order): elements in any order, each with as many rows as the
 * heading says. `vertex` has x, y and z, `face` a list vertex_indices or vertex_index, and so has `tristrips`; whatever
 * else there is is stepped over. A row of a text is a line: what there is too much of, or too little, spoils no other
 * row. A heading that promises more rows than the file has bytes is refused before anything is read. */
#include "build.h"
#include "text.h"

#include <common/table/ply.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum use { SKIP, PLACE_X, PLACE_Y, PLACE_Z, CORNERS };
enum kind { OTHER, VERTEX, FACE, STRIPS };

struct ply {
    struct mesh_build *b;
    const char *text, *at, *end;
    const char *row_end; ///< text: where the present row's line ends
    bool is_text, big_endian;
    bool wrapped;       ///< rows are not lines: the first one is not
    bool points, faces; ///< what this pass through the file takes
    struct ply_heading h;
    enum kind kind[PLY_ELEMENTS];
    enum use use[PLY_PROPERTIES];
    struct corners corner;
    int64_t long_rows, first_long;
    bool row_bad;    ///< something of the row is wrong …
    const char *why; ///< … and what; NULL: numbers are missing
};

/* ---- heading ---- */

static enum kind kind_of(const char *name)
{
    return !strcmp(name, "vertex")      ? VERTEX
           : !strcmp(name, "face")      ? FACE
           : !strcmp(name, "tristrips") ? STRIPS
                                        : OTHER;
}

static enum use use_of(enum kind kind, const char *name, bool list)
{
    if (kind == VERTEX && !list && name[0] >= 'x' && name[0] <= 'z' && !name[1])
        return (enum use)(PLACE_X + name[0] - 'x');
    const bool corners = !strncmp(name, "vertex_ind", 10);
    return (kind == FACE || kind == STRIPS) && list && corners ? CORNERS : SKIP;
}

static void heading_read(struct ply *p)
{
    struct ply_heading *h = &p->h;
    const bool good = ply_heading_read(h, p->text, (size_t)(p->end - p->text), NULL, NULL);
    p->b->line = h->odd;
    if (h->odd) mesh_build_note(p->b, "the line is none of PLY");
    p->b->line = h->line;
    if (!good) mesh_build_fail(p->b, "%s", h->why);
    p->b->line++; // what comes is in the next one
    p->at = h->rest;
    p->is_text = h->form == PLY_TEXT, p->big_endian = h->form == PLY_BIG;
    for (int i = 0; i < h->n_elements; i++) {
        const struct ply_element *e = &h->element[i];
        p->kind[i] = kind_of(e->name);
        for (int q = e->first; q < e->first + e->n; q++)
            p->use[q] = use_of(p->kind[i], h->property[q].name, h->property[q].count != NULL);
    }
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
static void list_read(struct ply *p, const struct ply_property *q, enum use use)
{
    const int64_t n = index_of(value_next(p, q->count));
    if (p->b->status || p->row_bad) return;
    if (n < 0 || n > p->end - p->at) {
        p->row_bad = true, p->why = "a list is longer than the file";
        if (!p->is_text || p->wrapped) mesh_build_fail(p->b, "%s", p->why);
    }
    const bool wanted = use == CORNERS && p->faces;
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

static void row_values(struct ply *p, const struct ply_element *e, double place[3])
{
    for (int i = e->first; i < e->first + e->n && !p->row_bad; i++) {
        const struct ply_property *q = &p->h.property[i];
        if (q->count) {
            list_read(p, q, p->use[i]);
            continue;
        }
        const double value = value_next(p, q->type);
        if (p->use[i] >= PLACE_X && p->use[i] <= PLACE_Z) place[p->use[i] - PLACE_X] = value;
    }
}

static void row_use(struct ply *p, enum kind kind, double place[3])
{
    const char *why = p->why ? p->why : "the row has fewer numbers than the heading says";
    if (kind == VERTEX && p->row_bad) {
        mesh_build_blame(p->b, "%s", why);
        place[0] = NAN; // it keeps its number
    }
    if (kind == VERTEX && p->points) mesh_build_point(p->b, place);
    if (!p->faces || (kind != FACE && kind != STRIPS)) return;
    if (p->row_bad) mesh_build_leave(p->b, "%s", why);
    else if (kind == FACE) mesh_build_face(p->b, p->corner.list, p->corner.n);
    else mesh_build_strip(p->b, p->corner.list, p->corner.n);
}

static void row_read(struct ply *p, const struct ply_element *e)
{
    double place[3] = {0, 0, 0};
    if (!row_begin(p)) return;
    row_values(p, e, place);
    if (!p->b->status) row_use(p, p->kind[e - p->h.element], place);
    if (!p->b->status) row_end(p);
}

/* Does the first row of the file stand in one line? Else none is taken for one. */
static bool is_wrapped(struct ply *p)
{
    struct ply trial = *p;
    struct mesh_build nothing = {.path = p->b->path};
    const struct ply_element *e = p->h.element;
    double place[3];
    trial.b = &nothing, trial.points = trial.faces = false;
    if (!p->h.n_elements) return false;
    while (e < p->h.element + p->h.n_elements && (!e->n || !e->rows)) e++;
    if (!p->is_text || e == p->h.element + p->h.n_elements || !row_begin(&trial)) return false;
    row_values(&trial, e, place);
    return trial.row_bad && !trial.why;
}

static void element_read(struct ply *p, const struct ply_element *e)
{
    int places = 0;
    for (int i = e->first; i < e->first + e->n; i++) places |= 1 << p->use[i];
    if (p->kind[e - p->h.element] == VERTEX && (places & 14) != 14)
        mesh_build_fail(p->b, "a vertex must have x, y and z");
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
    for (int i = 0; i < p->h.n_elements && !p->b->status; i++) element_read(p, &p->h.element[i]);
    if (!faces) p->at = at, p->b->line = line, p->long_rows = 0, p->b->left_out = 0;
}

static bool faces_come_first(const struct ply *p)
{
    bool met = false;
    for (int i = 0; i < p->h.n_elements; i++) {
        met |= (p->kind[i] == FACE || p->kind[i] == STRIPS) && p->h.element[i].rows;
        if (met && p->kind[i] == VERTEX && p->h.element[i].rows) return true;
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
    free(p.corner.list);
}
