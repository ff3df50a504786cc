// SPDX-License-Identifier: Apache-2.0
/* Conservative flux-form semi-Lagrangian advection of scalars and vectors (smoke, heat, fuel, dye), dimensionally
 * split: sweeps along x, y, z, and z, y, x in the next step (Strang), each as in flux_lines.c. The volume of cells is
 * advected along, so that a constant stays one though a single sweep compresses it. What leaves one cell enters the
 * next: sums are conserved, and values keep the bounds that the field had. The first axis alternates (flux_order).
 * A single order errs by dt² times the commutator of its sweeps, so a turned flow carries otherwise: `sweeps:
 * symmetric` takes two axes in both orders, and the mean of both (flux_substeps.c), for two sweeps more.
 *
 * After all sweeps a cell's volume is 1 - dt div u, which is 1 but for the projection's residual. The cell then keeps
 * the amount, as far as values beside it differ, so that a constant stays one even there (conservative form). With
 * sources of `divergence` in the chain it keeps the value instead (non-conservative form): mass fractions and
 * temperatures do not change when gas expands, and their sum over space grows.
 *
 * Boundary conditions: no flux through closed sides; through open ones and from inactive tiles comes the background, or
 * with `outside: clamp` or `keep` the value there; gas leaves with the value inside. Outflow is the metric left_FIELD.
 * Stable as long as no sweep empties a cell: longer steps are split into substeps, called parts (flux_substeps.c). */
#include "flux.h"
#include <string.h>

bool flux_advects(const struct pass *p, const struct bw_field_info *info)
{
    return p->by_flux && info->kind != BW_MAC && info->precision == BW_F32;
}

static int32_t axis_now(const struct flux *f) { return f->now->axis; }

static struct bw_field *item_field(const struct flux *f, uint32_t q, enum flux_fields_at at)
{
    return at == FLUX_OTHER ? f->other[q] : f->pass->item[q].field;
}

static struct flux_cells cells_of(const struct bw_view *v, int c)
{
    return (struct flux_cells){.at = bw_f32(v, c), .step = {1, v->sy, v->sz}};
}

/* The same, with the neighbouring tiles along the axis read in place. */
static struct flux_cells lines_of(const struct flux *f, const struct bw_block *b, const struct bw_view *v,
                                  const struct bw_field *field, int c, float nothing, bool in_place)
{
    const int a = axis_now(f);
    const int32_t *beyond = &f->topology->neighbour[tile_of_block(f->pass->tiles, b)][2 * a];
    struct flux_cells cells = cells_of(v, c);
    cells.split = in_place;
    cells.nothing = nothing;
    if (!in_place) return cells;
    if (beyond[0] >= 0) cells.below = f->pass->tiles->data(field, (uint32_t)c, beyond[0]);
    if (beyond[1] >= 0) cells.above = f->pass->tiles->data(field, (uint32_t)c, beyond[1]);
    tile_steps_set(b->grid, cells.tile_step);
    if (cells.below) cells.below += b->grid->tile[a] * cells.tile_step[a];
    return cells;
}

static void steps_set(const struct bw_view *v, ptrdiff_t step[3]) { step[0] = 1, step[1] = v->sy, step[2] = v->sz; }

/* Can cells beyond the tile be read in place? Not where a closed side mirrors them, or the box ends within them. */
static bool cells_are_in_place(const struct flux *f, const struct bw_block *b, int64_t tile, const int32_t around[2])
{
    const struct bw_domain_info *g = b->grid;
    const int a = axis_now(f);
    const int32_t *beyond = &f->topology->neighbour[tile][2 * a];
    for (int high = 0; high < 2; high++)
        if (beyond[high] == BW_TILE_OUTSIDE && g->side[2 * a + high].kind == BW_CLOSED) return false;
    if (g->n[a] <= 0 || beyond[1] == BW_TILE_OUTSIDE) return true;
    if (g->side[2 * a].kind == BW_PERIODIC) return g->n[a] % g->tile[a] == 0;
    return b->lo[a] + b->n[a] + around[1] <= g->n[a];
}

