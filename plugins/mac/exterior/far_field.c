// SPDX-License-Identifier: Apache-2.0
/* The far field of the pressure: what the flow's sources make of p beyond the active tiles.
 *
 * The exterior, beyond open sides too, moves as a potential flow: p is harmonic there and falls off. In a box without
 * obstacles p is the sum P of the potentials of all b: 1/(4 pi r) in three dimensions, -ln r/(2 pi) in two, with mirror
 * images behind closed sides. The exterior boundary condition (multigrid_exterior.c), which knows tiles only, applies
 * to what P lacks: beyond a face of conductance c lies p' = (1-c)(p - P) + P', a Robin condition. So obstacles, which P
 * ignores, act by that condition, and all else is independent of which tiles are active and of where the box ends: gas
 * leaves by an open side as it would go on (test_open_sides.c). Where a source has infinitely many images, P is left
 * out: in a channel, and where active tiles lie in layers right across a box that is periodic along all axes but one. A
 * layer at rest would see where its images are cut off, and move by 5 cm/s within two seconds.
 *
 * P is summed by a tree code (Barnes–Hut) with second-order multipoles: groups of tiles far away, down to 4³ cells
 * nearby (far_field_moments.c). It is evaluated on 4×4 nodes of a side (2D: 16), cubic between them. A plume in other
 * tiles differs as little as with direct sums over all cells (test_alignment.c: 5e-4 … 8e-4 of its peak after ten
 * frames; 7e-3 by the exterior boundary condition alone). */
#include "far_field.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/// Do active tiles lie in layers across a box that is periodic along all axes but one?
static int is_layered(const struct multigrid *mg, int64_t n_tiles)
{
    const int32_t *periodic = mg->shape.periodic;
    int layered = periodic[0] + periodic[1] + periodic[2] >= mg->shape.dim - 1;
    for (int64_t t = 0; t < n_tiles && layered; t++)
        for (int s = 0; s < 2 * mg->shape.dim; s++) layered &= !(periodic[s >> 1] && mg->exterior[t][s] > 0);
    return layered;
}

static void sides_number(struct far_field *f, const struct multigrid *mg)
{
    const int endless = mg_is_channel(mg) || is_layered(mg, f->n_tiles);
    f->n_sides = 0;
    for (int64_t t = 0; t < f->n_tiles; t++)
        for (int s = 0; s < 6; s++) {
            f->side_index[t][s] = -1;
            if (s >= 2 * mg->shape.dim || endless || !(mg->exterior[t][s] > 0)) continue;
            f->side[f->n_sides] = (struct far_side){(int32_t)t, s};
            f->side_index[t][s] = (int32_t)f->n_sides++;
        }
}

