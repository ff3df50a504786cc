// SPDX-License-Identifier: Apache-2.0
/* From a VDB grid to bricks: volume.h says what for. Values are copied at their voxels and read trilinearly, so a mask
 * of the domain's own voxels comes back as it was written. */
#include "volume.h"

#include <common/openvdb/bwvdb.h>
#include <common/openvdb/lattice/lattice.h>
#include <math.h>
#include <string.h>

#define BRICKS_MOST 1e7 ///< in the box of a grid: their table takes 40 MB
#define FILLED_MOST 2e6 ///< of which hold something: 6 GB

struct making {
    struct bw_stage *stage;
    const struct bwvdb_file *file;
    int32_t grid;
    double gain;
    int fog;
    const struct vdb_lattice *cubes; ///< NULL: voxels as they are
    struct volume_source *v;
};

static const int32_t brick_size[3] = {BRICK + 1, BRICK + 1, BRICK + 1};

/* Values of brick i as distances (fog: 0.5 - gain·value). */
static void brick_read(const struct making *m, int64_t i, float out[BRICK_VALUES])
{
    int32_t first[3];
    float *const comps[3] = {out, NULL, NULL};
    brick_first(&m->v->bricks, i, first);
    if (m->cubes) vdb_lattice_read(m->file, m->grid, m->cubes, first, brick_size, comps, NULL);
    else bwvdb_read_box(m->file, m->grid, first, brick_size, comps, NULL);
    for (int q = 0; q < BRICK_VALUES && m->fog; q++) out[q] = 0.5f - (float)m->gain * out[q];
}

/* What is the same all over a brick, as far in or out as the bricks know, needs no storage; 0: it does. -3: NaN. */
static void brick_sort(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    const struct making *m = user;
    struct mesh_volume *v = &m->v->bricks;
    float value[BRICK_VALUES], band = (float)v->band;
    int inside = 0, outside = 0, bad = 0;
    brick_read(m, i, value);
    for (int q = 0; q < BRICK_VALUES; q++) {
        inside += value[q] <= -band;
        outside += value[q] >= band;
        bad |= !isfinite(value[q]);
    }
    v->map[i] = bad ? -3 : inside == BRICK_VALUES ? BRICK_INSIDE : outside == BRICK_VALUES ? BRICK_OUTSIDE : 0;
}

static void brick_fill(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    const struct making *m = user;
    struct mesh_volume *v = &m->v->bricks;
    if (v->map[i] >= 0) brick_read(m, i, v->distance + (size_t)v->map[i] * BRICK_VALUES);
}

static enum bw_status bad_tell(const struct making *m, int64_t i, const char *path)
{
    float value[BRICK_VALUES];
    int32_t first[3];
    int q = 0;
    brick_read(m, i, value);
    brick_first(&m->v->bricks, i, first);
    while (isfinite(value[q])) q++;
    return m->stage->host->fail(m->stage, BW_ERR_IO, "%s: grid \"%s\" is not a number at voxel (%d, %d, %d)", path,
                                bwvdb_grid_info(m->file, m->grid)->name, first[0] + q % (BRICK + 1),
                                first[1] + q / (BRICK + 1) % (BRICK + 1), first[2] + q / (BRICK + 1) / (BRICK + 1));
}

static enum bw_status bricks_make(struct making *m, const char *path)
{
    struct bw_stage *s = m->stage;
    struct mesh_volume *v = &m->v->bricks;
    int64_t count = brick_count(v), used = 0;
    if (!count) return BW_OK;
    v->map = s->host->alloc(s, (size_t)count * sizeof *v->map);
    if (!v->map) return BW_ERR_MEMORY;
    s->host->parallel_for(s, count, brick_sort, m);
    for (int64_t i = 0; i < count; i++) {
        if (v->map[i] == -3) return bad_tell(m, i, path);
        if (v->map[i] == 0) v->map[i] = (int32_t)used++;
    }
    if ((double)used > FILLED_MOST)
        return s->host->fail(s, BW_ERR_LIMIT, "%s: grid \"%s\" is too large for a source, with %.3g voxels", path,
                             bwvdb_grid_info(m->file, m->grid)->name, (double)used * 512);
    v->distance = s->host->alloc(s, (size_t)(used + 1) * BRICK_VALUES * sizeof *v->distance);
    if (!v->distance) return BW_ERR_MEMORY;
    s->host->parallel_for(s, count, brick_fill, m);
    return BW_OK;
}

