// SPDX-License-Identifier: Apache-2.0
/* Particles of a finished cache as a snapshot, from FOLDER/ply/NAME_PARTICLES_0001.ply beside
 * FOLDER/vdb/NAME_0001.vdb. */
#include "points.h"

#include "base/alloc.h"
#include "base/file.h"
#include "ply_points.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KINDS = 16, FILE_MOST = 1 << 30 };

struct point_file {
    char name[128]; ///< of the particles
    struct bw_attribute attribute[PLY_PROPERTIES];
    char attribute_name[PLY_PROPERTIES][64];
    const void *data[PLY_PROPERTIES];
};

struct point_files {
    int32_t n;
    struct point_file file[KINDS];
};

/* ---- columns become attributes ---- */

/// Is column i the first of a vector, "NAME_x" or "x"? *name: the vector's. 0: it is a scalar.
static int is_vector(const struct ply_points *p, int i, char name[64])
{
    static const struct {
        const char *first, *name;
    } own[] = {{"x", "pos"}, {"red", "colour"}};
    const char *first = p->h.property[i].name;
    const size_t n = strlen(first);
    if (i + 2 >= p->h.n_properties) return 0;
    for (size_t k = 0; k < 2; k++)
        if (!strcmp(first, own[k].first)) return snprintf(name, 64, "%s", own[k].name), 1;
    if (n < 3 || strcmp(first + n - 2, "_x") || strncmp(p->h.property[i + 1].name, first, n - 1)) return 0;
    return snprintf(name, 64, "%.*s", (int)n - 2, first), 1;
}

/// Mapping from a file's columns to the bake's axes and units (z up, metres).
struct axes {
    int from[3];
    double times[3];
};

static struct axes axes_of(const struct ply_points *p, const char *name, int comps)
{
    struct axes x = {{0, 1, 2}, {1, 1, 1}};
    const bool speed = !strcmp(name, "velocity"), length = speed || !strcmp(name, "pos") || !strcmp(name, "radius");
    if (p->y_up && comps == 3 && strcmp(name, "colour") != 0) x = (struct axes){{0, 2, 1}, {1, -1, 1}};
    for (int c = 0; c < 3 && length; c++) x.times[c] /= p->scale * p->larger / (speed ? p->slower : 1);
    return x;
}

static enum bw_status attribute_read(struct point_file *f, uint32_t at, const struct ply_points *p, int i, int comps)
{
    const struct ply_property *q = &p->h.property[i];
    const uint32_t precision = !q->type->is_float ? BW_I64 : q->type->bytes == 8 ? BW_F64P : BW_F32;
    const size_t bytes = precision == BW_F32 ? sizeof(float) : sizeof(double);
    char *to = bw_calloc((p->n + 1) * (size_t)comps * bytes);
    f->attribute[at] = (struct bw_attribute){f->attribute_name[at], precision, (uint32_t)comps, NULL};
    f->data[at] = to;
    if (!to) return BW_ERR_MEMORY;
    const struct axes axes = axes_of(p, f->attribute_name[at], comps);
    for (size_t k = 0; k < p->n; k++)
        for (int c = 0; c < comps; c++, to += bytes) {
            const struct ply_property *own = &q[axes.from[c]];
            const double x = axes.times[c] * ply_type_value(own->type, p->row + k * p->stride + own->offset, false);
            if (precision == BW_F32) memcpy(to, &(float){(float)x}, bytes);
            else if (precision == BW_F64P) memcpy(to, &x, bytes);
            else memcpy(to, &(int64_t){(int64_t)x}, bytes);
        }
    return BW_OK;
}

static enum bw_status file_fill(struct point_file *f, const struct ply_points *p, struct bw_snapshot_points *out)
{
    uint32_t n = 0;
    enum bw_status status = BW_OK;
    for (int i = 0; i < p->h.n_properties && !status; n++) {
        char *name = f->attribute_name[n];
        const int comps = is_vector(p, i, name) ? 3 : 1;
        if (comps == 1) snprintf(name, 64, "%.63s", p->h.property[i].name);
        status = attribute_read(f, n, p, i, comps);
        i += comps;
    }
    *out = (struct bw_snapshot_points){f->name, (int64_t)p->n, n, f->attribute, f->data};
    return status;
}

/* ---- files ---- */

