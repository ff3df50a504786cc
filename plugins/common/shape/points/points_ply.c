// SPDX-License-Identifier: Apache-2.0
/* PLY (G. Turk 1994) as points: only the element `vertex` is read, what comes before it is skipped. Values of any of
 * the format's types, as text or binary of either byte order. */
#include "points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLY_PROPERTIES = 128, PLY_LINE = 4096 };
enum ply_form { PLY_TEXT, PLY_LITTLE, PLY_BIG };

static const struct ply_type {
    const char *name[2];
    int bytes, is_float, is_signed;
} types[] = {{{"char", "int8"}, 1, 0, 1},     {{"uchar", "uint8"}, 1, 0, 0},   {{"short", "int16"}, 2, 0, 1},
             {{"ushort", "uint16"}, 2, 0, 0}, {{"int", "int32"}, 4, 0, 1},     {{"uint", "uint32"}, 4, 0, 0},
             {{"float", "float32"}, 4, 1, 1}, {{"double", "float64"}, 8, 1, 1}};

struct ply {
    const char *path, *at, *end;
    int64_t line;
    int form; ///< enum ply_form, -1: not said
    int64_t n;
    int in_vertex, seen_vertex, other_before;
    const struct ply_type *type[PLY_PROPERTIES];
    int column[PLY_PROPERTIES], n_properties;
    int has[POINTS_COLUMNS];
};

static enum bw_status bad(struct bw_stage *s, const struct ply *p, const char *what)
{
    return s->host->fail(s, BW_ERR_IO, "%s:%lld: %s", p->path, (long long)p->line, what);
}

/* The next line of the heading, or of a text file. 0: the file ends, or the line is longer than any should be. */
static int line_next(struct ply *p, char out[PLY_LINE])
{
    const char *stop = p->at < p->end ? memchr(p->at, '\n', (size_t)(p->end - p->at)) : NULL;
    size_t n = (size_t)((stop ? stop : p->end) - p->at);
    if (p->at >= p->end || n >= PLY_LINE) return 0;
    memcpy(out, p->at, n);
    out[n] = '\0';
    if (n && out[n - 1] == '\r') out[n - 1] = '\0';
    p->at = stop ? stop + 1 : p->end;
    p->line++;
    return 1;
}

static const struct ply_type *type_find(const char *name)
{
    for (size_t i = 0; i < BW_COUNT(types); i++)
        if (!strcmp(name, types[i].name[0]) || !strcmp(name, types[i].name[1])) return &types[i];
    return NULL;
}

static enum bw_status property_read(struct bw_stage *s, struct ply *p, const char *type, const char *name)
{
    const struct ply_type *t = type_find(type);
    if (!p->in_vertex) return BW_OK; // of an element that is not ours
    if (!strcmp(type, "list")) return bad(s, p, "a vertex with a list in it cannot be read");
    if (!t) return bad(s, p, "a property's type is unknown");
    if (p->n_properties == PLY_PROPERTIES) return bad(s, p, "a vertex has too many properties");
    int column = points_column(name);
    if (column >= 0 && p->has[column]++) return bad(s, p, "a property is there twice");
    p->type[p->n_properties] = t;
    p->column[p->n_properties++] = column;
    return BW_OK;
}

static enum bw_status heading_line(struct bw_stage *s, struct ply *p, const char *line)
{
    char word[3][64] = {"", "", ""};
    long long count = 0;
    if (sscanf(line, "format %63s", word[0]) == 1) {
        p->form = !strcmp(word[0], "ascii")                  ? PLY_TEXT
                  : !strcmp(word[0], "binary_little_endian") ? PLY_LITTLE
                  : !strcmp(word[0], "binary_big_endian")    ? PLY_BIG
                                                             : -1;
        return p->form < 0 ? bad(s, p, "the format is unknown") : BW_OK;
    }
    if (sscanf(line, "element %63s %lld", word[0], &count) == 2) {
        p->in_vertex = !strcmp(word[0], "vertex");
        if (p->in_vertex) p->n = count;
        if (!p->in_vertex && !p->seen_vertex && count > 0) p->other_before = 1;
        p->seen_vertex |= p->in_vertex;
        return count < 0 ? bad(s, p, "an element's count is negative") : BW_OK;
    }
    if (sscanf(line, "property %63s %63s", word[0], word[1]) == 2) return property_read(s, p, word[0], word[1]);
    return !strncmp(line, "comment", 7) || !strncmp(line, "obj_info", 8) ? BW_OK : bad(s, p, "the line is none of PLY");
}

