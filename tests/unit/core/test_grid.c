// SPDX-License-Identifier: Apache-2.0
/* Tiles, rims, sides and sweeps, straight on the grid: every value that a kernel may see is compared with a plain
 * dense array that knows the same rules. */
#include "grid_world.h"
#include <math.h>
#include <string.h>

/* A value that no two places share. */
static double mark(int c, int i, int j, int k) { return 1 + c * .125 + i + 100. * j + 10000. * k; }

static void body_mark(const struct bw_block *b, void *user)
{
    int mac = *(int *)user;
    const struct bw_view *v = &b->view[0];
    for (int c = 0; c < v->comps; c++)
        for (int k = 0; k < b->n[2] + (mac && c == 2); k++)
            for (int j = 0; j < b->n[1] + (mac && c == 1); j++)
                for (int i = 0; i < b->n[0] + (mac && c == 0); i++)
                    bw_f32(v, c)[i + j * v->sy + k * v->sz] = (float)mark(c, b->lo[0] + i, b->lo[1] + j, b->lo[2] + k);
}

static struct bw_field *marked(struct world *x, uint32_t kind)
{
    struct bw_field *f = bw_field_create(x->d, "f", kind, BW_F32, NULL);
    int mac = kind == BW_MAC;
    struct bw_access a = {f, BW_WRITE, 0};
    struct bw_sweep s = {.access = &a, .n_access = 1, .body = body_mark, .user = &mac};
    cr_assert_eq(bw_sweep_run(&x->env, &s, NULL), BW_OK);
    return f;
}

/* The rules of fill.c, written again for one coordinate at a time (low side l, high side h of kind k). */
static int reflect(int x, int n, uint32_t lo, uint32_t hi, int *outside)
{
    *outside = 0;
    while (x < 0 || x >= n) { /* a thin box reflects more than once */
        uint32_t k = x < 0 ? lo : hi;
        if (k == BW_PERIODIC) return ((x % n) + n) % n;
        if (k != BW_CLOSED) {
            *outside = 1;
            return 0;
        }
        x = x < 0 ? -1 - x : 2 * n - 1 - x;
    }
    return x;
}

static void body_compare_scalar(const struct bw_block *b, void *user)
{
    int *bad = user, r = b->view[0].halo;
    const struct bw_domain_info *d = b->grid;
    const struct bw_view *v = &b->view[0];
    for (int k = -r; k < b->n[2] + r; k++)
        for (int j = -r; j < b->n[1] + r; j++)
            for (int i = -r; i < b->n[0] + r; i++) {
                int o[3], x[3], p[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
                for (int a = 0; a < 3; a++)
                    x[a] = reflect(p[a], d->n[a], d->side[2 * a].kind, d->side[2 * a + 1].kind, &o[a]);
                double want = o[0] || o[1] || o[2] ? 0 : mark(0, x[0], x[1], x[2]);
                if (bw_f32(v, 0)[i + j * v->sy + k * v->sz] != (float)want)
                    __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
            }
}

static int scalar_halo_errors(int nx, int ny, int nz, const uint32_t kind[6], int halo, int block)
{
    struct world x;
    world_open(&x, make_info(nx, ny, nz, kind), 2);
    activate_all(x.d);
    struct bw_access a = {marked(&x, BW_SCALAR), BW_READ, halo};
    int bad = 0;
    struct bw_sweep s = {.access = &a, .n_access = 1, .body = body_compare_scalar, .user = &bad, .block = block};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    world_close(&x);
    return bad;
}

/* Row 0: two cells around in the lower half of the box, else more than the row allows below z and one above. Row 1:
 * only in the upper half. */
static int reach_by_height(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)user;
    cr_assert_null(b->view);
    bool low = b->lo[2] < 16;
    cr_assert_eq(reach[5], row == 0 ? 5 : 1);
    if (row == 1) return !low;
    for (int s = 0; s < 6; s++) reach[s] = low ? 2 : 3;
    if (!low) reach[4] = 9, reach[5] = 1;
    return 1;
}

struct reached {
    const struct bw_field *field;
    int bad;
};

