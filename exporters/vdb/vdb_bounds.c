// SPDX-License-Identifier: Apache-2.0
/* Bounds are known when all grids are: the file is read back, and written with two more voxels a grid. */
#include "vdb.h"

static void bounds_find(const struct bwvdb_file *f, struct bwvdb_change *c)
{
    int any = 0;
    for (int32_t i = 0; i < bwvdb_count(f); i++) {
        const struct bwvdb_info *g = bwvdb_grid_info(f, i);
        for (int a = 0; a < 3 && g->active; a++) {
            if (!any || g->lo[a] < c->lo[a]) c->lo[a] = g->lo[a];
            if (!any || g->hi[a] > c->hi[a]) c->hi[a] = g->hi[a];
        }
        any |= g->active > 0;
    }
}

static enum bwvdb_status grids_copy(struct bwvdb_file *f, struct bwvdb_writer *w, struct bwvdb_error *error)
{
    struct bwvdb_change change = {.corners = 1};
    enum bwvdb_status s = BWVDB_OK;
    for (int32_t i = 0; !s && i < bwvdb_count(f); i++)
        if (bwvdb_grid_info(f, i)->comps) s = bwvdb_load(f, i, error);
    bounds_find(f, &change);
    for (int32_t i = 0; !s && i < bwvdb_count(f); i++) {
        change.half = bwvdb_grid_info(f, i)->half;
        if (bwvdb_grid_info(f, i)->comps) s = bwvdb_writer_copy(w, f, i, &change, error);
    }
    return s;
}

enum bwvdb_status vdb_bounds_equalise(const char *path, struct bwvdb_error *error)
{
    uint32_t n = 0;
    struct bwvdb_file *f = NULL;
    struct bwvdb_writer *w = NULL;
    enum bwvdb_status s = bwvdb_open(path, &f, error);
    if (!s) s = bwvdb_writer_create(NULL, &w, error);
    const struct bwvdb_meta *m = s ? NULL : bwvdb_file_meta(f, &n);
    for (uint32_t i = 0; !s && i < n; i++) s = bwvdb_writer_meta(w, &m[i], error);
    if (!s) s = grids_copy(f, w, error);
    if (!s) s = bwvdb_writer_write(w, path, error);
    bwvdb_writer_free(w);
    bwvdb_close(f);
    return s;
}
