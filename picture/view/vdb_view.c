// SPDX-License-Identifier: Apache-2.0
/* VDB grids resampled onto dense z-up boxes by trilinear samples at cell centres: exact for a grid whose voxels lie on
 * the same lattice, and right for any other transform, thinned-out boxes and staggered grids too. */
#include "vdb_view.h"

#include <common/openvdb/lattice/lattice.h>

#include <picture/gather/fields.h>
#include <picture/slice/distances.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const bw_density_names[] = {"density", "smoke", "soot", NULL};
const char *const bw_flame_names[] = {"flame", "flames", "fire", "heat", NULL};
const char *const bw_temperature_names[] = {"temperature", "temp", NULL};
const char *const bw_dye_names[] = {"dye", "color", "colour", "Cd", NULL};
const char *const bw_velocity_names[] = {BWVDB_FLOW_NAMES, NULL};
static const char *const solid_names[] = {"solid", NULL}, *const fuel_names[] = {"fuel", NULL},
                         *const age_names[] = {"age", NULL};

static int is_surface(const struct bwvdb_file *f, int grid)
{
    return grid >= 0 && bwvdb_grid_info(f, grid)->grid_class == BWVDB_CLASS_LEVEL_SET;
}

/// The grid to show: the user's, else density, else the first that can be read, numbers before vectors and surfaces.
static int grid_choose(const struct bw_vdb_view *v, const struct bwvdb_file *f)
{
    if (v->field) return bwvdb_find(f, v->field);
    int g = bwvdb_find_known(f, bw_density_names, 1);
    if (g < 0) g = bwvdb_find_known(f, bw_flame_names, 1);
    for (int wish = 0; g < 0 && wish < 3; wish++)
        for (int32_t i = 0; g < 0 && i < bwvdb_count(f); i++) {
            const uint32_t comps = bwvdb_grid_info(f, i)->comps;
            if (wish < 2 ? comps == (wish ? 3 : 1) && !is_surface(f, i) : comps > 0) g = i;
        }
    return g;
}

static enum bw_status fail(const struct bwvdb_error *error, enum bwvdb_status s, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", error->text);
    return (enum bw_status)s;
}

/// What the first file says of itself.
static void facts_read(struct bw_vdb_view *v, const struct bwvdb_file *f)
{
    struct vdb_facts facts;
    uint32_t n;
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n), *larger = bwvdb_meta_find(m, n, "larger"),
                            *slower = bwvdb_meta_find(m, n, "slower");
    vdb_facts_read(f, &facts);
    if (v->y_up < 0) v->y_up = facts.y_up;
    v->fps = facts.fps;
    v->larger = larger && larger->number > 0 ? larger->number : 1;
    v->slower = slower && slower->number > 0 ? slower->number : 1;
    v->scale = facts.scale * v->larger;
    v->ours = facts.ours;
    v->flame_kelvin = facts.flame_kelvin;
}

/// Densities of our bakes are shown as they are; other people's may be anything, and are brought near 1 by the middle
/// file's maximum.
static enum bw_status gain_choose(struct bw_vdb_view *v, const char *path, char *why, size_t why_size)
{
    struct bw_volume out = {0};
    float *memory = NULL, top = 0;
    v->density_gain = 1;
    if (v->ours) return BW_OK;
    enum bw_status status = bw_vdb_volume(v, path, &out, &memory, why, why_size);
    if (status) return status;
    for (size_t i = 0; out.density && i < bw_dense_cells(&out.box); i++) top = fmaxf(top, out.density[i]);
    if (top > 0 && (top < 0.2f || top > 10)) v->density_gain = 1 / (double)top;
    if (memory) v->tools->release(v->tools->ctx, memory);
    return BW_OK;
}

static void bounds_join(struct bw_vdb_view *v, const struct bwvdb_info *g)
{
    double lo[3], hi[3];
    vdb_box(g, v->y_up, 0, lo, hi);
    for (int a = 0; a < 3; a++) {
        v->lo[a] = fmin(v->lo[a], lo[a]);
        v->hi[a] = fmax(v->hi[a], hi[a]);
    }
}