/* Every cell within reach, against the field itself. */
static void body_reach_by_height(const struct bw_block *b, void *user)
{
    bool low = b->lo[2] < 16;
    const struct bw_view *v = &b->view[0];
    struct reached *r = user;
    cr_assert_eq(v->halo, low ? 2 : 1);
    cr_assert_eq(b->view[1].data[0] == NULL, low);
    const int32_t beside = low ? 2 : 3, below = low ? 2 : 5, above = low ? 2 : 1;
    for (int k = -below; k < b->n[2] + above; k++)
        for (int j = -beside; j < b->n[1] + beside; j++)
            for (int i = -beside; i < b->n[0] + beside; i++) {
                const int32_t at[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
                if (bw_f32(v, 0)[i + j * v->sy + k * v->sz] == (float)bw_fetch(&r->field->src, 0, at)) continue;
                __atomic_fetch_add(&r->bad, 1, __ATOMIC_RELAXED);
            }
    for (int k = 0; k < b->n[2]; k++) /* row 2 is written all the same */
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) bw_f32(&b->view[2], 0)[i + j * b->view[2].sy + k * b->view[2].sz] = 7;
}

Test(grid, a_block_gets_what_it_asks_for_on_each_side)
{
    struct world x;
    world_open(&x, make_info(32, 40, 32, sides_closed), 2);
    activate_all(x.d);
    struct bw_field *f = marked(&x, BW_SCALAR), *g = marked(&x, BW_SCALAR);
    struct bw_access a[] = {{f, BW_READ, 5}, {g, BW_READ, 1}, {g, BW_WRITE, 0}};
    struct reached reached = {f, 0};
    struct bw_sweep s = {
        .access = a, .n_access = 3, .body = body_reach_by_height, .reach = reach_by_height, .user = &reached};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    cr_assert_eq(reached.bad, 0);
    cr_assert_eq(bw_fetch(&g->src, 0, (int32_t[3]){31, 39, 31}), 7);
    cr_assert_eq(bw_fetch(&g->src, 0, (int32_t[3]){0, 0, 0}), 7);
    world_close(&x);
}

static int lower_half(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)reach, (void)user;
    return b->lo[2] < 16;
}

static void body_add_one(const struct bw_block *b, void *user)
{
    (void)user;
    for (int row = 0; row < 2; row++) {
        const struct bw_view *v = &b->view[row];
        cr_assert_eq(v->halo < 0, b->lo[2] >= 16);
        for (int c = 0; v->halo >= 0 && c < v->comps; c++)
            for (int k = 0; k < b->n[2] + (row && c == 2); k++)
                for (int j = 0; j < b->n[1] + (row && c == 1); j++)
                    for (int i = 0; i < b->n[0] + (row && c == 0); i++) bw_f32(v, c)[i + j * v->sy + k * v->sz] += 1;
    }
}

/* Updates of a cell field and of a mac field in the lower half only; rims of the upper half stay too. */
Test(grid, an_update_may_leave_blocks_as_they_are)
{
    struct world x;
    world_open(&x, make_info(40, 33, 32, (uint32_t[6]){1, 1, 1, 1, 1, 1}), 2);
    activate_all(x.d);
    struct bw_field *f = marked(&x, BW_SCALAR), *g = marked(&x, BW_MAC);
    struct bw_access a[] = {{f, BW_UPDATE, 0}, {g, BW_UPDATE, 0}};
    struct bw_sweep s = {.access = a, .n_access = 2, .body = body_add_one, .reach = lower_half};
    double before[3][2], top = bw_fetch(&g->src, 2, (int32_t[3]){5, 5, 32});
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++)
            before[c][k] = bw_fetch(&g->src, (uint32_t)c, (int32_t[3]){c == 0 ? 40 : 3, c == 1 ? 33 : 4, 15 + k});
    const double low = bw_fetch(&f->src, 0, (int32_t[3]){1, 2, 15}),
                 high = bw_fetch(&f->src, 0, (int32_t[3]){1, 2, 16});
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    cr_assert_eq(bw_fetch(&f->src, 0, (int32_t[3]){1, 2, 15}), low + 1);
    cr_assert_eq(bw_fetch(&f->src, 0, (int32_t[3]){1, 2, 16}), high);
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 2; k++)
            cr_assert_eq(bw_fetch(&g->src, (uint32_t)c, (int32_t[3]){c == 0 ? 40 : 3, c == 1 ? 33 : 4, 15 + k}),
                         before[c][k] + (k == 0));
    cr_assert_eq(bw_fetch(&g->src, 2, (int32_t[3]){5, 5, 32}), top);
    world_close(&x);
}

