// SPDX-License-Identifier: Apache-2.0
/* Half as many cells along each axis, for interactive pictures. Density and flame are averaged, so that optical
 * thickness is conserved. Temperature is averaged with flame as the weight: a plain mean would put small flames out. */
#include "view.h"

/// Sum over cells 2i … 2i+1; `n`: how many of them are inside.
struct cell_sum {
    float value, weight, weighted;
    int n;
};

static struct cell_sum cell_sum(const struct bw_dense *b, const float *data, const float *weight, const int at[3])
{
    struct cell_sum sum = {0};
    for (int z = 2 * at[2]; z < 2 * at[2] + 2; z++)
        for (int y = 2 * at[1]; y < 2 * at[1] + 2; y++)
            for (int x = 2 * at[0]; x < 2 * at[0] + 2; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= b->n[0] || y >= b->n[1] || z >= b->n[2]) continue;
                const size_t cell = ((size_t)z * (size_t)b->n[1] + (size_t)y) * (size_t)b->n[0] + (size_t)x;
                sum.value += data[cell];
                sum.weight += weight ? weight[cell] : 0;
                sum.weighted += weight ? weight[cell] * data[cell] : 0;
                sum.n++;
            }
    return sum;
}

/// One array, a layer a task.
struct coarsen {
    const struct bw_dense *from, *to;
    const float *in, *weight; ///< weight: NULL, all cells count alike
    float *out;
    int rim; ///< 1: a wide cell of nothing around it all, so that what fills the box has an edge; distances have none
};

static void layer_coarsen(int64_t k, void *user)
{
    const struct coarsen *c = user;
    float *out = c->out + (size_t)k * (size_t)c->to->n[1] * (size_t)c->to->n[0];
    for (int j = 0; j < c->to->n[1]; j++)
        for (int i = 0; i < c->to->n[0]; i++) {
            const struct cell_sum s =
                cell_sum(c->from, c->in, c->weight, (int[3]){i - c->rim, j - c->rim, (int)k - c->rim});
            *out++ = s.weight > 0 ? s.weighted / s.weight : s.value / (c->rim ? 8 : (float)s.n);
        }
}

static struct bw_dense box_coarse(const struct bw_dense *b, int rim)
{
    struct bw_dense out = *b;
    out.h = 2 * b->h;
    for (int a = 0; a < 3 && bw_dense_cells(b); a++) {
        out.n[a] = (b->n[a] + 1) / 2 + 2 * rim;
        out.origin[a] -= rim * out.h;
    }
    return out;
}

enum bw_status view_coarsen(const struct bw_tools *tools, const struct bw_volume *from, struct bw_volume *to,
                            float **memory)
{
    const float *in[] = {from->density, from->flame,  from->temperature, from->fuel,
                         from->dye[0],  from->dye[1], from->dye[2],      from->solid};
    float **out[] = {&to->density, &to->flame,  &to->temperature, &to->fuel,
                     &to->dye[0],  &to->dye[1], &to->dye[2],      &to->solid};
    enum { SOLID = 7 };
    *to = (struct bw_volume){.box = box_coarse(&from->box, 1),
                             .spark = from->spark,
                             .n_sparks = from->n_sparks,
                             .shapes = from->shapes,
                             .solid_box = box_coarse(&from->solid_box, 0)};
    size_t total = 0;
    for (int i = 0; i <= SOLID; i++) total += in[i] ? bw_dense_cells(i < SOLID ? &to->box : &to->solid_box) : 0;
    float *at = *memory = tools->alloc(tools->ctx, total * sizeof(float));
    if (!at) return BW_ERR_MEMORY;
    for (int i = 0; i <= SOLID; i++) {
        if (!in[i]) continue;
        struct coarsen c = {i < SOLID ? &from->box : &from->solid_box,
                            i < SOLID ? &to->box : &to->solid_box,
                            in[i],
                            in[i] == from->temperature ? from->flame : NULL,
                            at,
                            i < SOLID};
        tools->parallel(tools->ctx, c.to->n[2], layer_coarsen, &c);
        *out[i] = at;
        at += bw_dense_cells(c.to);
    }
    return BW_OK;
}