enum bw_status far_field_fit(struct far_field *f, const struct multigrid *mg)
{
    const size_t n = (size_t)mg->level->count, node = sizeof(struct far_moments);
    const size_t octants = mg->shape.dim == 3 ? 8 : 16;
    const size_t tables = n * (sizeof *f->side_index + 6 * sizeof *f->side + 3 * sizeof(int32_t) + sizeof *f->extent);
    f->n_tiles = (int64_t)n;
    f->side_index = NULL;
    if (!mg_buffer_reserve(mg->stage, &f->tables, tables + 512)) return BW_ERR_MEMORY;
    if (!mg_buffer_reserve(mg->stage, &f->moments, n * node * (FAR_BOXES + octants + 2) + 512)) return BW_ERR_MEMORY;
    struct mg_arena m = {f->moments.data, 0};
    f->box = mg_arena_take(&m, n * FAR_BOXES * node);
    f->octant = mg_arena_take(&m, n * octants * node);
    f->tile = mg_arena_take(&m, n * node);
    f->group = mg_arena_take(&m, n * node);
    m = (struct mg_arena){f->tables.data, 0};
    f->side_index = mg_arena_take(&m, n * sizeof *f->side_index);
    f->side = mg_arena_take(&m, 6 * n * sizeof *f->side);
    f->extent = mg_arena_take(&m, n * sizeof *f->extent);
    f->member = mg_arena_take(&m, n * sizeof *f->member);
    f->first = mg_arena_take(&m, (n + 1) * sizeof *f->first);
    sides_number(f, mg);
    far_group_tiles(f, mg, mg_arena_take(&m, n * sizeof *f->member));
    if (mg_buffer_reserve(mg->stage, &f->robin_memory, (size_t)f->n_sides * sizeof *f->robin)) {
        f->robin = f->robin_memory.data;
        return BW_OK;
    }
    f->side_index = NULL;
    return BW_ERR_MEMORY;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/// Image `i` reflected at a side of axis q.
static struct far_image image_reflect(struct far_image i, int q, double by)
{
    i.sign[q] = -i.sign[q];
    i.by[q] = by - i.by[q];
    return i;
}

/// Adds an image of each of the first `n` behind either side of axis q that is no open one; returns their number.
static int sides_reflect(const struct multigrid *mg, int q, double low, struct far_image image[FAR_IMAGES], int n)
{
    const struct bw_domain_info *g = mg->stage->grid;
    const int a = mg->shape.axis[q], so_far = n;
    for (int high = 0; high < 2; high++)
        for (int i = 0; i < so_far && g->side[2 * a + high].kind != BW_OPEN; i++)
            image[n++] = image_reflect(image[i], q, 2 * ((high ? (double)g->n[a] - .5 : -.5) - low));
    return n;
}

int far_images(const struct multigrid *mg, const struct bw_topology *t, struct far_image image[FAR_IMAGES])
{
    const struct bw_domain_info *g = mg->stage->grid;
    int n = 1;
    image[0] = (struct far_image){.sign = {1, 1, 1}};
    for (int q = 0; q < mg->shape.dim; q++) {
        const int a = mg->shape.axis[q], so_far = n;
        const double low = (double)(t->coord[0][a] - mg->level->coord[0][q]) * g->tile[a];
        if (!(g->n[a] > 0)) continue;
        if (!mg->shape.periodic[q]) {
            n = sides_reflect(mg, q, low, image, n);
            continue;
        }
        for (int i = 0; i < so_far; i++) image[i].period[q] = (double)g->n[a];
        for (int high = 0; high < 2; high++)
            for (int i = 0; i < so_far; i++, n++) {
                image[n] = image[i];
                image[n].turn[q] = (high ? 1. : -1.) * (double)g->n[a];
            }
    }
    return n;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/// Targets of the sum, for one side: the middles of the cells within and beyond it at 16 nodes, from the side's middle.
struct targets {
    float x[3][FAR_LANES];
    double at[3], radius; ///< the side's middle; bounding radius
    double sum[FAR_LANES];
};

struct traversal {
    const struct far_field *f;
    const struct multigrid *mg;
    const struct far_image *image;
    const struct far_field_kernels *kernels;
    struct targets *t;
    float sum[FAR_LANES];
    int pending;
};

static void traversal_flush(struct traversal *w)
{
    for (int i = 0; i < FAR_LANES; i++) {
        w->t->sum[i] += (double)w->sum[i];
        w->sum[i] = 0;
    }
    w->pending = 0;
}

enum { FLUSH = 32 };

/// Adds the potential of one node of the tree.
static void moments_visit(struct traversal *w, const struct far_moments *n, const double mid[3],
                          const struct targets *t)
{
    float d[3];
    for (int q = 0; q < 3; q++) d[q] = (float)far_displacement(w->image, q, mid[q], w->t->at[q]);
    (w->mg->shape.dim == 3 ? w->kernels->potential_3d : w->kernels->potential_2d)(n, t->x, d, w->sum);
    if (++w->pending == FLUSH) traversal_flush(w);
}

/// Multipole acceptance: is a node of this edge far enough from the targets?
static int is_well_separated(const struct traversal *w, const double mid[3], double edge)
{
    double r = 0;
    for (int q = 0; q < w->mg->shape.dim; q++) {
        const double d = far_displacement(w->image, q, mid[q], w->t->at[q]);
        r += d * d;
    }
    const double least = w->t->radius + edge;
    return r > least * least;
}

/// Adds a tile by octants, or by boxes where those are near; `low`: its low corner.
static void tile_visit(struct traversal *w, int64_t tile, const double low[3], const struct targets *reflected)
{
    const int dim = w->mg->shape.dim, n = far_octants(w->mg), layers = dim == 3 ? n : 1;
    const double size = (double)w->mg->shape.edge[0] / n, half = size / 2;
    const struct far_moments *octant = w->f->octant + tile * n * n * layers, *box = w->f->box + tile * FAR_BOXES;
    for (int e = 0; e < n * n * layers; e++) {
        const int at[3] = {e % n, e / n % n, e / (n * n)};
        double mid[3] = {0}, part[3] = {0};
        for (int q = 0; q < dim; q++) mid[q] = low[q] + (at[q] + .5) * size - .5;
        if (is_well_separated(w, mid, size)) {
            moments_visit(w, octant + e, mid, reflected);
            continue;
        }
        for (int c = 0; c < 1 << dim; c++) {
            int32_t b[3] = {0};
            for (int q = 0; q < dim; q++) {
                b[q] = 2 * at[q] + (c >> q & 1);
                part[q] = low[q] + (b[q] + .5) * half - .5;
            }
            moments_visit(w, box + (b[2] * 2 * n + b[1]) * 2 * n + b[0], part, reflected);
        }
    }
}

static int is_periodic(const struct multigrid *mg)
{
    return mg->shape.periodic[0] || mg->shape.periodic[1] || mg->shape.periodic[2];
}

static void group_visit(struct traversal *w, int64_t g, const struct targets *reflected)
{
    const int dim = w->mg->shape.dim, edge = w->mg->shape.edge[0];
    double mid[3] = {0}, size = 0;
    for (int q = 0; q < dim; q++) {
        const int32_t lo = w->f->extent[g][0][q], hi = w->f->extent[g][1][q];
        mid[q] = .5 * (lo + hi) * edge - .5;
        size = fmax(size, (double)(hi - lo) * edge);
    }
    if (!is_periodic(w->mg) && is_well_separated(w, mid, size)) { // a group may lie on both sides of the seam
        moments_visit(w, w->f->group + g, mid, reflected);
        return;
    }
    for (int32_t i = w->f->first[g]; i < w->f->first[g + 1]; i++) {
        const int32_t tile = w->f->member[i], *c = w->mg->level->coord[tile];
        double low[3] = {0};
        for (int q = 0; q < dim; q++) {
            low[q] = (double)c[q] * edge;
            mid[q] = low[q] + .5 * edge - .5;
        }
        if (is_well_separated(w, mid, edge)) moments_visit(w, w->f->tile + tile, mid, reflected);
        else tile_visit(w, tile, low, reflected);
    }
}

/// Sums P of all sources and images at the targets.
static void targets_sum(const struct far_field *f, const struct multigrid *mg, const struct far_image *image,
                        int images, struct targets *t)
{
    for (int i = 0; i < images; i++) {
        struct traversal w = {
            .f = f, .mg = mg, .image = &image[i], .kernels = far_field_kernels_for(mg->stage->host->simd), .t = t};
        struct targets reflected = *t;
        for (int q = 0; q < 3; q++)
            for (int l = 0; l < FAR_LANES; l++) reflected.x[q][l] *= image[i].sign[q];
        for (int64_t g = 0; g < f->n_groups; g++) group_visit(&w, g, &reflected);
        traversal_flush(&w);
    }
}

/* ---- Robin terms ------------------------------------------------------------------------------------------------- */

enum { NODES = FAR_LANES / 2 };

/* Fraction of a tile along an axis that lies in the box. A cut side's nodes lie closer: beyond the box are the images'
 * sources. */
static double tile_fraction(const struct multigrid *mg, int32_t tile, int q)
{
    return (double)mg_tile_cells(mg, tile, q) / mg->shape.edge[q];
}

static struct targets targets_make(const struct multigrid *mg, struct far_side s)
{
    const int a = s.side >> 1, edge = mg->shape.edge[0], dim = mg->shape.dim, u = (a + 1) % dim, v = (a + 2) % 3;
    const double half = .5 * edge, out = s.side & 1 ? .5 : -.5;
    struct targets t = {.radius = dim == 3 ? hypot(half, half) : half};
    for (int q = 0; q < dim; q++) t.at[q] = (double)mg->level->coord[s.tile][q] * edge + half - .5;
    t.at[a] += s.side & 1 ? mg_tile_cells(mg, s.tile, a) - half : -half;
    for (int i = 0; i < FAR_LANES; i++) {
        const int node = i % NODES;
        t.x[a][i] = (float)(i < NODES ? -out : out);
        t.x[u][i] = (float)(tile_fraction(mg, s.tile, u) * ((dim == 3 ? node % 4 : node) * FAR_STEP + 2) - half);
        if (dim == 3) t.x[v][i] = (float)(tile_fraction(mg, s.tile, v) * (node / 4 * FAR_STEP + 2) - half);
    }
    return t;
}

int far_lagrange_weights(int n, double x, double w[4])
{
    int first = (int)floor((x - 1.5) / FAR_STEP) - 1;
    first = first < 0 ? 0 : first > n - 4 ? n - 4 : first;
    const double y = (x - 1.5) / FAR_STEP - first;
    w[0] = (y - 1) * (y - 2) * (y - 3) / -6;
    w[1] = y * (y - 2) * (y - 3) / 2;
    w[2] = y * (y - 1) * (y - 3) / -2;
    w[3] = y * (y - 1) * (y - 2) / 6;
    return first;
}

/// Interpolates from nodes to a side's faces; fraction: of the tile in the box, along the side's axes.
static void robin_interpolate(int dim, int edge, const double fraction[2], const double *node, float *robin)
{
    double w[4], v[4];
    for (int j = 0; j < (dim == 3 ? edge : 1); j++) {
        const int row = dim == 3 ? far_lagrange_weights(4, (j + .5) / fraction[1] - .5, v) : 0;
        for (int i = 0; i < edge; i++) {
            const int first = far_lagrange_weights(dim == 3 ? 4 : NODES, (i + .5) / fraction[0] - .5, w);
            double sum = 0;
            for (int q = 0; q < (dim == 3 ? 4 : 1); q++)
                for (int p = 0; p < 4; p++) sum += (dim == 3 ? v[q] : 1) * w[p] * node[(row + q) * 4 + first + p];
            robin[j * edge + i] = (float)sum;
        }
    }
}

struct job {
    struct far_field *f;
    struct multigrid *mg;
    struct far_image image[FAR_IMAGES];
    int images;
};

static void side_robin(int64_t number, uint32_t worker, void *user)
{
    const struct job *j = user;
    const struct far_side s = j->f->side[number];
    struct targets t = targets_make(j->mg, s);
    const double keep = 1 - (double)j->mg->exterior[s.tile][s.side], norm = j->mg->shape.dim == 3 ? 4 * PI : 2 * PI;
    double node[NODES];
    (void)worker;
    if (!mg_owns_tile(j->mg, s.tile)) return;
    targets_sum(j->f, j->mg, j->image, j->images, &t);
    for (int i = 0; i < NODES; i++) node[i] = (t.sum[NODES + i] - keep * t.sum[i]) / norm;
    const int dim = j->mg->shape.dim, u = ((s.side >> 1) + 1) % dim, v = ((s.side >> 1) + 2) % 3;
    const double of[2] = {tile_fraction(j->mg, s.tile, u), tile_fraction(j->mg, s.tile, v)};
    robin_interpolate(dim, j->mg->shape.edge[0], of, node, j->f->robin[number]);
}

/// Adds a side's Robin terms to b, by the open area fractions of its faces.
static void side_add_to_b(const struct multigrid *mg, struct far_side s, const float *robin)
{
    const int dim = mg->shape.dim, a = s.side >> 1, u = (a + 1) % dim, v = (a + 2) % 3, edge = mg->shape.edge[0];
    const float *weight = mg_weights(mg->level, s.tile);
    int32_t at[3] = {0};
    if (!mg_owns_tile(mg, s.tile)) return;
    at[a] = s.side & 1 ? mg_tile_cells(mg, s.tile, a) - 1 : 0;
    for (int j = 0; j < (dim == 3 ? edge : 1); j++)
        for (int i = 0; i < edge; i++) {
            at[u] = i;
            if (dim == 3) at[v] = j;
            const int place = mg_colour_index(dim, at[0], at[1], at[2]);
            const int64_t cell = s.tile * (int64_t)MG_CELLS + place;
            if (!mg->kind[s.tile * (int64_t)MG_CELLS + mg_index(dim, at[0], at[1], at[2])]) continue;
            mg->level->b[cell] +=
                (weight ? weight[s.side * MG_CELLS + place] / mg->exterior[s.tile][s.side] : 1) * robin[j * edge + i];
        }
}

enum bw_status far_field_apply(struct far_field *f, struct multigrid *mg, const struct bw_topology *t)
{
    struct job j = {.f = f, .mg = mg};
    if (!f->n_sides) return BW_OK;
    j.images = far_images(mg, t, j.image);
    const enum bw_status status = far_compute_moments(f, mg);
    if (status != BW_OK) return status;
    mg->stage->host->parallel_for(mg->stage, f->n_sides, side_robin, &j);
    for (int64_t i = 0; i < f->n_sides; i++)
        side_add_to_b(mg, f->side[i], f->robin[i]); // serial: sides share edge cells
    return BW_OK;
}
