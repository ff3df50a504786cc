// SPDX-License-Identifier: Apache-2.0
/* Points of a table: x, y, z, and any of radius, vx, vy, vz, id; other columns are skipped. */
#include "points.h"

#include <common/table/table.h>
#include <math.h>

#define POINTS_MOST 200000000 ///< rows

enum { COL_X, COL_Y, COL_Z, COL_RADIUS, COL_VX, COL_VY, COL_VZ, COL_ID };
static const struct table_name names[] = {
    {"x", COL_X},           {"y", COL_Y},           {"z", COL_Z},           {"px", COL_X},
    {"py", COL_Y},          {"pz", COL_Z},          {"radius", COL_RADIUS}, {"r", COL_RADIUS},
    {"pscale", COL_RADIUS}, {"vx", COL_VX},         {"vy", COL_VY},         {"vz", COL_VZ},
    {"velocity_x", COL_VX}, {"velocity_y", COL_VY}, {"velocity_z", COL_VZ}, {"id", COL_ID}};

/* Room for n points with the columns that there are. */
static enum bw_status room_make(struct bw_stage *s, struct points_file *f, int64_t n, const bool *has)
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

/* 0: a place, velocity or radius that is no number, or a radius < 0. */
static int point_put(struct points_file *f, int64_t i, const double *value)
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

static enum bw_status columns_check(const struct table *t)
{
    const bool *has = t->has;
    int flow = has[COL_VX] + has[COL_VY] + has[COL_VZ];
    if (!has[COL_X] || !has[COL_Y] || !has[COL_Z])
        return table_fail(t, "columns x, y and z are wanted; %s is not there",
                          !has[COL_X]   ? "x"
                          : !has[COL_Y] ? "y"
                                        : "z");
    if (flow && flow < 3) return table_fail(t, "a velocity has vx, vy and vz; one of them is not there");
    return BW_OK;
}

static enum bw_status rows_read(struct bw_stage *s, struct table *t, struct points_file *f)
{
    double value[TABLE_COLUMNS] = {0};
    int64_t n = 0;
    enum bw_status status = columns_check(t);
    if (!status) status = room_make(s, f, t->rows, t->has);
    while (!status && table_row(t, value, &status)) {
        if (f->id && !(fabs(value[COL_ID]) < 9e15)) status = table_fail(t, "an id is no whole number that can be");
        else if (!point_put(f, n++, value))
            status = table_fail(t, "a place or velocity is not finite, or the radius negative");
    }
    f->n = n;
    if (!status && n > POINTS_MOST)
        status = s->host->fail(s, BW_ERR_LIMIT, "%s: more than %d points", t->path, POINTS_MOST);
    return status;
}

enum bw_status points_read(struct bw_stage *s, const char *path, int y_up, struct points_file *f)
{
    struct table t;
    enum bw_status status = table_open(&t, s, path, names, BW_COUNT(names));
    if (!status) status = rows_read(s, &t, f);
    table_close(&t);
    f->loaded = !status;
    if (status) points_file_free(s, f);
    else if (y_up) points_turn(f);
    return status;
}