Test(grid, scalar_halo_closed) { cr_assert_eq(scalar_halo_errors(40, 33, 20, sides_closed, 3, 1), 0); }
Test(grid, scalar_halo_blocks_of_eight) { cr_assert_eq(scalar_halo_errors(64, 33, 48, sides_closed, 5, 2), 0); }
Test(grid, scalar_halo_open) { cr_assert_eq(scalar_halo_errors(40, 33, 20, (uint32_t[6]){1, 1, 1, 1, 1, 1}, 4, 1), 0); }
Test(grid, scalar_halo_mixed)
{
    cr_assert_eq(scalar_halo_errors(20, 33, 20, (uint32_t[6]){3, 3, 0, 1, 1, 0}, 4, 2), 0);
}
Test(grid, scalar_halo_periodic_not_a_tile_multiple)
{
    cr_assert_eq(scalar_halo_errors(40, 50, 20, (uint32_t[6]){3, 3, 3, 3, 3, 3}, 6, 1), 0);
}
Test(grid, scalar_halo_thin_each_axis)
{
    cr_assert_eq(scalar_halo_errors(70, 90, 1, sides_closed, 3, 1), 0);
    cr_assert_eq(scalar_halo_errors(70, 1, 90, sides_closed, 3, 1), 0);
    cr_assert_eq(scalar_halo_errors(1, 70, 90, sides_closed, 3, 2), 0);
}

/* mac: component a has one more face along a; boundary faces of closed sides move with the wall, odd mirror beyond. */
static double mac_want(const struct bw_domain_info *d, int c, const int p[3])
{
    double scale = 1, add = 0;
    int x[3];
    for (int a = 0; a < 3; a++) {
        int n = d->n[a], v = p[a], high = v >= n;
        const struct bw_side *s = &d->side[2 * a + (high ? 1 : 0)];
        x[a] = v;
        if (a == c) {
            bool edge = v == 0 || v == n, out = v < 0 || v > n;
            if (!edge && !out) continue;
            if (s->kind == BW_PERIODIC) x[a] = ((v % n) + n) % n;
            else if (s->kind == BW_INFLOW) scale = 0, add = s->velocity[c];
            else if (s->kind == BW_OPEN) x[a] = high ? n : 0;
            else if (edge) scale = 0, add = s->velocity[c];
            else x[a] = high ? 2 * n - v : -v, add = -add + 2 * s->velocity[c] + 0 * add, scale = -scale;
        } else {
            if (v >= 0 && v < n) continue;
            if (s->kind == BW_PERIODIC) x[a] = ((v % n) + n) % n;
            else if (s->kind == BW_INFLOW) scale = 0, add = s->velocity[c];
            else if (s->kind == BW_OPEN) x[a] = high ? n - 1 : 0;
            else x[a] = high ? 2 * n - 1 - v : -1 - v;
        }
    }
    return scale == 0 ? add : scale * mark(c, x[0], x[1], x[2]) + add;
}

static void body_compare_mac(const struct bw_block *b, void *user)
{
    int *bad = user, r = b->view[0].halo;
    const struct bw_view *v = &b->view[0];
    for (int c = 0; c < 3; c++)
        for (int k = -r; k <= b->n[2] - 1 + r; k++)
            for (int j = -r; j <= b->n[1] - 1 + r; j++)
                for (int i = -r; i <= b->n[0] - 1 + r; i++) {
                    int p[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k}, corner = 0;
                    for (int a = 0; a < 3; a++) corner += p[a] < 0 || p[a] >= b->grid->n[a];
                    if (corner > 1) continue; /* two sides at once: order of the rules, compared by the scalar tests */
                    double want = mac_want(b->grid, c, p);
                    if (fabs(bw_f32(v, c)[i + j * v->sy + k * v->sz] - want) > 1e-2)
                        __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
                }
}

static int mac_halo_errors(int nx, int ny, int nz, const uint32_t kind[6], int halo, int block)
{
    struct world x;
    world_open(&x, make_info(nx, ny, nz, kind), 2);
    activate_all(x.d);
    struct bw_access a = {marked(&x, BW_MAC), BW_READ, halo};
    int bad = 0;
    struct bw_sweep s = {.access = &a, .n_access = 1, .body = body_compare_mac, .user = &bad, .block = block};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    world_close(&x);
    return bad;
}

