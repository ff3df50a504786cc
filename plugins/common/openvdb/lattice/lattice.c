// SPDX-License-Identifier: Apache-2.0
#include "lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MOST 2e9 ///< in a box that is resampled; larger cubes are taken beyond

/* Of the file, else of its first grid. */
static const char *said(const struct bwvdb_file *f, const char *key)
{
    uint32_t n;
    const struct bwvdb_meta *all = bwvdb_file_meta(f, &n), *m = bwvdb_meta_find(all, n, key);
    const struct bwvdb_info *g = m ? NULL : bwvdb_grid_info(f, 0);
    if (g) m = bwvdb_meta_find(g->meta, g->n_meta, key);
    return m ? m->string : NULL;
}

static double said_number(const struct bwvdb_file *f, const char *key)
{
    const char *text = said(f, key);
    const double value = text ? strtod(text, NULL) : 0;
    return isfinite(value) && value > 0 ? value : 0;
}

void vdb_facts_read(const struct bwvdb_file *f, struct vdb_facts *facts)
{
    const char *up = said(f, "up_axis"), *creator = said(f, "creator");
    *facts = (struct vdb_facts){.fps = said_number(f, "fps"), .scale = said_number(f, "scale")};
    facts->flame_kelvin = said_number(f, "flame_kelvin");
    if (!(facts->scale > 0)) facts->scale = 1;
    facts->ours = creator && !strncmp(creator, "Billow", 6);
    if (up) up += *up == '+';
    facts->y_up = up ? *up == 'y' || *up == 'Y' : creator && !strncmp(creator, "Houdini", 7);
}

/* ---- places ---- */

void vdb_box(const struct bwvdb_info *g, int y_up, int reach, double lo[3], double hi[3])
{
    const double more = reach ? .5 * fmax(g->voxel[0], fmax(g->voxel[1], g->voxel[2])) : 0;
    double a[3], b[3];
    vdb_turn_up(y_up, g->world_lo, a);
    vdb_turn_up(y_up, g->world_hi, b);
    for (int d = 0; d < 3; d++) {
        lo[d] = g->active ? fmin(a[d], b[d]) - more : HUGE_VAL;
        hi[d] = g->active ? fmax(a[d], b[d]) + more : -HUGE_VAL;
    }
}

/* Index (i,j,k) to h·(i,j,k) + origin, and nothing else. */
static int is_plain(const struct bwvdb_info *g)
{
    const double h = g->matrix[0];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            if (fabs(g->matrix[4 * r + c] - (r == c ? h : 0)) > 1e-5 * fabs(h)) return 0;
    return g->linear && h > 0;
}

static void direct_place(const struct bwvdb_info *g, struct vdb_lattice *l)
{
    l->h = g->matrix[0] / l->scale;
    for (int a = 0; a < 3; a++) {
        l->origin[a] = (g->matrix[4 * a + 3] - .5 * g->matrix[0]) / l->scale;
        l->lo[a] = g->lo[a];
        l->n[a] = g->active ? g->hi[a] - g->lo[a] + 1 : 0;
    }
}

/* As small as the shortest edge, but not much smaller than voxels are on the whole. */
static double cube_of(const double voxel[3])
{
    const double least = fmin(voxel[0], fmin(voxel[1], voxel[2])), mean = cbrt(voxel[0] * voxel[1] * voxel[2]);
    return fmax(least, .5 * mean);
}

/* Cubes round the world box, in step with the centre of voxel (0,0,0). */
static void cubes_place(const struct bwvdb_info *g, struct vdb_lattice *l)
{
    const double zero[3] = {g->matrix[3], g->matrix[7], g->matrix[11]};
    double from[3] = {0, 0, 0}, to[3] = {0, 0, 0}, middle[3], cells;
    if (g->active) vdb_box(g, l->y_up, 0, from, to);
    vdb_turn_up(l->y_up, zero, middle);
    l->h = cube_of(g->voxel) / l->scale;
    do {
        cells = 1;
        for (int d = 0; d < 3; d++) {
            const double lo = from[d] / l->scale, hi = to[d] / l->scale;
            l->origin[d] = middle[d] / l->scale - .5 * l->h;
            if (!(fabs(lo - l->origin[d]) < 1e9 * l->h && fabs(hi - l->origin[d]) < 1e9 * l->h)) l->origin[d] = lo;
            l->lo[d] = (int32_t)floor((lo - l->origin[d]) / l->h + 1e-4);
            const double n = g->active ? ceil((hi - l->origin[d]) / l->h - 1e-4) - l->lo[d] : 0;
            l->n[d] = (int32_t)fmin(n, 1e9);
            cells *= n;
        }
        l->h *= cells > CELLS_MOST ? 2 : 1;
    } while (cells > CELLS_MOST);
}

