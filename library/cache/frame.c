// SPDX-License-Identifier: Apache-2.0
/* Frames of a cache as snapshots. */
#include "cache.h"
#include "options.h"
#include "snapshot.h"
#include "view/view.h"
#include <common/openvdb/lattice/lattice.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// A file that is open; OpenVDB reads one box at a time.
struct frame_file {
    pthread_mutex_t lock;
    struct bwvdb_file *file;
    int32_t *grid; ///< of each of the snapshot's grids
    struct vdb_lattice *lattice;
};

static enum bw_status file_read(struct snapshot *m, uint32_t grid, uint32_t c, const struct bw_box *box, float *out,
                                struct bw_diag *d)
{
    struct frame_file *f = m->data;
    struct bwvdb_error error;
    size_t cells = (size_t)box->n[0] * (size_t)box->n[1] * (size_t)box->n[2];
    uint32_t comps = m->grids[grid].comps;
    float *memory = comps > 1 ? bw_calloc(cells * comps * sizeof *memory) : out;
    float *const to[3] = {memory, memory + cells, memory + 2 * cells};
    if (!memory) return out_of_memory(d);
    pthread_mutex_lock(&f->lock);
    enum bwvdb_status status = bwvdb_load(f->file, f->grid[grid], &error);
    if (!status) status = vdb_lattice_read(f->file, f->grid[grid], &f->lattice[grid], box->lo, box->n, to, &error);
    pthread_mutex_unlock(&f->lock);
    if (status) bw_diag_error(d, NULL, (enum bw_status)status, "%s", error.text);
    if (comps > 1) {
        memcpy(out, to[c], cells * sizeof *out);
        bw_free(memory);
    }
    return d->status;
}

static enum bw_status file_picture(struct snapshot *m, const char *look, uint32_t flags, struct bw_pixels *out,
                                   struct bw_diag *d)
{
    struct api_call api = {.warnings = NULL};
    if (flags) return bw_diag_error(d, NULL, BW_ERR_USAGE, "pictures of caches have 8 bits and no alpha");
    cache_picture(m->owner, m->facts.frame, look, out, &api);
    bw_diag_append(d, &api.d);
    bw_diag_free(&api.d);
    bw_free(api.warnings);
    return d->status;
}

static void file_free(struct snapshot *m)
{
    struct frame_file *f = m->data;
    struct cache *c = m->owner;
    if (f) {
        bwvdb_close(f->file);
        bw_free(f->grid);
        bw_free(f->lattice);
        pthread_mutex_destroy(&f->lock);
    }
    bw_free(f);
    if (c) object_unref(&c->o);
}

static const struct snapshot_ops of_file = {file_read, file_picture, view_of_file, file_free};

/* Cells stand for voxels where those are cubes along the axes; else cubes are resampled from them. The file's own units
 * and axes stay. */
static void grid_fill(const struct bwvdb_info *i, struct vdb_lattice *l, struct bw_snapshot_grid *g)
{
    vdb_lattice_of(i, &(struct vdb_facts){.scale = 1}, 0, l);
    *g = (struct bw_snapshot_grid){.name = i->name,
                                   .unit = "1",
                                   .kind = i->comps == 1                                         ? BW_SCALAR
                                           : l->direct && i->grid_class == BWVDB_CLASS_STAGGERED ? BW_MAC
                                                                                                 : BW_VECTOR,
                                   .comps = i->comps,
                                   .voxel = l->h};
    const struct bwvdb_meta *unit = bwvdb_meta_find(i->meta, i->n_meta, "unit");
    if (unit) g->unit = unit->string;
    g->kelvin = bwvdb_grid_number(i, "kelvin", 0);
    for (int a = 0; a < 3; a++) {
        g->origin[a] = l->origin[a];
        g->lo[a] = i->active ? l->lo[a] : 0;
        g->n[a] = l->n[a];
        g->background[a] = i->background[a];
    }
}

/* Grids that can be read as numbers; vectors of three grids too. */
static struct snapshot *frame_open(struct cache *c, const char *path, struct bw_diag *d)
{
    struct bwvdb_file *file;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(path, &file, &error);
    if (bad) return bw_diag_error(d, BW_NAMED(path), (enum bw_status)bad, "%s", error.text), NULL;
    int32_t n = bwvdb_count(file);
    while (bwvdb_grid_info(file, n)) n++;
    struct snapshot *m = snapshot_new(&of_file, (uint32_t)n, 0);
    struct frame_file *f = m ? bw_calloc(sizeof *f) : NULL;
    if (f) {
        pthread_mutex_init(&f->lock, NULL);
        f->file = file;
        f->grid = bw_calloc(((size_t)n + 1) * sizeof *f->grid);
        f->lattice = bw_calloc(((size_t)n + 1) * sizeof *f->lattice);
        m->data = f;
        m->facts.n_grids = 0;
    } else {
        bwvdb_close(file);
    }
    if (!f || !f->grid || !f->lattice) {
        if (m) object_unref(&m->o);
        return out_of_memory(d), NULL;
    }
    m->owner = object_ref(&c->o);
    for (int32_t i = 0; i < n; i++) {
        const struct bwvdb_info *info = bwvdb_grid_info(file, i);
        if (!info->comps) continue;
        f->grid[m->facts.n_grids] = i;
        grid_fill(info, &f->lattice[m->facts.n_grids], &m->grids[m->facts.n_grids]);
        m->facts.n_grids++;
    }
    uint32_t n_meta;
    const struct bwvdb_meta *meta = bwvdb_file_meta(file, &n_meta), *fps = bwvdb_meta_find(meta, n_meta, "fps"),
                            *time = bwvdb_meta_find(meta, n_meta, "time");
    m->facts.fps = fps ? fps->number : 0;
    m->facts.time = time ? time->number : 0;
    return m;
}

static struct bw_snapshot *frame_make(struct cache *c, int64_t frame, struct bw_diag *d)
{
    int32_t i = 0;
    while (i < c->files.count && c->files.frame[i] != frame) i++;
    if (i == c->files.count) {
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s has no frame %lld", c->pattern, (long long)frame);
        return NULL;
    }
    struct snapshot *m = frame_open(c, c->files.path[i], d);
    if (!m) return NULL;
    m->facts.frame = frame;
    struct bw_snapshot *handle = handle_new(HANDLE_SNAPSHOT, &m->o);
    if (!handle) object_unref(&m->o), out_of_memory(d);
    return handle;
}

enum bw_status bw_cache_frame(struct bw_cache *cache, int64_t frame, struct bw_snapshot **snapshot)
{
    struct api_call api;
    api_enter(&api);
    if (snapshot) *snapshot = NULL;
    struct cache *c = cache_acquire(cache, &api.d);
    if (c && !snapshot) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_frame wants a place for the snapshot");
    else if (c) *snapshot = frame_make(c, frame, &api.d);
    if (c) object_unref(&c->o);
    return api_leave(&api);
}