/// *lacks: the file holds no grid to show, as one of a frame in which nothing is.
static enum bw_status file_survey(struct bw_vdb_view *v, const struct bw_sequence *q, int32_t i, int first, int *lacks,
                                  char *why, size_t why_size)
{
    const char *path = q->path[i];
    struct bwvdb_file *f = NULL;
    struct bwvdb_error error;
    enum bwvdb_status s = bwvdb_open(path, &f, &error);
    if (s) return fail(&error, s, why, why_size);
    int g = grid_choose(v, f);
    const struct bwvdb_info *info = g >= 0 ? bwvdb_grid_info(f, g) : NULL;
    if (first) facts_read(v, f);
    if (bwvdb_count(f) > v->grids) v->grids = bwvdb_count(f), v->fullest = i;
    *lacks = !info || !info->comps;
    if (*lacks) {
        snprintf(why, why_size, "%s has no grid %s that can be shown; it has %s", path,
                 v->field ? v->field : "of numbers", bwvdb_names(f));
        bwvdb_close(f);
        return BW_ERR_USAGE;
    }
    if (v->voxel <= 0) v->voxel = info->voxel[0];
    if (first) snprintf(v->grid, sizeof v->grid, "%s", info->name);
    if (first) v->twins = v->field ? 1 : info->twins;
    if (first) v->arrows = info->comps == 3 && bwvdb_find_known(f, bw_dye_names, 3) < 0;
    const int flame = v->field ? -1 : bwvdb_find_known(f, bw_flame_names, 1);
    bounds_join(v, info);
    if (flame >= 0) { // a clean fire has no smoke
        bounds_join(v, bwvdb_grid_info(f, flame));
        v->flames |= bwvdb_grid_info(f, flame)->active > 0;
    }
    bwvdb_close(f);
    return BW_OK;
}

enum bw_status bw_vdb_view_open(struct bw_vdb_view *v, const struct bw_sequence *s, char *why, size_t why_size)
{
    for (int a = 0; a < 3; a++) {
        v->lo[a] = HUGE_VAL;
        v->hi[a] = -HUGE_VAL;
    }
    int32_t good = 0;
    int lacks = 0;
    for (int32_t i = 0; i < s->count; i++) {
        enum bw_status status = file_survey(v, s, i, !good, &lacks, why, why_size);
        good += !status;
        if (status && !lacks && !v->lenient) return status;
    }
    if (!good) return file_survey(v, s, 0, 1, &lacks, why, why_size); // for its sentence
    for (int a = 0; a < 3 && !(v->lo[a] < v->hi[a]); a++) {           // nothing but empty grids
        v->lo[a] = -8 * v->voxel;
        v->hi[a] = 8 * v->voxel;
    }
    enum bw_status status = BW_ERR;
    for (int32_t i = 0; i == 0 || (status && v->lenient && i < s->count); i++) // the middle file, or the next after it
        status = gain_choose(v, s->path[(s->count / 2 + i) % s->count], why, why_size);
    return status;
}

/* ---- resampling ---- */

enum { LAYERS = 8 }; ///< a task's: a leaf is as high

/// A task: some layers of a dense box.
struct resample {
    const struct bwvdb_file *f;
    int32_t grid;
    struct vdb_lattice cells;
    struct bw_dense box;
    float *out[3];
    uint32_t comps;
};

static void layers_sample(int64_t task, void *user)
{
    const struct resample *r = user;
    const int32_t k = (int32_t)task * LAYERS, left = r->box.n[2] - k;
    const int32_t lo[3] = {0, 0, k}, n[3] = {r->box.n[0], r->box.n[1], left < LAYERS ? left : LAYERS};
    float *out[3] = {NULL, NULL, NULL};
    for (uint32_t c = 0; c < r->comps; c++) out[c] = r->out[c] + (size_t)k * (size_t)n[0] * (size_t)n[1];
    vdb_lattice_read(r->f, r->grid, &r->cells, lo, n, out, NULL);
}

/* What is no number would be shown as nothing at all. */
static int numbers_only(const struct resample *r)
{
    const size_t cells = bw_dense_cells(&r->box);
    for (uint32_t c = 0; c < r->comps; c++)
        for (size_t i = 0; i < cells; i++)
            if (!isfinite(r->out[c][i])) return 0;
    return 1;
}

/* Before what is wrong with a grid, the file that it is of. */
static void file_tell(const char *path, char *why, size_t why_size)
{
    char what[512];
    snprintf(what, sizeof what, "%s", why);
    snprintf(why, why_size, "%s: %s", path, what);
}