Test(grid, mac_halo_closed_whole_tiles) { cr_assert_eq(mac_halo_errors(32, 16, 48, sides_closed, 3, 1), 0); }
Test(grid, mac_halo_closed_cut_tiles) { cr_assert_eq(mac_halo_errors(40, 33, 20, sides_closed, 3, 2), 0); }
Test(grid, mac_halo_open_high_faces_have_a_home)
{
    cr_assert_eq(mac_halo_errors(32, 32, 16, (uint32_t[6]){1, 1, 1, 1, 1, 1}, 4, 1), 0);
}
Test(grid, mac_halo_inflow_and_periodic)
{
    cr_assert_eq(mac_halo_errors(32, 20, 16, (uint32_t[6]){2, 1, 3, 3, 0, 2}, 3, 1), 0);
}

/* Over more tiles than the next. */
Test(grid, halos_of_many_tiles)
{
    cr_assert_eq(scalar_halo_errors(96, 50, 64, (uint32_t[6]){1, 1, 3, 3, 0, 2}, 34, 1), 0);
    cr_assert_eq(scalar_halo_errors(50, 64, 96, sides_closed, 33, 2), 0);
    cr_assert_eq(mac_halo_errors(96, 50, 64, (uint32_t[6]){1, 1, 3, 3, 0, 2}, 34, 2), 0);
}

/* Rims: a lone tile inside the box keeps its high faces; a neighbour that wakes finds them, one that goes leaves
 * them. */
Test(grid, rim_becomes_low_face_and_back)
{
    struct world x;
    world_open(&x, make_info(64, 64, 64, (uint32_t[6]){1, 1, 1, 1, 1, 1}), 1);
    bw_domain_request_tile(x.d, (int32_t[3]){1, 1, 1});
    cr_assert_eq(bw_domain_commit(x.d), BW_OK);
    struct bw_field *f = marked(&x, BW_MAC);
    for (int c = 0; c < 3; c++) {
        int32_t at[3] = {20, 21, 22};
        at[c] = 32;
        cr_assert_float_eq(bw_fetch(&f->src, (uint32_t)c, at), (float)mark(c, at[0], at[1], at[2]), 1e-6);
        at[c] = 33;
        cr_assert_eq(bw_fetch(&f->src, (uint32_t)c, at), 0);
    }
    bw_domain_request_tile(x.d, (int32_t[3]){1, 1, 1});
    bw_domain_request_tile(x.d, (int32_t[3]){2, 1, 1});
    cr_assert_eq(bw_domain_commit(x.d), BW_OK);
    cr_assert_eq(x.d->topo->pub.count, 2);
    int32_t at[3] = {32, 21, 22};
    cr_assert_float_eq(bw_fetch(&f->src, 0, at), (float)mark(0, 32, 21, 22), 1e-6);
    cr_assert_null(f->src.boundary_faces[0][0]);
    cr_assert_not_null(f->src.boundary_faces[0][1]);
    at[0] = 33;
    cr_assert_neq(bw_fetch(&f->src, 1, at), 0, "a tile born beside flow starts with its neighbour's velocity");
    bw_domain_request_tile(x.d, (int32_t[3]){1, 1, 1});
    cr_assert_eq(bw_domain_commit(x.d), BW_OK);
    at[0] = 32;
    cr_assert_float_eq(bw_fetch(&f->src, 0, at), (float)mark(0, 32, 21, 22), 1e-6);
    world_close(&x);
}

/* The set follows what is alive, memory follows the set. */
static void body_set(const struct bw_block *b, void *user)
{
    float v = *(float *)user;
    const struct bw_view *w = &b->view[0];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) bw_f32(w, 0)[i + j * w->sy + k * w->sz] = v;
}

