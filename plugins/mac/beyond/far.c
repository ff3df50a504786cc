// SPDX-License-Identifier: Apache-2.0
/* What the flow's sources make of the pressure beyond the active tiles.
 *
 * Still air out there moves as a potential flow, p is harmonic and falls off. In a box without obstacles it is the sum
 * P of the potentials of all b: 1/(4 pi r) in three dimensions, -ln r/(2 pi) in two, with mirror images behind closed
 * sides. The rim's law (multigrid_exterior.c), which knows tiles only, is asked for what P lacks: beyond a face of
 * conductance c lies  p' = (1-c)(p - P) + P', so that obstacles, open sides and walls on both sides, which P does not
 * know, act as that law has it, and all else does not depend on which tiles are active.
 *
 * P is summed over a tree: of what is far the moments of a group of tiles count, of what is near those of 4³ cells
 * (far_moments.c); on 4×4 nodes of a side (in 2D 16), between which it is cubic. A plume in other tiles differs by as
 * little as with sums over all cells one by one (test_alignment.c: 5e-4 … 8e-4 of its peak after ten frames; 7e-3 by
 * the rim's law alone). */
#include "far.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- sides ------------------------------------------------------------------------------------------------------- */

static void sides_number(struct far *f, const struct multigrid *mg)
{
    f->n_sides = 0;
    for (int64_t t = 0; t < f->n_tiles; t++)
        for (int s = 0; s < 6; s++) {
            f->number[t][s] = -1;
            if (s >= 2 * mg->shape.dim || !(mg->exterior[t][s] > 0)) continue;
            f->side[f->n_sides] = (struct far_side){(int32_t)t, s};
            f->number[t][s] = (int32_t)f->n_sides++;
        }
}

void *far_cut(char **memory, size_t bytes)
{
    void *p = *memory;
    *memory += (bytes + 63) & ~(size_t)63;
    return p;
}