void vdb_lattice_of(const struct bwvdb_info *g, const struct vdb_facts *facts, int faces, struct vdb_lattice *l)
{
    *l = (struct vdb_lattice){.y_up = facts->y_up, .scale = facts->scale};
    const int staggered = faces && g->grid_class == BWVDB_CLASS_STAGGERED && g->comps == 3;
    l->turn = l->y_up && g->vector_type != BWVDB_VEC_INVARIANT;
    l->direct = is_plain(g) && !l->y_up;
    if (l->direct) direct_place(g, l);
    else cubes_place(g, l);
    if (!staggered) return;
    l->direct = 0; // what is between the faces is read
    for (int a = 0; a < 3 && g->active; a++) l->lo[a]--, l->n[a] += 2;
}

void vdb_lattice_fit(const struct bwvdb_info *g, struct vdb_lattice *l)
{
    struct vdb_lattice own = {.scale = l->scale};
    if (!is_plain(g) || l->y_up || (g->grid_class == BWVDB_CLASS_STAGGERED && g->comps == 3)) return;
    direct_place(g, &own);
    if (fabs(own.h - l->h) > 1e-6 * own.h) return;
    for (int a = 0; a < 3; a++) {
        const double off = (l->origin[a] - own.origin[a]) / own.h;
        if (!(fabs(off) < 1e6) || fabs(off - round(off)) > 1e-4) return;
        l->off[a] = (int32_t)round(off);
    }
    l->direct = 1;
}

/* ---- values ---- */

/* Some cells of a row. */
static enum bwvdb_status cells_sample(const struct bwvdb_file *f, int32_t grid, const struct vdb_lattice *l,
                                      const int32_t at[3], int32_t n, float *const out[3], size_t o,
                                      struct bwvdb_error *error)
{
    enum { MOST = 64 };
    const struct bwvdb_info *g = bwvdb_grid_info(f, grid);
    double pos[MOST][3], value[3 * MOST];
    for (int32_t from = 0; from < n; from += MOST) {
        const int32_t some = n - from < MOST ? n - from : MOST;
        for (int32_t i = 0; i < some; i++) {
            const double x[3] = {l->origin[0] + (at[0] + from + i + .5) * l->h, l->origin[1] + (at[1] + .5) * l->h,
                                 l->origin[2] + (at[2] + .5) * l->h};
            vdb_turn_back(l->y_up, x, pos[i]);
            for (int a = 0; a < 3; a++) pos[i][a] *= l->scale;
        }
        enum bwvdb_status bad = bwvdb_sample(f, grid, (size_t)some, (const double(*)[3])pos, value, error);
        if (bad) return bad;
        for (int32_t i = 0; i < some; i++, o++) {
            double v[3] = {value[i * (int32_t)g->comps], 0, 0};
            if (g->comps == 3) vdb_turn_up(l->turn, value + 3 * i, v);
            for (uint32_t c = 0; c < g->comps; c++) out[c][o] = (float)v[c];
        }
    }
    return BWVDB_OK;
}

enum bwvdb_status vdb_lattice_read(const struct bwvdb_file *f, int32_t grid, const struct vdb_lattice *l,
                                   const int32_t lo[3], const int32_t n[3], float *const out[3],
                                   struct bwvdb_error *error)
{
    const int32_t voxel[3] = {lo[0] + l->off[0], lo[1] + l->off[1], lo[2] + l->off[2]};
    if (l->direct) return bwvdb_read_box(f, grid, voxel, n, out, error);
    enum bwvdb_status bad = BWVDB_OK;
    for (int32_t k = 0; !bad && k < n[2]; k++)
        for (int32_t j = 0; !bad && j < n[1]; j++) {
            const int32_t at[3] = {lo[0], lo[1] + j, lo[2] + k};
            const size_t o = (size_t)n[0] * ((size_t)j + (size_t)n[1] * (size_t)k);
            bad = cells_sample(f, grid, l, at, n[0], out, o, error);
        }
    return bad;
}