Test(grid, active_set_grows_and_shrinks)
{
    struct world x;
    world_open(&x, make_info(320, 320, 320, sides_closed), 2);
    struct bw_field *f = bw_field_create(x.d, "density", BW_SCALAR, BW_F32, NULL);
    f->info.alive = 1e-3;
    bw_domain_request_tile(x.d, (int32_t[3]){10, 10, 10});
    cr_assert_eq(bw_domain_commit(x.d), BW_OK);
    float one = 1, zero = 0;
    struct bw_access a = {f, BW_UPDATE, 0};
    struct bw_sweep s = {.access = &a, .n_access = 1, .body = body_set, .user = &one};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    cr_assert_eq(bw_domain_request_alive(x.d, 4, x.w), BW_OK);
    cr_assert_eq(bw_domain_commit(x.d), BW_OK);
    cr_assert_eq(x.d->topo->pub.count, 27);
    s.user = &zero;
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    cr_assert_eq(bw_domain_request_alive(x.d, 4, x.w), BW_OK);
    cr_assert_eq(bw_domain_commit(x.d), BW_OK);
    cr_assert_eq(x.d->topo->pub.count, 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(bw_domain_commit(x.d), BW_OK); /* two steps later nothing is kept in reserve */
    cr_assert_eq(bw_pool_bytes(), 0);
    world_close(&x);
    cr_assert_eq(bw_pool_bytes(), 0);
}

/* A Jacobi smoothing that reads with a halo and writes the same field: reads see the old state on any thread count. */
static void body_smooth(const struct bw_block *b, void *user)
{
    (void)user;
    const struct bw_view *r = &b->view[0], *w = &b->view[1];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const float *p = bw_f32(r, 0) + i + j * r->sy + k * r->sz;
                float v = (p[-1] + p[1] + p[-r->sy] + p[r->sy] + p[-r->sz] + p[r->sz]) / 6;
                bw_f32(w, 0)[i + j * w->sy + k * w->sz] = v;
                b->sum[0] += v;
                if (v > b->max[0]) b->max[0] = v;
            }
}

static void smooth(uint32_t threads, int block, double *sum, double *max, double *probe)
{
    struct world x;
    world_open(&x, make_info(80, 48, 64, (uint32_t[6]){1, 1, 0, 0, 3, 3}), threads);
    activate_all(x.d);
    struct bw_field *f = marked(&x, BW_SCALAR);
    struct bw_access a[] = {{f, BW_READ, 1}, {f, BW_WRITE, 0}};
    struct bw_sweep s = {.access = a,
                         .n_access = 2,
                         .body = body_smooth,
                         .block = block,
                         .sums = sum,
                         .n_sums = 1,
                         .maxs = max,
                         .n_maxs = 1};
    for (int i = 0; i < 5; i++) cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    *probe = bw_fetch(&f->src, 0, (int32_t[3]){17, 31, 15});
    world_close(&x);
}

Test(grid, sweeps_give_equal_bits_on_any_thread_count)
{
    double s1, s2, s3, m1, m2, m3, p1, p2, p3;
    smooth(1, 1, &s1, &m1, &p1);
    smooth(2, 1, &s2, &m2, &p2);
    smooth(3, 2, &s3, &m3, &p3);
    cr_assert(s1 == s2 && m1 == m2 && p1 == p2);
    cr_assert(m1 == m3 && p1 == p3 && fabs(s1 - s3) < 1e-9 * fabs(s1));
    cr_assert_gt(s1, 0);
}

/* Copy on write: a snapshot keeps what it saw while the field goes on. */
Test(grid, snapshot_is_not_touched_by_updates)
{
    struct world x;
    world_open(&x, make_info(32, 32, 32, sides_closed), 2);
    activate_all(x.d);
    struct bw_field *f = marked(&x, BW_SCALAR);
    struct bw_source snap;
    cr_assert_eq(bw_source_ref(f, &snap), BW_OK);
    float seven = 7;
    struct bw_access a = {f, BW_UPDATE, 0};
    struct bw_sweep s = {.access = &a, .n_access = 1, .body = body_set, .user = &seven};
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_OK);
    int32_t at[3] = {5, 6, 7};
    cr_assert_eq(bw_fetch(&f->src, 0, at), 7);
    cr_assert_eq(bw_fetch(&snap, 0, at), (float)mark(0, 5, 6, 7));
    bw_source_unref(&snap);
    world_close(&x);
}

/* NaN is named by field and cell; contradicting rows are refused. */
static void body_nan(const struct bw_block *b, void *user)
{
    (void)user;
    const struct bw_view *w = &b->view[0];
    memset(w->data[0], 0, (size_t)(w->sz * b->n[2]) * sizeof(float));
    if (b->lo[0] == 16 && b->lo[1] == 0 && b->lo[2] == 16) bw_f32(w, 0)[3 + 2 * w->sy + 1 * w->sz] = NAN;
}

