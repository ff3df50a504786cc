// SPDX-License-Identifier: Apache-2.0
/* Reader of a finished cache (cache.h). */
#include "cache.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
    vdb_facts_read(c->file, &c->facts);
    c->number = number;
    return BW_OK;
}

/* ---- frames without a grid ---- */

static void lattice_copy(const struct vdb_lattice *from, struct lattice *l)
{
    l->h = from->h;
    memcpy(l->origin, from->origin, sizeof l->origin);
}

/* Lattice of the grid in the first file that has it. 0: none has. */
static int lattice_search(struct bw_stage *s, const struct cache *c, const char *name, struct lattice *l)
{
    const struct bw_frames_api *frames = s->host->extension(BW_FRAMES);
    char path[sizeof c->path];
    int found = 0;
    for (int64_t number = c->first; number <= c->last && !found; number++) {
        struct bwvdb_file *f;
        const int n = frames->path(s, number, path, sizeof path);
        if (n < 0 || n >= (int)sizeof path || bwvdb_open(path, &f, NULL)) continue;
        const int32_t grid = bwvdb_find(f, name);
        struct vdb_facts facts;
        struct vdb_lattice at;
        found = grid >= 0;
        if (found) {
            vdb_facts_read(f, &facts);
            vdb_lattice_of(bwvdb_grid_info(f, grid), &facts, 1, &at);
            lattice_copy(&at, l);
        }
        bwvdb_close(f);
    }
    return found;
}

static enum bw_status empty_make(struct bw_stage *s, const struct cache *c, const struct grid_request *request,
                                 struct lattice *l, struct dense *d)
{
    const struct dense one = {.n = {1, 1, 1}};
    if (!(l->h > 0) && !lattice_search(s, c, request->name, l))
        return s->host->fail(s, BW_ERR_PRESET, "%s has no grid \"%s\"; it holds %s", c->path, request->name,
                             bwvdb_names(c->file));
    return dense_make(s, d, &one, (int32_t)request->comps);
}

/* ---- values ---- */

/* Replaces the lattice of a grid by the caller's where they differ: the grid is then resampled. */
static void lattice_align(struct vdb_lattice *at, const struct lattice *l)
{
    double off = fabs(at->h - l->h);
    for (int a = 0; a < 3; a++) off = fmax(off, fabs(at->origin[a] - l->origin[a]));
    if (off < 1e-3 * l->h) return;
    at->direct = 0;
    for (int a = 0; a < 3; a++) {
        const double lo = (at->origin[a] + at->lo[a] * at->h - l->origin[a]) / l->h;
        const double hi = lo + at->n[a] * at->h / l->h;
        at->origin[a] = l->origin[a];
        at->lo[a] = (int32_t)fmax(-1e9, fmin(floor(lo + 1e-3), 1e9));
        at->n[a] = at->n[a] ? (int32_t)fmax(0, fmin(ceil(hi - 1e-3) - at->lo[a], 1e9)) : 0;
    }
    at->h = l->h;
}

struct reading {
    const struct cache *c;
    int32_t grid;
    const struct vdb_lattice *lattice;
    struct dense *d;
    double gain, background[3];
    int *bad; ///< of each plane: a value that is no number
};

static void plane_read(int64_t k, uint32_t worker, void *user)
{
    const struct reading *r = user;
    struct dense *d = r->d;
    const int32_t lo[3] = {d->lo[0], d->lo[1], d->lo[2] + (int32_t)k}, n[3] = {d->n[0], d->n[1], 1};
    const size_t cells = (size_t)n[0] * (size_t)n[1], at = cells * (size_t)k;
    float *out[3] = {NULL, NULL, NULL};
    (void)worker;
    for (int32_t c = 0; c < d->comps; c++) out[c] = d->v[c] + at;
    r->bad[k] = vdb_lattice_read(r->c->file, r->grid, r->lattice, lo, n, out, NULL) != BWVDB_OK;
    for (int32_t c = 0; c < d->comps; c++)
        for (size_t i = 0; i < cells; i++) {
            out[c][i] = (out[c][i] - (float)r->background[c]) * (float)r->gain;
            r->bad[k] |= !isfinite(out[c][i]);
        }
}

static enum bw_status values_read(struct bw_stage *s, struct reading *r, const char *name)
{
    const size_t planes = (size_t)r->d->n[2];
    int bad = 0;
    r->bad = s->host->scratch(s, (planes + 1) * sizeof *r->bad);
    if (!r->bad) return BW_ERR_MEMORY;
    s->host->parallel_for(s, (int64_t)planes, plane_read, r);
    for (size_t k = 0; k < planes; k++) bad |= r->bad[k];
    return bad ? s->host->fail(s, BW_ERR_DIVERGED, "grid \"%s\" of %s holds a value that is no number", name,
                               r->c->path)
               : BW_OK;
}

enum bw_status cache_read(struct bw_stage *s, struct cache *c, const struct grid_request *request, struct lattice *l,
                          struct dense *d)
{
    const int32_t grid = bwvdb_find(c->file, request->name);
    struct bwvdb_error error;
    if (grid < 0) return empty_make(s, c, request, l, d);
    const struct bwvdb_info *g = bwvdb_grid_info(c->file, grid);
    if (g->comps != request->comps)
        return s->host->fail(s, BW_ERR_PRESET, "grid \"%s\" of %s holds %s, but %s are wanted", request->name, c->path,
                             g->type, request->comps == 3 ? "vectors" : "scalars");
    enum bwvdb_status bad = bwvdb_load(c->file, grid, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    struct vdb_lattice at;
    vdb_lattice_of(g, &c->facts, 1, &at);
    at.turn = at.y_up && request->length; // vectors that are lengths are rotated, whatever their type in the file
    if (request->on && l->h > 0) lattice_align(&at, l);
    else lattice_copy(&at, l);
    struct dense box = {.comps = 0};
    for (int a = 0; a < 3; a++) box.lo[a] = at.lo[a], box.n[a] = at.n[a] > 0 ? at.n[a] : 1;
    enum bw_status status = dense_make(s, d, &box, (int32_t)request->comps);
    const double kelvin = strcmp(g->name, "temperature") ? 1 : bwvdb_grid_number(g, "kelvin", 1);
    struct reading r = {c, grid, &at, d, kelvin / (request->length ? c->facts.scale : 1), {0}, NULL};
    if (!request->length) memcpy(r.background, g->background, sizeof r.background);
    return status || !g->active ? status : values_read(s, &r, request->name);
}

/* ---- activation ---- */

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

/* ---- flames ---- */

static double flame_kelvin(struct bw_stage *s, double fuel, double excess)
{
    const struct bw_frames_api *frames = s->host->extension(BW_FRAMES);
    struct cache c = {.file = NULL};
    (void)fuel, (void)excess;
    if (!frames || !frames->range(s, &c.first, &c.last)) return 0;
    const int n = frames->path(s, c.first, c.path, sizeof c.path);
    if (n < 0 || n >= (int)sizeof c.path || bwvdb_open(c.path, &c.file, NULL)) return 0;
    vdb_facts_read(c.file, &c.facts);
    cache_close(&c);
    return c.facts.flame_kelvin;
}

const void *cache_extension(const char *id)
{
    static const struct bw_combustion_api flames = {.size = sizeof flames, .kelvin = flame_kelvin};
    return strcmp(id, BW_COMBUSTION) ? NULL : &flames;
}
