// SPDX-License-Identifier: Apache-2.0
/* transfer: fields of another domain into this one, by sampling.
 *
 * A finer source is averaged over each cell (or over a cell's size round a face), from as many trilinear samples along
 * each axis as its cells are smaller. A coarser one is interpolated trilinearly. Both are exact for linear fields and
 * second order. The weight w is 1 where the source counts, and falls to 0 over `blend` cells:
 *     region all   everywhere in the source, 0 at its sides that lie inside this domain (cells of the source)
 *     region rim   at this domain's sides that lie inside the source, 0 further in (cells of this domain)
 * Modes, with f the old value and g the source's:
 *     set    f += (g - f)·(1 - (1-w)^(dt/τ))   τ = 1/24 s: at once where w = 1, in one substep or in ten
 *     max    f = max(f, w·g)
 *     add    f += w·g·dt                       an amount per second
 *     large  f += w·P(g - R f)                 only the scales that a coarser g resolves: R (restriction) averages f as
 *                                              a transfer to g does, P (prolongation) interpolates. Finer detail
 *                                              of f stays, and so does what g was given
 * Values are taken from active tiles of the source only. Tiles of this domain are activated where a field that keeps
 * tiles active here exceeds its threshold there.
 * Transfers both ways run in the order of the list. */
#include "stages.h"
#include <common/nest.h>
#include "means.h"
#include "scales.h"
#include <common/ranks.h>
#include <common/shape/shape.h>
#include <common/tiles.h>

#include <math.h>
#include <string.h>

#define BLEND_TIME (1.0 / 24) // s
enum { FIELDS_MOST = 64 };
enum transfer_mode { TRANSFER_SET, TRANSFER_MAX, TRANSFER_ADD, TRANSFER_LARGE };
enum transfer_region { REGION_ALL, REGION_RIM };

struct field_name {
    const char *name;
};

struct transfer {
    const char *from;
    struct bw_list fields; ///< of struct field_name
    int32_t mode, region;
    double blend;
};

static const struct bw_param field_row[] = {
    {.type = BW_PARAM_FIELD,
     .offset = BW_OFFSET(struct field_name, name, const char *),
     .doc = "A field's name.",
     .flags = BW_PARAM_STATIC},
};
static const struct bw_param params[] = {
    BW_STRING(struct transfer, from, "from", NULL, "The domain that is read.", BW_PARAM_REQUIRED),
    BW_LIST(struct transfer, fields, struct field_name, "fields", field_row,
            "Fields to take over, of the same name in both."),
    BW_CHOICE(
        struct transfer, mode, "mode", "set", "set|max|add|large",
        "set: the other domain's value; max: at least that; add: so much per second; large: only the scales that the "
        "other, coarser one can show, while finer detail stays."),
    BW_CHOICE(struct transfer, region, "region", "all", "all|rim",
              "all: wherever the other domain is; rim: along the sides that lie inside it."),
    BW_F64(struct transfer, blend, "blend", "4", 0, 1e4, NULL,
           "Cells over which the other domain's part falls to nothing (all: its own; rim: this domain's)."),
};

enum { PORT_HERE, PORT_THERE };
// clang-format off
#define FIELD_PORT(mode, where, text)                                                                                  \
    {                                                                                                                  \
        .name = "fields", .kind = BW_SCALAR, .access = mode, .doc = text, .flags = BW_PORT_LIST, .from = "fields",     \
        .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC), .domain = where                \
    }
// clang-format on
static const struct bw_port ports[] = {
    [PORT_HERE] = FIELD_PORT(BW_UPDATE, NULL, "The fields that are filled."),
    [PORT_THERE] = FIELD_PORT(BW_READ, "from", "The same in the other domain."),
};

/* Both domains and the field of a pass; read by all workers. */
struct pass {
    const struct transfer *p;
    const struct bw_tiles_api *tiles;
    const struct bw_field *source;
    struct bw_domain *there;
    const struct bw_domain_info *here, *far;
    struct means means[3];       ///< per component
    const struct scales *scales; ///< mode large: per component
    double dt;
};

static const struct bw_domain_info *far_grid(const struct bw_stage *s)
{
    return s->host->field_info(s->ports[PORT_THERE].fields[0])->domain;
}

/* Positions along one axis of a block: the weight by this axis alone, and the source's tile there. */
struct axis {
    double *x, *weight, most; ///< most: of the weights
    int32_t *tile;            ///< INT32_MIN: the source does not reach there
};

/* Depth is the least over the axes, and what follows from it rises with it (all) or falls (rim): so the weight of a
 * place is the least of its axes' weights, or the largest. Mode set: the share of what is moved in this step. */