Test(grid, nan_is_named)
{
    struct world x;
    world_open(&x, make_info(32, 32, 32, sides_closed), 2);
    activate_all(x.d);
    struct bw_field *f = marked(&x, BW_SCALAR);
    struct bw_access a[] = {{f, BW_WRITE, 0}, {f, BW_UPDATE, 0}};
    struct bw_sweep s = {.access = a, .n_access = 1, .body = body_nan};
    struct bw_sweep_fault fault = {0};
    cr_assert_eq(bw_sweep_run(&x.env, &s, &fault), BW_ERR_DIVERGED);
    cr_assert(fault.field == f && fault.cell[0] == 19 && fault.cell[1] == 2 && fault.cell[2] == 17);
    cr_assert_eq(bw_fetch(&f->src, 0, (int32_t[3]){1, 1, 1}), (float)mark(0, 1, 1, 1),
                 "a failed sweep changes nothing");
    s.n_access = 2;
    cr_assert_eq(bw_sweep_run(&x.env, &s, NULL), BW_ERR_PLUGIN);
    world_close(&x);
}

/* In double as well, infinity too, in the middle of a row, at its end, and with a halo's odd width. */
static void body_not_finite(const struct bw_block *b, void *user)
{
    const double *what = user;
    const struct bw_view *w = &b->view[0];
    for (int i = 0; i < b->n[0] * b->n[1] * b->n[2]; i++) bw_f64(w, 0)[i] = 1e300;
    bw_f64(w, 0)[(int)what[1] + 2 * w->sy + 3 * w->sz] = what[0];
}

Test(grid, not_finite_in_double)
{
    const double what[][2] = {
        {(double)NAN, 5}, {(double)INFINITY, 20}, {-(double)INFINITY, 0}, {(double)NAN, 0}, {1, 5}};
    for (int i = 0; i < 5; i++)
        for (int block = 1; block < 3; block++) {
            struct world x;
            world_open(&x, make_info(21, 21, 21, sides_closed), 1);
            activate_all(x.d);
            struct bw_access a = {bw_field_create(x.d, "f", BW_SCALAR, BW_F64P, NULL), BW_WRITE, 0};
            double with[2] = {what[i][0], block == 1 && what[i][1] > 4 ? 4 : what[i][1]};
            struct bw_sweep s = {.access = &a, .n_access = 1, .body = body_not_finite, .user = with, .block = block};
            struct bw_sweep_fault fault = {0};
            cr_assert_eq(bw_sweep_run(&x.env, &s, &fault), i < 4 ? BW_ERR_DIVERGED : BW_OK, "%d, %d", i, block);
            if (i < 4) cr_assert(fault.cell[0] == (int)with[1] && fault.cell[1] == 2 && fault.cell[2] == 3);
            world_close(&x);
        }
}

Test(grid, sample_is_exact_for_linear_fields)
{
    struct world x;
    struct bw_domain_info info = make_info(40, 40, 40, sides_closed);
    info.origin[0] = -3;
    world_open(&x, info, 1);
    activate_all(x.d);
    struct bw_field *s = marked(&x, BW_SCALAR), *m = marked(&x, BW_MAC);
    bw_vec3 pos[] = {{-3 + .5 * 16.2, .5 * 15.9, .5 * 20.3}, {-3 + .5 * 7.7, .5 * 31.6, .5 * 32.4}};
    double out[2], vec[6];
    bw_sample(&s->src, 2, (const bw_vec3 *)pos, out);
    bw_sample(&m->src, 2, (const bw_vec3 *)pos, vec);
    for (int p = 0; p < 2; p++) {
        double g[3] = {(pos[p][0] + 3) / .5, pos[p][1] / .5, pos[p][2] / .5};
        cr_assert_float_eq(out[p], 1 + (g[0] - .5) + 100 * (g[1] - .5) + 10000 * (g[2] - .5), .05);
        for (int c = 0; c < 3; c++) {
            double q[3];
            for (int a = 0; a < 3; a++) q[a] = g[a] - (a == c ? 0 : .5);
            cr_assert_float_eq(vec[3 * p + c], 1 + .125 * c + q[0] + 100 * q[1] + 10000 * q[2], .05);
        }
    }
    world_close(&x);
}

Test(grid, f64_fields_keep_their_digits)
{
    struct world x;
    world_open(&x, make_info(20, 20, 20, sides_closed), 2);
    activate_all(x.d);
    double back[3] = {1. / 3, 0, 0};
    struct bw_field *f = bw_field_create(x.d, "f", BW_SCALAR, BW_F64P, back);
    cr_assert_eq(bw_fetch(&f->src, 0, (int32_t[3]){3, 4, 5}), 1. / 3);
    world_close(&x);
}
