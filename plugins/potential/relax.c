// SPDX-License-Identifier: Apache-2.0
/* The text's relaxation: every cell anew from the old values of itself and its neighbours, by the table of masks. */
#include "potential.h"
#include "relax_kernels.h"
#include <string.h>

struct relax {
    struct potential_task *t;
    const struct relax_kernels *k;
};

static int row_even(const uint8_t *walls, int n)
{
    return n < 2 || !memcmp(walls, walls + 1, (size_t)n - 1);
}

static void relax_body(const struct bw_block *b, void *user)
{
    const struct relax *q = user;
    const struct potential_task *t = q->t;
    const struct bw_view *in = &b->view[0], *out = &b->view[1];
    const int64_t tile = potential_tile(t, b);
    const ptrdiff_t step[3] = {1, in->sy, in->sz};
    struct relax_row r = {.n = b->n[0], .table = &t->table, .strength = t->strength};
    for (int s = 0; s < 6; s++) {
        if (s >> 1 == b->grid->thin) continue;
        r.column[r.sides] = 1 + s;
        r.step[r.sides++] = s & 1 ? step[s >> 1] : -step[s >> 1];
    }
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            const int64_t at = tile * TILE_CELLS + potential_at(b->grid, 0, j, k);
            r.at = bw_f64(in, 0) + j * in->sy + k * in->sz;
            r.out = bw_f64(out, 0) + j * out->sy + k * out->sz;
            r.walls = t->l->walls + at;
            r.source = t->l->sourced[tile] ? t->l->source + at : NULL;
            if (t->l->plain[tile] || row_even(r.walls, r.n))
                q->k->plain(&r);
            else
                q->k->table(&r);
        }
}

static int relax_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)user;
    if (b->grid->thin >= 0) reach[2 * b->grid->thin] = reach[2 * b->grid->thin + 1] = 0;
    return 1;
}

enum bw_status relax_run(struct potential_task *t, int64_t iterations)
{
    struct bw_stage *s = t->s;
    const uint32_t simd = s->host->simd;
    struct relax q = {t, simd >= BW_SIMD_AVX512 ? &relax_kernels_avx512
                         : simd >= BW_SIMD_AVX2 ? &relax_kernels_avx2
                                                : &relax_kernels_baseline};
    struct bw_field *phi = bw_port_field(s, PHI);
    const struct bw_access access[] = {{phi, BW_READ, 1}, {phi, BW_WRITE, 0}};
    enum bw_status status = BW_OK;
    for (int64_t i = 0; i < iterations && status == BW_OK; i++) {
        if (s->host->cancelled(s)) return BW_ERR_CANCELLED;
        status = s->host->sweep(
            s,
            &(struct bw_sweep){.access = access, .n_access = 2, .body = relax_body, .user = &q, .reach = relax_reach});
    }
    return status;
}
