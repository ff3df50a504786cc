// SPDX-License-Identifier: Apache-2.0
/* Files of a cache; cache.h says what they are used for. */
#include "cache.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum bw_status cache_begin(struct bw_stage *s, struct cache *c)
{
    const struct bw_frames_api *frames = s->host->extension(BW_FRAMES);
    if (frames && frames->range(s, &c->first, &c->last)) return BW_OK;
    return s->host->fail(
        s, BW_ERR_PRESET,
        "the preset does not say which files to work on: frames_from: PATH_####.vdb, or on the command line "
        "`billow upres CACHE`, `billow retime CACHE`");
}

void cache_close(struct cache *c)
{
    bwvdb_close(c->file);
    c->file = NULL;
}

enum bw_status cache_open(struct bw_stage *s, struct cache *c, int64_t number)
{
    const struct bw_frames_api *frames = s->host->extension(BW_FRAMES);
    if (number < c->first) number = c->first;
    if (number > c->last) number = c->last;
    if (c->file && c->number == number) return BW_OK;
    cache_close(c);
    int n = frames->path(s, number, c->path, sizeof c->path);
    if (n < 0 || n >= (int)sizeof c->path)
        return s->host->fail(s, BW_ERR_PRESET, "the path of frame %" PRId64 " is too long", number);
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(c->path, &c->file, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    c->number = number;
    return BW_OK;
}

/* Index (i,j,k) to h·(i,j,k) + origin, and nothing else. */
static int transform_is_plain(const struct bwvdb_info *g)
{
    double h = g->matrix[0];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            if (fabs(g->matrix[4 * r + c] - (r == c ? h : 0)) > 1e-5 * fabs(h)) return 0;
    return h > 0;
}

/// Index of a grid with `comps` components that can be used: even cubes along the axes. Errors are said, naming file
/// and grid.
static enum bw_status cache_find(struct bw_stage *s, const struct cache *c, const char *name, uint32_t comps,
                                 int32_t *grid)
{
    *grid = bwvdb_find(c->file, name);
    if (*grid < 0)
        return s->host->fail(s, BW_ERR_PRESET, "%s has no grid \"%s\"; it holds %s", c->path, name,
                             bwvdb_names(c->file));
    const struct bwvdb_info *g = bwvdb_grid_info(c->file, *grid);
    if (g->comps != comps)
        return s->host->fail(s, BW_ERR_PRESET, "grid \"%s\" of %s holds %s, but %s are wanted", name, c->path, g->type,
                             comps == 3 ? "vectors" : "scalars");
    if (transform_is_plain(g)) return BW_OK;
    return s->host->fail(s, BW_ERR_PRESET,
                         "grid \"%s\" of %s is turned, or its voxels are no cubes; bake it z-up, along the axes", name,
                         c->path);
}

static double kelvin_of(const struct bwvdb_info *g)
{
    for (uint32_t i = 0; !strcmp(g->name, "temperature") && i < g->n_meta; i++)
        if (!strcmp(g->meta[i].key, "kelvin") && g->meta[i].number > 0) return g->meta[i].number;
    return 1;
}

/* Component c of a staggered grid from its low faces to the centres, in place; the box has one face more on each side.
 */
static void faces_to_centres(struct dense *d, int c)
{
    size_t stride = c == 0 ? 1 : c == 1 ? (size_t)d->n[0] : (size_t)d->n[0] * (size_t)d->n[1], n = dense_count(d);
    for (size_t i = 0; i + stride < n; i++) d->v[c][i] = .5f * (d->v[c][i] + d->v[c][i + stride]);
}

enum bw_status cache_read(struct bw_stage *s, struct cache *c, const char *name, uint32_t comps, struct lattice *l,
                          struct dense *d)
{
    int32_t grid;
    struct bwvdb_error error;
    struct dense box = {.comps = 0};
    enum bw_status st = cache_find(s, c, name, comps, &grid);
    if (st) return st;
    const struct bwvdb_info *g = bwvdb_grid_info(c->file, grid);
    enum bwvdb_status bad = bwvdb_load(c->file, grid, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    l->h = g->matrix[0];
    int staggered = g->grid_class == BWVDB_CLASS_STAGGERED && comps == 3, empty = g->lo[0] > g->hi[0];
    for (int a = 0; a < 3; a++) {
        l->origin[a] = g->matrix[4 * a + 3] - .5 * l->h;
        box.lo[a] = g->lo[a] - staggered;
        box.n[a] = empty ? 1 : g->hi[a] - g->lo[a] + 1 + 2 * staggered;
    }
    st = dense_make(s, d, &box, (int32_t)comps);
    if (st) return st;
    bad = bwvdb_read_box(c->file, grid, d->lo, d->n, d->v, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    float gain = (float)kelvin_of(g);
    for (int32_t a = 0; a < (int32_t)comps; a++) {
        if (staggered) faces_to_centres(d, a);
        for (size_t i = 0; i < dense_count(d); i++) {
            if (!isfinite(d->v[a][i]))
                return s->host->fail(s, BW_ERR_DIVERGED, "grid \"%s\" of %s holds a value that is no number", name,
                                     c->path);
            d->v[a][i] *= gain;
        }
    }
    return BW_OK;
}

/* ---- what is there becomes active ---- */

/* The box lo … hi-1 shrinks to what is above `least` in it. 0: nothing is. */
static int box_shrink(const struct dense *d, int32_t lo[3], int32_t hi[3], float least)
{
    int32_t from[3] = {hi[0], hi[1], hi[2]}, to[3] = {lo[0], lo[1], lo[2]};
    for (int32_t c = 0; c < d->comps; c++)
        for (int32_t k = lo[2]; k < hi[2]; k++)
            for (int32_t j = lo[1]; j < hi[1]; j++) {
                const float *row = d->v[c] + (size_t)d->n[0] * ((size_t)j + (size_t)d->n[1] * (size_t)k);
                for (int32_t i = lo[0]; i < hi[0]; i++) {
                    const int32_t at[3] = {i, j, k};
                    for (int a = 0; a < 3 && fabsf(row[i]) > least; a++) {
                        from[a] = at[a] < from[a] ? at[a] : from[a];
                        to[a] = at[a] >= to[a] ? at[a] + 1 : to[a];
                    }
                }
            }
    memcpy(lo, from, sizeof from);
    memcpy(hi, to, sizeof to);
    return lo[0] < hi[0];
}

/* Boxes of 8 lattice cells: as small as a leaf of the file. */
enum { STEP = 8 };

enum bw_status cache_activate(struct bw_stage *s, const struct lattice *l, const struct dense *d, float least,
                              double grow)
{
    int32_t at[3];
    enum bw_status st = BW_OK;
    for (at[2] = 0; at[2] < d->n[2]; at[2] += STEP)
        for (at[1] = 0; at[1] < d->n[1]; at[1] += STEP)
            for (at[0] = 0; !st && at[0] < d->n[0]; at[0] += STEP) {
                int32_t lo[3] = {at[0], at[1], at[2]}, hi[3];
                double from[3], to[3];
                for (int a = 0; a < 3; a++) hi[a] = lo[a] + STEP < d->n[a] ? lo[a] + STEP : d->n[a];
                if (!box_shrink(d, lo, hi, least)) continue;
                for (int a = 0; a < 3; a++) {
                    from[a] = l->origin[a] + (d->lo[a] + lo[a]) * l->h - grow + 1e-3 * l->h;
                    to[a] = l->origin[a] + (d->lo[a] + hi[a]) * l->h + grow - 1e-3 * l->h;
                }
                st = s->host->activate(s, from, to);
            }
    return st;
}
