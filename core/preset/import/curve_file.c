// SPDX-License-Identifier: Apache-2.0
#include "curve_file.h"

#include "base/alloc.h"
#include "curve.h"
#include "preset/tree/node_private.h"
#include "preset/values/params.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_USUAL = 24, POINTS_MOST = 10000 };

struct wish {
    const struct bw_node *file;
    double first, last; ///< frames
    int moves;          ///< they are given
    int64_t points;
    double scale;
    int y_up; ///< -1: nothing was said
};

static enum bw_status wrong(const struct bw_node *n, const char *what, struct bw_diag *d)
{
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "curve: %s", what);
}

static enum bw_status entry_read(struct wish *w, const struct bw_node *n, struct bw_diag *d)
{
    static const char *const known[] = {"curve", "frames", "points", "scale", "up"};
    char *end = NULL;
    if (n->type != BW_NODE_SCALAR || !n->text[0]) return wrong(n, "its entries are words and numbers", d);
    if (!strcmp(n->key, "curve")) w->file = n;
    else if (!strcmp(n->key, "frames")) {
        w->moves = 1;
        if (bw_parse_span(n->text, &w->first, &w->last) || w->last <= w->first || w->last - w->first >= POINTS_MOST)
            return wrong(n, "frames are A-B, 10000 at most", d);
    } else if (!strcmp(n->key, "points")) {
        w->points = strtoll(n->text, &end, 10);
        if (*end || w->points < 2 || w->points > POINTS_MOST) return wrong(n, "points are 2 to 10000", d);
    } else if (!strcmp(n->key, "scale")) {
        w->scale = strtod(n->text, &end);
        if (*end || !(w->scale > 0) || !isfinite(w->scale)) return wrong(n, "scale is a number above 0", d);
    } else if (!strcmp(n->key, "up")) {
        w->y_up = !strcmp(n->text, "y");
        if (!w->y_up && strcmp(n->text, "z") != 0) return wrong(n, "up is y or z", d);
    } else {
        const char *near = bw_did_you_mean(n->key, known, BW_COUNT(known));
        return bw_diag_error(d, &n->key_place, BW_ERR_PRESET,
                             near ? "curve: unknown key \"%s\"; did you mean \"%s\"?" : "curve: unknown key \"%s\"",
                             n->key, near);
    }
    return BW_OK;
}

/* Keys or a list; NULL: out of memory. */
static char *curve_text(const struct wish *w, const struct curve *c)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    const int64_t n = w->moves ? llround(w->last - w->first) + 1 : w->points;
    if (!f) return NULL;
    fprintf(f, w->moves ? "{keys: {" : "[");
    for (int64_t i = 0; i < n; i++) {
        double p[3];
        curve_at(c, (double)i / (double)(n - 1), p);
        if (w->moves)
            fprintf(f, "%s%.12g: ", i ? ", " : "", w->first + (w->last - w->first) * (double)i / (double)(n - 1));
        else if (i) fprintf(f, ", ");
        fprintf(f, "[%.9g, %.9g, %.9g]", p[0], p[1], p[2]);
    }
    fprintf(f, w->moves ? "}, ease: linear}\n" : "]\n");
    const int failed = ferror(f);
    if (!fclose(f) && !failed) return out;
    free(out);
    return NULL;
}

/* `n` becomes what `from` is, and keeps its key and its place. */
static void node_become(struct bw_node *n, struct bw_node *from)
{
    for (int32_t i = 0; i < n->count; i++) bw_node_free(n->child[i]);
    n->count = 0;
    struct bw_node old = *n;
    n->type = from->type, n->flow = from->flow, n->index = from->index;
    n->child = from->child, n->count = from->count, n->capacity = from->capacity;
    from->child = old.child, from->count = 0, from->capacity = old.capacity, from->index = old.index;
}

/* Another line of *notes; without memory it is lost. */
static void writer_note(char **notes, const char *path, const char *writer)
{
    const char *slash = strrchr(path, '/');
    char *more = bw_printf("%s%s: written by %s, y is up; say `up: z` if it is not\n", *notes ? *notes : "",
                           slash ? slash + 1 : path, writer);
    if (!more) return;
    bw_free(*notes);
    *notes = more;
}

static enum bw_status curve_take(struct bw_node *n, char **notes, struct bw_diag *d)
{
    struct wish w = {.points = POINTS_USUAL, .scale = 1, .y_up = -1};
    struct curve c;
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < n->count && !status; i++) status = entry_read(&w, n->child[i], d);
    if (status) return status;
    char *path = bw_path_absolute(w.file->text, w.file->place.file);
    if (!path) return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a curve");
    if (!curve_read(path, w.scale, w.y_up, &w.file->place, &c, d)) {
        char *text = curve_text(&w, &c);
        if (c.writer) writer_note(notes, path, c.writer);
        struct bw_node *said = text ? bw_node_parse(text, path, d) : NULL;
        if (said) node_become(n, said);
        else if (!d->status) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a curve");
        bw_node_free(said);
        free(text);
        bw_free(c.place);
    }
    bw_free(path);
    return d->status;
}

enum bw_status curve_files_expand(struct bw_node *n, char **notes, struct bw_diag *d)
{
    if (!n || n->type == BW_NODE_SCALAR) return BW_OK;
    if (n->type == BW_NODE_MAP && bw_node_get(n, "curve")) return curve_take(n, notes, d);
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < n->count && !status; i++) status = curve_files_expand(n->child[i], notes, d);
    return status;
}