static void block_sweep(const struct bw_block *b, void *user)
{
    const struct flux *f = user;
    const struct pass *p = f->pass;
    const int64_t tile = tile_of_block(p->tiles, b);
    struct flux_tile t = {.axis = axis_now(f),
                          .n = {b->n[0], b->n[1], b->n[2]},
                          .scale = (float)(f->scale * f->now->times),
                          .limit = p->options->clamp,
                          .keep_amount = f->now->volume_to == FLUX_WHOLE && !f->expands,
                          .extend = p->options->outside != OUTSIDE_BACKGROUND};
    flux_reach(f, tile, t.around);
    const bool in_place = cells_are_in_place(f, b, tile, t.around);
    t.u = lines_of(f, b, &b->view[0], f->flow, t.axis, 0, flux_faces_are_in_place(f, b, tile, t.axis));
    if (!flux_mark_near_solid(f, b, &t) || !flux_mark_moving_solid(f, b, &t))
        return; // the host sees that scratch memory ran out
    t.counts = t.keep_amount && t.near_solid.at;
    for (int high = 0; high < 2; high++) {
        const int32_t side = 2 * t.axis + high, beyond = f->topology->neighbour[tile][side];
        t.open[high] = beyond < 0 && !(beyond == BW_TILE_OUTSIDE && b->grid->side[side].kind == BW_CLOSED);
    }
    if (f->view_volume) t.volume = lines_of(f, b, &b->view[f->view_volume], f->volume[f->now->volume], 0, 0, in_place);
    if (f->view_volume_to) {
        t.volume_to = bw_f32(&b->view[f->view_volume_to], 0);
        steps_set(&b->view[f->view_volume_to], t.volume_step);
    }
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) {
            struct flux_amount *a = &t.amount[t.n_amounts++];
            *a = (struct flux_amount){.from = lines_of(f, b, &b->view[p->item[q].view], item_field(f, q, f->now->from),
                                                       c, (float)p->item[q].info->background[c], in_place),
                                      .least = f->least[t.n_amounts - 1],
                                      .most = f->most[t.n_amounts - 1],
                                      .to = bw_f32(&b->view[p->item[q].view_out], c)};
            steps_set(&b->view[p->item[q].view_out], a->step);
            if (f->now->mean) a->other = cells_of(&b->view[f->view_mean[q]], c);
        }
    flux_tile_for(p->stage->host->simd)(&t);
    double *sum = b->sum;
    for (int32_t m = 0; m < t.n_amounts; m++) {
        *sum++ = t.amount[m].left[0] + t.amount[m].left[1];
        *sum++ = t.amount[m].lost;
        *sum++ = t.amount[m].held;
    }
}

/* Lines are read along the axis only, in place where possible. */
static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct flux *f = user;
    const int32_t a = axis_now(f);
    const int64_t tile = tile_of_block(f->pass->tiles, b);
    int32_t around[2] = {0, 1};
    if (row > 0) flux_reach(f, tile, around);
    const bool in_place = row > 0 ? cells_are_in_place(f, b, tile, around) : flux_faces_are_in_place(f, b, tile, a);
    for (int s = 0; s < 6; s++) reach[s] = s >> 1 == a && !in_place ? around[s & 1] : 0;
    return 1;
}

/* Accesses: the flow, the volumes before and after, each field before and after, and the other order's. What this sweep
 * writes it is the last to read. */
static enum bw_status sweep_run(struct flux *f, struct flux_sums *all)
{
    struct pass *p = f->pass;
    const struct flux_sweep *now = f->now;
    struct bw_access row[3 + 3 * FLUX_FIELDS] = {{f->flow, BW_READ, 1}};
    uint32_t n = 1, comps = 0;
    f->view_volume = f->view_volume_to = 0;
    if (now->volume != FLUX_WHOLE)
        row[f->view_volume = n++] =
            (struct bw_access){f->volume[now->volume], now->from == now->to ? BW_READ_LAST : BW_READ, FLUX_HALO};
    if (now->volume_to != FLUX_WHOLE && !now->mean)
        row[f->view_volume_to = n++] = (struct bw_access){f->volume[now->volume_to], BW_WRITE, 0};
    for (uint32_t q = 0; q < p->n_items; q++) {
        struct item *it = &p->item[q];
        struct bw_field *from = item_field(f, q, now->from), *to = item_field(f, q, now->to);
        row[it->view = n++] = (struct bw_access){from, from == to ? BW_READ_LAST : BW_READ, FLUX_HALO};
        row[it->view_out = n++] = (struct bw_access){to, BW_WRITE, 0};
        if (now->mean) row[f->view_mean[q] = n++] = (struct bw_access){f->other[q], BW_READ_LAST, 0};
        comps += it->info->comps;
    }
    double sum[3 * FLUX_FIELDS] = {0};
    enum bw_status st = p->stage->host->sweep(p->stage, &(struct bw_sweep){.access = row,
                                                                           .n_access = n,
                                                                           .body = block_sweep,
                                                                           .reach = block_reach,
                                                                           .user = f,
                                                                           .sums = sum,
                                                                           .n_sums = 3 * comps});
    const double share = now->both ? .5 : 1;
    for (uint32_t c = 0; c < comps; c++) {
        all->left[c] += share * sum[3 * c];
        all->lost[c] += share * sum[3 * c + 1];
        all->held[c] = fmax(all->held[c], sum[3 * c + 2]);
    }
    return st;
}

static void block_bounds(const struct bw_block *b, void *user)
{
    const struct pass *p = ((const struct flux *)user)->pass;
    const struct advect_kernels *kernels = p->kernels;
    double *max = b->max;
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++, max += 2) {
            const struct bw_view *v = &b->view[q];
            const float first = bw_f32(v, c)[0];
            float range[2] = {first, first};
            kernels->range(bw_f32(v, c), (const ptrdiff_t[2]){v->sy, v->sz}, b->n, range);
            max[0] = -(double)range[0];
            max[1] = (double)range[1];
        }
}

