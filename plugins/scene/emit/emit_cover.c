// SPDX-License-Identifier: Apache-2.0
/* Coverage of each cell by the source, and the amounts and the velocity emitted there. */
#include "emit.h"

#include <math.h>

#define BLEND_TIME (1.0 / 24) // s

/* Coverage of the cells of a block within the shape's bounds, x fastest: largest and mean along its path. */
struct cover {
    struct cells cells;
    float *most, *mean;
};

int noise_octaves(const struct emit_noise *n, double h)
{
    int count = 0;
    for (double size = n->size; count < n->octaves && size >= h; size /= 2) count++;
    return n->amount > 0 ? count : 0;
}

int noise_prepare(const struct emit_noise *n, uint64_t seed, int octaves, double time, const struct bw_block *b,
                  const double lo[3], const double hi[3], struct bw_noise_lattice *l)
{
    double size = n->size;
    for (int o = 0; o < octaves; o++, size /= 2) {
        const uint64_t own = bw_rng(seed, (uint64_t)o);
        l[o].g = b->stage->host->body_scratch(b, bw_noise_place(&l[o], own, size, lo, hi));
        if (!l[o].g) return 0;
        emit_kernels_for(b->stage->host->simd)->fill(&l[o], own, time * n->speed / size);
    }
    return 1;
}

/* Largest and mean coverage at x along the shape's path. */
static double cover_at(const struct plan *a, const double x[3], double *mean)
{
    double most = 0, sum = 0;
    for (int i = 0; i < a->n_poses; i++) {
        double c = pose_cover(&a->pose[i], x, a->width);
        most = fmax(most, c);
        sum += c;
    }
    *mean = sum / a->n_poses;
    return most;
}

static struct points_cells points_cells(const struct plan *a, const struct bw_block *b, const struct cells *c)
{
    return (struct points_cells){.block = b,
                                 .lo = {c->lo[0], c->lo[1], c->lo[2]},
                                 .hi = {c->hi[0], c->hi[1], c->hi[2]},
                                 .at = {0.5, 0.5, 0.5},
                                 .width = a->width,
                                 .samples = a->n_poses};
}

static size_t cells_count(const int32_t lo[3], const int32_t hi[3])
{
    return (size_t)(hi[0] - lo[0]) * (size_t)(hi[1] - lo[1]) * (size_t)(hi[2] - lo[2]);
}

static void poses_cover(const struct plan *a, const struct bw_block *b, const struct cover *cover)
{
    const struct cells *c = &cover->cells;
    size_t at = 0;
    for (int k = c->lo[2]; k < c->hi[2]; k++)
        for (int j = c->lo[1]; j < c->hi[1]; j++)
            for (int i = c->lo[0]; i < c->hi[0]; i++, at++) {
                const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5),
                                     block_coord(b, 2, k + 0.5)};
                double mean;
                cover->most[at] = (float)cover_at(a, x, &mean);
                cover->mean[at] = (float)mean;
            }
}

/// Covered cells whose noise is evaluated together.
struct noise_batch {
    struct noise_places places;
    size_t cell[NOISE_PLACES];
};

static void noise_flush(const struct plan *a, const struct bw_block *b, const struct cover *cover,
                        struct noise_batch *q)
{
    if (q->places.n) emit_kernels_for(b->stage->host->simd)->share(&q->places, a->octaves, a->noise.amount);
    for (int32_t i = 0; i < q->places.n; i++) {
        cover->most[q->cell[i]] *= q->places.share[i];
        cover->mean[q->cell[i]] *= q->places.share[i];
    }
    q->places.n = 0;
}

static void cover_apply_noise(const struct plan *a, const struct bw_block *b, const struct cover *cover,
                              const struct bw_noise_lattice *lattice)
{
    const struct cells *c = &cover->cells;
    struct noise_batch q;
    size_t cell = 0;
    q.places.n = 0;
    for (int k = c->lo[2]; k < c->hi[2]; k++)
        for (int j = c->lo[1]; j < c->hi[1]; j++)
            for (int i = c->lo[0]; i < c->hi[0]; i++, cell++) {
                if (!(cover->most[cell] > 0)) continue;
                const int32_t at[3] = {i, j, k}, n = q.places.n++;
                for (int d = 0; d < 3; d++) q.places.x[d][n] = block_coord(b, d, at[d] + 0.5);
                q.places.at[n] = lattice;
                q.cell[n] = cell;
                if (n + 1 == NOISE_PLACES) noise_flush(a, b, cover, &q);
            }
    noise_flush(a, b, cover, &q);
}

/* 0 when memory ran out. */
static int cover_make(const struct plan *a, const struct bw_block *b, struct cover *cover)
{
    struct cells *c = &cover->cells;
    struct bw_noise_lattice lattice[BW_NOISE_OCTAVES];
    size_t count = cells_count(c->lo, c->hi);
    float *most = cover->most = b->stage->host->body_scratch(b, 3 * count * sizeof(float));
    double lo[3], hi[3];
    for (int i = 0; i < 3; i++) {
        lo[i] = block_coord(b, i, c->lo[i]);
        hi[i] = block_coord(b, i, c->hi[i]);
    }
    if (!most || !noise_prepare(&a->noise, a->seed, a->octaves, a->time, b, lo, hi, lattice)) return 0;
    cover->mean = most + count;
    const struct points_cells q = points_cells(a, b, c);
    if (a->points) points_cover(a->points, &q, most, cover->mean, cover->mean + count);
    else poses_cover(a, b, cover);
    if (a->octaves) cover_apply_noise(a, b, cover, lattice);
    return 1;
}