/* `turn`: vectors are directions, and turned as the world is. */
static enum bw_status grid_sample(const struct bw_vdb_view *v, struct bwvdb_file *f, int32_t grid, int turn,
                                  const struct bw_dense *box, float *const out[3], char *why, size_t why_size)
{
    struct bwvdb_error error;
    enum bwvdb_status s = bwvdb_load(f, grid, &error);
    if (s) return fail(&error, s, why, why_size);
    struct resample r = {.f = f, .grid = grid, .box = *box, .comps = bwvdb_grid_info(f, grid)->comps};
    r.cells = (struct vdb_lattice){.h = box->h, .y_up = v->y_up, .turn = turn && v->y_up, .scale = 1};
    memcpy(r.cells.origin, box->origin, sizeof r.cells.origin);
    memcpy(r.out, out, r.comps * sizeof *out);
    vdb_lattice_fit(bwvdb_grid_info(f, grid), &r.cells);
    v->tools->parallel(v->tools->ctx, (box->n[2] + LAYERS - 1) / LAYERS, layers_sample, &r);
    if (numbers_only(&r)) return BW_OK;
    snprintf(why, why_size, "grid %s holds values that are no finite numbers", bwvdb_grid_info(f, grid)->name);
    return BW_ERR;
}

enum { DENSITY, FLAME, TEMPERATURE, FUEL, AGE, DYE, SOLID, GRIDS }; ///< of what a volume is made

/// The cells of one file's volume: those of its own box and, as in a bake, two of air around, halved until they fit.
static void box_choose(const struct bw_vdb_view *v, const struct bwvdb_file *f, const int grids[GRIDS],
                       struct bw_dense *box)
{
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < GRIDS; i++) { // these say where there is something to see, or where shadows fall from
        const int seen = i == DENSITY || i == FLAME || i == SOLID;
        const struct bwvdb_info *g = seen && grids[i] >= 0 ? bwvdb_grid_info(f, grids[i]) : NULL;
        double a[3], b[3];
        if (!g) continue;
        vdb_box(g, v->y_up, 0, a, b);
        for (int d = 0; d < 3; d++) lo[d] = fmin(lo[d], a[d]), hi[d] = fmax(hi[d], b[d]);
    }
    *box = (struct bw_dense){.h = v->voxel};
    for (int d = 0; d < 3; d++)
        if (!(lo[d] < hi[d])) return;
    for (;; box->h *= 2) {
        double cells = 1;
        for (int d = 0; d < 3; d++) {
            box->n[d] = (int32_t)ceil((hi[d] - lo[d]) / box->h - 1e-6) + 4;
            box->origin[d] = lo[d] - 2 * box->h;
            cells *= box->n[d];
        }
        if (cells < BW_GATHER_CELLS) return;
    }
}

/// The obstacles' cells: their own box, on the lattice of the volume's.
static void solid_choose(const struct bw_vdb_view *v, const struct bwvdb_info *g, const struct bw_dense *volume,
                         struct bw_dense *box)
{
    double lo[3], hi[3];
    *box = (struct bw_dense){.h = volume->h};
    if (!g->active) return;
    vdb_box(g, v->y_up, 0, lo, hi);
    for (int a = 0; a < 3; a++) {
        box->origin[a] = volume->origin[a] + box->h * (floor((lo[a] - volume->origin[a]) / box->h) - 1);
        box->n[a] = (int32_t)ceil((hi[a] - box->origin[a]) / box->h - 1e-6) + 1;
    }
}

/// Kelvin above ambient: our files say how theirs are encoded; values that never pass 20 are taken for thousands.
static void temperature_decode(const struct bwvdb_info *g, float *t, size_t cells)
{
    float top = 0, gain = (float)bwvdb_grid_number(g, "kelvin", 0);
    for (size_t i = 0; i < cells && gain <= 0; i++) top = fmaxf(top, t[i]);
    if (gain <= 0) gain = top < 20 ? 1000 : 1;
    for (size_t i = 0; i < cells; i++) t[i] *= gain;
}

/// Velocities; three arrays one after the other.
static enum bw_status flow_sample(const struct bw_vdb_view *v, struct bwvdb_file *f, int grid,
                                  const struct bw_dense *box, float *m, char *why, size_t why_size)
{
    const size_t cells = bw_dense_cells(box);
    return grid_sample(v, f, grid, 1, box, (float *[3]){m, m + cells, m + 2 * cells}, why, why_size);
}

