// SPDX-License-Identifier: Apache-2.0
/* Wavefront OBJ: places `v x y z [w]` and faces `f v/vt/vn …`, which name places from 1 on, or from the last one back
 * with numbers below 0; all else is skipped. Each corner of a face becomes a point of its own, since corners of one
 * place may differ in what else they carry. */
#include "build.h"
#include "text.h"

#include <string.h>

struct obj {
    struct mesh_build *b;
    struct text text;
    double (*place)[3];
    int64_t n_places;
    int64_t corner[MESH_CORNERS];
};

static void place_read(struct obj *o)
{
    double p[4] = {0, 0, 0, 1}, colour;
    int n = 0;
    while (n < 4 && text_number(&o->text, &p[n])) n++;
    if (n < 3) {
        mesh_build_fail(o->b, "a place has three numbers");
        return;
    }
    const bool weighted = n == 4 && !text_number(&o->text, &colour) && p[3] != 0; // else a colour comes behind
    for (int a = 0; a < 3; a++) o->place[o->n_places][a] = weighted ? p[a] / p[3] : p[a];
    o->n_places++;
}

/* v, v/vt, v//vn or v/vt/vn: the place's number, from 0 on. false: there is no corner. */
static bool corner_read(struct obj *o, int64_t *place)
{
    if (!text_integer(&o->text, place)) return false;
    while (*o->text.at == '/' || *o->text.at == '-' || (*o->text.at >= '0' && *o->text.at <= '9')) o->text.at++;
    *place = *place < 0 ? o->n_places + *place : *place - 1;
    return true;
}

static void face_read(struct obj *o)
{
    int n = 0;
    for (int64_t place; !o->b->status && corner_read(o, &place);) {
        if (n == MESH_CORNERS) mesh_build_fail(o->b, "a face has more than %d corners", MESH_CORNERS);
        else if (place < 0 || place >= o->n_places)
            mesh_build_fail(o->b, "a face names place %lld, and there are %lld before it", (long long)place + 1,
                            (long long)o->n_places);
        else o->corner[n++] = place;
    }
    if (!o->b->status && (n < 3 || !text_line_ends(&o->text)))
        mesh_build_fail(o->b, n < 3 ? "a face has %d corners, and must have three" : "corner %d of a face is none",
                        n < 3 ? n : n + 1);
    for (int i = 0; i < n && !o->b->status; i++) {
        mesh_build_point(o->b, o->place[o->corner[i]]);
        o->corner[i] = o->b->out->n_points - 1;
    }
    mesh_build_face(o->b, o->corner, n);
}

/* How many lines begin with v: as many places as there may be. */
static int64_t places_count(const char *text, size_t n)
{
    int64_t count = 0;
    struct text t = {text, text + n, 1};
    do
        if (text_word(&t, "v")) count++;
    while (text_line_next(&t));
    return count;
}

void mesh_read_obj(struct mesh_build *b, const char *text, size_t n)
{
    struct bw_stage *s = b->stage;
    struct obj *o = s->host->alloc(s, sizeof *o);
    if (o) o->place = s->host->alloc(s, (size_t)(places_count(text, n) + 1) * sizeof *o->place);
    if (!o || !o->place) b->status = BW_ERR_MEMORY;
    if (o) *o = (struct obj){.b = b, .text = {text, text + n, 1}, .place = o->place};
    bool more = !b->status;
    while (more && !b->status) {
        const char *begin = o->text.at;
        b->line = o->text.line;
        if (text_word(&o->text, "v")) place_read(o);
        else if (text_word(&o->text, "f")) face_read(o);
        const bool used = o->text.at > begin;
        more = text_line_next(&o->text);
        if (used && !more && n && text[n - 1] != '\n')
            s->host->log(s, BW_LOG_WARNING, "%s: its last line has no end: is the file cut short?", b->out->path);
    }
    b->line = 0;
    if (o) s->host->release(s, o->place);
    s->host->release(s, o);
}
