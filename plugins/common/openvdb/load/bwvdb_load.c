// SPDX-License-Identifier: Apache-2.0
/* Everything that stands on OpenVDB is a library of its own, loaded when the first file or mesh asks for it: to load
 * OpenVDB takes three times as long as the program and all plugins without. */
#include "bwvdb_calls.h"

#include <common/late/late.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/// Half of the bytes are stacks of the log library's threads.
static const struct late_needs needs = {.bytes = 128 << 20, .threads = 8};

static _Atomic(const struct bwvdb_calls *) loaded; ///< the same for everyone, and for good

/// To begin with; whoever has a file or writer has `loaded`. NULL: it can't be had, and *status and `error` tell.
static const struct bwvdb_calls *calls(enum bwvdb_status *status, struct bwvdb_error *error)
{
    struct late_failure failure;
    const struct bwvdb_calls *c = loaded;
    if (c) return c;
    loaded = c = late_find("libbillow-vdb.so.0", "bwvdb_calls", &needs, &failure);
    if (c) return c;
    *status = failure.memory ? BWVDB_ERR_MEMORY : BWVDB_ERR;
    if (error)
        snprintf(error->text, sizeof error->text, "%swhat reads and writes VDB files cannot be loaded: %s",
                 failure.memory ? "out of memory: " : "", failure.why);
    return NULL;
}

/* ---- writing ---- */

enum bwvdb_status bwvdb_writer_create(const struct bwvdb_options *options, struct bwvdb_writer **w,
                                      struct bwvdb_error *error)
{
    enum bwvdb_status status;
    const struct bwvdb_calls *c = calls(&status, error);
    *w = NULL;
    return c ? c->writer_create(options, w, error) : status;
}

enum bwvdb_status bwvdb_writer_add(struct bwvdb_writer *w, const struct bwvdb_grid *grid, struct bwvdb_error *error)
{
    return loaded->writer_add(w, grid, error);
}

enum bwvdb_status bwvdb_writer_points(struct bwvdb_writer *w, const struct bwvdb_points *points,
                                      struct bwvdb_error *error)
{
    return loaded->writer_points(w, points, error);
}

enum bwvdb_status bwvdb_writer_copy(struct bwvdb_writer *w, const struct bwvdb_file *f, int32_t grid,
                                    const struct bwvdb_change *change, struct bwvdb_error *error)
{
    return loaded->writer_copy(w, f, grid, change, error);
}

enum bwvdb_status bwvdb_writer_meta(struct bwvdb_writer *w, const struct bwvdb_meta *meta, struct bwvdb_error *error)
{
    return loaded->writer_meta(w, meta, error);
}

enum bwvdb_status bwvdb_writer_write(struct bwvdb_writer *w, const char *path, struct bwvdb_error *error)
{
    return loaded->writer_write(w, path, error);
}

int bwvdb_writer_empty(const struct bwvdb_writer *w) { return loaded->writer_empty(w); }

void bwvdb_writer_free(struct bwvdb_writer *w)
{
    if (w) loaded->writer_free(w);
}

enum bwvdb_status bwvdb_region_create(const struct bwvdb_writer *w, const struct bwvdb_area *area,
                                      struct bwvdb_region **r, struct bwvdb_error *error)
{
    return loaded->region_create(w, area, r, error);
}

void bwvdb_region_free(struct bwvdb_region *r)
{
    if (r) loaded->region_free(r);
}

/* ---- reading ---- */

enum bwvdb_status bwvdb_open(const char *path, struct bwvdb_file **f, struct bwvdb_error *error)
{
    enum bwvdb_status status;
    const struct bwvdb_calls *c = calls(&status, error);
    *f = NULL;
    return c ? c->open(path, f, error) : status;
}

void bwvdb_close(struct bwvdb_file *f)
{
    if (f) loaded->close(f);
}

int32_t bwvdb_count(const struct bwvdb_file *f) { return loaded->count(f); }

const struct bwvdb_info *bwvdb_grid_info(const struct bwvdb_file *f, int32_t grid)
{
    return loaded->grid_info(f, grid);
}

