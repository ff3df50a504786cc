// SPDX-License-Identifier: Apache-2.0
/* Reading points strictly: CSV with a heading (x, y, z, and any of radius, vx, vy, vz, id; other columns are skipped),
 * or PLY, text or binary, whose `vertex` element has properties of those names. */
#include "points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MOST 256
#define POINTS_MOST 200000000 ///< rows

int points_column(const char *name)
{
    static const struct {
        const char *name;
        int column;
    } names[] = {{"x", COL_X},      {"y", COL_Y},           {"z", COL_Z},           {"radius", COL_RADIUS},
                 {"r", COL_RADIUS}, {"pscale", COL_RADIUS}, {"vx", COL_VX},         {"vy", COL_VY},
                 {"vz", COL_VZ},    {"id", COL_ID},         {"px", COL_X},          {"py", COL_Y},
                 {"pz", COL_Z},     {"velocity_x", COL_VX}, {"velocity_y", COL_VY}, {"velocity_z", COL_VZ}};
    for (size_t i = 0; i < BW_COUNT(names); i++)
        if (!strcasecmp(name, names[i].name)) return names[i].column;
    return -1;
}

enum bw_status points_room(struct bw_stage *s, struct points_file *f, int64_t n, const int has[POINTS_COLUMNS])
{
    size_t count = (size_t)n + 1;
    f->n = n;
    f->pos = s->host->alloc(s, count * sizeof *f->pos);
    if (has[COL_VX]) f->vel = s->host->alloc(s, count * sizeof *f->vel);
    if (has[COL_RADIUS]) f->radius = s->host->alloc(s, count * sizeof *f->radius);
    if (has[COL_ID]) f->id = s->host->alloc(s, count * sizeof *f->id);
    return f->pos && !f->vel == !has[COL_VX] && !f->radius == !has[COL_RADIUS] && !f->id == !has[COL_ID]
               ? BW_OK
               : BW_ERR_MEMORY;
}

int points_put(struct points_file *f, int64_t i, const double value[POINTS_COLUMNS])
{
    int good = 1;
    for (int a = 0; a < 3; a++) {
        f->pos[i][a] = value[COL_X + a];
        good &= fabs(value[COL_X + a]) < 1e12;
        if (!f->vel) continue;
        f->vel[i][a] = (float)value[COL_VX + a];
        good &= isfinite(f->vel[i][a]);
    }
    if (f->id) f->id[i] = (int64_t)value[COL_ID];
    if (!f->radius) return good;
    f->radius[i] = (float)value[COL_RADIUS];
    return good && f->radius[i] >= 0 && isfinite(f->radius[i]);
}

void points_file_free(struct bw_stage *s, struct points_file *f)
{
    s->host->release(s, f->pos);
    s->host->release(s, f->vel);
    s->host->release(s, f->radius);
    s->host->release(s, f->id);
    *f = (struct points_file){0};
}

/* ---- CSV ---- */

struct csv {
    const char *path;
    char *at, *end; ///< what is not read yet
    int64_t line;   ///< of `row`, 1 is the first
    int column[COLUMNS_MOST];
    int n_columns;
    int has[POINTS_COLUMNS];
};

/* The next line that holds something, ended with a 0; NULL: there is none. */
static char *line_next(struct csv *c)
{
    while (c->at < c->end) {
        char *row = c->at, *stop = memchr(row, '\n', (size_t)(c->end - row));
        c->at = stop ? stop + 1 : c->end;
        c->line++;
        *(stop ? stop : c->end) = '\0';
        row += strspn(row, " \t\r");
        if (*row && *row != '#') return row;
    }
    return NULL;
}

/* Cut one cell off the row: its text without blanks and quotes; the row goes on behind the comma. */
static char *cell_cut(char **row)
{
    char *cell = *row + strspn(*row, " \t\""), *stop = cell + strcspn(cell, ",;");
    *row = *stop ? stop + 1 : NULL;
    *stop = '\0';
    while (stop > cell && strchr(" \t\r\"", stop[-1])) *--stop = '\0';
    return cell;
}

static enum bw_status columns_check(struct bw_stage *s, const char *path, int64_t line, const int has[POINTS_COLUMNS])
{
    int flow = has[COL_VX] + has[COL_VY] + has[COL_VZ];
    if (!has[COL_X] || !has[COL_Y] || !has[COL_Z])
        return s->host->fail(s, BW_ERR_IO, "%s:%lld: columns x, y and z are wanted; %s is not there", path,
                             (long long)line,
                             !has[COL_X]   ? "x"
                             : !has[COL_Y] ? "y"
                                           : "z");
    if (flow && flow < 3)
        return s->host->fail(s, BW_ERR_IO, "%s:%lld: a velocity has vx, vy and vz; one of them is not there", path,
                             (long long)line);
    return BW_OK;
}