static double axis_weight(const struct pass *a, const double at[3])
{
    double w = nest_weight(nest_depth(a->far, a->here, at), a->p->blend);
    if (a->p->region == REGION_RIM) w = 1 - nest_weight(nest_depth(a->here, a->far, at), a->p->blend);
    return w >= 1 || a->p->mode != TRANSFER_SET ? w : 1 - pow(1 - w, a->dt / BLEND_TIME);
}

static int axis_make(const struct pass *a, const struct bw_block *b, int axis, double back, int32_t n, struct axis *out)
{
    const struct bw_domain_info *far = a->far;
    out->x = b->stage->host->body_scratch(b, (size_t)n * 2 * sizeof *out->x);
    out->tile = b->stage->host->body_scratch(b, (size_t)n * sizeof *out->tile);
    if (!out->x || !out->tile) return 0;
    out->weight = out->x + n;
    for (int32_t i = 0; i < n; i++) {
        double at[3] = {NAN, NAN, NAN}; // which no depth comes from
        at[axis] = out->x[i] = block_coord(b, axis, i + 0.5 - back);
        out->weight[i] = axis_weight(a, at);
        out->most = i ? fmax(out->most, out->weight[i]) : out->weight[i];
        double cell = floor((at[axis] - far->origin[axis]) / far->h);
        if (far->n[0] > 0 && cell == far->n[axis]) cell--; // the last face
        const int reached = nest_depth(far, a->here, at) >= 0 && fabs(cell) < 1e9;
        out->tile[i] = reached ? tile_coord((int32_t)cell, far->tile[axis]) : INT32_MIN;
    }
    return 1;
}

/* A row: weights, the source's values, and 1 where the source's tile is active, else 0. `active` is cached for the tile
 * coordinates along y and z in `tile`. */
struct row {
    double *weight, *value, *active;
    int32_t tile[2], any;
};

static void row_active(const struct pass *a, const struct axis at[3], int32_t n, int32_t y, int32_t z, struct row *r)
{
    int32_t tile[3] = {INT32_MIN, y, z};
    double active = 0;
    if (r->tile[0] == y && r->tile[1] == z) return;
    r->tile[0] = y, r->tile[1] = z, r->any = 0;
    for (int32_t i = 0; i < n; i++) {
        if (at[0].tile[i] != tile[0]) {
            tile[0] = at[0].tile[i];
            active = tile[0] != INT32_MIN && a->tiles->find(a->there, tile) >= 0;
            r->any |= active > 0;
        }
        r->active[i] = active;
    }
}

/* Weights of row j, k. 0: all are zero, and were not written. */
static int row_weigh(const struct pass *a, const struct axis at[3], int32_t n, int32_t j, int32_t k, struct row *r)
{
    const int rim = a->p->region == REGION_RIM;
    const double y = at[1].weight[j], z = at[2].weight[k], both = (y > z) == rim ? y : z, *x = at[0].weight;
    if (at[1].tile[j] == INT32_MIN || at[2].tile[k] == INT32_MIN) return 0;
    if (!((at[0].most > both) == rim ? at[0].most > 0 : both > 0)) return 0;
    row_active(a, at, n, at[1].tile[j], at[2].tile[k], r);
    if (rim)
        for (int32_t i = 0; i < n; i++) r->weight[i] = r->active[i] * (x[i] > both ? x[i] : both);
    else
        for (int32_t i = 0; i < n; i++) r->weight[i] = r->active[i] * (x[i] > both ? both : x[i]);
    return r->any;
}

static double value_blend(const struct pass *a, double f, double g, double w)
{
    if (a->p->mode == TRANSFER_MAX) return fmax(f, w * g);
    if (a->p->mode == TRANSFER_ADD) return f + w * g * a->dt;
    return w >= 1 ? g : f + (g - f) * w;
}

/* Mode set, vectorised; weight 0 leaves the old value. */
static void row_set(float *restrict f, int32_t n, const struct row *r)
{
    const double *g = r->value, *w = r->weight;
    for (int32_t i = 0; i < n; i++) {
        const double old = (double)f[i], mixed = old + (g[i] - old) * w[i];
        f[i] = (float)(w[i] >= 1 ? g[i] : mixed);
    }
}