static enum bw_status heading_read(struct bw_stage *s, struct ply *p)
{
    char line[PLY_LINE];
    int ended = 0;
    line_next(p, line); // "ply"
    while (line_next(p, line) && !(ended = !strcmp(line, "end_header"))) {
        enum bw_status status = heading_line(s, p, line);
        if (status) return status;
    }
    if (!ended) return bad(s, p, "the heading does not end");
    if (p->form < 0) return bad(s, p, "the heading does not say which format");
    if (!p->seen_vertex) return bad(s, p, "there is no element vertex");
    if (p->other_before) return bad(s, p, "another element comes before vertex");
    if (!p->has[COL_X] || !p->has[COL_Y] || !p->has[COL_Z]) return bad(s, p, "a vertex needs properties x, y and z");
    int flow = p->has[COL_VX] + p->has[COL_VY] + p->has[COL_VZ];
    return flow && flow < 3 ? bad(s, p, "a velocity has vx, vy and vz; one of them is not there") : BW_OK;
}

static double value_read(const struct ply *p, const struct ply_type *t)
{
    unsigned char b[8];
    uint64_t u = 0;
    float f;
    double d;
    for (int i = 0; i < t->bytes; i++) b[i] = (unsigned char)p->at[p->form == PLY_BIG ? t->bytes - 1 - i : i];
    for (int i = t->bytes - 1; i >= 0; i--) u = u << 8 | b[i];
    if (t->is_float && t->bytes == 4) {
        uint32_t w = (uint32_t)u;
        memcpy(&f, &w, sizeof f);
        return (double)f;
    }
    if (t->is_float) {
        memcpy(&d, &u, sizeof d);
        return d;
    }
    uint64_t sign = (uint64_t)1 << (8 * t->bytes - 1);
    return t->is_signed && (u & sign) ? (double)u - 2 * (double)sign : (double)u;
}

static enum bw_status row_binary(struct bw_stage *s, struct ply *p, int64_t i, double value[POINTS_COLUMNS])
{
    for (int q = 0; q < p->n_properties; q++) {
        if (p->end - p->at < p->type[q]->bytes)
            return s->host->fail(s, BW_ERR_IO, "%s: the file is cut short at point %lld of %lld", p->path, (long long)i,
                                 (long long)p->n);
        if (p->column[q] >= 0) value[p->column[q]] = value_read(p, p->type[q]);
        p->at += p->type[q]->bytes;
    }
    return BW_OK;
}

static enum bw_status row_text(struct bw_stage *s, struct ply *p, double value[POINTS_COLUMNS])
{
    char line[PLY_LINE], *at = line, *stop;
    if (!line_next(p, line)) return bad(s, p, "the file is cut short");
    for (int q = 0; q < p->n_properties; q++, at = stop) {
        double v = strtod(at, &stop);
        if (stop == at) return bad(s, p, "a number is missing, or is none");
        if (p->column[q] >= 0) value[p->column[q]] = v;
    }
    return at[strspn(at, " \t\r")] ? bad(s, p, "more values than the heading says") : BW_OK;
}

enum bw_status points_read_ply(struct bw_stage *s, const char *path, const char *text, size_t size,
                               struct points_file *f)
{
    struct ply p = {.path = path, .at = text, .end = text + size, .form = -1};
    enum bw_status status = heading_read(s, &p);
    if (!status && (double)p.n > (double)size)
        status = bad(s, &p, "the heading promises more points than the file holds");
    if (!status) status = points_room(s, f, p.n, p.has);
    for (int64_t i = 0; i < p.n && !status; i++) {
        double value[POINTS_COLUMNS] = {0};
        status = p.form == PLY_TEXT ? row_text(s, &p, value) : row_binary(s, &p, i, value);
        if (!status && !points_put(f, i, value))
            status =
                s->host->fail(s, BW_ERR_IO, "%s: point %lld: a place or velocity is not finite, or the radius negative",
                              path, (long long)i);
    }
    return status;
}
