// SPDX-License-Identifier: Apache-2.0
#include "curve.h"

#include "base/alloc.h"
#include "base/file.h"
#include "camera_file.h"
#include <billow/files/obj_writer.h>
#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MOST = 1000000 };

struct reading {
    const char *path;
    const struct bw_place *place;
    struct bw_diag *d;
    struct curve *c;
    int32_t room;
};

static enum bw_status wrong(const struct reading *r, const char *what)
{
    return bw_diag_error(r->d, r->place, BW_ERR_PRESET, "%s: %s", r->path, what);
}

static enum bw_status place_add(struct reading *r, const double p[3])
{
    if (r->c->n == PLACES_MOST) return wrong(r, "a curve of more than a million places");
    if (!isfinite(p[0] + p[1] + p[2])) return wrong(r, "a place is no finite number");
    if (r->c->n == r->room) {
        const int32_t room = r->room ? 2 * r->room : 64;
        double(*grown)[3] = bw_realloc(r->c->place, (size_t)room * sizeof *grown);
        if (!grown) return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "out of memory for %s", r->path);
        r->c->place = grown, r->room = room;
    }
    memcpy(r->c->place[r->c->n++], p, 3 * sizeof *p);
    return BW_OK;
}

/* The next line, without its end, and *text behind it; NULL: there is none. */
static char *line_take(char **text)
{
    char *line = *text;
    if (!*line) return NULL;
    const size_t n = strcspn(line, "\r\n");
    *text = line + n + (line[n] != '\0');
    line[n] = '\0';
    return line; // between CR and LF lies an empty one
}

/* ---- OBJ ---- */

/* Numbers of places, from 0 on, along a line. */
struct chain {
    long *place;
    int32_t n, room;
};

static enum bw_status chain_add(struct reading *r, struct chain *k, long place)
{
    if (k->n == PLACES_MOST) return wrong(r, "a curve of more than a million places");
    if (k->n == k->room) {
        const int32_t room = k->room ? 2 * k->room : 64;
        long *grown = bw_realloc(k->place, (size_t)room * sizeof *grown);
        if (!grown) return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "out of memory for %s", r->path);
        k->place = grown, k->room = room;
    }
    k->place[k->n++] = place;
    return BW_OK;
}

/* An `l`: numbers of `v`, from the last one back where they are negative; the rest of "7/2" is a texture's. The first
 * one begins the line, and those that begin where it ends go on with it: Blender writes one for each piece. */
static enum bw_status chain_follow(struct reading *r, struct chain *k, const char *numbers)
{
    const int32_t had = k->n;
    enum bw_status status = BW_OK;
    char *end;
    for (int first = 1; !status; first = 0) {
        const long i = strtol(numbers, &end, 10), at = i < 0 ? r->c->n + i : i - 1;
        if (end == numbers) break;
        if (first && had && at != k->place[had - 1]) return BW_OK; // another line
        if (!first || !had) status = chain_add(r, k, at);
        numbers = end + strcspn(end, " \t");
    }
    return status;
}

/* The places along the line instead of all. */
static enum bw_status chain_take(struct reading *r, const struct chain *k)
{
    const struct curve all = *r->c;
    enum bw_status status = BW_OK;
    *r->c = (struct curve){0};
    r->room = 0;
    for (int32_t i = 0; i < k->n && !status; i++)
        if (k->place[i] < 0 || k->place[i] >= all.n) status = wrong(r, "a line goes through a place that is not there");
        else status = place_add(r, all.place[k->place[i]]);
    bw_free(all.place);
    return status;
}

static enum bw_status obj_read(struct reading *r, char *text)
{
    enum bw_status status = BW_OK;
    struct chain chain = {0};
    char *line, *end;
    while (!status && (line = line_take(&text))) {
        double p[3];
        if (line[0] == 'l' && (line[1] == ' ' || line[1] == '\t')) status = chain_follow(r, &chain, line + 1);
        if (line[0] != 'v' || (line[1] != ' ' && line[1] != '\t')) continue;
        end = line + 1;
        for (int a = 0; a < 3; a++) {
            const char *at = end;
            p[a] = strtod(at, &end);
            if (end == at) status = wrong(r, "a place wants three numbers");
        }
        if (!status) status = place_add(r, p);
    }
    if (!status && chain.n) status = chain_take(r, &chain);
    bw_free(chain.place);
    return status;
}

/* ---- CSV ---- */

/* The first row: which column is which, unless it is a place already. Then a place a row. */
struct csv {
    struct reading *r;
    char between; ///< two cells
    int column[3], n, heading, named;
    double p[3];
    enum bw_status status;
};