/* Scratch fields for the other order, reused from group to group. */
static enum bw_status others_find(struct flux *f)
{
    const struct pass *p = f->pass;
    for (uint32_t q = 0; q < p->n_items && p->options->sweeps == SWEEPS_SYMMETRIC; q++) {
        struct bw_field **scratch = f->scratch[p->item[q].info->kind == BW_VECTOR] + q;
        if (!*scratch) *scratch = p->stage->host->scratch_field(p->stage, p->item[q].info->kind, BW_F32);
        if (!*scratch) return p->stage->host->fail(p->stage, BW_ERR_MEMORY, "Out of memory for advection.");
        f->other[q] = *scratch;
    }
    return BW_OK;
}

/* Bounds for the limiter: of the values before the step, and the background. */
static enum bw_status bounds_find(struct flux *f)
{
    const struct pass *p = f->pass;
    struct bw_access row[FLUX_FIELDS];
    double max[2 * FLUX_FIELDS];
    uint32_t comps = 0;
    for (uint32_t q = 0; q < p->n_items; q++) row[q] = (struct bw_access){p->item[q].field, BW_READ, 0};
    for (uint32_t q = 0; q < p->n_items; q++) comps += p->item[q].info->comps;
    enum bw_status st = p->stage->host->sweep(
        p->stage,
        &(struct bw_sweep){
            .access = row, .n_access = p->n_items, .body = block_bounds, .user = f, .maxs = max, .n_maxs = 2 * comps});
    for (uint32_t q = 0, m = 0; q < p->n_items; q++)
        for (uint32_t c = 0; c < p->item[q].info->comps; c++, m++) {
            f->least[m] = (float)fmin(-max[2 * m], p->item[q].info->background[c]);
            f->most[m] = (float)fmax(max[2 * m + 1], p->item[q].info->background[c]);
        }
    return st;
}

/* Before the first projection gas stays where it is, though an obstacle has moved there: it is displaced in the next
 * step. Counts updates of the walls, the set-up call's among them. */
enum { NEXT_STEP = 3 };

static enum bw_status group_run(struct flux *f)
{
    const struct pass *p = f->pass;
    const bool moving = p->walls && p->walls->speed > 0, displaced = moving && f->open;
    struct flux_sums sums = {{0}, {0}, {0}};
    enum bw_status st = moving && p->walls->steps != NEXT_STEP ? flux_clear(f) : BW_OK;
    if (st == BW_OK) st = bounds_find(f);
    if (st == BW_OK) st = others_find(f);
    for (int32_t part = 1; part <= f->parts && st == BW_OK; part++) {
        flux_order(f, part);
        for (f->now = f->sweep; f->now < f->sweep + f->n_sweeps && st == BW_OK; f->now++) st = sweep_run(f, &sums);
        if (st == BW_OK && displaced && part == f->parts) st = flux_expel(f);
        if (st == BW_OK && displaced && p->options->clamp) st = flux_redistribute(f);
    }
    if (st == BW_OK) flux_metric(p, "left", sums.left);
    if (st == BW_OK && p->walls && !f->expands) flux_lost_report(f, sums.lost, sums.held);
    f->pass->n_items = 0;
    return st;
}

static enum bw_status groups_run(struct flux *f)
{
    struct pass *p = f->pass;
    uint32_t comps = 0;
    struct bw_field *field;
    enum bw_status st = BW_OK;
    for (uint32_t k = 0; st == BW_OK && (field = pass_field_at(p, k)); k++) {
        const struct bw_field_info *info = p->stage->host->field_info(field);
        if (!flux_advects(p, info)) continue;
        if (p->n_items && comps + info->comps > FLUX_FIELDS) {
            st = group_run(f);
            comps = 0;
        }
        p->item[p->n_items++] = (struct item){.field = field, .to = field, .info = info};
        comps += info->comps;
    }
    return st == BW_OK && p->n_items ? group_run(f) : st;
}

enum bw_status flux_fields(struct pass *p)
{
    struct bw_stage *s = p->stage;
    struct flux f = {.pass = p,
                     .topology = p->tiles->topology(s->domain),
                     .flow = p->vel,
                     .expands = s->host->find_field(s, "divergence") != NULL};
    const int volumes = p->options->sweeps == SWEEPS_SYMMETRIC ? 2 : 1;
    bool all = true;
    for (int v = 0; v < volumes; v++)
        all = (f.volume[FLUX_VOLUME + v] = s->host->scratch_field(s, BW_SCALAR, BW_F32)) != NULL && all;
    f.range = s->host->scratch(s, sizeof *f.range * (size_t)(f.topology->count + 1));
    if (!all || !f.range) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the volumes of cells.");
    if (!f.topology->count) return BW_OK;
    enum bw_status st = p->walls ? flux_through_faces(&f) : BW_OK;
    if (st == BW_OK) st = flux_plan_substeps(&f);
    return st == BW_OK ? groups_run(&f) : st;
}