static int32_t floor_brick(int32_t voxel) { return voxel >= 0 ? voxel / BRICK : -((BRICK - 1 - voxel) / BRICK); }

/* Bricks round the active voxels, or cubes, one more for the interpolation. */
static int bricks_place(const struct bwvdb_info *g, const struct vdb_lattice *cubes, struct mesh_volume *v)
{
    double count = 1;
    for (int a = 0; a < 3; a++) {
        const int32_t lo = cubes ? cubes->lo[a] : g->lo[a], hi = cubes ? lo + cubes->n[a] - 1 : g->hi[a];
        v->lo[a] = floor_brick(lo - 1);
        v->n[a] = g->active ? floor_brick(hi + 1) - v->lo[a] + 1 : 0;
        v->box.lo[a] = -HUGE_VAL; // voxels are no lengths: no bound on the distance beyond the band
        v->box.hi[a] = HUGE_VAL;
        count *= v->n[a];
    }
    return count <= BRICKS_MOST;
}

/* The inverse of the file's index-to-world matrix, from places that are z up. 0: it has none. */
static int matrix_invert(const double m[12], int y_up, double out[12])
{
    double inv[9], det = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int a = (c + 1) % 3, b = (c + 2) % 3, d = (r + 1) % 3, e = (r + 2) % 3; // cofactors, transposed
            inv[3 * r + c] = m[4 * a + d] * m[4 * b + e] - m[4 * a + e] * m[4 * b + d];
        }
    for (int r = 0; r < 3; r++) det += m[4 * r] * inv[r];
    if (!(fabs(det) > 0)) return 0;
    for (int r = 0; r < 3; r++) {
        const double x = inv[3 * r] / det, y = inv[3 * r + 1] / det, z = inv[3 * r + 2] / det;
        out[4 * r] = x;
        out[4 * r + 1] = y_up ? -z : y; // file (x, y, z) = ours (x, z, -y)
        out[4 * r + 2] = y_up ? y : z;
        out[4 * r + 3] = -(x * m[3] + y * m[7] + z * m[11]);
    }
    return 1;
}

/* The same for cubes, whose indices are those of their centres. */
static void cubes_invert(const struct vdb_lattice *l, double out[12])
{
    memset(out, 0, 12 * sizeof *out);
    for (int a = 0; a < 3; a++) {
        out[5 * a] = 1 / l->h;
        out[4 * a + 3] = -l->origin[a] / l->h - .5;
    }
}

static enum bw_status grid_take(struct bw_stage *s, const struct shape_volume *p, const char *path,
                                const struct bwvdb_file *file, int32_t grid, struct volume_source *v)
{
    const struct bwvdb_info *g = bwvdb_grid_info(file, grid);
    int level_set = p->form == VOLUME_AUTO ? g->grid_class == BWVDB_CLASS_LEVEL_SET : p->form == VOLUME_LEVEL_SET;
    struct vdb_lattice cubes;
    struct making making = {s, file, grid, p->gain, !level_set, g->linear ? NULL : &cubes, v};
    vdb_lattice_of(g, &(struct vdb_facts){.y_up = p->up, .scale = 1}, 0, &cubes);
    mesh_volume_free(s, &v->bricks);
    if (g->comps != 1)
        return s->host->fail(s, BW_ERR_PRESET, "%s: grid \"%s\" holds vectors; a scalar is wanted", path, g->name);
    if (level_set && !(g->background[0] > 0))
        return s->host->fail(s, BW_ERR_PRESET, "%s: grid \"%s\" has background %g; a level set's is positive", path,
                             g->name, g->background[0]);
    if (making.cubes) cubes_invert(&cubes, v->to_index); // no matrix stands for it
    else if (!matrix_invert(g->matrix, p->up, v->to_index))
        return s->host->fail(s, BW_ERR_IO, "%s: the transform of grid \"%s\" is flat", path, g->name);
    if (!bricks_place(g, making.cubes, &v->bricks))
        return s->host->fail(s, BW_ERR_LIMIT, "%s: grid \"%s\" spans too many voxels for a source", path, g->name);
    v->fog = !level_set;
    v->bricks.voxel = 1;
    v->bricks.band = level_set ? g->background[0] : 0.5;
    vdb_box(g, p->up, 1, v->box.lo, v->box.hi);
    return bricks_make(&making, path);
}

