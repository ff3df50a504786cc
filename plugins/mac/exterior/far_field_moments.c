// SPDX-License-Identifier: Apache-2.0
/* Multipole moments of the right-hand side, up to the second (quadrupole): of boxes, octants, tiles and groups of
 * tiles, each level from the finer one. Mirrored sources have mirrored moments, within rounding. */
#include "far_field.h"
#include <string.h>

/// Shifts a child's moments to the parent's middle, from which the child's lies at x, and adds them.
static void moments_add(struct far_moments *to, const struct far_moments *n, const float x[3])
{
    static const int a[6] = {0, 1, 2, 0, 0, 1}, b[6] = {0, 1, 2, 1, 2, 2};
    to->m += n->m;
    for (int q = 0; q < 3; q++) to->d[q] += n->d[q] + n->m * x[q];
    for (int e = 0; e < 6; e++)
        to->q[e] += n->q[e] + (x[a[e]] * n->d[b[e]] + x[b[e]] * n->d[a[e]]) + n->m * (x[a[e]] * x[b[e]]);
}

/* Adds the cells of one row, split by parity, to boxes that lie in a row: y, z from their middles. */
static void row_add(struct far_moments *box, int boxes, const float *even, const float *odd, float y, float z, int half)
{
    for (int s = 0; s < boxes; s++, box++) {
        float sum = 0, first = 0, second = 0;
        for (int i = 0; i < half; i++) {
            const float e = even[s * half + i], o = odd[s * half + i];
            const float x = (float)(2 * (2 * i - half) + 1) * .5f;
            sum += e + o;
            first += x * e + (x + 1) * o;
            second += x * x * e + (x + 1) * (x + 1) * o;
        }
        box->m += sum;
        box->d[0] += first;
        box->d[1] += y * sum;
        box->d[2] += z * sum;
        box->q[0] += second;
        box->q[1] += y * y * sum;
        box->q[2] += z * z * sum;
        box->q[3] += y * first;
        box->q[4] += z * first;
        box->q[5] += y * z * sum;
    }
}

/// Moments of n nodes along each axis, from those of twice as many; edge: cells of a child.
static void moments_merge(int dim, int n, int edge, const struct far_moments *child, struct far_moments *to)
{
    const int m = 2 * n, layers = dim == 3 ? m : 1;
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < m; j++)
            for (int i = 0; i < m; i++) {
                const float half = .5f * (float)edge;
                const float x[3] = {i & 1 ? half : -half, j & 1 ? half : -half, dim == 2 ? 0 : k & 1 ? half : -half};
                moments_add(&to[(k / 2 * n + j / 2) * n + i / 2], &child[(k * m + j) * m + i], x);
            }
}

struct job {
    struct far_field *f;
    const struct multigrid *mg;
};

static void tile_moments(int64_t tile, uint32_t worker, void *user)
{
    const struct job *g = user;
    const int dim = g->mg->shape.dim, n = far_boxes(g->mg), edge = g->mg->shape.edge[0], size = edge / n;
    const int octants = n / 2, many = octants * octants * (dim == 3 ? octants : 1);
    const float *b = g->mg->level->b + tile * MG_CELLS, mid = .5f * (float)(size - 1);
    struct far_moments *box = g->f->box + tile * FAR_BOXES, *octant = g->f->octant + tile * many;
    struct far_moments quarter[8] = {{0}};
    (void)worker;
    if (!mg_owns_tile(g->mg, tile)) return;
    memset(box, 0, FAR_BOXES * sizeof *box);
    memset(octant, 0, (size_t)many * sizeof *octant);
    memset(g->f->tile + tile, 0, sizeof *g->f->tile);
    for (int k = 0; k < (dim == 3 ? edge : 1); k++)
        for (int j = 0; j < edge; j++)
            row_add(box + ((dim == 3 ? k / size * n : 0) + j / size) * n, n, b + mg_colour_index(dim, 0, j, k),
                    b + mg_colour_index(dim, 1, j, k), (float)(j % size) - mid, dim == 3 ? (float)(k % size) - mid : 0,
                    size / 2);
    moments_merge(dim, octants, size, box, octant);
    if (dim == 3) {
        moments_merge(dim, 1, 2 * size, octant, g->f->tile + tile);
    } else {
        moments_merge(dim, 2, 2 * size, octant, quarter);
        moments_merge(dim, 1, 4 * size, quarter, g->f->tile + tile);
    }
}