static void row_write(const struct pass *a, const struct bw_view *v, int c, ptrdiff_t from, int32_t n,
                      const struct row *r)
{
    if (a->p->mode == TRANSFER_SET && v->precision == BW_F32) {
        row_set(bw_f32(v, c) + from, n, r);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        if (r->weight[i] > 0) bw_put(v, c, from + i, value_blend(a, bw_get(v, c, from + i), r->value[i], r->weight[i]));
}

/* Positions of one component in a block: their number, and their offset below the cell centres, in cells. */
struct positions {
    int32_t n[3];
    double back[3];
};

static struct positions positions_of(const struct bw_block *b, const struct bw_field_info *info, uint32_t c)
{
    struct positions p = {{b->n[0], b->n[1], b->n[2]}, {0, 0, 0}};
    if (info->kind == BW_MAC) p.back[c] = 0.5, p.n[c] += b->high[c];
    return p;
}

/* Mode large: adds the prolongated difference. 0: out of memory. */
static int block_correct(const struct pass *a, const struct bw_block *b, const struct positions *p, uint32_t c)
{
    const struct bw_view *v = &b->view[0];
    const struct scales *d = &a->scales[c];
    const int32_t *n = p->n;
    struct scales_along along;
    struct refine lines = {.line = scales_line, .user = &along};
    struct refine_place z, *y = b->stage->host->body_scratch(b, (size_t)n[1] * sizeof *y);
    double by[SCALES_ROW];
    if (!y) return 0;
    for (int32_t j = 0; j < n[1]; j++) y[j] = scales_place(d, 1, block_coord(b, 1, j + 0.5 - p->back[1]));
    scales_rows(d, block_coord(b, 0, 0.5 - p->back[0]), b->grid->h, n[0], &along);
    if (!refine_begin(&lines, b, 2 * n[0], &y[0], &y[n[1] - 1])) return 0;
    for (int32_t k = 0; k < n[2]; k++) {
        z = scales_place(d, 2, block_coord(b, 2, k + 0.5 - p->back[2]));
        refine_plane(&lines, &z);
        for (int32_t j = 0; j < n[1]; j++) {
            const ptrdiff_t row = j * v->sy + k * v->sz;
            scales_row(&lines, &y[j], n[0], by);
            for (int32_t i = 0; i < n[0]; i++) bw_put(v, (int)c, row + i, bw_get(v, (int)c, row + i) + by[i]);
        }
    }
    return 1;
}

/* The other modes; 0: out of memory. */
static int block_blend(const struct pass *a, const struct bw_block *b, const struct positions *p, uint32_t c)
{
    const struct bw_view *v = &b->view[0];
    const int32_t *n = p->n;
    struct axis at[3];
    struct row r = {.tile = {INT32_MIN, INT32_MIN}};
    struct means_block means;
    int32_t from = 0, to = n[0];
    r.weight = b->stage->host->body_scratch(b, (size_t)n[0] * 3 * sizeof(double));
    if (!r.weight) return 0;
    for (int axis = 0; axis < 3; axis++)
        if (!axis_make(a, b, axis, p->back[axis], n[axis], &at[axis])) return 0;
    while (from < to && at[0].tile[from] == INT32_MIN) from++;
    while (from < to && at[0].tile[to - 1] == INT32_MIN) to--;
    if (!means_block(&a->means[c], b, (const double *[]){at[0].x, at[1].x}, n, from, to, &means)) return 0;
    r.value = r.weight + n[0], r.active = r.value + n[0];
    memset(r.value, 0, (size_t)n[0] * sizeof *r.value);
    for (int32_t k = 0; k < n[2] && from < to; k++) {
        means_plane(&means, at[2].x[k]);
        for (int32_t j = 0; j < n[1]; j++) {
            if (!row_weigh(a, at, n[0], j, k, &r)) continue;
            means_block_row(&means, j, r.weight, r.value);
            row_write(a, v, (int)c, j * v->sy + k * v->sz, n[0], &r);
        }
    }
    return 1;
}

/* May any cell of the block have a weight above 0? */
static int block_in_region(const struct pass *a, const struct bw_block *b)
{
    double lo[3], hi[3], middle[3];
    for (int i = 0; i < 3; i++) {
        lo[i] = block_coord(b, i, 0), hi[i] = block_coord(b, i, b->n[i]), middle[i] = 0.5 * (lo[i] + hi[i]);
        double from = a->far->origin[i], to = from + a->far->n[i] * a->far->h;
        if (a->far->n[0] > 0 && (hi[i] < from || lo[i] > to)) return 0;
    }
    double reach = 0.5 * fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2])) / a->here->h;
    return a->p->region == REGION_ALL || nest_depth(a->here, a->far, middle) <= a->p->blend + reach + 1;
}

/* Blocks outside of the region are skipped. */
static int reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)reach;
    return block_in_region(user, b);
}