/* Where semicolons separate the cells, a comma is the decimal point. */
static double number_read(const struct csv *c, char *cell)
{
    char *comma = c->between == ';' ? strchr(cell, ',') : NULL, *stop;
    if (comma) *comma = '.';
    const double v = strtod(cell, &stop);
    return stop > cell && !stop[strspn(stop, " \t")] ? v : NAN;
}

static void cell_take(void *text, size_t n, void *user)
{
    struct csv *c = user;
    char *cell = text;
    if (!n && c->between == ' ') return; // several blanks are one
    for (int a = 0; a < 3; a++) {
        if (c->heading && n == 1 && (cell[0] | 32) == 'x' + a) c->column[a] = c->n, c->named |= 1 << a;
        if (c->column[a] == c->n) c->p[a] = number_read(c, cell);
    }
    c->n++;
}

static void row_end(int end, void *user)
{
    struct csv *c = user;
    (void)end;
    if (!c->n) return;
    const int place = !c->heading || (!c->named && isfinite(c->p[0]));
    if (!c->status && place) c->status = place_add(c->r, c->p);
    else if (!c->status && c->named != 7) c->status = wrong(c->r, "columns x, y and z are wanted");
    c->heading = c->n = 0;
    for (int a = 0; a < 3; a++) c->p[a] = NAN;
}

/* What separates the numbers of the first line: blanks, where it is nothing else. */
static char separator_of(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memchr(",;\t", line[i], 3)) return line[i];
    return ' ';
}

static enum bw_status csv_read(struct reading *r, char *text)
{
    struct csv c = {.r = r, .column = {0, 1, 2}, .heading = 1, .p = {NAN, NAN, NAN}};
    struct csv_parser parser;
    csv_init(&parser, CSV_APPEND_NULL);
    for (size_t n; *text && !c.status; text += n) {
        n = strcspn(text, "\r\n");
        n += text[n] ? 1 : 0;
        if (!c.n && strchr("#\r\n", *text)) continue;
        if (!c.between) csv_set_delim(&parser, (unsigned char)(c.between = separator_of(text, n)));
        if (csv_parse(&parser, text, n, cell_take, row_end, &c) != n)
            c.status = bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "out of memory for %s", r->path);
    }
    csv_fini(&parser, cell_take, row_end, &c);
    csv_free(&parser);
    return c.status;
}

/* ---- any ---- */

enum bw_status curve_read(const char *path, double scale, int y_up, const struct bw_place *place, struct curve *c,
                          struct bw_diag *d)
{
    struct reading r = {.path = path, .place = place, .d = d, .c = c};
    const int obj = bw_file_has_ending(path, ".obj");
    *c = (struct curve){0};
    if (usd_refuse(path, "its curve as CSV", place, d)) return d->status;
    if (!obj && !bw_file_has_ending(path, ".csv")) return wrong(&r, "a curve is read from .obj or .csv");
    char *text = bw_file_text(path, place, d);
    const int by = text && obj && y_up < 0 ? bw_obj_y_up_writer(text, strlen(text)) : 0;
    const struct bw_obj_writer *writer = bw_obj_writer_of(by);
    if (y_up < 0) y_up = writer != NULL;
    if (text) obj ? obj_read(&r, text) : csv_read(&r, text);
    bw_free(text);
    for (int32_t i = 0; i < c->n; i++) {
        const double p[3] = {scale * c->place[i][0], scale * c->place[i][1], scale * c->place[i][2]};
        c->place[i][0] = p[0], c->place[i][1] = y_up ? -p[2] : p[1], c->place[i][2] = y_up ? p[1] : p[2];
    }
    if (!d->status && c->n < 2) wrong(&r, "a curve goes through two places or more");
    if (d->status) bw_free(c->place), *c = (struct curve){0};
    else c->writer = writer ? writer->name : NULL;
    return d->status;
}

static double apart(const double a[3], const double b[3])
{
    return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
}

void curve_at(const struct curve *c, double s, double out[3])
{
    double length = 0;
    for (int32_t i = 1; i < c->n; i++) length += apart(c->place[i - 1], c->place[i]);
    double left = s * length;
    int32_t i = 1;
    for (; i + 1 < c->n && left > apart(c->place[i - 1], c->place[i]); i++) left -= apart(c->place[i - 1], c->place[i]);
    const double step = apart(c->place[i - 1], c->place[i]), part = step > 0 ? fmin(left / step, 1) : 0;
    for (int a = 0; a < 3; a++) out[a] = c->place[i - 1][a] + part * (c->place[i][a] - c->place[i - 1][a]);
}