/* Weight of the target in mode set: (1-c)^(dt/τ) of the old value remains. */
static double blend_weight(double c, double dt) { return c >= 1 ? 1 : c <= 0 ? 0 : 1 - pow(1 - c, dt / BLEND_TIME); }

static double value_remove(double f, double take) { return f > 0 ? fmax(f - take, 0) : fmin(f + take, 0); }

/* One component of one amount at one cell. */
static double value_emit(const struct plan *a, const struct bw_amount *amount, double f, double target, double most,
                         double mean)
{
    double rate = mean * target * a->dt;
    if (a->p->mode == EMIT_REMOVE) return value_remove(f, rate);
    if (a->p->mode == EMIT_ADD || amount->rate) return f + rate;
    if (a->p->mode == EMIT_SET) return f + blend_weight(most, a->dt) * (target - f);
    return target < 0 ? fmin(f, most * target) : fmax(f, most * target);
}

static void amount_emit(const struct plan *a, const struct bw_amount *amount, const struct cover *cover,
                        const struct bw_view *v)
{
    const struct cells *c = &cover->cells;
    for (int comp = 0; comp < v->comps; comp++) {
        size_t at = 0;
        for (int k = c->lo[2]; k < c->hi[2]; k++)
            for (int j = c->lo[1]; j < c->hi[1]; j++)
                for (int i = c->lo[0]; i < c->hi[0]; i++, at++)
                    if (cover->most[at] > 0) {
                        ptrdiff_t cell = i + j * v->sy + k * v->sz;
                        bw_put(v, comp, cell,
                               value_emit(a, amount, bw_get(v, comp, cell), amount->value[comp],
                                          (double)cover->most[at], (double)cover->mean[at]));
                    }
    }
}

static double emitted_velocity(const struct plan *a, const double x[3], int axis)
{
    double own[3];
    pose_velocity(&a->before, &a->pose[a->n_poses - 1], a->moment, x, own);
    return a->p->velocity[axis] + a->p->inherit_velocity * own[axis];
}

/* Faces along one axis; those of a thin axis stay as they are. */
static void faces_emit(const struct plan *a, const struct bw_block *b, const struct cells *c, const struct bw_view *v,
                       int axis)
{
    const double at[3] = {axis == 0 ? 0 : 0.5, axis == 1 ? 0 : 0.5, axis == 2 ? 0 : 0.5};
    const int hi[3] = {c->hi[0] + (axis == 0), c->hi[1] + (axis == 1), c->hi[2] + (axis == 2)};
    float *f = bw_f32(v, axis);
    for (int k = c->lo[2]; k < hi[2]; k++)
        for (int j = c->lo[1]; j < hi[1]; j++)
            for (int i = c->lo[0]; i < hi[0]; i++) {
                const double x[3] = {block_coord(b, 0, i + at[0]), block_coord(b, 1, j + at[1]),
                                     block_coord(b, 2, k + at[2])};
                double mean, cover = cover_at(a, x, &mean);
                if (cover <= 0) continue;
                float *face = f + i + j * v->sy + k * v->sz;
                *face += (float)(blend_weight(cover, a->dt) * (emitted_velocity(a, x, axis) - *face));
            }
}

/* The same for a source of points. 0: out of memory. */
static int faces_emit_points(const struct plan *a, const struct bw_block *b, const struct cells *c,
                             const struct bw_view *v, int axis)
{
    struct points_cells q = points_cells(a, b, c);
    q.at[axis] = 0;
    q.hi[axis]++;
    size_t count = cells_count(q.lo, q.hi), at = 0;
    float *most = b->stage->host->body_scratch(b, 3 * count * sizeof *most), *f = bw_f32(v, axis);
    if (!most) return 0;
    float *flow = most + count;
    points_flow(a->points, &q, axis, most, flow, flow + count);
    for (int k = q.lo[2]; k < q.hi[2]; k++)
        for (int j = q.lo[1]; j < q.hi[1]; j++)
            for (int i = q.lo[0]; i < q.hi[0]; i++, at++) {
                if (!(most[at] > 0)) continue;
                float *face = f + i + j * v->sy + k * v->sz;
                double aim = a->p->velocity[axis] + a->p->inherit_velocity * (double)flow[at];
                *face += (float)(blend_weight((double)most[at], a->dt) * (aim - (double)*face));
            }
    return 1;
}

/// The cells of a block that the source may reach. 0: none.
static int block_cells(const struct plan *a, const struct bw_block *b, struct cells *c)
{
    *c = (struct cells){{0, 0, 0}, {b->n[0], b->n[1], b->n[2]}};
    return a->points ? points_touch(a->points, b) : box_cells(&a->bounds, b, c);
}

int cover_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    struct cells c;
    (void)row, (void)reach;
    return block_cells(user, b, &c);
}

void cover_body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    struct cover cover;
    if (!block_cells(a, b, &cover.cells)) return;
    if (a->n_rows) {
        if (!cover_make(a, b, &cover)) {
            b->sum[0] += 1;
            return;
        }
        for (uint32_t i = 0; i < a->n_rows; i++) amount_emit(a, &a->amount[a->row[i]], &cover, &b->view[i]);
    }
    if (!a->sets_velocity) return;
    for (int axis = 0; axis < 3; axis++)
        if (axis == b->grid->thin) continue;
        else if (!a->points) faces_emit(a, b, &cover.cells, &b->view[a->n_rows], axis);
        else if (!faces_emit_points(a, b, &cover.cells, &b->view[a->n_rows], axis)) b->sum[0] += 1;
}