static void body(const struct bw_block *b, void *user)
{
    const struct pass *a = user;
    const struct bw_field_info *info = b->stage->host->field_info(a->source);
    if (b->view[0].halo < 0) return;
    for (uint32_t c = 0; c < info->comps && !(b->sum[0] > 0); c++) {
        const struct positions p = positions_of(b, info, c);
        if (info->kind == BW_MAC && (int)c == b->grid->thin) continue;
        b->sum[0] += !(a->scales ? block_correct(a, b, &p, c) : block_blend(a, b, &p, c));
    }
}

/* ---- activation ---- */

/// Bounds, m, of the source's values above the threshold in a tile, if any.
struct tile_bounds {
    struct box3 box;
    int64_t any;
};

static struct tile_bounds tile_bounds_find(const struct pass *a, const struct bw_field_info *info, int64_t index,
                                           const int32_t coord[3], double threshold)
{
    struct tile_bounds found = {.any = 0};
    const int32_t *n = a->far->tile;
    int32_t lo[3] = {n[0], n[1], n[2]}, hi[3] = {-1, -1, -1};
    for (uint32_t c = 0; c < info->comps; c++) {
        const void *data = a->tiles->data(a->source, c, index);
        for (int32_t q = 0; q < n[0] * n[1] * n[2]; q++) {
            double v = info->precision == BW_F64P ? ((const double *)data)[q] : (double)((const float *)data)[q];
            if (!(fabs(v) > threshold)) continue;
            const int32_t at[3] = {q % n[0], q / n[0] % n[1], q / n[0] / n[1]};
            for (int i = 0; i < 3; i++) lo[i] = at[i] < lo[i] ? at[i] : lo[i], hi[i] = at[i] > hi[i] ? at[i] : hi[i];
            found.any = 1;
        }
    }
    for (int i = 0; i < 3 && found.any; i++) {
        found.box.lo[i] = a->far->origin[i] + ((double)coord[i] * n[i] + lo[i]) * a->far->h;
        found.box.hi[i] = a->far->origin[i] + ((double)coord[i] * n[i] + hi[i] + 1) * a->far->h;
    }
    return found;
}

/* For all tiles of the source; each rank finds those of its own. NULL: out of memory. */
static struct tile_bounds *all_tile_bounds(struct bw_stage *s, const struct pass *a, double threshold)
{
    const struct bw_ranks_api *ranks = s->host->extension(BW_RANKS);
    const struct bw_topology *t = a->tiles->topology(a->there);
    struct tile_bounds *alive = s->host->scratch(s, (size_t)(t->count + 1) * sizeof *alive);
    int32_t rank = 0, size;
    const int32_t *owner = ranks ? ranks->owners(s, a->there, &rank, &size) : NULL;
    for (int64_t k = 0; alive && k < t->count; k++)
        if (!owner || owner[k] == rank)
            alive[k] = tile_bounds_find(a, s->host->field_info(a->source), k, t->coord[k], threshold);
    if (alive && ranks && ranks->share(s, a->there, alive, NULL, sizeof *alive) != BW_OK) return NULL;
    return alive;
}

/* The part of a box in the rim: for each side that lies inside the source, the slab along it. */
static enum bw_status rim_activate(struct bw_stage *s, const struct pass *a, const struct box3 *box)
{
    enum bw_status status = BW_OK;
    for (int side = 0; side < 6 && !status && a->here->n[0] > 0; side++) {
        int axis = side / 2, high = side % 2;
        double lo = a->here->origin[axis], hi = lo + a->here->n[axis] * a->here->h, wide = a->p->blend * a->here->h;
        double middle[3];
        for (int i = 0; i < 3; i++) middle[i] = a->here->origin[i] + 0.5 * a->here->n[i] * a->here->h;
        middle[axis] = high ? hi : lo;
        if (nest_depth(a->here, a->far, middle) > 1e-9) continue; // the side is no border
        struct box3 part = *box;
        part.lo[axis] = fmax(part.lo[axis], high ? hi - wide : lo);
        part.hi[axis] = fmin(part.hi[axis], high ? hi : lo + wide);
        if (part.lo[axis] <= part.hi[axis]) status = s->host->activate(s, part.lo, part.hi);
    }
    return status;
}

static struct pass pass_make(const struct bw_stage *s, const struct bw_field *source)
{
    struct pass a = {.p = s->params,
                     .tiles = s->host->extension(BW_TILES),
                     .source = source,
                     .here = s->grid,
                     .far = far_grid(s),
                     .dt = s->dt};
    a.there = a.tiles->domain(source);
    for (uint32_t c = 0; c < s->host->field_info(source)->comps; c++) a.means[c] = means_of(s, source, c, a.here);
    return a;
}

