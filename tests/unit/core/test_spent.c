// SPDX-License-Identifier: Apache-2.0
/* What a sweep reads for the last time goes while it runs, and nobody notices: the widest halo of tiles that touch,
 * blocks of both sizes, periodic sides that end inside a tile, threads, failures. */
#include "grid_world.h"
#include <math.h>

enum { HALO = 16 };

struct watch {
    const struct bw_field *old;
    const struct bw_topo *topo;
    int64_t gone;  /* of the old tiles, when the last one is at work */
    int fail;      /* write a NaN there */
    int32_t at[3]; /* the cell whose block that is */
};

static double mark(int i, int j, int k) { return i + 100. * j + 10000. * k; }

static void body_mark(const struct bw_block *b, void *user)
{
    const struct bw_view *v = &b->view[0];
    (void)user;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++)
                bw_f32(v, 0)[i + j * v->sy + k * v->sz] = (float)mark(b->lo[0] + i, b->lo[1] + j, b->lo[2] + k);
}

/* out = the sum of what lies HALO away on both sides of all axes, of both fields. */
static void body_far(const struct bw_block *b, void *user)
{
    struct watch *w = user;
    const struct bw_view *out = &b->view[2];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                float sum = 0;
                for (int q = 0; q < 2; q++) {
                    const struct bw_view *v = &b->view[q];
                    const float *at = bw_f32(v, 0) + i + j * v->sy + k * v->sz;
                    sum += at[-HALO] + at[HALO] + at[-HALO * v->sy] + at[HALO * v->sy] + at[-HALO * v->sz] +
                           at[HALO * v->sz];
                }
                bw_f32(out, 0)[i + j * out->sy + k * out->sz] = sum;
            }
    for (int a = 0; a < 3; a++)
        if (w->at[a] < b->lo[a] || w->at[a] >= b->lo[a] + b->n[a]) return;
    for (int64_t t = 0; t < w->topo->pub.count; t++) w->gone += !w->old->src.data[0][t];
    if (w->fail) bw_f32(out, 0)[0] = NAN;
}

static struct bw_field *marked(struct world *x, const char *name)
{
    struct bw_field *f = bw_field_create(x->d, name, BW_SCALAR, BW_F32, NULL);
    struct bw_access a = {f, BW_WRITE, 0};
    cr_assert_eq(bw_sweep_run(&x->env, &(struct bw_sweep){.access = &a, .n_access = 1, .body = body_mark}, NULL),
                 BW_OK);
    return f;
}

/* Sums over all cells of the result; *gone: old tiles that the last block found gone. */
static double far_sum(struct bw_domain_info info, uint32_t threads, int block, int spent, int64_t *gone)
{
    struct world x;
    world_open(&x, info, threads);
    activate_all(x.d);
    struct bw_field *f = marked(&x, "f"), *scratch = marked(&x, NULL);
    struct watch w = {f, x.d->topo, 0, 0, {info.n[0] - 1, info.n[1] - 1, info.n[2] - 1}};
    const uint32_t mode = spent ? BW_READ_LAST : BW_READ;
    struct bw_access a[] = {{f, mode, HALO}, {scratch, mode, HALO}, {f, BW_WRITE, 0}};
    cr_assert_eq(
        bw_sweep_run(
            &x.env, &(struct bw_sweep){.access = a, .n_access = 3, .body = body_far, .user = &w, .block = block}, NULL),
        BW_OK);
    double sum = 0;
    for (int k = 0; k < info.n[2]; k++)
        for (int j = 0; j < info.n[1]; j++)
            for (int i = 0; i < info.n[0]; i++)
                sum += bw_fetch(&f->src, 0, (int32_t[3]){i, j, k}) * (1 + i % 7 + j % 5 + k % 3);
    cr_assert_eq(scratch->src.data[0][0] == NULL, spent, "spent scratch is as if never written");
    *gone = w.gone;
    world_close(&x);
    return sum;
}

Test(spent, tiles_go_and_the_result_is_the_same)
{
    const uint32_t periodic[6] = {1, 1, 0, 0, 3, 3};
    const int length[3] = {256, 250, 241};
    for (int q = 0; q < 3; q++)
        for (int closed = 0; closed < 2; closed++)
            for (int block = 1; block <= 2; block++) {
                const struct bw_domain_info d = make_info(40, 33, length[q], closed ? sides_closed : periodic);
                int64_t kept, gone, more;
                const double want = far_sum(d, 1, block, 0, &kept);
                cr_assert_eq(far_sum(d, 1, block, 1, &gone), want);
                cr_assert_eq(far_sum(d, 3, block, 1, &more), want);
                cr_assert_eq(kept, 0);
                /* 16 layers of 9 tiles, at most the last four still wanted; round a periodic box the first two wait
                 * too; where that box ends inside a tile, all do */
                const int64_t least = closed ? 9 * 11 : length[q] == 256 ? 9 * 9 : 0;
                cr_assert(gone >= least && (least || !gone), "%d cells, block %d: %d tiles are gone", length[q], block,
                          (int)gone);
            }
}

Test(spent, a_failed_sweep_leaves_whole_fields)
{
    struct world x;
    world_open(&x, make_info(32, 32, 256, sides_closed), 2);
    activate_all(x.d);
    struct bw_field *f = marked(&x, "f"), *scratch = marked(&x, NULL);
    struct watch w = {f, x.d->topo, 0, 1, {31, 31, 255}};
    struct bw_access a[] = {{f, BW_READ_LAST, HALO}, {scratch, BW_READ_LAST, HALO}, {f, BW_WRITE, 0}};
    struct bw_sweep s = {.access = a, .n_access = 3, .body = body_far, .user = &w};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_ERR_DIVERGED);
    for (int64_t t = 0; t < x.d->topo->pub.count; t++) cr_assert(f->src.data[0][t]);
    cr_assert_eq(bw_fetch(&f->src, 0, (int32_t[3]){1, 2, 250}), mark(1, 2, 250), "what was still wanted is as it was");
    cr_assert_null(scratch->src.data[0][0]);
    world_close(&x);
}

Test(spent, only_what_is_replaced_or_scratch_may_be)
{
    struct world x;
    world_open(&x, make_info(32, 32, 32, sides_closed), 1);
    activate_all(x.d);
    struct bw_field *f = marked(&x, "f"), *g = marked(&x, "g");
    struct bw_access a[] = {{f, BW_READ_LAST, HALO}, {f, BW_READ, HALO}, {g, BW_WRITE, 0}};
    struct watch w = {f, x.d->topo, 0, 0, {0, 0, 0}};
    struct bw_sweep s = {.access = a, .n_access = 3, .body = body_far, .user = &w};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_ERR_PLUGIN);
    a[0].mode = BW_READ;
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    world_close(&x);
}
