// SPDX-License-Identifier: Apache-2.0
/* What points cover of a block: each of the block's points is drawn into the cells that it touches, at some places
 * along its way, so the cost is that of the cells covered. All in the order of the points: the same bits for any
 * tiling. */
#include <common/shape/shape.h>

#include <math.h>
#include <string.h>

int64_t points_list(const struct points_cloud *c, const struct bw_block *b, const int32_t **list)
{
    int64_t at = 0, stride = 1;
    for (int a = 0; a < 3; a++) {
        int32_t lo = b->lo[a], t = b->grid->tile[a], tile = (lo >= 0 ? lo / t : -((t - 1 - lo) / t)) - c->lo[a];
        if (tile < 0 || tile >= c->tiles[a]) return 0;
        at += stride * tile;
        stride *= c->tiles[a];
    }
    *list = c->list + c->first[at];
    return c->first[at + 1] - c->first[at];
}

int points_touch(const struct points_cloud *c, const struct bw_block *b)
{
    const int32_t *list;
    return points_list(c, b, &list) > 0;
}

/* A ball among the cells: its middle in cells from the first one's place, and the cells it touches. */
struct ball {
    float x[3], radius; ///< cells
    int32_t lo[3], hi[3];
};

/* Where point i is at place m of its way; 0: it touches no cell. */
static int ball_make(const struct points_cloud *c, const struct points_cells *q, int64_t i, int m, struct ball *b)
{
    const struct bw_domain_info *d = q->block->grid;
    double left = 1 - (m + 1.0) / q->samples, wide = ((double)c->radius[i] + 0.5 * q->width) / d->h;
    b->radius = (float)((double)c->radius[i] / d->h);
    for (int a = 0; a < 3; a++) {
        double x = (c->pos[i][a] - (double)c->displacement[i][a] * left - d->origin[a]) / d->h;
        x -= q->block->lo[a] + q->lo[a] + q->at[a];
        int32_t n = q->hi[a] - q->lo[a];
        double lo = ceil(x - wide), hi = floor(x + wide) + 1;
        b->x[a] = (float)x;
        b->lo[a] = lo < 0 ? 0 : lo > n ? n : (int32_t)lo;
        b->hi[a] = hi < 0 ? 0 : hi > n ? n : (int32_t)hi;
        if (a == d->thin) b->x[a] = (float)(0.5 - q->at[a]), b->lo[a] = 0, b->hi[a] = n; // in 2D a point is a rod
        if (b->lo[a] >= b->hi[a]) return 0;
    }
    return 1;
}

static void row_cover(float *row, int32_t lo, int32_t hi, float x, float square, float radius, float slope)
{
    for (int32_t i = lo; i < hi; i++) {
        float u = (float)i - x, cover = 0.5f + (radius - sqrtf(u * u + square)) * slope;
        cover = cover < 0 ? 0 : cover > 1 ? 1 : cover;
        row[i] = row[i] > cover ? row[i] : cover;
    }
}

static size_t cells_count(const struct points_cells *q)
{
    return (size_t)(q->hi[0] - q->lo[0]) * (size_t)(q->hi[1] - q->lo[1]) * (size_t)(q->hi[2] - q->lo[2]);
}

static void ball_cover(const struct points_cells *q, const struct ball *b, float *now)
{
    const int32_t nx = q->hi[0] - q->lo[0], ny = q->hi[1] - q->lo[1];
    const float slope = (float)(q->block->grid->h / q->width);
    for (int32_t k = b->lo[2]; k < b->hi[2]; k++)
        for (int32_t j = b->lo[1]; j < b->hi[1]; j++) {
            float y = (float)j - b->x[1], z = (float)k - b->x[2];
            row_cover(now + (size_t)nx * ((size_t)j + (size_t)ny * (size_t)k), b->lo[0], b->hi[0], b->x[0],
                      y * y + z * z, b->radius, slope);
        }
}

void points_cover(const struct points_cloud *c, const struct points_cells *q, float *most, float *mean, float *now)
{
    const int32_t *list;
    int64_t n = points_list(c, q->block, &list);
    size_t cells = cells_count(q);
    struct ball ball;
    memset(most, 0, cells * sizeof *most);
    memset(mean, 0, cells * sizeof *mean);
    for (int m = 0; m < q->samples; m++) {
        memset(now, 0, cells * sizeof *now);
        for (int64_t p = 0; p < n; p++)
            if (ball_make(c, q, list[p], m, &ball)) ball_cover(q, &ball, now);
        for (size_t i = 0; i < cells; i++) {
            most[i] = most[i] > now[i] ? most[i] : now[i];
            mean[i] += now[i] / (float)q->samples;
        }
    }
}

static void ball_flow(const struct points_cells *q, const struct ball *b, float velocity, float *most, float *flow,
                      float *weight)
{
    const int32_t nx = q->hi[0] - q->lo[0], ny = q->hi[1] - q->lo[1];
    const float slope = (float)(q->block->grid->h / q->width);
    for (int32_t k = b->lo[2]; k < b->hi[2]; k++)
        for (int32_t j = b->lo[1]; j < b->hi[1]; j++)
            for (int32_t i = b->lo[0]; i < b->hi[0]; i++) {
                float u = (float)i - b->x[0], y = (float)j - b->x[1], z = (float)k - b->x[2];
                float cover = 0.5f + (b->radius - sqrtf(u * u + y * y + z * z)) * slope;
                if (!(cover > 0)) continue;
                size_t at = (size_t)i + (size_t)nx * ((size_t)j + (size_t)ny * (size_t)k);
                cover = cover > 1 ? 1 : cover;
                most[at] = most[at] > cover ? most[at] : cover;
                flow[at] += cover * velocity;
                weight[at] += cover;
            }
}

void points_flow(const struct points_cloud *c, const struct points_cells *q, int axis, float *most, float *flow,
                 float *weight)
{
    const int32_t *list;
    int64_t n = points_list(c, q->block, &list);
    size_t cells = cells_count(q);
    struct ball ball;
    for (float **array = (float *[]){most, flow, weight, NULL}; *array; array++)
        memset(*array, 0, cells * sizeof(float));
    for (int m = 0; m < q->samples; m++)
        for (int64_t p = 0; p < n; p++)
            if (ball_make(c, q, list[p], m, &ball)) ball_flow(q, &ball, c->vel[list[p]][axis], most, flow, weight);
    for (size_t i = 0; i < cells; i++)
        if (weight[i] > 0) flow[i] /= weight[i];
}