static enum bw_status volume_read(const struct bw_vdb_view *v, struct bwvdb_file *f, const int grids[GRIDS], int vel,
                                  struct bw_volume *out, float *m, char *why, size_t why_size)
{
    size_t cells = bw_dense_cells(&out->box);
    float **slots[DYE] = {&out->density, &out->flame, &out->temperature, &out->fuel, &out->age};
    for (int i = 0; i < SOLID; i++) {
        if (grids[i] < 0) continue;
        float *to[3] = {m, m + cells, m + 2 * cells};
        enum bw_status status = grid_sample(v, f, grids[i], 0, &out->box, to, why, why_size);
        if (status) return status;
        if (i < DYE) *slots[i] = m;
        else memcpy(out->dye, to, sizeof to);
        if (i == TEMPERATURE) temperature_decode(bwvdb_grid_info(f, grids[i]), m, cells);
        m += i < DYE ? cells : 3 * cells;
    }
    for (size_t i = 0; out->density && v->density_gain != 1 && i < cells; i++)
        out->density[i] *= (float)v->density_gain;
    if (vel >= 0) {
        enum bw_status status = flow_sample(v, f, vel, &out->box, m, why, why_size);
        if (status) return status;
        for (size_t a = 0; a < 3; a++) out->vel[a] = m + a * cells;
        m += 3 * cells;
    }
    if (!bw_dense_cells(&out->solid_box)) return BW_OK;
    out->solid = m;
    return grid_sample(v, f, grids[SOLID], 0, &out->solid_box, (float *[3]){m}, why, why_size);
}

enum bw_status bw_vdb_volume(const struct bw_vdb_view *v, const char *path, struct bw_volume *out, float **memory,
                             char *why, size_t why_size)
{
    struct bwvdb_file *f = NULL;
    struct bwvdb_error error;
    *memory = NULL;
    *out = (struct bw_volume){0};
    enum bwvdb_status s = bwvdb_open(path, &f, &error);
    if (s) return fail(&error, s, why, why_size);
    int own = v->field ? bwvdb_find(f, v->field) : -1;
    int grids[GRIDS] = {own >= 0 && bwvdb_grid_info(f, own)->comps == 1 ? own
                                                                        : bwvdb_find_known(f, bw_density_names, 1),
                        bwvdb_find_known(f, bw_flame_names, 1),
                        bwvdb_find_known(f, bw_temperature_names, 1),
                        v->roots ? bwvdb_find_known(f, fuel_names, 1) : -1,
                        v->moves & BW_AGES ? bwvdb_find_known(f, age_names, 1) : -1,
                        bwvdb_find_known(f, bw_dye_names, 3),
                        v->field ? -1 : bwvdb_find_known(f, solid_names, 1)};
    const int vel = v->moves ? bwvdb_find_known(f, bw_velocity_names, 3) : -1;
    if (grids[0] < 0 && grids[1] < 0) grids[0] = grid_choose(v, f);
    if (grids[0] >= 0 && bwvdb_grid_info(f, grids[0])->comps != 1) grids[0] = -1;
    if (is_surface(f, grids[0])) { // of something solid, or of water: no smoke as thick as it is far from there
        grids[SOLID] = grids[0];
        grids[0] = -1;
    }
    box_choose(v, f, grids, &out->box);
    size_t cells = bw_dense_cells(&out->box);
    enum bw_status status = BW_OK;
    if (cells) {
        if (grids[SOLID] >= 0) solid_choose(v, bwvdb_grid_info(f, grids[SOLID]), &out->box, &out->solid_box);
        *memory = v->tools->alloc(v->tools->ctx,
                                  (BW_VOLUME_ARRAYS * cells + bw_dense_cells(&out->solid_box)) * sizeof(float));
        if (!*memory) snprintf(why, why_size, "out of memory for %s", path);
        status = *memory ? volume_read(v, f, grids, vel, out, *memory, why, why_size) : BW_ERR_MEMORY;
    }
    if (status == BW_ERR) file_tell(path, why, why_size);
    bwvdb_close(f);
    if (status && *memory) {
        v->tools->release(v->tools->ctx, *memory);
        *memory = NULL;
    }
    return status;
}

/// Temperatures in K above ambient, as a bake's own slices have them, where the file says what a stored 1 stands for.
static void slice_kelvin(const struct bwvdb_info *info, size_t cells, struct bw_slice *s, float *value)
{
    const double kelvin = bwvdb_grid_number(info, "kelvin", 0);
    if (!(kelvin > 0)) return;
    for (size_t i = 0; i < cells; i++) value[i] = (float)(kelvin * (double)value[i]);
    s->unit = "K";
}