enum bw_status far_fit(struct far *f, const struct multigrid *mg)
{
    const size_t n = (size_t)mg->level->count, node = sizeof(struct far_node);
    const size_t octants = mg->shape.dim == 3 ? 8 : 16;
    const size_t tables = n * (sizeof *f->number + 6 * sizeof *f->side + 3 * sizeof(int32_t) + sizeof *f->span);
    f->n_tiles = (int64_t)n;
    f->number = NULL;
    if (!mg_buffer_reserve(mg->stage, &f->tables, tables + 512)) return BW_ERR_MEMORY;
    if (!mg_buffer_reserve(mg->stage, &f->moments, n * node * (FAR_BOXES + octants + 2) + 512)) return BW_ERR_MEMORY;
    char *m = f->moments.data;
    f->box = far_cut(&m, n * FAR_BOXES * node);
    f->octant = far_cut(&m, n * octants * node);
    f->tile = far_cut(&m, n * node);
    f->group = far_cut(&m, n * node);
    m = f->tables.data;
    f->number = far_cut(&m, n * sizeof *f->number);
    f->side = far_cut(&m, 6 * n * sizeof *f->side);
    f->span = far_cut(&m, n * sizeof *f->span);
    f->member = far_cut(&m, n * sizeof *f->member);
    f->first = far_cut(&m, (n + 1) * sizeof *f->first);
    sides_number(f, mg);
    far_group(f, mg, far_cut(&m, n * sizeof *f->member));
    if (mg_buffer_reserve(mg->stage, &f->lifts, (size_t)f->n_sides * sizeof *f->lift)) {
        f->lift = f->lifts.data;
        return BW_OK;
    }
    f->number = NULL;
    return BW_ERR_MEMORY;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static int side_is_touched(const struct bw_topology *t, int side)
{
    for (int64_t i = 0; i < t->count; i++)
        if (t->neighbour[i][side] == BW_TILE_OUTSIDE) return 1;
    return 0;
}

/// The image of image `i` behind a side of axis q.
static struct far_image image_behind(struct far_image i, int q, double by, int is_open)
{
    i.sign[q] = -i.sign[q];
    i.by[q] = by - i.by[q];
    i.gain *= is_open ? -1 : 1;
    return i;
}

/* Behind two sides that face each other there are images of images without end. Where p is 0 behind one of them the
 * strengths of those that are counted must add up to nothing, or far off air would be drawn in that is to be let out:
 * the last weigh less. Potentials fall off slowly in two dimensions, where weights go by the number of open sides that
 * an image is behind, and one more makes the second moment of what is in the middle vanish as well. */
static int sides_reflect(const struct multigrid *mg, int q, const int seen[2], double low,
                         struct far_image image[FAR_IMAGES], int so_far)
{
    static const double weight[2][5] = {{1, 1, .5}, {1, 1, .7, .2}};
    const struct bw_domain_info *g = mg->stage->grid;
    const int a = mg->shape.axis[q], is_flat = mg->shape.dim == 2;
    double by[2];
    int is_open[2], n = so_far;
    for (int high = 0; high < 2; high++) {
        is_open[high] = g->side[2 * a + high].kind == BW_OPEN;
        const double beyond = is_open[high] ? 1 : .5; // p is 0 in the middle of the next cell
        by[high] = 2 * ((high ? (double)g->n[a] - 1 + beyond : -beyond) - low);
    }
    const int on = seen[0] && seen[1] && (is_open[0] || is_open[1]);
    for (int high = 0; high < 2; high++)
        for (int i = 0; i < so_far && seen[high]; i++) {
            struct far_image last = image_behind(image[i], q, by[high], is_open[high]);
            int side = high, behind = is_flat ? is_open[high] : 1;
            image[n++] = last;
            for (;;) {
                side ^= 1;
                behind += is_flat ? is_open[side] : 1;
                const double share = on ? weight[is_flat][behind] : 0;
                if (!(share > 0)) break;
                last = image_behind(last, q, by[side], is_open[side]);
                image[n] = last;
                image[n++].gain *= share;
            }
        }
    return n;
}

int far_images(const struct multigrid *mg, const struct bw_topology *t, int open, struct far_image image[FAR_IMAGES])
{
    const struct bw_domain_info *g = mg->stage->grid;
    int n = 1;
    image[0] = (struct far_image){.sign = {1, 1, 1}, .gain = 1};
    for (int q = 0; q < mg->shape.dim; q++) {
        const int a = mg->shape.axis[q], so_far = n;
        const double low = (double)(t->coord[0][a] - mg->level->coord[0][q]) * g->tile[a];
        if (!(g->n[a] > 0)) continue;
        if (!mg->shape.periodic[q]) {
            int seen[2];
            for (int high = 0; high < 2; high++)
                seen[high] = g->side[2 * a + high].kind != BW_OPEN || (open && side_is_touched(t, 2 * a + high));
            n = sides_reflect(mg, q, seen, low, image, so_far);
            continue;
        }
        for (int i = 0; i < so_far; i++) image[i].round[q] = (double)g->n[a];
        for (int high = 0; high < 2; high++)
            for (int i = 0; i < so_far; i++, n++) {
                image[n] = image[i];
                image[n].turn[q] = (high ? 1. : -1.) * (double)g->n[a];
            }
    }
    return n;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/// The points of one side where P is wanted: the cells' middles within and beyond it at 16 nodes, from the side's.
struct targets {
    float x[3][FAR_LANES];
    double at[3], radius; ///< of the middle; of a ball round all
    double sum[FAR_LANES];
};

struct walk {
    const struct far *f;
    const struct multigrid *mg;
    const struct far_image *image;
    const struct far_kernels *kernels;
    struct targets *t;
    float sum[FAR_LANES];
    int pending;
};

static void walk_flush(struct walk *w)
{
    for (int i = 0; i < FAR_LANES; i++) {
        w->t->sum[i] += w->image->gain * (double)w->sum[i];
        w->sum[i] = 0;
    }
    w->pending = 0;
}

enum { FLUSH = 32 };

static void node_visit(struct walk *w, const struct far_node *n, const double mid[3], const struct targets *t)
{
    float d[3];
    for (int q = 0; q < 3; q++) d[q] = (float)far_way(w->image, q, mid[q], w->t->at[q]);
    (w->mg->shape.dim == 3 ? w->kernels->node3 : w->kernels->node2)(n, t->x, d, w->sum);
    if (++w->pending == FLUSH) walk_flush(w);
}

static int is_far(const struct walk *w, const double mid[3], double edge)
{
    double r = 0;
    for (int q = 0; q < w->mg->shape.dim; q++) {
        const double d = far_way(w->image, q, mid[q], w->t->at[q]);
        r += d * d;
    }
    const double room = w->t->radius + edge;
    return r > room * room;
}

/// The nodes of one level inside a tile whose low corner is `low`, from octants down.
static void tile_descend(struct walk *w, int64_t tile, const double low[3], const struct targets *seen)
{
    const int dim = w->mg->shape.dim, n = far_octants(w->mg), layers = dim == 3 ? n : 1;
    const double size = (double)w->mg->shape.edge[0] / n, half = size / 2;
    const struct far_node *octant = w->f->octant + tile * n * n * layers, *box = w->f->box + tile * FAR_BOXES;
    for (int e = 0; e < n * n * layers; e++) {
        const int at[3] = {e % n, e / n % n, e / (n * n)};
        double mid[3] = {0}, part[3] = {0};
        for (int q = 0; q < dim; q++) mid[q] = low[q] + (at[q] + .5) * size - .5;
        if (is_far(w, mid, size)) {
            node_visit(w, octant + e, mid, seen);
            continue;
        }
        for (int c = 0; c < 1 << dim; c++) {
            int32_t b[3] = {0};
            for (int q = 0; q < dim; q++) {
                b[q] = 2 * at[q] + (c >> q & 1);
                part[q] = low[q] + (b[q] + .5) * half - .5;
            }
            node_visit(w, box + (b[2] * 2 * n + b[1]) * 2 * n + b[0], part, seen);
        }
    }
}

static int leads_round(const struct multigrid *mg)
{
    return mg->shape.periodic[0] || mg->shape.periodic[1] || mg->shape.periodic[2];
}

static void group_walk(struct walk *w, int64_t g, const struct targets *seen)
{
    const int dim = w->mg->shape.dim, edge = w->mg->shape.edge[0];
    double mid[3] = {0}, size = 0;
    for (int q = 0; q < dim; q++) {
        const int32_t lo = w->f->span[g][0][q], hi = w->f->span[g][1][q];
        mid[q] = .5 * (lo + hi) * edge - .5;
        size = fmax(size, (double)(hi - lo) * edge);
    }
    if (!leads_round(w->mg) && is_far(w, mid, size)) { // groups end where a seam happens to be
        node_visit(w, w->f->group + g, mid, seen);
        return;
    }
    for (int32_t i = w->f->first[g]; i < w->f->first[g + 1]; i++) {
        const int32_t tile = w->f->member[i], *c = w->mg->level->coord[tile];
        double low[3] = {0};
        for (int q = 0; q < dim; q++) {
            low[q] = (double)c[q] * edge;
            mid[q] = low[q] + .5 * edge - .5;
        }
        if (is_far(w, mid, edge)) node_visit(w, w->f->tile + tile, mid, seen);
        else tile_descend(w, tile, low, seen);
    }
}

static void targets_sum(const struct far *f, const struct multigrid *mg, const struct far_image *image, int images,
                        struct targets *t)
{
    for (int i = 0; i < images; i++) {
        struct walk w = {
            .f = f, .mg = mg, .image = &image[i], .kernels = far_kernels_of(mg->stage->host->simd), .t = t};
        struct targets seen = *t;
        for (int q = 0; q < 3; q++)
            for (int l = 0; l < FAR_LANES; l++) seen.x[q][l] *= image[i].sign[q];
        for (int64_t g = 0; g < f->n_groups; g++) group_walk(&w, g, &seen);
        walk_flush(&w);
    }
}

/* ---- lifts ------------------------------------------------------------------------------------------------------- */

enum { NODES = FAR_LANES / 2 };

/* How much of a tile the box leaves along an axis: a cut side's nodes lie closer, for beyond the box are the images'
 * sources. */
static double tile_share(const struct multigrid *mg, int32_t tile, int q)
{
    const int32_t edge = mg->shape.edge[q], left = mg->level->cells[q] - mg->level->coord[tile][q] * edge;
    return left < edge ? (double)left / edge : 1;
}

static struct targets targets_make(const struct multigrid *mg, struct far_side s)
{
    const int a = s.side >> 1, edge = mg->shape.edge[0], dim = mg->shape.dim, u = (a + 1) % dim, v = (a + 2) % 3;
    const double half = .5 * edge, out = s.side & 1 ? .5 : -.5;
    struct targets t = {.radius = dim == 3 ? hypot(half, half) : half};
    for (int q = 0; q < dim; q++) t.at[q] = (double)mg->level->coord[s.tile][q] * edge + half - .5;
    t.at[a] += (s.side & 1 ? half : -half);
    for (int i = 0; i < FAR_LANES; i++) {
        const int node = i % NODES;
        t.x[a][i] = (float)(i < NODES ? -out : out);
        t.x[u][i] = (float)(tile_share(mg, s.tile, u) * ((dim == 3 ? node % 4 : node) * FAR_STEP + 2) - half);
        if (dim == 3) t.x[v][i] = (float)(tile_share(mg, s.tile, v) * (node / 4 * FAR_STEP + 2) - half);
    }
    return t;
}

int far_cubic(int n, double x, double w[4])
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

/// From nodes to a side's faces; share: of the tile along the side's axes.
static void lift_spread(int dim, int edge, const double share[2], const double *node, float *lift)
{
    double w[4], v[4];
    for (int j = 0; j < (dim == 3 ? edge : 1); j++) {
        const int row = dim == 3 ? far_cubic(4, (j + .5) / share[1] - .5, v) : 0;
        for (int i = 0; i < edge; i++) {
            const int first = far_cubic(dim == 3 ? 4 : NODES, (i + .5) / share[0] - .5, w);
            double sum = 0;
            for (int q = 0; q < (dim == 3 ? 4 : 1); q++)
                for (int p = 0; p < 4; p++) sum += (dim == 3 ? v[q] : 1) * w[p] * node[(row + q) * 4 + first + p];
            lift[j * edge + i] = (float)sum;
        }
    }
}

struct job {
    struct far *f;
    struct multigrid *mg;
    struct far_image image[FAR_IMAGES];
    int images;
};

static void side_lift(int64_t number, uint32_t worker, void *user)
{
    const struct job *j = user;
    const struct far_side s = j->f->side[number];
    struct targets t = targets_make(j->mg, s);
    const double keep = 1 - (double)j->mg->exterior[s.tile][s.side], share = j->mg->shape.dim == 3 ? 4 * PI : 2 * PI;
    double node[NODES];
    (void)worker;
    if (!mg_owns_tile(j->mg, s.tile)) return;
    targets_sum(j->f, j->mg, j->image, j->images, &t);
    for (int i = 0; i < NODES; i++) node[i] = (t.sum[NODES + i] - keep * t.sum[i]) / share;
    const int dim = j->mg->shape.dim, u = ((s.side >> 1) + 1) % dim, v = ((s.side >> 1) + 2) % 3;
    const double of[2] = {tile_share(j->mg, s.tile, u), tile_share(j->mg, s.tile, v)};
    lift_spread(dim, j->mg->shape.edge[0], of, node, j->f->lift[number]);
}

/// Adds a side's lifts to b, by the open shares of its faces.
static void side_add(const struct multigrid *mg, struct far_side s, const float *lift)
{
    const int dim = mg->shape.dim, a = s.side >> 1, u = (a + 1) % dim, v = (a + 2) % 3, edge = mg->shape.edge[0];
    const float *weight = mg_weights(mg->level, s.tile);
    int32_t at[3] = {0};
    if (!mg_owns_tile(mg, s.tile)) return;
    at[a] = s.side & 1 ? edge - 1 : 0;
    for (int j = 0; j < (dim == 3 ? edge : 1); j++)
        for (int i = 0; i < edge; i++) {
            at[u] = i;
            if (dim == 3) at[v] = j;
            const int place = mg_colour_index(dim, at[0], at[1], at[2]);
            const int64_t cell = s.tile * (int64_t)MG_CELLS + place;
            if (!mg->kind[s.tile * (int64_t)MG_CELLS + mg_index(dim, at[0], at[1], at[2])]) continue;
            mg->level->b[cell] +=
                (weight ? weight[s.side * MG_CELLS + place] / mg->exterior[s.tile][s.side] : 1) * lift[j * edge + i];
        }
}

enum bw_status far_apply(struct far *f, struct multigrid *mg, const struct bw_topology *t)
{
    struct job j = {.f = f, .mg = mg};
    if (!f->n_sides) return BW_OK;
    j.images = far_images(mg, t, 1, j.image);
    const enum bw_status status = far_gather(f, mg);
    if (status != BW_OK) return status;
    mg->stage->host->parallel_for(mg->stage, f->n_sides, side_lift, &j);
    for (int64_t i = 0; i < f->n_sides; i++) side_add(mg, f->side[i], f->lift[i]); // sides meet in edge cells
    return BW_OK;
}

const struct far_kernels *far_kernels_of(uint32_t simd)
{
    if (simd == BW_SIMD_AVX512) return &far_kernels_avx512;
    return simd == BW_SIMD_AVX2 ? &far_kernels_avx2 : &far_kernels_baseline;
}