/// All of a file, with a 0 behind it; NULL with an error in `d`.
static char *file_read(const char *path, size_t *size, struct bw_diag *d)
{
    const char *why;
    FILE *f = bw_file_open(path, &why);
    char *text = f ? bw_file_bytes(f, FILE_MOST, size) : NULL;
    if (!text) bw_diag_error(d, BW_NAMED(path), BW_ERR_IO, "cannot read %s: %s", path, f ? strerror(errno) : why);
    if (f) fclose(f);
    return text;
}

static void file_load(struct snapshot *m, const char *path, const char *kind, struct bw_diag *d)
{
    struct point_files *all = m->data;
    struct point_file *f = &all->file[all->n];
    struct ply_points p;
    size_t size;
    char *text = file_read(path, &size, d);
    if (!text) return;
    snprintf(f->name, sizeof f->name, "%s", kind);
    all->n++;
    if (!ply_points_parse(text, size, &p))
        bw_diag_error(d, BW_NAMED(path), BW_ERR_IO, "%s is no particle file of exporter ply, or is cut short", path);
    else if (file_fill(f, &p, &m->points[m->facts.n_points])) out_of_memory(d);
    else m->facts.n_points++;
    bw_free(text);
}

/// "PARTICLES" of "NAME_PARTICLES_0001.ply" in that frame. 0: it is another file.
static int particles_name(const char *file, const char *cache, int64_t frame, char kind[128])
{
    const char *end = strrchr(file, '.'), *number = end;
    if (!end || strcasecmp(end, ".ply")) return 0;
    while (number > file && number[-1] >= '0' && number[-1] <= '9') number--;
    if (number == end || number == file || number[-1] != '_' || strtoll(number, NULL, 10) != frame) return 0;
    const size_t n = strlen(cache);
    const char *start = !strncmp(file, cache, n) && file[n] == '_' ? file + n + 1 : file;
    if (start >= number) return 0;
    snprintf(kind, 128, "%.*s", (int)(number - 1 - start), start);
    return 1;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void files_load(struct snapshot *m, const char *pattern, const char *cache, struct bw_diag *d)
{
    struct dirent **entry;
    char folder[4096], path[4400], kind[128];
    const char *slash = strrchr(pattern, '/');
    const struct point_files *all = m->data;
    snprintf(folder, sizeof folder, "%.*s/../ply", (int)(slash ? slash - pattern : 0), pattern);
    const int n = slash ? scandir(folder, &entry, NULL, by_name) : -1;
    for (int i = 0; i < n; i++) {
        if (!d->status && all->n < KINDS && particles_name(entry[i]->d_name, cache, m->facts.frame, kind)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
            file_load(m, path, kind, d);
        }
        free(entry[i]);
    }
    if (n >= 0) free(entry);
}

/* ---- the snapshot ---- */

static enum bw_status no_grid(struct snapshot *m, uint32_t grid, uint32_t c, const struct bw_box *box, float *out,
                              struct bw_diag *d)
{
    (void)m, (void)grid, (void)c, (void)box, (void)out;
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "particles have no grid");
}

static enum bw_status no_picture(struct snapshot *m, const char *look, uint32_t flags, struct bw_pixels *out,
                                 struct bw_diag *d)
{
    (void)m, (void)look, (void)flags, (void)out;
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "no picture is made of particles alone");
}

static enum bw_status no_view(struct snapshot *m, const struct view_look *look, struct view *v, struct bw_diag *d)
{
    (void)look, (void)v;
    return no_picture(m, NULL, 0, NULL, d);
}

static void points_free(struct snapshot *m)
{
    struct point_files *all = m->data;
    for (int32_t i = 0; all && i < all->n; i++)
        for (int k = 0; k < PLY_PROPERTIES; k++) bw_free((void *)all->file[i].data[k]);
    bw_free(all);
}

static const struct snapshot_ops of_points = {no_grid, no_picture, no_view, points_free};

struct snapshot *points_open(const char *pattern, const char *cache, int64_t frame, struct bw_diag *d)
{
    struct snapshot *m = snapshot_new(&of_points, 0, KINDS);
    if (m) m->data = bw_calloc(sizeof(struct point_files));
    if (!m || !m->data) {
        if (m) object_unref(&m->o);
        return out_of_memory(d), NULL;
    }
    m->facts.frame = frame;
    m->facts.n_points = 0;
    files_load(m, pattern, cache, d);
    if (!d->status) return m;
    object_unref(&m->o);
    return NULL;
}
