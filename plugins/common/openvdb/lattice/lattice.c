// SPDX-License-Identifier: Apache-2.0
#include "lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MOST 2e9 ///< in a box that is resampled; larger cubes are taken beyond

static const char *text_of(const struct bwvdb_meta *m, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(m[i].key, key)) return m[i].string;
    return NULL;
}

/* Of the file, else of its first grid. */
static const char *said(const struct bwvdb_file *f, const char *key)
{
    uint32_t n;
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n);
    const char *text = text_of(m, n, key);
    const struct bwvdb_info *g = text ? NULL : bwvdb_grid_info(f, 0);
    return g ? text_of(g->meta, g->n_meta, key) : text;
}

static double said_number(const struct bwvdb_file *f, const char *key)
{
    const char *text = said(f, key);
    const double value = text ? strtod(text, NULL) : 0;
    return isfinite(value) && value > 0 ? value : 0;
}

int vdb_axis_is_y(const char *text)
{
    text += *text == '+';
    return *text == 'y' || *text == 'Y';
}

void vdb_facts_read(const struct bwvdb_file *f, struct vdb_facts *facts)
{
    const char *up = said(f, "up_axis"), *creator = said(f, "creator");
    *facts = (struct vdb_facts){.fps = said_number(f, "fps"), .scale = said_number(f, "scale")};
    if (!(facts->scale > 0)) facts->scale = 1;
    facts->ours = creator && !strncmp(creator, "Billow", 6);
    facts->y_up = up ? vdb_axis_is_y(up) : creator && !strncmp(creator, "Houdini", 7);
}

/* ---- places ---- */

static void to_ours(int y_up, const double in[3], double out[3])
{
    out[0] = in[0];
    out[1] = y_up ? -in[2] : in[1];
    out[2] = y_up ? in[1] : in[2];
}

static void to_file(const struct vdb_lattice *l, const double in[3], double out[3])
{
    out[0] = in[0] * l->scale;
    out[1] = (l->y_up ? in[2] : in[1]) * l->scale;
    out[2] = (l->y_up ? -in[1] : in[2]) * l->scale;
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
    double a[3], b[3], cells;
    const double zero[3] = {g->matrix[3], g->matrix[7], g->matrix[11]};
    double middle[3];
    to_ours(l->y_up, g->world_lo, a);
    to_ours(l->y_up, g->world_hi, b);
    to_ours(l->y_up, zero, middle);
    l->h = cube_of(g->voxel) / l->scale;
    do {
        cells = 1;
        for (int d = 0; d < 3; d++) {
            const double lo = fmin(a[d], b[d]) / l->scale, hi = fmax(a[d], b[d]) / l->scale;
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
            to_file(l, x, pos[i]);
        }
        enum bwvdb_status bad = bwvdb_sample(f, grid, (size_t)some, (const double(*)[3])pos, value, error);
        if (bad) return bad;
        for (int32_t i = 0; i < some; i++, o++) {
            double v[3] = {value[i * (int32_t)g->comps], 0, 0};
            if (g->comps == 3) to_ours(l->turn, value + 3 * i, v);
            for (uint32_t c = 0; c < g->comps; c++) out[c][o] = (float)v[c];
        }
    }
    return BWVDB_OK;
}

enum bwvdb_status vdb_lattice_read(const struct bwvdb_file *f, int32_t grid, const struct vdb_lattice *l,
                                   const int32_t lo[3], const int32_t n[3], float *const out[3],
                                   struct bwvdb_error *error)
{
    if (l->direct) return bwvdb_read_box(f, grid, lo, n, out, error);
    enum bwvdb_status bad = BWVDB_OK;
    for (int32_t k = 0; !bad && k < n[2]; k++)
        for (int32_t j = 0; !bad && j < n[1]; j++) {
            const int32_t at[3] = {lo[0], lo[1] + j, lo[2] + k};
            const size_t o = (size_t)n[0] * ((size_t)j + (size_t)n[1] * (size_t)k);
            bad = cells_sample(f, grid, l, at, n[0], out, o, error);
        }
    return bad;
}