static enum bw_status file_take(struct bw_stage *s, const struct shape_volume *p, int64_t number,
                                struct volume_source *v)
{
    char path[SEQUENCE_PATH];
    struct bwvdb_file *file;
    struct bwvdb_error error;
    if (!sequence_path(p->file, number, path))
        return s->host->fail(s, BW_ERR_PRESET, "the path %.60s… is too long", p->file);
    enum bwvdb_status bad = bwvdb_open(path, &file, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    int32_t grid;
    enum bw_status status = grid_pick(s, &v->pick, &v->sequence, p->file, path, file, p->grid, &grid);
    v->empty = !status && grid < 0;
    if (!status && !v->empty && (bad = bwvdb_load(file, grid, &error)))
        status = s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    if (!status && !v->empty) status = grid_take(s, p, path, file, grid, v);
    bwvdb_close(file);
    v->number = number;
    v->ready = !status;
    return status;
}

static enum bw_status source_begin(struct bw_stage *s, const struct shape_volume *p, struct volume_source *v)
{
    v->sequence = (struct sequence){.offset = p->offset, .speed = p->speed, .outside = p->outside};
    enum bw_status status = sequence_begin(s, p->file, &v->sequence);
    v->begun = !status;
    return status;
}

enum bw_status volume_file_box(struct bw_stage *s, const struct shape_volume *p, const char *path, struct box3 *box)
{
    struct bwvdb_file *file;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(path, &file, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    const int32_t grid = bwvdb_find(file, p->grid);
    if (grid >= 0) vdb_box(bwvdb_grid_info(file, grid), p->up, 1, box->lo, box->hi);
    bwvdb_close(file);
    return BW_OK;
}

static enum bw_status number_take(struct bw_stage *s, const struct shape_volume *p, int64_t number,
                                  struct volume_source *v)
{
    enum bw_status status = BW_OK;
    v->blank = number < 0;
    if (!v->blank && (!v->ready || v->number != number)) status = file_take(s, p, number, v);
    v->blank |= v->empty;
    return status;
}

enum bw_status volume_prepare(struct bw_stage *s, const struct shape_volume *p, struct volume_source *v)
{
    enum bw_status status = v->begun ? BW_OK : source_begin(s, p, v);
    if (status) return status;
    if (!(p->scale > 0))
        return s->host->fail(s, BW_ERR_PRESET, "shape: scale is %g; it has to be more than 0", p->scale);
    status = number_take(s, p, sequence_number(s, &v->sequence, s->frame, 1), v);
    const int wakes = !status && v->blank && !(s->dt > 0) && s->step > 0; // tiles are asked for before a step
    return wakes ? number_take(s, p, sequence_number(s, &v->sequence, s->frame + 1, 1), v) : status;
}

double volume_distance(const struct volume_source *v, const double x[3])
{
    double at[3];
    for (int r = 0; r < 3; r++) {
        const double *m = v->to_index + 4 * r;
        at[r] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3];
    }
    return mesh_volume_distance(&v->bricks, at);
}
