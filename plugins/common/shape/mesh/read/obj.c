// SPDX-License-Identifier: Apache-2.0
/* Wavefront OBJ: places `v x y z [w]` and faces `f v/vt/vn …`, which name places from 1 on, or from the last one back
 * with numbers below 0; all else is skipped. */
#include "build.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct obj {
    struct mesh_build *b;
    struct text text;
    struct corners face;
    int64_t bad_places;
};

static void place_read(struct obj *o)
{
    double p[4] = {0, 0, 0, 1}, colour;
    int n = 0;
    while (n < 4 && text_number(&o->text, &p[n])) n++;
    if (n < 3) {
        o->bad_places++;
        mesh_build_blame(o->b, "a place has three numbers");
        p[0] = NAN;
    }
    const bool weighted = n == 4 && !text_number(&o->text, &colour) && p[3] != 0; // else a colour comes behind
    for (int a = 0; a < 3 && weighted; a++) p[a] /= p[3];
    mesh_build_point(o->b, p);
}

/* v, v/vt, v//vn or v/vt/vn: the place's number, from 0 on. false: there is no corner. */
static bool corner_read(struct obj *o, int64_t *place)
{
    if (!text_integer(&o->text, place)) return false;
    while (*o->text.at == '/' || *o->text.at == '-' || (*o->text.at >= '0' && *o->text.at <= '9')) o->text.at++;
    *place = *place < 0 ? o->b->n_points + *place : *place - 1;
    return true;
}

static void face_read(struct obj *o)
{
    struct mesh_build *b = o->b;
    o->face.n = 0;
    for (int64_t place; !b->status && corner_read(o, &place); corners_add(b, &o->face, place)) {
        if (place >= 0 && place < b->n_points) continue;
        mesh_build_leave(b, "a face names place %lld, and there are %lld before it", (long long)place + 1,
                         (long long)b->n_points);
        return;
    }
    if (!text_line_ends(&o->text)) mesh_build_leave(b, "corner %lld of a face is none", (long long)o->face.n + 1);
    else if (o->face.n < 3) mesh_build_leave(b, "a face has %lld corners, and must have three", (long long)o->face.n);
    else mesh_build_face(b, o->face.list, o->face.n);
}

static void line_read(struct obj *o)
{
    struct text *t = &o->text;
    if (text_word(t, "v")) place_read(o);
    else if (text_word(t, "f") || text_word(t, "fo")) face_read(o);
    else if (text_word(t, "l")) o->b->instead = "lines";
    else if (text_word(t, "surf")) o->b->instead = "free-form surfaces (surf), which are not read";
}

void mesh_read_obj(struct mesh_build *b, const char *text, size_t n)
{
    struct obj o = {.b = b, .text = {text, text + n, 1}};
    bool more = true;
    while (more && !b->status) {
        const int64_t wrong = b->left_out + o.bad_places;
        b->line = o.text.line;
        line_read(&o);
        more = text_line_next(&o.text);
        const bool open = !more && n && text[n - 1] != '\n' && text[n - 1] != '\r';
        if (open && b->left_out + o.bad_places > wrong)
            mesh_build_note(b, "its last line has no end: is the file cut short?");
    }
    b->line = 0;
    free(o.face.list);
}