/// Distances in metres, beyond the file's band too.
static enum bw_status solid_slice(const struct bw_vdb_view *v, struct bwvdb_file *f, int32_t grid,
                                  const struct bw_dense *box, const struct bw_slice *s, float *d, char *why,
                                  size_t why_size)
{
    enum bw_status status = grid_sample(v, f, grid, 0, box, (float *[3]){d}, why, why_size);
    for (size_t i = 0; !status && i < bw_dense_cells(box); i++) d[i] /= (float)v->scale;
    const struct bwvdb_info *g = bwvdb_grid_info(f, grid);
    if (status || g->grid_class != BWVDB_CLASS_LEVEL_SET) return status;
    status = bw_slice_distances(v->tools, s->n, s->h, g->background[0] / v->scale, d);
    if (status) snprintf(why, why_size, "out of memory for distances");
    return status;
}

static enum bw_status slice_read(const struct bw_vdb_view *v, struct bwvdb_file *f, const struct bw_dense *box,
                                 int flow, struct bw_slice *s, float *m, char *why, size_t why_size)
{
    size_t cells = bw_dense_cells(box);
    int g = grid_choose(v, f), vel = flow ? bwvdb_find_known(f, bw_velocity_names, 3) : -1;
    float *to[3] = {m, m + cells, m + 2 * cells};
    if (g < 0) { // nothing is there at this frame
        memset(m, 0, cells * sizeof *m);
        s->value[0] = m;
        return BW_OK;
    }
    enum bw_status status = grid_sample(v, f, g, 0, box, to, why, why_size);
    for (uint32_t c = 0; !status && c < bwvdb_grid_info(f, g)->comps; c++) s->value[c] = to[c];
    if (!status) slice_kelvin(bwvdb_grid_info(f, g), cells, s, to[0]);
    const int solid = bwvdb_find_known(f, solid_names, 1);
    if (!status && solid >= 0 && solid != g) {
        s->solid = m + 6 * cells;
        status = solid_slice(v, f, solid, box, s, m + 6 * cells, why, why_size);
    }
    if (status || vel < 0) return status;
    float *w[3] = {m + 3 * cells, m + 4 * cells, m + 5 * cells};
    status = flow_sample(v, f, vel, box, w[0], why, why_size);
    s->flow[0] = w[s->axis == 0 ? 1 : 0];
    s->flow[1] = w[s->axis == 2 ? 1 : 2];
    return status;
}

enum bw_status bw_vdb_slice(const struct bw_vdb_view *v, const char *path, int axis, double position, int flow,
                            struct bw_slice *s, float **memory, char *why, size_t why_size)
{
    struct bwvdb_file *f = NULL;
    struct bwvdb_error error;
    struct bw_dense box = {.h = v->voxel};
    int right = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    *memory = NULL;
    for (int a = 0; a < 3; a++) {
        box.n[a] = (int32_t)fmin(fmax(ceil((v->hi[a] - v->lo[a]) / box.h - 1e-6), 1), 8192);
        box.origin[a] = v->lo[a];
    }
    double at = isnan(position) ? 0.5 * (v->lo[axis] + v->hi[axis]) : position * v->scale;
    box.origin[axis] = v->lo[axis] + floor((at - v->lo[axis]) / box.h) * box.h;
    box.n[axis] = 1;
    *s = (struct bw_slice){.n = {box.n[right], box.n[up]}, .h = box.h / v->scale, .axis = axis};
    s->position = (box.origin[axis] + 0.5 * box.h) / v->scale;
    for (int a = 0; a < 3; a++) {
        s->lo[a] = box.origin[a] / v->scale;
        s->hi[a] = s->lo[a] + box.n[a] * s->h;
    }
    enum bwvdb_status status = bwvdb_open(path, &f, &error);
    if (status) return fail(&error, status, why, why_size);
    *memory = v->tools->alloc(v->tools->ctx, 7 * bw_dense_cells(&box) * sizeof(float));
    if (!*memory) snprintf(why, why_size, "out of memory for a slice of %s", path);
    enum bw_status result = *memory ? slice_read(v, f, &box, flow, s, *memory, why, why_size) : BW_ERR_MEMORY;
    if (result == BW_ERR) file_tell(path, why, why_size);
    bwvdb_close(f);
    if (result && *memory) {
        v->tools->release(v->tools->ctx, *memory);
        *memory = NULL;
    }
    return result;
}