static void group_moments(int64_t group, uint32_t worker, void *user)
{
    const struct job *g = user;
    const struct far_field *f = g->f;
    const struct multigrid *mg = g->mg;
    struct far_moments *to = f->group + group;
    (void)worker;
    memset(to, 0, sizeof *to);
    for (int32_t i = f->first[group]; i < f->first[group + 1]; i++) {
        const int32_t *c = mg->level->coord[f->member[i]];
        float x[3] = {0};
        for (int q = 0; q < mg->shape.dim; q++)
            x[q] = .5f * (float)((2 * c[q] + 1 - f->extent[group][0][q] - f->extent[group][1][q]) * mg->shape.edge[q]);
        moments_add(to, f->tile + f->member[i], x);
    }
}

enum bw_status far_compute_moments(struct far_field *f, struct multigrid *mg)
{
    struct job g = {f, mg};
    const size_t octants = mg->shape.dim == 3 ? 8 : 16;
    mg->stage->host->parallel_for(mg->stage, f->n_tiles, tile_moments, &g);
    enum bw_status status = mg_allgather(mg, f->box, NULL, FAR_BOXES * sizeof *f->box);
    if (status == BW_OK) status = mg_allgather(mg, f->octant, NULL, octants * sizeof *f->octant);
    if (status == BW_OK) status = mg_allgather(mg, f->tile, NULL, sizeof *f->tile);
    mg->stage->host->parallel_for(mg->stage, f->n_groups, group_moments, &g);
    return status;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* n tiles in a row are divided into parts of FAR_GROUP at most, symmetrically: where part i of `parts` begins. */
static int32_t part_begin(int32_t n, int32_t parts, int32_t i)
{
    return 2 * i <= parts ? (2 * i == parts ? n / 2 : i * n / parts) : n - part_begin(n, parts, parts - i);
}

static int32_t parts_of(int32_t n)
{
    const int32_t parts = (n + FAR_GROUP - 1) / FAR_GROUP;
    return (n & 1) && !(parts & 1) ? parts + 1 : parts; // an odd one out lies in the middle
}

static int32_t part_find(int32_t n, int32_t parts, int32_t at)
{
    int32_t i = at * parts / n;
    while (part_begin(n, parts, i) > at) i--;
    while (part_begin(n, parts, i + 1) <= at) i++;
    return i;
}

enum { PARTS_MOST = 1024 };

struct parts {
    int32_t cells[3], n[3]; ///< tiles and parts along each axis
};

static struct parts parts_find(const struct multigrid *mg)
{
    struct parts p = {0};
    for (int q = 0; q < 3; q++) {
        p.cells[q] = mg->level->cells[q] / mg->shape.edge[q] + (mg->level->cells[q] % mg->shape.edge[q] != 0);
        p.n[q] = parts_of(p.cells[q]);
        if (p.n[q] > PARTS_MOST) p.n[q] = PARTS_MOST - (p.cells[q] & 1);
    }
    return p;
}

/// Where tile t lies along an axis, in parts.
static int32_t part_of(const struct multigrid *mg, const struct parts *p, int32_t t, int q)
{
    return part_find(p->cells[q], p->n[q], mg->level->coord[t][q]);
}

/// One pass of a counting sort, stable.
static void sort_axis(const struct multigrid *mg, const struct parts *p, int q, int64_t n, const int32_t *from,
                      int32_t *to)
{
    int32_t place[PARTS_MOST + 1] = {0};
    for (int64_t i = 0; i < n; i++) place[part_of(mg, p, from[i], q) + 1]++;
    for (int32_t i = 0; i < p->n[q]; i++) place[i + 1] += place[i];
    for (int64_t i = 0; i < n; i++) to[place[part_of(mg, p, from[i], q)]++] = from[i];
}

void far_group_tiles(struct far_field *f, const struct multigrid *mg, int32_t *scratch)
{
    const struct parts p = parts_find(mg);
    int32_t last[3] = {-1, -1, -1};
    for (int64_t i = 0; i < f->n_tiles; i++) scratch[i] = (int32_t)i;
    sort_axis(mg, &p, 0, f->n_tiles, scratch, f->member);
    sort_axis(mg, &p, 1, f->n_tiles, f->member, scratch);
    sort_axis(mg, &p, 2, f->n_tiles, scratch, f->member);
    f->n_groups = 0;
    for (int64_t i = 0; i < f->n_tiles; i++) {
        int32_t at[3], same = 1;
        for (int q = 0; q < 3; q++) {
            at[q] = part_of(mg, &p, f->member[i], q);
            same &= at[q] == last[q];
            last[q] = at[q];
        }
        if (same) continue;
        for (int q = 0; q < 3; q++) {
            f->extent[f->n_groups][0][q] = part_begin(p.cells[q], p.n[q], at[q]);
            f->extent[f->n_groups][1][q] = part_begin(p.cells[q], p.n[q], at[q] + 1);
        }
        f->first[f->n_groups++] = (int32_t)i;
    }
    f->first[f->n_groups] = (int32_t)f->n_tiles;
}