static enum bw_status activate(struct bw_stage *s)
{
    enum bw_status status = BW_OK;
    for (uint32_t i = 0; i < s->ports[PORT_THERE].count && !status; i++) {
        const struct bw_field_info *here = s->host->field_info(s->ports[PORT_HERE].fields[i]);
        struct pass a = pass_make(s, s->ports[PORT_THERE].fields[i]);
        if (!(here->alive > 0)) continue;
        const struct tile_bounds *alive = all_tile_bounds(s, &a, here->alive);
        if (!alive) return BW_ERR_MEMORY;
        for (int64_t k = 0; k < a.tiles->topology(a.there)->count && !status; k++) {
            const struct box3 *box = &alive[k].box;
            if (!alive[k].any) continue;
            status = a.p->region == REGION_ALL ? s->host->activate(s, box->lo, box->hi) : rim_activate(s, &a, box);
        }
    }
    return status;
}

/* ---- callbacks ---- */

static int boxes_apart(const struct bw_domain_info *a, const struct bw_domain_info *b)
{
    int apart = 0;
    for (int i = 0; i < 3 && a->n[0] > 0 && b->n[0] > 0; i++)
        apart |= a->origin[i] + a->n[i] * a->h <= b->origin[i] || b->origin[i] + b->n[i] * b->h <= a->origin[i];
    return apart;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct transfer *p = s->params;
    if (!p->fields.count)
        return s->host->fail(s, BW_ERR_PRESET, "name the `fields` to take over from domain %s", p->from);
    const struct bw_domain_info *far = far_grid(s);
    if (p->fields.count > FIELDS_MOST) return s->host->fail(s, BW_ERR_PRESET, "names more than %d fields", FIELDS_MOST);
    if (far->thin != s->grid->thin)
        return s->host->fail(s, BW_ERR_PRESET, "domains %s and %s are not flat along the same axis", p->from,
                             s->grid->name);
    if (s->grid->h / far->h > MEANS_FINER)
        return s->host->fail(s, BW_ERR_PRESET, "the cells of %s are %g times smaller; at most %d times is possible",
                             p->from, s->grid->h / far->h, MEANS_FINER);
    if (boxes_apart(s->grid, far))
        s->host->log(s, BW_LOG_WARNING, "domains %s and %s do not touch: nothing is transferred", s->grid->name,
                     p->from);
    if (p->mode == TRANSFER_LARGE && (far->h <= s->grid->h || s->grid->n[0] <= 0 || p->region == REGION_RIM))
        return s->host->fail(s, BW_ERR_PRESET,
                             "mode large is for a domain with a size, all of it, and from a coarser one");
    if (p->region == REGION_RIM && s->grid->n[0] <= 0)
        return s->host->fail(s, BW_ERR_PRESET, "domain %s has no size, and so no rim", s->grid->name);
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    for (uint32_t i = 0; i < s->ports[PORT_HERE].count; i++) {
        struct pass a = pass_make(s, s->ports[PORT_THERE].fields[i]);
        struct bw_access access = {s->ports[PORT_HERE].fields[i], BW_UPDATE_OWN, 0};
        double failed = 0;
        struct scales scales[3];
        enum bw_status status = BW_OK;
        uint32_t comps = s->host->field_info(access.field)->comps;
        if (a.p->mode == TRANSFER_LARGE) status = scales_fetch(s, s->ports[PORT_THERE].fields[i], access.field);
        else status = ranks_fetch_near(s, s->ports[PORT_THERE].fields[i], 2 * (a.here->h + a.far->h));
        for (uint32_t c = 0; c < comps && a.p->mode == TRANSFER_LARGE && !status; c++)
            status = scales_restrict(s, a.source, access.field, c, &scales[c]);
        if (status) return status;
        if (a.p->mode == TRANSFER_LARGE) a.scales = scales;
        status = s->host->sweep(s, &(struct bw_sweep){.access = &access,
                                                      .n_access = 1,
                                                      .body = body,
                                                      .user = &a,
                                                      .sums = &failed,
                                                      .n_sums = 1,
                                                      .reach = reach});
        if (status || failed > 0) return status ? status : BW_ERR_MEMORY;
    }
    return BW_OK;
}

const struct bw_stage_desc scene_transfer_desc = {
    .id = "transfer",
    .version = "1.0",
    .brief = "Takes fields over from another domain: all of it, or along the rim.",
    .references = "Berger & Colella 1989 (nested grids)",
    .params_size = sizeof(struct transfer),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .flags = BW_STAGE_SETUP | BW_STAGE_RANKS,
    .step = step,
};