static enum bw_status heading_read(struct bw_stage *s, struct csv *c)
{
    char *row = line_next(c);
    if (!row) return s->host->fail(s, BW_ERR_IO, "%s: the file is empty", c->path);
    while (row) {
        const char *name = cell_cut(&row);
        int column = points_column(name);
        if (c->n_columns == COLUMNS_MOST)
            return s->host->fail(s, BW_ERR_IO, "%s:%lld: more than %d columns", c->path, (long long)c->line,
                                 COLUMNS_MOST);
        if (column >= 0 && c->has[column]++)
            return s->host->fail(s, BW_ERR_IO, "%s:%lld: there are two columns %s", c->path, (long long)c->line, name);
        c->column[c->n_columns++] = column;
    }
    return columns_check(s, c->path, c->line, c->has);
}

static enum bw_status row_read(struct bw_stage *s, const struct csv *c, char *row, double value[POINTS_COLUMNS])
{
    int n = 0;
    for (; row && n < c->n_columns; n++) {
        char *cell = cell_cut(&row), *stop;
        if (c->column[n] < 0) continue;
        value[c->column[n]] = strtod(cell, &stop);
        if (stop == cell || *stop)
            return s->host->fail(s, BW_ERR_IO, "%s:%lld: \"%.40s\" is no number", c->path, (long long)c->line, cell);
    }
    if (n == c->n_columns && !row) return BW_OK;
    return s->host->fail(s, BW_ERR_IO, "%s:%lld: the line has %s cells than the heading has names, %d", c->path,
                         (long long)c->line, row ? "more" : "fewer", c->n_columns);
}

static int64_t lines_count(const char *at, const char *end)
{
    int64_t n = 1;
    for (; (at = memchr(at, '\n', (size_t)(end - at))); at++) n++;
    return n;
}

static enum bw_status csv_read(struct bw_stage *s, const char *path, char *text, size_t size, struct points_file *f)
{
    struct csv c = {.path = path, .at = text, .end = text + size};
    enum bw_status status = heading_read(s, &c);
    if (!status) status = points_room(s, f, lines_count(c.at, c.end), c.has);
    int64_t n = 0;
    for (char *row; !status && (row = line_next(&c));) {
        double value[POINTS_COLUMNS] = {0};
        status = row_read(s, &c, row, value);
        if (!status && !points_put(f, n++, value))
            status = s->host->fail(s, BW_ERR_IO, "%s:%lld: a place or velocity is not finite, or the radius negative",
                                   path, (long long)c.line);
    }
    f->n = n;
    return status;
}

/* ---- any ---- */

static char *file_load(struct bw_stage *s, const char *path, size_t *size, enum bw_status *status)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    long length = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    char *text = length >= 0 ? s->host->alloc(s, (size_t)length + 1) : NULL;
    *status = length >= 0 && !text ? BW_ERR_MEMORY : BW_OK;
    if (text) {
        rewind(file);
        *size = fread(text, 1, (size_t)length, file);
    }
    if (length < 0 || (text && *size != (size_t)length)) {
        *status = s->host->fail(s, BW_ERR_IO, "cannot read %s: %s", path, strerror(errno ? errno : EIO));
        s->host->release(s, text);
        text = NULL;
    }
    if (file) fclose(file);
    return text;
}

/* The file's y up: (x, y, z) becomes (x, -z, y). */
static void points_turn(struct points_file *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        const double y = f->pos[i][1];
        f->pos[i][1] = -f->pos[i][2], f->pos[i][2] = y;
        if (!f->vel) continue;
        const float v = f->vel[i][1];
        f->vel[i][1] = -f->vel[i][2], f->vel[i][2] = v;
    }
}

enum bw_status points_read(struct bw_stage *s, const char *path, int y_up, struct points_file *f)
{
    enum bw_status status;
    size_t size = 0;
    char *text = file_load(s, path, &size, &status);
    if (!text) return status;
    int ply = size > 3 && !memcmp(text, "ply", 3) && (text[3] == '\n' || text[3] == '\r');
    status = ply ? points_read_ply(s, path, text, size, f) : csv_read(s, path, text, size, f);
    s->host->release(s, text);
    if (!status && f->n > POINTS_MOST)
        status = s->host->fail(s, BW_ERR_LIMIT, "%s: more than %d points", path, POINTS_MOST);
    f->loaded = !status;
    if (status) points_file_free(s, f);
    else if (y_up) points_turn(f);
    return status;
}