int32_t bwvdb_find(const struct bwvdb_file *f, const char *name) { return loaded->find(f, name); }

int32_t bwvdb_find_known(const struct bwvdb_file *f, const char *const *names, uint32_t comps)
{
    const struct bwvdb_info *g;
    for (int strict = 1; strict >= 0; strict--)
        for (const char *const *name = names; *name; name++)
            for (int32_t i = 0; (g = bwvdb_grid_info(f, i)); i++)
                if (g->comps == comps && !(strict ? strcmp(g->name, *name) : strcasecmp(g->name, *name))) return i;
    return -1;
}

const struct bwvdb_meta *bwvdb_file_meta(const struct bwvdb_file *f, uint32_t *n) { return loaded->file_meta(f, n); }

const struct bwvdb_meta *bwvdb_meta_find(const struct bwvdb_meta *meta, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(meta[i].key, key)) return &meta[i];
    return NULL;
}

double bwvdb_grid_number(const struct bwvdb_info *g, const char *key, double otherwise)
{
    const struct bwvdb_meta *m = bwvdb_meta_find(g->meta, g->n_meta, key);
    return m && m->number > 0 ? m->number : otherwise;
}

const char *bwvdb_names(const struct bwvdb_file *f) { return loaded->names(f); }

enum bwvdb_status bwvdb_load(struct bwvdb_file *f, int32_t grid, struct bwvdb_error *error)
{
    return loaded->load(f, grid, error);
}

enum bwvdb_status bwvdb_read_box(const struct bwvdb_file *f, int32_t grid, const int32_t lo[3], const int32_t n[3],
                                 float *const out[3], struct bwvdb_error *error)
{
    return loaded->read_box(f, grid, lo, n, out, error);
}

enum bwvdb_status bwvdb_sample(const struct bwvdb_file *f, int32_t grid, size_t count, const double (*pos)[3],
                               double *out, struct bwvdb_error *error)
{
    return loaded->sample(f, grid, count, pos, out, error);
}

enum bwvdb_status bwvdb_read_points(const char *path, const char *grid, const char *attribute, uint32_t comps,
                                    int64_t *count, double *out, struct bwvdb_error *error)
{
    enum bwvdb_status status;
    const struct bwvdb_calls *c = calls(&status, error);
    return c ? c->read_points(path, grid, attribute, comps, count, out, error) : status;
}

enum bwvdb_status vdb_contents_find(const struct bwvdb_file *f, int32_t grid, struct vdb_contents *out,
                                    struct bwvdb_error *error)
{
    return loaded->contents_find(f, grid, out, error);
}

enum bwvdb_status vdb_difference_find(const struct bwvdb_file *a, int32_t grid_a, const struct bwvdb_file *b,
                                      int32_t grid_b, struct vdb_difference *out, struct bwvdb_error *error)
{
    return loaded->difference_find(a, grid_a, b, grid_b, out, error);
}

enum bwvdb_status bwvdb_nano_write(const char *from, const char *to, const struct bwvdb_nano *nano,
                                   struct bwvdb_error *error)
{
    enum bwvdb_status status;
    const struct bwvdb_calls *c = calls(&status, error);
    return c ? c->nano_write(from, to, nano, error) : status;
}

/* ---- meshes ---- */

enum bwvdb_status bwvdb_distance_create(const struct bwvdb_mesh *mesh, struct bwvdb_distance **d,
                                        struct bwvdb_error *error)
{
    enum bwvdb_status status;
    const struct bwvdb_calls *c = calls(&status, error);
    *d = NULL;
    return c ? c->distance_create(mesh, d, error) : status;
}

void bwvdb_distance_free(struct bwvdb_distance *d)
{
    if (d) loaded->distance_free(d);
}

void bwvdb_distance_box(const struct bwvdb_distance *d, int32_t lo[3], int32_t n[3]) { loaded->distance_box(d, lo, n); }

void bwvdb_distance_read(const struct bwvdb_distance *d, const int32_t lo[3], const int32_t n[3], float *out,
                         int32_t *nearest)
{
    loaded->distance_read(d, lo, n, out, nearest);
}
