// SPDX-License-Identifier: Apache-2.0
/* Faces that are a tile's own, written without a copy where that can be: every face has the value that a sweep over
 * copies gives it, beside rims, sides and tiles that the box cuts, whoever looks at a snapshot meanwhile. */
#include "grid_world.h"
#include <math.h>

/* What a face becomes: of what it was and of where it is. */
static float changed(float was, int a, const int at[3])
{
    return 2 * was + (float)(a + 1) + .25f * (float)(at[0] + 3 * at[1] - 2 * at[2]);
}

struct change {
    int own, update;
    int direct;     /* out, of one thread: blocks whose view is a tile */
    int32_t bad[3]; /* NaN there, at the high face along z; -1: nowhere */
};

static void body_change(const struct bw_block *b, void *user)
{
    struct change *c = user;
    const struct bw_view *old = &b->view[0], *out = &b->view[c->update ? 0 : 1];
    if (out->sy == 16) __atomic_fetch_add(&c->direct, 1, __ATOMIC_RELAXED);
    for (int a = 0; a < 3; a++) {
        int n[3] = {b->n[0], b->n[1], b->n[2]};
        n[a] += c->own ? b->high[a] : 1;
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    const int at[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
                    const float was = bw_f32(old, a)[i + j * old->sy + k * old->sz];
                    const bool bad = a == 2 && !memcmp(at, c->bad, sizeof at);
                    bw_f32(out, a)[i + j * out->sy + k * out->sz] = bad ? NAN : changed(was, a, at);
                }
    }
}

static enum bw_status change_run(struct world *x, struct bw_field *f, struct change *c, int block)
{
    const struct bw_access update[] = {{f, c->own ? BW_UPDATE_OWN : BW_UPDATE, 0}};
    const struct bw_access write[] = {{f, c->own ? BW_READ_LAST : BW_READ, 1},
                                      {f, c->own ? BW_WRITE_OWN : BW_WRITE, 0}};
    return bw_sweep_run(&x->env,
                        &(struct bw_sweep){.access = c->update ? update : write,
                                           .n_access = c->update ? 1 : 2,
                                           .body = body_change,
                                           .user = c,
                                           .block = block},
                        NULL);
}

/* Tiles with holes between them, so that rims lie everywhere. */
static void activate_some(struct bw_domain *d)
{
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 5; i++)
                if ((i + 2 * j + 3 * k) % 7) bw_domain_request_tile(d, (int32_t[3]){i, j, k});
    cr_assert_eq(bw_domain_commit(d), BW_OK);
}

static struct bw_field *flow_make(struct world *x, struct bw_domain_info info, uint32_t threads)
{
    const double background[3] = {1, 2, 3};
    world_open(x, info, threads);
    activate_some(x->d);
    struct bw_field *f = bw_field_create(x->d, "f", BW_MAC, BW_F32, background);
    struct change first = {.bad = {-1, -1, -1}};
    cr_assert_eq(change_run(x, f, &first, 1), BW_OK);
    return f;
}

/* The next coordinate that is near a tile's edge, or in its middle: what lies between is like that. */
static int next(int x)
{
    do x++;
    while ((x + 2) % 16 > 4 && x % 16 != 8);
    return x;
}

/* Faces by the sides' rules, and every rim. */
static void flows_compare(const struct bw_field *f, const struct bw_field *g, const struct bw_domain_info *d)
{
    int32_t at[3];
    for (uint32_t c = 0; c < 3; c++)
        for (at[2] = 0; at[2] <= d->n[2]; at[2] = next(at[2]))
            for (at[1] = 0; at[1] <= d->n[1]; at[1] = next(at[1]))
                for (at[0] = 0; at[0] <= d->n[0]; at[0] = next(at[0]))
                    cr_assert_eq(bw_fetch(&f->src, c, at), bw_fetch(&g->src, c, at), "component %u of (%d, %d, %d)", c,
                                 at[0], at[1], at[2]);
    for (int64_t t = 0; t < f->src.topo->pub.count; t++)
        for (int c = 0; c < 3; c++)
            if (f->src.boundary_faces[c][t])
                cr_assert_arr_eq(f->src.boundary_faces[c][t], g->src.boundary_faces[c][t], 256 * sizeof(float));
}

static const uint32_t kinds[2][6] = {{0, 1, 1, 2, 0, 0}, {3, 3, 1, 0, 3, 3}};

Test(own_faces, have_the_values_that_copies_have)
{
    for (int q = 0; q < 12; q++) { // in place, from 8 on by blocks of two tiles a side
        const struct bw_domain_info d = make_info(q & 1 ? 64 : 54, 64, q & 1 ? 64 : 59, kinds[q >> 1 & 1]);
        struct world x, y;
        struct bw_field *f = flow_make(&x, d, 1), *g = flow_make(&y, d, 3);
        struct change copied = {.update = q >= 4, .bad = {-1, -1, -1}}, own = copied;
        struct bw_source before;
        own.own = 1;
        cr_assert_eq(bw_source_ref(g, &before), BW_OK);
        for (int turn = 0; turn < 2; turn++) {
            cr_assert_eq(change_run(&x, f, &copied, 1), BW_OK);
            cr_assert_eq(change_run(&y, g, &own, q < 8 ? 1 : 2), BW_OK);
            flows_compare(f, g, &d);
        }
        cr_assert(q >= 8 || own.direct > 10);
        for (int t = 0; t < 3; t++) { // a snapshot keeps what was
            const double was = bw_fetch(&before, 0, (int32_t[3]){20, 21, 22 + t});
            const int at[3] = {20, 21, 22 + t};
            const float once = changed((float)was, 0, at), twice = changed(once, 0, at);
            cr_assert_eq(bw_fetch(&g->src, 0, at), (double)twice);
        }
        bw_source_unref(&before);
        world_close(&x);
        world_close(&y);
    }
}

Test(own_faces, are_watched_for_NaN_and_come_tile_by_tile)
{
    struct world x;
    struct bw_field *f = flow_make(&x, make_info(64, 64, 64, kinds[0]), 2);
    const struct bw_topo *t = x.d->topo;
    for (int update = 0; update < 2; update++)
        for (int64_t i = 0, seen[2] = {0}; i < t->pub.count; i++) {
            const int rim = t->neighbour[i][5] < 0;
            if (seen[rim]++) continue;
            struct change c = {.own = 1, .update = update, .bad = {t->coord[i][0] * 16, t->coord[i][1] * 16, 0}};
            c.bad[2] = t->coord[i][2] * 16 + (rim ? 16 : 3);
            cr_assert_eq(change_run(&x, f, &c, 1), BW_ERR_DIVERGED);
            world_close(&x);
            f = flow_make(&x, make_info(64, 64, 64, kinds[0]), 2);
            t = x.d->topo;
        }
    struct change c = {.own = 1, .update = 0, .bad = {-1, -1, -1}};
    cr_assert_eq(change_run(&x, f, &c, 2), BW_ERR_PLUGIN);
    world_close(&x);
}
