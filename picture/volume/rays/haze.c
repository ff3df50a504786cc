// SPDX-License-Identifier: Apache-2.0
/* Air of pressure p has a refractive index of 1 + A/T (Gladstone and Dale 1863), A = .0798 K at sea level, and light
 * bends towards what is colder, d(dir)/ds = grad n across the ray (Born and Wolf, 3.2). To first order what stands at a
 * distance D is seen along dir + ∫ (1 - s/D) grad n ds: gas right before it moves it by nothing, however hot. Above a
 * camp fire that is a thousandth of a radian, a pixel or less; `haze` is how much more of it there is. Gradients are
 * those of whole cells, so that eddies finer than two cells do not shimmer. */
#include "haze.h"
#include "step/ray.h"
#include "step/read.h"

#define REFRACTION 0.0798 ///< K, (n - 1) T of air at 1013 hPa
#define UNSEEN 1e-5f      ///< rad that a way through the whole box may bend unseen

/// What the tasks share.
struct bending {
    const struct bw_volume *v;
    struct bw_haze *haze;
    float strength, ambient;
};

static float index_at(const struct bending *g, size_t cell)
{
    return g->strength / bw_most(g->v->temperature[cell] + g->ambient, 1);
}

static void layer_bend(int64_t k, void *user)
{
    const struct bending *g = user;
    const struct bw_dense *b = &g->haze->box;
    const ptrdiff_t step[3] = {1, b->n[0], (ptrdiff_t)b->n[0] * b->n[1]};
    ptrdiff_t cell = (ptrdiff_t)k * step[2];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, cell++) {
            const int at[3] = {i, j, (int)k};
            float *out = g->haze->bend + 4 * cell;
            for (int a = 0; a < 3; a++) { // beyond the box lie copies of its outermost cells
                const ptrdiff_t lo = at[a] > 0 ? cell - step[a] : cell,
                                hi = at[a] + 1 < b->n[a] ? cell + step[a] : cell;
                out[a] = (index_at(g, (size_t)hi) - index_at(g, (size_t)lo)) / (2 * (float)b->h);
            }
            out[3] = 0;
        }
}

/// Does anything bend in a block, or in the cells that are read with it?
static uint8_t block_bends(const struct bw_haze *h, const int at[3], float least)
{
    const struct bw_dense *b = &h->box;
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = at[a] * BW_BLOCK;
        hi[a] = lo[a] + BW_BLOCK + 1 < b->n[a] ? lo[a] + BW_BLOCK + 1 : b->n[a];
    }
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++) {
            const float *row = h->bend + 4 * (((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0]);
            for (int i = lo[0]; i < hi[0]; i++)
                for (int a = 0; a < 3; a++)
                    if (fabsf(row[4 * i + a]) > least) return 1;
        }
    return 0;
}

static void layer_blocks(int64_t k, void *user)
{
    struct bw_haze *h = ((struct bending *)user)->haze;
    const float way = (float)((h->box.n[0] + h->box.n[1] + h->box.n[2]) * h->box.h);
    for (int j = 0; j < h->n[1]; j++)
        for (int i = 0; i < h->n[0]; i++)
            h->holds[((int)k * h->n[1] + j) * h->n[0] + i] = block_bends(h, (int[3]){i, j, (int)k}, UNSEEN / way);
}

enum bw_status bw_haze_make(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                            struct bw_haze *haze)
{
    *haze = (struct bw_haze){.box = v->box};
    struct bending g = {v, haze, (float)(REFRACTION * scene->look.haze), (float)scene->ambient};
    if (!(g.strength > 0) || !v->temperature || !bw_dense_cells(&v->box)) return BW_OK;
    size_t blocks = 1;
    for (int a = 0; a < 3; a++) {
        haze->n[a] = (v->box.n[a] + BW_BLOCK - 1) / BW_BLOCK;
        blocks *= (size_t)haze->n[a];
    }
    haze->bend = tools->alloc(tools->ctx, 4 * bw_dense_cells(&v->box) * sizeof(float));
    haze->holds = tools->alloc(tools->ctx, blocks);
    if (!haze->bend || !haze->holds) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, v->box.n[2], layer_bend, &g);
    tools->parallel(tools->ctx, haze->n[2], layer_blocks, &g);
    return BW_OK;
}

void bw_haze_free(const struct bw_tools *tools, struct bw_haze *haze)
{
    if (haze->bend) tools->release(tools->ctx, haze->bend);
    if (haze->holds) tools->release(tools->ctx, haze->holds);
    haze->bend = NULL, haze->holds = NULL;
}

/// ∫ (1 - s/depth) grad n ds along a ray that begins `first` metres from the eye, in steps of about a cell.
static void gradient_sum(const struct bw_haze *haze, const struct bw_ray *r, double first, double depth, float sum[3])
{
    const struct bw_dense *b = &haze->box;
    const int n = 1 + (int)r->length;
    const float step = r->length / (float)n;
    struct lanes all = {{0}};
    for (int i = 0; i < n;) {
        const float t = ((float)i + 0.5f) * step;
        float p[3];
        for (int a = 0; a < 3; a++) p[a] = bw_least(bw_most(r->o[a] + t * r->d[a], 0), (float)(b->n[a] - 1));
        const int at[3] = {(int)p[0] / BW_BLOCK, (int)p[1] / BW_BLOCK, (int)p[2] / BW_BLOCK};
        if (!haze->holds[(at[2] * haze->n[1] + at[1]) * haze->n[0] + at[0]]) {
            i += 1 + (int)(bw_block_exit(p, r->d) / step);
            continue;
        }
        const struct taps taps = taps_at(b, p, 0);
        const float lever = (float)(1 - (first + (double)t * b->h) / depth);
        all.v += lever * linear_four(haze->bend, &taps).v;
        i++;
    }
    for (int a = 0; a < 3; a++) sum[a] = all.v[a] * step * (float)b->h;
}

void bw_haze_turn(const struct bw_haze *haze, const double eye[3], const double dir[3], double depth, double seen[3])
{
    const double range[2] = {0, depth};
    struct bw_ray r;
    float turn[3];
    double first = 0, along = 0, length = 0;
    for (int a = 0; a < 3; a++) seen[a] = dir[a];
    if (!haze->bend || !bw_ray_clip(&haze->box, eye, dir, range, &r)) return;
    for (int a = 0; a < 3; a++) first += dir[a] * (haze->box.origin[a] + ((double)r.o[a] + 0.5) * haze->box.h - eye[a]);
    gradient_sum(haze, &r, first, depth, turn);
    for (int a = 0; a < 3; a++) along += (double)turn[a] * dir[a];
    for (int a = 0; a < 3; a++) seen[a] += (double)turn[a] - along * dir[a], length += seen[a] * seen[a];
    for (int a = 0; a < 3; a++) seen[a] /= sqrt(length);
}
